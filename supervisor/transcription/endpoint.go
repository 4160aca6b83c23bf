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

// endpointFormats are what endpoints take, by the ending of a file's name. (OpenAI's guide, Speech
// to text: file uploads.)
var endpointFormats = map[string]string{
	".ogg": "ogg", ".oga": "ogg", ".opus": "ogg", ".mp3": "mp3", ".m4a": "m4a",
	".mp4": "mp4", ".wav": "wav", ".webm": "webm",
}

const (
	// maxRecording is how many bytes a recording may have. (OpenAI's guide, Speech to text: 25 MB.)
	maxRecording = 25 << 20
	// minByteRate is how many bytes a second of a recording has at least: no codec of speech has
	// fewer.
	minByteRate = 500
)

// Endpoint is a server that transcribes recordings.
type Endpoint struct {
	Model      string // as provider/model
	Transcribe func(ctx context.Context, spec string, r modelcall.Recording) (protocol.TranscribeResult, error)
	Pay        Pay
	Spool      *spool.Spool
	Uploads    Uploads
}

// Pay makes a call of a model and pays for it.
type Pay = func(context.Context, supervisor.Turn, sqlite.ModelCall, func() (protocol.Usage, error)) error

// Uploads has a person's worker do something with the files that they sent.
type Uploads func(ctx context.Context, user string, p protocol.UploadsParameters) (protocol.UploadsResult, error)

// Hear has a server transcribe a recording. Each try is paid as a call of a model is, by the
// second, before it is made.
func (e Endpoint) Hear(ctx context.Context, r Recording, language string) (
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
	err = model.Retry(ctx, func() error {
		result, err = e.transcribeOnce(ctx, r, file)
		return err
	})
	if file.Language != "" {
		result.Language = file.Language
	}
	return result, err
}

// putIntoSpool has a person's worker put a recording into the spool.
func (e Endpoint) putIntoSpool(ctx context.Context, r Recording) (ref protocol.BlobRef, err error) {
	result, err := e.Uploads(ctx, r.Conversation.User, protocol.UploadsParameters{
		Action: protocol.UploadsRead, Path: r.Path})
	switch {
	case err == nil && result.Blob == nil:
		err = supervisor.Errorf(supervisor.CodeNotFound, textEndpointGone)
	case err == nil:
		ref = *result.Blob
	}
	return ref, err
}

// transcribeOnce has a server transcribe a recording once. What it can cost is set aside by its length, and
// what it cost is kept by the length that the server says.
func (e Endpoint) transcribeOnce(ctx context.Context, r Recording, file modelcall.Recording) (
	result protocol.TranscribeResult, err error) {
	bytes, size, err := e.Spool.Read(r.Blob.SHA256)
	if err != nil {
		return result, fmt.Errorf("read the recording %s: %w", r.Path, err)
	}
	defer bytes.Close() // it was only read
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
