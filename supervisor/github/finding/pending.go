package finding

import "mews/protocol"

// Pending returns the indexes of the findings that Check would let pass one by one. A model looks
// only at these a second time, because that costs money. A repeated finding counts too: otherwise
// it would be posted without a second look if the first one is refuted.
func (c Checker) Pending(found []protocol.ReviewFinding) (indexes []int) {
	for i, f := range found {
		if len(c.Check([]protocol.ReviewFinding{f}).All()) > 0 {
			indexes = append(indexes, i)
		}
	}
	return indexes
}
