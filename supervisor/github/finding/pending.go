package finding

import "mews/protocol"

// PostableIndexes returns the indexes of findings that Check would post if each came alone. Only
// these get a second check by a model, because that costs money. A finding that repeats another
// counts too. Otherwise the repetition would be posted without a second check if the other finding
// is refuted.
func (c Checker) PostableIndexes(found []protocol.ReviewFinding) (indexes []int) {
	for i, f := range found {
		if len(c.Check([]protocol.ReviewFinding{f}).All()) > 0 {
			indexes = append(indexes, i)
		}
	}
	return indexes
}
