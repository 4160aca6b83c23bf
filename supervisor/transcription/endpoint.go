package transcription

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/model"
	"mews/supervisor/modelcall"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
)

// endpointFormats are the formats that endpoints take, by file extension. (OpenAI's guide, Speech
// to text: file uploads.)
var endpointFormats = map[string]string{
	".ogg": "ogg", ".oga": "ogg", ".opus": "ogg", ".mp3": "mp3", ".m4a": "m4a",
	".mp4": "mp4", ".wav": "wav", ".webm": "webm",
}

const (
	// maxRecording is the most bytes of a recording. (OpenAI's guide, Speech to text: 25 MB.)
	maxRecording = 25 << 20
	// minByteRate is the fewest bytes for one second of a recording: no codec for speech needs
	// fewer.
	minByteRate = 500
)

// Endpoint is a server that transcribes recordings.
type Endpoint struct {
	Model      string // the model, as provider/model
	Transcribe func(ctx context.Context, spec string, r modelcall.Recording) (protocol.TranscribeResult, error)
	Pay        CallPayer
	Spool      *spool.Spool
	Uploads    UploadedFilesRunner
}

// CallPayer makes a call of a model and charges it to the user.
type CallPayer = func(context.Context, supervisor.Turn, sqlite.ModelCall, func() (protocol.Usage, error)) error

// UploadedFilesRunner runs an action of a user's worker on the files that the user sent.
type UploadedFilesRunner func(ctx context.Context, user string, p protocol.UploadsParameters) (protocol.UploadsResult,
	error)

// TranscribeRecording transcribes a recording by a server. Each try is charged like a call of a
// model, by the second, and its cost is set aside before.
func (e Endpoint) TranscribeRecording(ctx context.Context, r Recording, language string) (
	result protocol.TranscribeResult, err error) {
	ending := strings.ToLower(path.Ext(r.Path))
	file := modelcall.Recording{Format: endpointFormats[ending]}
	if language != "auto" {
		file.Language = language
	}
	if file.Format != "" && r.Blob.SHA256 == "" {
		r.Blob, err = e.putIntoSpool(ctx, r)
	}
	if err != nil {
		return result, err
	}
	if file.Format == "" || r.Blob.Size > maxRecording {
		takes := strings.Join(slices.Compact(slices.Sorted(maps.Values(endpointFormats))), ", ")
		return result, supervisor.Errorf(supervisor.CodeInvalid, textEndpointFormat, path.Base(r.Path), takes)
	}
	r.Seconds = min(r.Seconds, int(r.Blob.Size/minByteRate)+1)
	err = model.RetryCall(ctx, func() error {
		result, err = e.transcribeOnce(ctx, r, file)
		return err
	})
	if file.Language != "" {
		result.Language = file.Language
	}
	return result, err
}

// putIntoSpool makes the user's worker put a recording into the spool.
func (e Endpoint) putIntoSpool(ctx context.Context, r Recording) (ref protocol.BlobRef, err error) {
	result, err := e.Uploads(ctx, r.Conversation.User, protocol.UploadsParameters{
		Action: protocol.UploadedFilesActionRead, Path: r.Path})
	switch {
	case err == nil && result.Blob == nil:
		err = supervisor.Errorf(supervisor.CodeNotFound, textEndpointGone)
	case err == nil:
		ref = *result.Blob
	}
	return ref, err
}

// transcribeOnce sends a recording to the server once. It sets aside the cost of the recording's
// known length, and charges the length that the server reports.
func (e Endpoint) transcribeOnce(ctx context.Context, r Recording, file modelcall.Recording) (
	result protocol.TranscribeResult, err error) {
	bytes, size, err := e.Spool.OpenBlob(r.Blob.SHA256)
	if err != nil {
		return result, fmt.Errorf("read the recording %s: %w", r.Path, err)
	}
	defer bytes.Close() // the file was only read
	file.Bytes, file.Size = bytes, size
	call := sqlite.ModelCall{Conversation: r.Conversation.ID, Spec: e.Model, Purpose: modelcall.PurposeTranscribe}
	call.Usage.Input = int64(r.Seconds)
	err = e.Pay(ctx, supervisor.Turn{Conversation: r.Conversation}, call, func() (protocol.Usage, error) {
		result, err = e.Transcribe(ctx, call.Spec, file)
		if result.Seconds == 0 {
			result.Seconds = r.Seconds
		}
		return protocol.Usage{Input: int64(result.Seconds)}, err
	})
	return result, err
}
