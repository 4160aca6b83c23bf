package anthropic

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/model/remote"
)

// paramsOf makes the API's request. The same transcript gives the same bytes, so that the endpoint's cache finds its prefix;
// only the cache markers move.
func paramsOf(req supervisor.ModelRequest, form thinkingForm, maxTokens int64) (sdk.MessageNewParams, error) {
	messages, err := messagesOf(req, form.sendBack)
	params := sdk.MessageNewParams{
		Model: req.Model, MaxTokens: maxTokens, Messages: messages, Tools: toolsOf(req.Tools),
		Thinking: form.config(), OutputConfig: sdk.OutputConfigParam{Effort: form.effort},
	}
	if !blank(req.System) {
		params.System = []sdk.TextBlockParam{{Text: req.System}}
	}
	markCache(&params, req.Cache)
	return params, err
}

func toolsOf(tools []protocol.Tool) []sdk.ToolUnionParam {
	var out []sdk.ToolUnionParam
	for _, t := range tools {
		schema := t.Schema
		if len(schema) == 0 {
			schema = json.RawMessage(`{"type":"object"}`)
		}
		tool := sdk.ToolParam{Name: t.Name, InputSchema: param.Override[sdk.ToolInputSchemaParam](schema)}
		if !blank(t.Description) {
			tool.Description = sdk.String(t.Description)
		}
		out = append(out, sdk.ToolUnionParam{OfTool: &tool})
	}
	return out
}

// markCache marks what the endpoint is to cache: the tools, the system text, and the conversation up to each of the last two
// user messages. The older of these two marks is where the request before has set its newer one. A request may have four
// marks.
func markCache(params *sdk.MessageNewParams, keep time.Duration) {
	if keep <= 0 {
		return
	}
	marker := sdk.CacheControlEphemeralParam{TTL: sdk.CacheControlEphemeralTTLTTL5m}
	if keep > 5*time.Minute {
		marker.TTL = sdk.CacheControlEphemeralTTLTTL1h
	}
	if n := len(params.Tools); n > 0 {
		params.Tools[n-1].OfTool.CacheControl = marker
	}
	if n := len(params.System); n > 0 {
		params.System[n-1].CacheControl = marker
	}
	left := 2
	for i := len(params.Messages) - 1; i >= 0 && left > 0; i-- {
		if m := params.Messages[i]; m.Role == sdk.MessageParamRoleUser {
			*m.Content[len(m.Content)-1].GetCacheControl() = marker
			left--
		}
	}
}

// messageBuilder makes the API's messages, in which the two roles alternate.
type messageBuilder struct {
	out      []sdk.MessageParam
	results  []sdk.ContentBlockParamUnion // of the next user message, which must begin with them
	texts    []sdk.ContentBlockParamUnion // the person's text and pictures, which follow them
	sendBack bool                         // the model gets its thinking back
	req      supervisor.ModelRequest      // has the messages
}

// roleHandlers add a message, by its role.
var roleHandlers = map[protocol.Role]func(*messageBuilder, protocol.Message){
	protocol.RoleUser:      (*messageBuilder).addUser,
	protocol.RoleTool:      (*messageBuilder).addUser,
	protocol.RoleAssistant: (*messageBuilder).addAssistant,
}

// messagesOf makes the messages. It leaves out the thinking of earlier turns: nothing depends on it any more, and the API
// would refuse it once the text before it has changed.
func messagesOf(req supervisor.ModelRequest, back bool) ([]sdk.MessageParam, error) {
	t := messageBuilder{req: req}
	begin := turnStart(req.Messages)
	for i, m := range req.Messages {
		add, known := roleHandlers[m.Role]
		if !known {
			return nil, fmt.Errorf("message %d: role %q", i, m.Role)
		}
		t.sendBack = back && i >= begin
		add(&t, m)
	}
	t.flush()
	if len(t.out) == 0 {
		return nil, errors.New("there is no message in it")
	}
	return t.out, nil
}

// turnStart is the index of the message that began the running turn. A message that the person added while tools were running
// began none.
func turnStart(messages []protocol.Message) int {
	start := 0
	for i, m := range messages {
		if m.Role == protocol.RoleUser && (i == 0 || messages[i-1].Role == protocol.RoleAssistant &&
			len(messages[i-1].Calls()) == 0) {
			start = i
		}
	}
	return start
}

func (t *messageBuilder) addUser(m protocol.Message) {
	for _, p := range m.Parts {
		if p.Result != nil {
			t.results = append(t.results, resultBlock(t.req, p.Result))
		}
		if p.Image != nil {
			t.texts = append(t.texts, pictureBlock(t.req, *p.Image))
		}
		if !blank(p.Text) {
			t.texts = append(t.texts, sdk.NewTextBlock(p.Text))
		}
	}
}

// addAssistant adds a message of the model's. It leaves out one that says and calls nothing, which the API refuses, and joins
// it to one before it, which not every server does.
func (t *messageBuilder) addAssistant(m protocol.Message) {
	var blocks []sdk.ContentBlockParamUnion
	speaks := false
	for _, p := range m.Parts {
		block, is := t.assistantBlock(p)
		if is {
			blocks = append(blocks, block)
			speaks = speaks || p.Thinking == nil
		}
	}
	if !speaks {
		return
	}
	t.flush()
	if last := len(t.out) - 1; last >= 0 && t.out[last].Role == sdk.MessageParamRoleAssistant {
		t.out[last].Content = append(t.out[last].Content, blocks...)
		return
	}
	t.out = append(t.out, sdk.NewAssistantMessage(blocks...))
}

func (t *messageBuilder) assistantBlock(p protocol.Part) (sdk.ContentBlockParamUnion, bool) {
	switch {
	case p.Thinking != nil:
		block, is := thoughtBlock(p.Thinking)
		return block, is && t.sendBack
	case p.Call != nil:
		return sdk.NewToolUseBlock(p.Call.ID, supervisor.ParseArguments(string(p.Call.Arguments)), remote.ToolName(p.Call.Name)), true
	}
	return sdk.NewTextBlock(p.Text), !blank(p.Text)
}

// flush adds the user message that has been gathered.
func (t *messageBuilder) flush() {
	if blocks := append(t.results, t.texts...); len(blocks) > 0 {
		t.out = append(t.out, sdk.NewUserMessage(blocks...))
	}
	t.results, t.texts = nil, nil
}

// resultBlock is a tool's result. The API refuses empty texts, and wants one where a tool failed.
func resultBlock(req supervisor.ModelRequest, r *protocol.ToolResult) sdk.ContentBlockParamUnion {
	block := sdk.ToolResultBlockParam{ToolUseID: r.Call}
	text := r.Text
	if r.Failed {
		block.IsError = sdk.Bool(true)
		if blank(text) {
			text = textSilentFailure
		}
	}
	if !blank(text) {
		content := sdk.TextBlockParam{Text: text}
		block.Content = []sdk.ToolResultBlockParamContentUnion{{OfText: &content}}
	}
	block.Content = append(block.Content, resultPictures(req, r)...)
	return sdk.ContentBlockParamUnion{OfToolResult: &block}
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }
