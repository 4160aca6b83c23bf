package schedule

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/modelcall"
	"mews/supervisor/recurrence"
	"mews/supervisor/sqlite"
)

// TimeTranslator lets a model turn a time in any language into one that the parser reads. It makes
// one call, with only these words. The user pays for it.
type TimeTranslator struct {
	// Model returns the model for a user's words; "" means none.
	Model func(ctx context.Context, user string) (spec string, err error)
	// Complete calls a model once.
	Complete func(ctx context.Context, spec string, req modelcall.Request) (modelcall.Answer, error)
	// Pay makes a call of a model and charges it to the user. It fails if there is too little
	// money.
	Pay func(context.Context, supervisor.Turn, sqlite.ModelCall, func() (protocol.Usage, error)) error
}

// Limits of a call, in tokens. A token has at least one byte.
const (
	translatorOutput   = 1024
	translatorOverhead = 1024 // tokens that a provider adds to the input
)

// translatorTool is the name of the tool that the model answers with.
const translatorTool = "set_time"

// translatorSchemas has the schemas of the tool's arguments. The key is true for words with a text,
// and false for a time alone.
var translatorSchemas = map[bool]json.RawMessage{
	false: json.RawMessage(`{"type":"object","properties":{"when":{"type":"string"}},"required":["when"],` +
		`"additionalProperties":false}`),
	true: json.RawMessage(`{"type":"object","properties":{"when":{"type":"string"},"text":{"type":"string"}},` +
		`"required":["when","text"],"additionalProperties":false}`),
}

// translated has the arguments of the tool that the model answers with.
type translated struct {
	When string `json:"when"`
	Text string `json:"text"`
}

// ErrNoTime says that there is no model to translate, or that its answer is no time.
var ErrNoTime = errors.New("no time")

// Translate returns a time in words that the parser may read. If withText is true, the words also
// have a text. Read returns that text as it was written.
func (tr TimeTranslator) Translate(ctx context.Context, c supervisor.Conversation, words string, withText bool,
	now time.Time) (
	when, text string, err error) {
	spec, err := tr.Model(ctx, c.User)
	if err != nil || spec == "" {
		return "", "", errors.Join(err, ErrNoTime)
	}
	system := fmt.Sprintf(promptTime, now.Format(timeLayout), now.Location(), recurrence.ExamplesForModel(),
		promptText[withText])
	tool := protocol.Tool{Name: translatorTool, Description: promptTimeTool, Schema: translatorSchemas[withText],
		Effect: protocol.EffectNone}
	call := sqlite.ModelCall{Conversation: c.ID, Spec: spec, Purpose: modelcall.PurposeParseTime}
	call.Usage.Input = int64(len(system)+len(tool.Description)+len(tool.Schema)+len(words)) + translatorOverhead
	call.Usage.Output = translatorOutput
	answer := modelcall.Answer{}
	err = tr.Pay(ctx, supervisor.Turn{Conversation: c}, call, func() (_ protocol.Usage, err error) {
		answer, err = tr.Complete(ctx, spec, modelcall.Request{System: system, Tools: []protocol.Tool{tool},
			Messages: []protocol.Message{protocol.NewUserMessage(words)}, Output: translatorOutput, User: c.User})
		return answer.Usage, err
	})
	if err != nil {
		return "", "", err
	}
	said, err := readTranslation(answer.Message, withText)
	return said.When, said.Text, err
}

// readTranslation returns the arguments of the model's only call. A model without tools may write
// the arguments as text.
func readTranslation(m protocol.Message, withText bool) (said translated, err error) {
	written, ok := modelcall.ToolArguments(m, translatorTool)
	if !ok {
		return said, ErrNoTime
	}
	decoder := json.NewDecoder(bytes.NewReader(written))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&said); err != nil {
		return translated{}, fmt.Errorf("%w: %w", ErrNoTime, err)
	}
	if said.When == "" || withText != (said.Text != "") {
		return translated{}, ErrNoTime
	}
	return said, nil
}
