package voice

import (
	"bytes"
	"context"
	"unicode/utf8"

	"mews/protocol"
	"mews/protocol/opus"
	"mews/supervisor"
	"mews/supervisor/modelcall"
	"mews/supervisor/sqlite"
)

// Endpoint makes recordings by a provider's model.
type Endpoint struct {
	Model string // the model, as provider/model
	Speak func(ctx context.Context, spec, voice, text string) (ogg []byte, err error)
	// Pay makes a call of a model and charges it to the user.
	Pay  func(ctx context.Context, turn supervisor.Turn, call sqlite.ModelCall, do func() (protocol.Usage, error)) error
	Keep func(name, mediaType string, content []byte) (supervisor.File, error) // puts a file into the spool
}

// SynthesizeSpeech makes a recording of a text by the provider's model. The call is charged by the
// character. Its cost is set aside before.
func (e Endpoint) SynthesizeSpeech(ctx context.Context, turn supervisor.Turn, text, name string) (
	file supervisor.File, err error) {
	call := sqlite.ModelCall{Conversation: turn.Conversation.ID, Turn: turn.ID, Spec: e.Model,
		Purpose: modelcall.PurposeSpeak}
	call.Usage.Input = int64(utf8.RuneCountInString(text))
	var ogg []byte
	if err = e.Pay(ctx, turn, call, func() (protocol.Usage, error) {
		ogg, err = e.Speak(ctx, call.Spec, name, text)
		return call.Usage, err
	}); err != nil {
		return file, err
	}
	if file, err = e.Keep("voice.ogg", supervisor.MediaTypeVoice, ogg); err == nil {
		// if the length can't be read, the file's length is unknown
		file.Media.Seconds, _ = opus.LengthInSeconds(bytes.NewReader(ogg))
	}
	return file, err
}
