package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
)

// MethodOperationStart starts an operation: work of the worker's that is no turn. Its result ends
// the operation. Cancelling the call stops it, and it is then answered with CodeCancelled. An
// operation that failed is answered with CodeFailed, or with the error of the host call that it
// failed on.
const MethodOperationStart = "operation.start"

// OperationStart names an operation and says what is to be done. Every host call that the worker
// makes for it carries its id. The ids are the supervisor's: one that is started again after a
// crash has the same.
type OperationStart struct {
	Operation  int64           `json:"operation"`
	Kind       OperationKind   `json:"kind"`
	Parameters json.RawMessage `json:"parameters"` // an object of the kind's own type
	// Pieces are those that were committed before, in order; with OperationTranscribe alone.
	Pieces []TranscribedPiece `json:"pieces,omitempty"`
}

// OperationKind says what an operation does, and which types its parameters and its result have.
type OperationKind string

// OperationArchive writes all files of the home to a tar: ArchiveParameters to ArchiveResult.
const OperationArchive OperationKind = "archive"

// OperationEnd is the result of operation.start.
type OperationEnd struct {
	Result json.RawMessage `json:"result"` // an object of the kind's own type
}

// ArchiveParameters bound an archive.
type ArchiveParameters struct {
	// of the tar, at least MinArchive. A file that does not fit is left out.
	MaxBytes int64 `json:"max_bytes"`
}

// MinArchive is the least that an archive may be bounded to, in bytes: it holds the list of what
// was left out.
const MinArchive = 1 << 20

// ArchiveResult names the tar. In it the home is the folder files/, and left-out.txt has a line for
// each name that is not there. No link is followed: it is kept as a link.
type ArchiveResult struct {
	Blob    BlobRef   `json:"blob"`
	Files   int64     `json:"files"` // regular files in it
	Bytes   int64     `json:"bytes"` // of their contents
	LeftOut []LeftOut `json:"left_out,omitempty"`
	// LeftOutMore is how many names were left out beside those in LeftOut.
	LeftOutMore int64 `json:"left_out_more,omitempty"`
}

// LeftOut is a name below the home that is not, or not whole, in an archive.
type LeftOut struct {
	Path   string `json:"path"` // cut to MaxLeftOutText bytes, as is Reason
	Reason string `json:"reason"`
}

// Bounds of the list in an ArchiveResult.
const (
	MaxLeftOut     = 100
	MaxLeftOutText = 1 << 10 // bytes
)

// Check refuses a result that no honest worker sends.
func (r ArchiveResult) Check() error {
	switch {
	case r.Files < 0 || r.Bytes < 0 || r.LeftOutMore < 0 || r.Blob.Size < 1:
		return errors.New("a negative count or an empty archive")
	case len(r.LeftOut) > MaxLeftOut:
		return fmt.Errorf("left_out: %d names, at most %d", len(r.LeftOut), MaxLeftOut)
	}
	for _, l := range r.LeftOut {
		if len(l.Path) > MaxLeftOutText || len(l.Reason) > MaxLeftOutText {
			return fmt.Errorf("left_out: a text of over %d bytes", MaxLeftOutText)
		}
	}
	return nil
}
