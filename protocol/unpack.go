package protocol

import (
	"errors"
	"fmt"
)

// OperationKindUnpack writes the files of an archive into the home, which must be empty. It takes
// UnpackParameters and returns UnpackResult. After a crash, a repeat writes all files again.
const OperationKindUnpack OperationKind = "unpack"

// UnpackParameters name the archive of OperationKindArchive. The worker reads it with blob.read.
type UnpackParameters struct {
	Blob BlobRef `json:"blob"`
	// Without has the SHA-256 in hexadecimal of the paths of files that are not written, at most
	// MaxUnpackWithout.
	Without []string `json:"without,omitempty"`
}

// MaxUnpackWithout bounds UnpackParameters.Without.
const MaxUnpackWithout = 1000

// Validate refuses parameters that no supervisor sends.
func (p UnpackParameters) Validate() error {
	if len(p.Blob.SHA256) != 64 || p.Blob.Size < 1 {
		return fmt.Errorf("blob: %q of %d bytes", p.Blob.SHA256, p.Blob.Size)
	}
	if len(p.Without) > MaxUnpackWithout {
		return fmt.Errorf("without: %d files, at most %d", len(p.Without), MaxUnpackWithout)
	}
	return nil
}

// UnpackResult counts the files that were written.
type UnpackResult struct {
	// NotEmpty means that nothing was written, because the home is not empty.
	NotEmpty bool `json:"not_empty,omitempty"`

	Files int64 `json:"files"` // regular files
	Bytes int64 `json:"bytes"` // bytes of all files
	// LeftOut lists members of the archive that no home has, at most MaxOmittedFiles. LeftOutMore
	// counts the members that LeftOut does not list.
	LeftOut     []OmittedFile `json:"left_out,omitempty"`
	LeftOutMore int64         `json:"left_out_more,omitempty"`
}

// Validate refuses a result that no honest worker sends.
func (r UnpackResult) Validate() error {
	if r.Files < 0 || r.Bytes < 0 || r.LeftOutMore < 0 {
		return errors.New("a negative count")
	}
	return checkLeftOut(r.LeftOut)
}
