package protocol

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// OperationKindUploads lists, sends or deletes files that a user has sent, at the user's wish. It
// takes UploadsParameters and returns UploadsResult. Repeated after a crash it does not find a file
// that it has moved to the trash.
const OperationKindUploads OperationKind = "uploads"

// UploadedFilesAction is the task of an uploads operation.
type UploadedFilesAction string

const (
	UploadedFilesActionList   UploadedFilesAction = "list"   // list the newest files, at most UploadsPageSize
	UploadedFilesActionSend   UploadedFilesAction = "send"   // commit one file as a blob
	UploadedFilesActionRead   UploadedFilesAction = "read"   // commit any file of the home as a blob
	UploadedFilesActionDelete UploadedFilesAction = "delete" // move one file to the trash
	UploadedFilesActionRemove UploadedFilesAction = "remove" // remove one file for good
)

// UploadsPageSize is the number of files on a page of a list.
const UploadsPageSize = 8

// UploadsParameters select the action and its file.
type UploadsParameters struct {
	Action UploadedFilesAction `json:"action"`
	// Key is the UploadKey of the file to send, delete or remove. A list begins after that file; if
	// the file does not exist, the list skips Offset newer files.
	Key    string `json:"key,omitempty"`
	Offset int    `json:"offset,omitempty"`
	Path   string `json:"path,omitempty"` // file to read, relative to the home; for UploadedFilesActionRead
}

// UploadsResult is the result of an uploads operation. After send, delete and remove it has only
// the given file, or no file if the given file does not exist.
type UploadsResult struct {
	Files []Upload `json:"files,omitempty"`
	From  int      `json:"from,omitempty"` // number of newer files before the page
	Total int      `json:"total"`          // number of files below uploads/
	Blob  *BlobRef `json:"blob,omitempty"`
	// the real path of the file that was read, if the path in the parameters only looks the same
	Path string `json:"path,omitempty"`

	Size MediaSize `json:"size,omitzero"` // length and shown size of the sent file
}

// Upload is a file that a user has sent.
type Upload struct {
	Path   string `json:"path"` // path relative to the home
	Size   int64  `json:"size"`
	SentAt string `json:"sent_at"` // time of sending in the user's zone, such as 2026-11-20 13:19
}

// UploadKey returns a short key of a file. It depends on the path alone.
func UploadKey(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:8])
}

// Validate refuses a result that no honest worker sends.
func (r UploadsResult) Validate() error {
	if len(r.Path) > MaxReceivedPathBytes || len(r.Files) > UploadsPageSize || r.From < 0 ||
		r.From+len(r.Files) > r.Total {
		return fmt.Errorf("%d files of %d", len(r.Files), r.Total)
	}
	for _, f := range r.Files {
		if f.Path == "" || len(f.Path) > MaxReceivedPathBytes || f.Size < 0 || len(f.SentAt) > 40 {
			return fmt.Errorf("file %.40q: %d bytes, sent at %.40q", f.Path, f.Size, f.SentAt)
		}
	}
	return r.Size.Validate()
}
