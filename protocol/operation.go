package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
)

// MethodOperationStart starts an operation: any work of the worker except a turn. Its result ends
// the operation. Cancelling the call stops the operation, and the answer is CodeCancelled. A failed
// operation is answered with CodeFailed, or with the error of the failed host call.
const MethodOperationStart = "operation.start"

// OperationStart names an operation and its parameters. Every host call for it carries its id. The
// supervisor gives the ids: an operation that is started again after a crash keeps its id.
type OperationStart struct {
	Operation  int64           `json:"operation"`
	Kind       OperationKind   `json:"kind"`
	Parameters json.RawMessage `json:"parameters"` // JSON object of a type that Kind determines
	// Pieces are the pieces committed before, in order; only with OperationKindTranscribe.
	Pieces []TranscribedPiece `json:"pieces,omitempty"`
}

// OperationKind is the kind of an operation. It determines the types of parameters and result.
type OperationKind string

// OperationKindArchive writes all files of the home to a tar. It takes ArchiveParameters and
// returns ArchiveResult.
const OperationKindArchive OperationKind = "archive"

// OperationEnd is the result of operation.start.
type OperationEnd struct {
	Result json.RawMessage `json:"result"` // JSON object of a type that Kind determines
}

// ArchiveParameters bound an archive.
type ArchiveParameters struct {
	// maximum size of the tar in bytes, at least MinArchiveBytes. A file that does not fit is left
	// out.
	MaxBytes int64 `json:"max_bytes"`
	History  bool  `json:"history,omitempty"` // add the home's file history
	// Backup makes the archive for a backup: compressed by zstd, with the digest of the home, and
	// of the history only text.
	Backup    bool   `json:"backup,omitempty"`
	Recipient string `json:"recipient,omitempty"` // age recipient of a backup; "" means not sealed
	// Unless is the digest of an earlier backup. If the home still has it, there is no new archive.
	Unless string `json:"unless,omitempty"`
}

// MinArchiveBytes is the smallest bound of an archive, in bytes. An archive must hold the list of
// names that were left out.
const MinArchiveBytes = 1 << 20

// maxArchiveDigest is the most bytes of the digest in an ArchiveResult.
const maxArchiveDigest = 64

// ArchiveResult names the tar. In the tar, the folder files/ holds the home, and left-out.txt has a
// line for each name that was left out. Links are kept as links and not followed.
type ArchiveResult struct {
	Blob    BlobRef       `json:"blob"`
	Files   int64         `json:"files"` // regular files in the tar
	Bytes   int64         `json:"bytes"` // bytes of all files in the tar
	LeftOut []OmittedFile `json:"left_out,omitempty"`
	// LeftOutMore counts the names left out that LeftOut does not list.
	LeftOutMore int64 `json:"left_out_more,omitempty"`
	// Digest of all names, sizes and times of the home, for ArchiveParameters.Unless; "" means that
	// the home has just changed
	Digest    string `json:"digest,omitempty"`
	Unchanged bool   `json:"unchanged,omitempty"` // the home has the digest Unless, and there is no blob
}

// OmittedFile is a name below the home that an operation left out. The archive lacks the file or
// has only a part of it, or the file could not be deleted.
type OmittedFile struct {
	Path   string `json:"path"` // Path and Reason are cut to MaxOmittedTextBytes bytes
	Reason string `json:"reason"`
}

// Bounds of the list in an ArchiveResult, EraseResult or UnpackResult.
const (
	MaxOmittedFiles     = 100
	MaxOmittedTextBytes = 1 << 10 // bytes of a Path or a Reason
)

// Validate refuses a result that no honest worker sends.
func (r ArchiveResult) Validate() error {
	if r.Files < 0 || r.Bytes < 0 || r.LeftOutMore < 0 || (r.Blob.Size < 1) != r.Unchanged {
		return errors.New("a negative count or an empty archive")
	}
	if len(r.Digest) > maxArchiveDigest {
		return fmt.Errorf("digest: %d bytes, at most %d", len(r.Digest), maxArchiveDigest)
	}
	return checkLeftOut(r.LeftOut)
}

// checkLeftOut refuses a list that is longer than its bounds.
func checkLeftOut(list []OmittedFile) error {
	if len(list) > MaxOmittedFiles {
		return fmt.Errorf("left_out: %d names, at most %d", len(list), MaxOmittedFiles)
	}
	for _, l := range list {
		if len(l.Path) > MaxOmittedTextBytes || len(l.Reason) > MaxOmittedTextBytes {
			return fmt.Errorf("left_out: a text of over %d bytes", MaxOmittedTextBytes)
		}
	}
	return nil
}
