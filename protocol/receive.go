package protocol

import (
	"errors"
	"fmt"
)

// OperationReceive puts files that came with a message below the home's uploads/ and reads them:
// ReceiveParameters to ReceiveResult. Done again after a crash, it finds what it has written and
// writes nothing twice.
const OperationReceive OperationKind = "receive"

// ReceiveParameters name the files, whose blobs the operation may read.
type ReceiveParameters struct {
	// Unix seconds; folder and name of a file go by it, where the person lives
	SentAt int64         `json:"sent_at"`
	Files  []ArrivedFile `json:"files"` // 1 to MaxArrived
}

// Check refuses parameters that no honest supervisor sends.
func (p ReceiveParameters) Check() error {
	if len(p.Files) < 1 || len(p.Files) > MaxArrived {
		return fmt.Errorf("files: %d, want 1 to %d", len(p.Files), MaxArrived)
	}
	for i, f := range p.Files {
		if f.Blob.Size < 0 || f.Seconds < 0 {
			return fmt.Errorf("files[%d]: %d bytes, %d seconds", i, f.Blob.Size, f.Seconds)
		}
	}
	return nil
}

// ArrivedFile is one that came with a message.
type ArrivedFile struct {
	Blob BlobRef        `json:"blob"`
	Kind AttachmentKind `json:"kind"`
	// as its sender has it, with any characters; "" where it has none
	Name      string `json:"name,omitempty"`
	MediaType string `json:"media_type,omitempty"` // as its sender says; "" is not known
	Seconds   int    `json:"seconds,omitempty"`    // of sound and of moving pictures
}

// AttachmentKind is what sort of file came with a message.
type AttachmentKind string

// The kinds of attachments, in the words of the Bot API.
const (
	AttachmentPhoto     AttachmentKind = "photo"
	AttachmentDocument  AttachmentKind = "document"
	AttachmentAudio     AttachmentKind = "audio"
	AttachmentVoice     AttachmentKind = "voice"
	AttachmentVideo     AttachmentKind = "video"
	AttachmentVideoNote AttachmentKind = "video_note" // a round video
	AttachmentAnimation AttachmentKind = "animation"
	AttachmentSticker   AttachmentKind = "sticker"
)

// UploadsFolder is the folder of the home where received files are.
const UploadsFolder = "uploads"

// Bounds of what a message brings.
const (
	MaxArrived      = 32        // files of one message
	MaxReceivedText = 128 << 10 // bytes of text that all parts of a ReceiveResult have together
	MaxReceivedPath = 512       // bytes
)

// ReceiveResult says what has become of each file, in the order of the parameters.
type ReceiveResult struct {
	Files []ReceivedFile `json:"files"`
}

// ReceivedFile is a file that is the person's now.
type ReceivedFile struct {
	// relative to the home: uploads/2026-11-20/131905-name.pdf; "" where it was not kept
	Path string `json:"path,omitempty"`
	// a sentence without words from the file: why it was not kept, or not read
	Failure string `json:"failure,omitempty"`
	// Parts are what a model reads of it, quoted as material, with a line before it that names the
	// file. None of what failed, for which the supervisor names it and says why, and of a voice
	// message or round video that is to be transcribed.
	Parts []Part `json:"parts,omitempty"` // texts and images
	// of its sound, where it can be transcribed; 0: there is none
	Seconds int `json:"seconds,omitempty"`
	// Missing names Debian's packages without which it could not be read.
	Missing []string `json:"missing,omitempty"`
}

// Check refuses a result that no honest worker sends. files is how many there were.
func (r ReceiveResult) Check(files int) error {
	if len(r.Files) != files {
		return fmt.Errorf("files: %d, want %d", len(r.Files), files)
	}
	text, images := 0, 0
	for _, f := range r.Files {
		if len(f.Path) > MaxReceivedPath || f.Seconds < 0 || f.Path == "" && f.Failure == "" {
			return fmt.Errorf("file %.40q: a path of over %d bytes, no path and no failure, or negative seconds", f.Path, MaxReceivedPath)
		}
		text += len(f.Failure)
		for _, p := range f.Parts {
			if p.Call != nil || p.Result != nil || p.Thinking != nil || (p.Image == nil) == (p.Text == "") {
				return errors.New("a part that is neither text nor image")
			}
			if text += len(p.Text); p.Image != nil {
				images++
			}
		}
	}
	if text > MaxReceivedText || images > MaxImages {
		return fmt.Errorf("%d bytes of text and %d images, at most %d and %d", text, images, MaxReceivedText, MaxImages)
	}
	return nil
}
