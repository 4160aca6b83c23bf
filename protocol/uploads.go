package protocol

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// OperationUploads sees to the files that a person has sent, at their wish: UploadsParameters to
// UploadsResult. Done again after a crash it finds no file that it has put into the trash.
const OperationUploads OperationKind = "uploads"

// UploadsAction is what is to be done.
type UploadsAction string

const (
	UploadsList   UploadsAction = "list"   // the newest first, UploadsPage of them
	UploadsSend   UploadsAction = "send"   // commit one file as a blob
	UploadsRead   UploadsAction = "read"   // likewise, any file of the home
	UploadsDelete UploadsAction = "delete" // put one file into the trash
	UploadsRemove UploadsAction = "remove" // remove one file for good
)

// UploadsPage is how many files are listed at once.
const UploadsPage = 8

// UploadsParameters say what is to be done.
type UploadsParameters struct {
	Action UploadsAction `json:"action"`
	// Key is UploadKey of the file that is sent, deleted or removed, or behind which a list begins;
	// Offset is how many newer files a list leaves out where there is no such file.
	Key    string `json:"key,omitempty"`
	Offset int    `json:"offset,omitempty"`
	Path   string `json:"path,omitempty"` // of UploadsRead, relative to the home
}

// UploadsResult says what there is. It has the one file that is sent, deleted or removed; none
// where it is not there.
type UploadsResult struct {
	Files []Upload `json:"files,omitempty"`
	From  int      `json:"from,omitempty"` // how many newer ones a list has left out
	Total int      `json:"total"`          // files below uploads/
	Blob  *BlobRef `json:"blob,omitempty"`

	Size MediaSize `json:"size,omitzero"` // of the one that is sent
}

// Upload is a file that a person has sent.
type Upload struct {
	Path   string `json:"path"` // relative to the home
	Size   int64  `json:"size"`
	SentAt string `json:"sent_at"` // such as 2026-11-20 13:19, where the person lives
}

// UploadKey names a file in few letters, as long as it has its path.
func UploadKey(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:8])
}

// Check refuses a result that no honest worker sends.
func (r UploadsResult) Check() error {
	if len(r.Files) > UploadsPage || r.From < 0 || r.From+len(r.Files) > r.Total {
		return fmt.Errorf("%d files of %d", len(r.Files), r.Total)
	}
	for _, f := range r.Files {
		if f.Path == "" || len(f.Path) > MaxReceivedPath || f.Size < 0 || len(f.SentAt) > 40 {
			return fmt.Errorf("file %.40q: %d bytes, sent at %.40q", f.Path, f.Size, f.SentAt)
		}
	}
	return r.Size.Check()
}
