// Package receive puts the files of a message below the user's uploads/, and prepares their
// contents for the model.
//
// Each file may be hostile. Programs read PDFs behind walls without the home, and films behind the
// walls of the tools. Package parse reads pictures, office documents, mails and archives in
// processes of their own. This process reads plain text.
package receive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"mews/protocol"
	"mews/worker/program"
	"mews/worker/tool/images"
	"mews/worker/workspace"
)

// Blobs reads the files, and stores the pictures for the model.
type Blobs interface {
	ReadBlob(ctx context.Context, sha256 string, offset int64, length int) (protocol.BlobReadResult, error)
	StoreBlob(ctx context.Context, r io.Reader, most int64) (protocol.BlobRef, error)
}

// Programs runs programs behind the walls, in the home.
type Programs interface {
	Run(ctx context.Context, p program.Program) error
}

// Options configures the receiving of files.
type Options struct {
	Home     *workspace.Workspace
	Zone     *time.Location
	Blobs    Blobs
	Programs Programs       // programs and parsers that read files; nil means that this worker runs none
	Temp     string         // parent of temporary folders; "" means /tmp
	Pictures *images.Viewer // viewer that prepares a picture's file for the model
}

// Run receives the files of one message. An error is an error of the host, or the cause of ctx; the
// operation can then be repeated. The fault of a single file is in its ReceivedFile.
func Run(ctx context.Context, p protocol.ReceiveParameters, o Options) (protocol.ReceiveResult, error) {
	r := &receiver{Options: o, at: time.Unix(p.SentAt, 0).In(o.Zone), textRoom: maxText,
		imageRoom: protocol.MaxResultImages}
	var result protocol.ReceiveResult
	for _, f := range p.Files {
		received, err := r.receive(ctx, f)
		if err != nil {
			return protocol.ReceiveResult{}, err
		}
		result.Files = append(result.Files, received)
	}
	return result, nil
}

// maxText bounds the quotes of all parts of a message, in bytes. The rest of
// protocol.MaxReceivedTextBytes is for the lines that name the files.
const maxText = protocol.MaxReceivedTextBytes - protocol.MaxArrivedFiles*2*maxLine

const maxLine = 1 << 10 // maximum bytes of a line that names a file, or of a failure

// receiver receives the files of one message, one after the other.
type receiver struct {
	Options
	at        time.Time // time of sending, in the user's zone
	textRoom  int       // bytes that may still be quoted
	imageRoom int       // pictures that may still be shown
}

// hostError is an error of the supervisor. The operation cannot go on after such an error.
type hostError struct{ error }

func (e hostError) Unwrap() error { return e.error }

func (r *receiver) receive(ctx context.Context, f protocol.ArrivedFile) (protocol.ReceivedFile, error) {
	name := fileName(f)
	draft, err := r.fetch(ctx, f)
	if draft != nil {
		defer draft.Close() // this deletes a draft that was not kept
	}
	path := ""
	if err == nil {
		path, err = draft.CommitAs(r.at.Format("150405-") + name)
	}
	if fatal := operationError(ctx, err); fatal != nil {
		return protocol.ReceivedFile{}, fatal
	}
	if err != nil {
		return protocol.ReceivedFile{Failure: failure(textNotKept, name, err)}, nil
	}
	return r.read(ctx, f, path, draft)
}

// operationError returns err if it is an error of the host, or the cause of ctx if ctx has ended.
func operationError(ctx context.Context, err error) error {
	switch {
	case err != nil && ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, new(hostError)):
		return err
	}
	return nil
}

// fetch copies a file into a draft. Unless the draft is nil, the caller closes it, even after an
// error.
func (r *receiver) fetch(ctx context.Context, f protocol.ArrivedFile) (*workspace.Draft, error) {
	dir := protocol.UploadsFolder + "/" + r.at.Format(time.DateOnly)
	draft, err := r.Home.NewDraft(dir, f.Blob.Size)
	if err != nil {
		return nil, err
	}
	for at := int64(0); at < f.Blob.Size; {
		part, err := r.Blobs.ReadBlob(ctx, f.Blob.SHA256, at, int(min(f.Blob.Size-at, protocol.MaxBlobChunkBytes)))
		switch {
		case errors.As(err, new(*protocol.Error)): // the supervisor refused only this file
			return draft, err
		case err != nil:
			return draft, hostError{fmt.Errorf("read a file from byte %d: %w", at, err)}
		case part.Size != f.Blob.Size || len(part.Data) == 0:
			return draft, fmt.Errorf(textOtherSize, part.Size, f.Blob.Size)
		}
		if _, err := draft.Write(part.Data); err != nil {
			return draft, err
		}
		at += int64(len(part.Data))
	}
	if draft.SHA256() != f.Blob.SHA256 {
		return draft, errors.New(textOtherBytes)
	}
	return draft, nil
}
