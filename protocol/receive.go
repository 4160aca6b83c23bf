package protocol

import (
	"errors"
	"fmt"
)

// OperationKindReceive puts the files of a message below the home's uploads/ and reads them. It
// takes ReceiveParameters and returns ReceiveResult. Repeated after a crash, it finds its files and
// writes nothing twice.
const OperationKindReceive OperationKind = "receive"

// ReceiveParameters name the files, whose blobs the operation may read.
type ReceiveParameters struct {
	// time of sending in Unix seconds; the names of folder and file contain this time in the user's
	// zone
	SentAt int64         `json:"sent_at"`
	Files  []ArrivedFile `json:"files"` // files of the message, from 1 to MaxArrivedFiles
}

// Validate refuses parameters that no honest supervisor sends.
func (p ReceiveParameters) Validate() error {
	if len(p.Files) < 1 || len(p.Files) > MaxArrivedFiles {
		return fmt.Errorf("files: %d, want 1 to %d", len(p.Files), MaxArrivedFiles)
	}
	for i, f := range p.Files {
		if f.Blob.Size < 0 || f.Seconds < 0 {
			return fmt.Errorf("files[%d]: %d bytes, %d seconds", i, f.Blob.Size, f.Seconds)
		}
	}
	return nil
}

// ArrivedFile is a file that came with a message.
type ArrivedFile struct {
	Blob BlobRef        `json:"blob"`
	Kind AttachmentKind `json:"kind"`
	// file name given by the sender, with any characters; "" if there is none
	Name      string `json:"name,omitempty"`
	MediaType string `json:"media_type,omitempty"` // media type given by the sender; "" if not known
	Seconds   int    `json:"seconds,omitempty"`    // length of a recording or film in seconds
}

// AttachmentKind is the kind of a file that came with a message.
type AttachmentKind string

// Kinds of attachments, as the Bot API names them.
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

// UploadsFolder is the folder of the home for received files, and DownloadsFolder the folder for
// files from the web.
const (
	UploadsFolder   = "uploads"
	DownloadsFolder = "downloads"
)

// Bounds of a message's files.
const (
	MaxArrivedFiles      = 32        // files that came with one message
	MaxReceivedTextBytes = 128 << 10 // bytes of all text parts of a ReceiveResult together
	MaxReceivedPathBytes = 512       // bytes of a received file's path
)

// ReceiveResult describes each received file, in the order of the parameters.
type ReceiveResult struct {
	Files []ReceivedFile `json:"files"`
}

// ReceivedFile is a received file.
type ReceivedFile struct {
	// path in the home, such as uploads/2026-11-20/131905-name.pdf; "" if the file was not kept
	Path string `json:"path,omitempty"`
	// sentence about why the file was not kept or read, without words of the file
	Failure string `json:"failure,omitempty"`
	// Parts are the file's contents for the model, quoted as material after a line that names the
	// file. A file that failed has no parts, because the supervisor explains the failure. A voice
	// message or round video that will be transcribed has no parts either.
	Parts []ContentPart `json:"parts,omitempty"` // contents of the file: texts and images
	// seconds of sound to transcribe; 0 means no sound
	Seconds int `json:"seconds,omitempty"`
	// Missing names the Debian packages that are needed to read the file.
	Missing []string `json:"missing,omitempty"`
}

// Validate refuses a result that no honest worker sends. files is the number of files in the
// parameters.
func (r ReceiveResult) Validate(files int) error {
	if len(r.Files) != files {
		return fmt.Errorf("files: %d, want %d", len(r.Files), files)
	}
	text, images := 0, 0
	for _, f := range r.Files {
		if len(f.Path) > MaxReceivedPathBytes || f.Seconds < 0 || f.Path == "" && f.Failure == "" {
			return fmt.Errorf("file %.40q: a path of over %d bytes, no path and no failure, or negative seconds",
				f.Path, MaxReceivedPathBytes)
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
	if text > MaxReceivedTextBytes || images > MaxResultImages {
		return fmt.Errorf("%d bytes of text and %d images, at most %d and %d", text, images, MaxReceivedTextBytes,
			MaxResultImages)
	}
	return nil
}
