package transcription

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"mews/protocol"
	"mews/supervisor"
)

// errNobodyWaits ends what is heard for somebody who waits for it no more.
var errNobodyWaits = errors.New("nobody waits for it any more")

// cleanupTimeout is how long each of these may take once nobody waits any more: to receive a file, so
// that its path is known, and to remove it.
const cleanupTimeout = 10 * time.Second

// extendContext is a context that ends so long after ctx, with a cause, which ends operations. The
// caller calls end.
func extendContext(ctx context.Context, by time.Duration) (longer context.Context, end func()) {
	longer, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(by, func() { cancel(errNobodyWaits) }) })
	return longer, func() {
		stop()
		cancel(nil)
	}
}

// Heard is what was heard in a file.
type Heard struct {
	Text         string // "" if nobody speaks
	Language     string // "" is not known
	Seconds      int    // the length of the file
	Milliseconds int64  // that it took, without receiving the file
}

// HearUploaded has a file of a person's be heard that came with no message, by the way of those that
// do. Nothing of it stays in their home.
func (t *Transcriber) HearUploaded(ctx context.Context, c supervisor.Conversation, file supervisor.Attachment) (
	heard Heard, err error) {
	got, err := t.receive(ctx, c.User, file)
	if err != nil {
		return heard, err
	}
	wanted, end := extendContext(ctx, 0)
	defer end()
	began := time.Now()
	result, err := t.Hear(wanted, Recording{Conversation: c, Kind: protocol.AttachmentVoice, Path: got.Path,
		Seconds: got.Seconds, Blob: protocol.BlobRef{SHA256: file.SHA256, Size: file.Size}})
	heard = Heard{Text: result.Text, Language: result.Language, Seconds: result.Seconds,
		Milliseconds: time.Since(began).Milliseconds()}
	t.remove(context.WithoutCancel(ctx), c.User, got.Path, result.Path)
	return heard, err
}

// receive has a person's worker put a recording below uploads/. Why it could not be read there is
// left to what hears it.
func (t *Transcriber) receive(ctx context.Context, user string, file supervisor.Attachment) (
	got protocol.ReceivedFile, err error) {
	ctx, end := extendContext(ctx, cleanupTimeout)
	defer end()
	// which always can be
	parameters, _ := json.Marshal(protocol.ReceiveParameters{SentAt: t.o.Now().Unix(), Files: []protocol.ArrivedFile{{
		Blob: protocol.BlobRef{SHA256: file.SHA256, Size: file.Size}, Kind: protocol.AttachmentVoice,
		Name: file.Name, MediaType: file.MediaType,
	}}})
	op, ok := t.o.Operations.Do(ctx, supervisor.Operation{User: user, Kind: protocol.OperationReceive,
		Parameters: string(parameters)}, nil)
	if !ok || op.State != supervisor.OperationDone {
		return got, supervisor.Errorf(supervisor.CodeUnavailable, textNotReceived, op.Result)
	}
	var result protocol.ReceiveResult
	if err := json.Unmarshal([]byte(op.Result), &result); err != nil {
		return got, err
	}
	got = result.Files[0] // Check has counted them
	if got.Path == "" {
		err = supervisor.Errorf(supervisor.CodeUnavailable, textNotReceived, got.Failure)
	}
	return got, err
}

// remove removes files below a person's uploads/ for good; "" is none.
func (t *Transcriber) remove(ctx context.Context, user string, paths ...string) {
	ctx, cancel := context.WithTimeout(ctx, cleanupTimeout)
	defer cancel()
	for _, path := range paths {
		if path == "" {
			continue
		}
		_, err := t.o.Uploads(ctx, user, protocol.UploadsParameters{
			Action: protocol.UploadsRemove, Key: protocol.UploadKey(path)})
		if err != nil {
			t.o.Log.Warn("remove a recording that was heard for a test", "user", user, "path", path, "error", err)
		}
	}
}
