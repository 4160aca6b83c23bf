package protocol

import (
	"errors"
	"fmt"
)

// OperationKindErase deletes all files in a former user's home. It takes EraseParameters and
// returns EraseResult.
const OperationKindErase OperationKind = "erase"

// EraseParameters limit one operation. The next operation continues the work.
type EraseParameters struct {
	Seconds int `json:"seconds"` // time limit of the operation, from 1 to MaxEraseSeconds
}

// MaxEraseSeconds is the longest time of one erase operation.
const MaxEraseSeconds = 60

// Validate refuses parameters that no supervisor sends.
func (p EraseParameters) Validate() error {
	if p.Seconds < 1 || p.Seconds > MaxEraseSeconds {
		return fmt.Errorf("seconds: %d, want 1 to %d", p.Seconds, MaxEraseSeconds)
	}
	return nil
}

// EraseResult counts the deleted files. The home's own folder stays.
type EraseResult struct {
	Files int64 `json:"files"` // number of files that were deleted, without folders
	// More means that the time was up before the home was empty.
	More bool `json:"more,omitempty"`
	// LeftOut lists names that can't be deleted, at most MaxOmittedFiles. LeftOutMore counts the
	// names that LeftOut does not list.
	LeftOut     []OmittedFile `json:"left_out,omitempty"`
	LeftOutMore int64         `json:"left_out_more,omitempty"`
}

// Validate refuses a result that no honest worker sends.
func (r EraseResult) Validate() error {
	if r.Files < 0 || r.LeftOutMore < 0 {
		return errors.New("a negative count")
	}
	return checkLeftOut(r.LeftOut)
}
