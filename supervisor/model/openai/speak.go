package openai

import (
	"bytes"
	"context"
	"fmt"

	"mews/supervisor/model/remote"
	"mews/supervisor/modelcall"
)

// maxSpoken is the maximum size of speech in bytes. A text of 1,500 characters takes some minutes.
const maxSpoken = 8 << 20

// speakRequest asks for the speech of a text. (OpenAI's API reference, Create speech.)
type speakRequest struct {
	Model  string `json:"model"`
	Input  string `json:"input"`
	Voice  string `json:"voice"`
	Format string `json:"response_format"`
}

// Speak turns text into speech and returns Ogg Opus. It returns the same kinds of errors as Stream.
func (p *Provider) Speak(ctx context.Context, model, voice, text string) ([]byte, error) {
	body, err := remote.EncodeRequest(speakRequest{model, text, voice, "opus"})
	var ogg []byte
	if err == nil {
		ogg, err = p.Post(ctx, p.speechURL, remote.JSONBody(body), remote.ContentTypeStream, maxSpoken)
	}
	if err == nil && !bytes.HasPrefix(ogg, []byte("OggS")) {
		err = fmt.Errorf("%w: it is no Ogg Opus", remote.ErrInvalidEvent)
	}
	switch {
	case err == nil:
		return ogg, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	return nil, p.ExplainError(err, model, modelcall.Answer{})
}
