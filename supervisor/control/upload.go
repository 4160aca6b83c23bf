package control

import (
	"cmp"
	"context"
	"errors"
	"mime"
	"path/filepath"
	"strings"
	"sync"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/spool"
)

// upload is the unfinished file of a connection. The zero value means no file.
type upload struct {
	mu   sync.Mutex    // guards the field file
	file *spool.Writer // the unfinished file; nil means none
}

// drop deletes the unfinished file.
func (u *upload) drop(log hclog.Logger) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.file == nil {
		return
	}
	if err := u.file.Discard(); err != nil {
		log.Warn("drop a file that did not arrive whole", "error", err)
	}
	u.file = nil
}

// takePart writes a part of a file into the spool. Only this part is in memory.
func (c *serverConn) takePart(ctx context.Context, p UploadPart) (any, error) {
	conversation, err := c.activeConversation()
	if err != nil {
		return nil, err
	}
	if p.Offset == 0 {
		c.upload.drop(c.o.Log)
	}
	u := &c.upload
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case len(p.Data) > MaxUploadPartBytes:
		return nil, supervisor.Errorf(supervisor.CodeInvalid, textPartTooLong, MaxUploadPartBytes>>10)
	case p.Offset+int64(len(p.Data)) > MaxUploadFileBytes:
		return nil, supervisor.Errorf(supervisor.CodeInvalid, textFileTooLarge, MaxUploadFileBytes>>20)
	case p.Offset == 0:
		if u.file, err = c.o.Spool.NewWriter(); err != nil {
			return nil, spoolFailed(err)
		}
	case u.file == nil || p.Offset != u.file.Size():
		return nil, invalid(textNoFileBegun)
	}
	if _, err := u.file.Write(p.Data); err != nil {
		return nil, spoolFailed(err)
	}
	if !p.Last {
		return UploadResult{}, nil
	}
	file := u.file
	u.file = nil
	ref, err := file.Commit()
	if err == nil {
		err = c.o.Blobs.AddOwner(ctx, conversation.User, ref, 0)
	}
	return UploadResult{Blob: &ref}, err
}

// spoolFailed converts an error of the spool into an error for the user.
func spoolFailed(err error) error {
	if errors.Is(err, spool.ErrFull) {
		return &supervisor.Error{Code: supervisor.CodeUnavailable, Message: textSpoolFull, Err: err}
	}
	return err
}

// attachments returns the attachments of a message. It checks that the user owns each file.
func (c *serverConn) attachments(ctx context.Context, user string, files []UploadedFile) (list []supervisor.Attachment, err error) {
	if len(files) > protocol.MaxArrivedFiles {
		return nil, supervisor.Errorf(supervisor.CodeInvalid, textTooManyFiles, protocol.MaxArrivedFiles)
	}
	for _, f := range files {
		name := protocol.SafeFileName(f.Name)
		size, owns, err := c.o.Blobs.IsOwner(ctx, user, f.Blob.SHA256)
		if err != nil {
			return nil, err
		}
		if !owns || size != f.Blob.Size {
			return nil, supervisor.Errorf(supervisor.CodeInvalid, textNotUploaded, name)
		}
		// "" means an unknown media type
		mediaType, _, _ := mime.ParseMediaType(mime.TypeByExtension(filepath.Ext(name)))
		group, _, _ := strings.Cut(mediaType, "/")
		list = append(list, supervisor.Attachment{File: f.Blob.SHA256, SHA256: f.Blob.SHA256, Size: size, Name: name, MediaType: mediaType,
			Kind: cmp.Or(kinds[group], protocol.AttachmentDocument)})
	}
	return list, nil
}

// transcribe returns the text of a file of the user.
func (c *serverConn) transcribe(ctx context.Context, p TranscribeRequest) (any, error) {
	conversation, err := c.activeConversation()
	if err != nil {
		return nil, err
	}
	files, err := c.attachments(ctx, conversation.User, []UploadedFile{p.File})
	if err != nil {
		return nil, err
	}
	return c.o.Transcribe(ctx, conversation, files[0])
}

// kinds maps the main media type of a file to its kind. Files of other types are documents.
var kinds = map[string]protocol.AttachmentKind{
	"image": protocol.AttachmentPhoto, "audio": protocol.AttachmentAudio, "video": protocol.AttachmentVideo,
}
