package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"mime/multipart"
	"strings"
	"time"

	"mews/protocol"
	"mews/supervisor/model/remote"
	"mews/supervisor/modelcall"
)

const (
	// maxTranscription is the maximum size of an answer in bytes. verbose_json contains the text
	// and each segment's tokens.
	maxTranscription = 8 << 20
	// slowestUpload is the lowest expected speed of uploads, in bytes a second.
	slowestUpload = 64 << 10
	// longestRecording is the longest length that a server may report, in seconds.
	longestRecording = 24 * 60 * 60
)

// transcription is the response. (OpenAI's API reference, Create transcription: json and
// verbose_json.)
type transcription struct {
	Text     *string     `json:"text"`
	Language string      `json:"language"` // name of the language, such as english; only in verbose_json
	Duration json.Number `json:"duration"` // length of the recording in seconds; only in verbose_json
	Usage    struct {
		Seconds float64 `json:"seconds"` // seconds of the recording, for models priced by length
	} `json:"usage"`
}

// Transcribe turns a recording into text. Seconds is 0 if the server does not tell the length.
// Transcribe returns the same kinds of errors as Stream.
func (p *Provider) Transcribe(ctx context.Context, model string, r modelcall.Recording) (result protocol.TranscribeResult, err error) {
	endpoint := *p.Endpoint
	endpoint.Begin = p.thinking + time.Duration(r.Size/slowestUpload)*time.Second
	body, err := transcriptionForm(model, r)
	var data []byte
	if err == nil {
		data, err = endpoint.Post(ctx, p.transcribeURL, body, remote.ContentTypeJSON, maxTranscription)
	}
	var answer transcription
	if err == nil {
		err = remote.DecodeJSON(data, &answer)
	}
	switch {
	case err == nil && answer.Text == nil:
		err = fmt.Errorf("%w: it has no text", remote.ErrInvalidEvent)
	case err == nil && len(*answer.Text) > protocol.MaxTranscriptBytes:
		err = remote.ErrAnswerTooLong
	case err == nil:
		return answer.result(), nil
	case ctx.Err() != nil:
		return result, context.Cause(ctx)
	}
	return result, p.ExplainError(err, model, modelcall.Answer{})
}

func (t transcription) result() protocol.TranscribeResult {
	seconds, _ := t.Duration.Float64() // an empty text becomes the number 0
	if seconds = math.Ceil(max(seconds, t.Usage.Seconds)); !(seconds >= 0 && seconds <= longestRecording) {
		seconds = 0
	}
	if !remote.IsIdentifier(t.Language) || len(t.Language) > maxLanguage {
		t.Language = ""
	}
	return protocol.TranscribeResult{Text: strings.ToValidUTF8(*t.Text, ""), Language: strings.ToLower(t.Language), Seconds: int(seconds)}
}

const maxLanguage = 20 // maximum bytes of a language's name

// transcriptionForm returns a form with the recording. The file's name is left out, because the
// user chose it.
func transcriptionForm(model string, r modelcall.Recording) (remote.RequestBody, error) {
	var around bytes.Buffer // all parts of the form except the recording
	form := multipart.NewWriter(&around)
	format := "verbose_json"
	if strings.Contains(model, "-transcribe") {
		format = "json" // these models respond in no other format
	}
	for _, field := range [][2]string{{"model", model}, {"response_format", format}, {"language", r.Language}} {
		if field[1] != "" {
			_ = form.WriteField(field[0], field[1]) // writing to memory never fails
		}
	}
	_, err := form.CreateFormFile("file", "recording."+r.Format)
	before := around.Len()
	if err == nil {
		err = form.Close()
	}
	data := around.Bytes()
	return remote.RequestBody{Type: form.FormDataContentType(), Size: int64(len(data)) + r.Size,
		Bytes: io.MultiReader(bytes.NewReader(data[:before]), io.LimitReader(r.Bytes, r.Size), bytes.NewReader(data[before:]))}, err
}
