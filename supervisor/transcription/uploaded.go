package transcription

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"mews/protocol"
	"mews/supervisor"
)

// errNobodyWaits cancels a transcription whose caller has left.
var errNobodyWaits = errors.New("nobody waits for it any more")

// cleanupTimeout is how long receiving and removing a file may each take after the caller has left.
// The file's path is known only after it is received.
const cleanupTimeout = 10 * time.Second

// extendContext returns a context that ends later than ctx by the given time. The context ends with
// a cause, so that operations with it end, too. The caller calls end.
func extendContext(ctx context.Context, by time.Duration) (longer context.Context, end func()) {
	longer, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(by, func() { cancel(errNobodyWaits) }) })
	return longer, func() {
		stop()
		cancel(nil)
	}
}

// RecordingText is the text of a recording.
type RecordingText struct {
	Text         string // the words; "" if nobody speaks
	Language     string // "" means unknown
	Seconds      int    // the length of the recording
	Milliseconds int64  // how long the transcription took, without receiving the file
}

// TranscribeUploaded transcribes a file that came without a message. The file is handled like a
// file in a message, but nothing stays in the user's home.
func (t *Transcriber) TranscribeUploaded(ctx context.Context, c supervisor.Conversation, file supervisor.Attachment) (
	heard RecordingText, err error) {
	got, err := t.receive(ctx, c.User, file)
	if err != nil {
		return heard, err
	}
	wanted, end := extendContext(ctx, 0)
	defer end()
	began := time.Now()
	result, err := t.TranscribeSilently(wanted, Recording{Conversation: c, Kind: protocol.AttachmentVoice,
		Path:    got.Path,
		Seconds: got.Seconds, Blob: protocol.BlobRef{SHA256: file.SHA256, Size: file.Size}})
	heard = RecordingText{Text: result.Text, Language: result.Language, Seconds: result.Seconds,
		Milliseconds: time.Since(began).Milliseconds()}
	t.remove(context.WithoutCancel(ctx), c.User, got.Path, result.Path)
	return heard, err
}

// receive makes the user's worker put a recording into uploads/. An unreadable recording is
// reported later, by its transcription.
func (t *Transcriber) receive(ctx context.Context, user string, file supervisor.Attachment) (
	got protocol.ReceivedFile, err error) {
	ctx, end := extendContext(ctx, cleanupTimeout)
	defer end()
	// these parameters can always be encoded
	parameters, _ := json.Marshal(protocol.ReceiveParameters{SentAt: t.o.Now().Unix(), Files: []protocol.ArrivedFile{{
		Blob: protocol.BlobRef{SHA256: file.SHA256, Size: file.Size}, Kind: protocol.AttachmentVoice,
		Name: file.Name, MediaType: file.MediaType,
	}}})
	op, ok := t.o.Operations.RunOperation(ctx, supervisor.Operation{User: user, Kind: protocol.OperationKindReceive,
		Parameters: string(parameters)}, nil)
	if !ok || op.State != supervisor.OperationDone {
		return got, supervisor.Errorf(supervisor.CodeUnavailable, textNotReceived, op.Result)
	}
	var result protocol.ReceiveResult
	if err := json.Unmarshal([]byte(op.Result), &result); err != nil {
		return got, err
	}
	got = result.Files[0] // ReceiveResult.Validate has counted the files
	if got.Path == "" {
		err = supervisor.Errorf(supervisor.CodeUnavailable, textNotReceived, got.Failure)
	}
	return got, err
}

// remove deletes files in the user's uploads/ for good; empty paths are skipped.
func (t *Transcriber) remove(ctx context.Context, user string, paths ...string) {
	ctx, cancel := context.WithTimeout(ctx, cleanupTimeout)
	defer cancel()
	for _, path := range paths {
		if path == "" {
			continue
		}
		_, err := t.o.Uploads(ctx, user, protocol.UploadsParameters{
			Action: protocol.UploadedFilesActionRemove, Key: protocol.UploadKey(path)})
		if err != nil {
			t.o.Log.Warn("remove a recording that was heard for a test", "user", user, "path", path, "error", err)
		}
	}
}
