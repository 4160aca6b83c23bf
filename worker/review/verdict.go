package review

import (
	"slices"

	"mews/protocol"
)

// verdicts chooses the verdict of a report among those of its parts. The verdict of a part with a
// refuted finding is left out, because it may be about that finding.
type verdicts struct {
	clean, faulty string // verdicts of the first part without findings, and of the first part with findings
	found         bool
}

// add adds the verdict of a part with its findings.
func (v *verdicts) add(verdict string, found []protocol.ReviewFinding) {
	refuted := func(f protocol.ReviewFinding) bool { return f.Refutation != "" }
	v.found = v.found || slices.ContainsFunc(found, func(f protocol.ReviewFinding) bool { return !refuted(f) })
	switch {
	case slices.ContainsFunc(found, refuted):
	case len(found) > 0 && v.faulty == "":
		v.faulty = verdict
	case len(found) == 0 && v.clean == "":
		v.clean = verdict
	}
}

// text returns the verdict; "" if none fits the findings that stand.
func (v *verdicts) text() string {
	if v.found {
		return v.faulty
	}
	return v.clean
}
