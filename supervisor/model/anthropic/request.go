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

// paramsOf turns a request into the library's words. The same transcript gives the same bytes, so that a prefix stays
// one; only the cache markers wander on.
func paramsOf(req supervisor.ModelRequest, how thinkingForm, maxTokens int64) (sdk.MessageNewParams, error) {
	messages, err := messagesOf(req, how.sendBack)
	params := sdk.MessageNewParams{
		Model: req.Model, MaxTokens: maxTokens, Messages: messages, Tools: toolsOf(req.Tools),
		Thinking: how.config(), OutputConfig: sdk.OutputConfigParam{Effort: how.effort},
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

// markCache says what the endpoint is to keep: the tools, the system text, and the conversation up to each of the last two
// messages that are not the model's. The next request finds the older of them where this one has set the newer. These
// are four, which is all that a request may have.
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

// messageBuilder gathers messages into the API's, which has two roles that take turns.
type messageBuilder struct {
	out      []sdk.MessageParam
	results  []sdk.ContentBlockParamUnion // of the next user message, which they must begin
	texts    []sdk.ContentBlockParamUnion // and pictures of the person's
	sendBack bool                         // what was thought goes back
	req      supervisor.ModelRequest      // whose messages these are
}

// roleHandlers is how each role's messages become blocks.
var roleHandlers = map[protocol.Role]func(*messageBuilder, protocol.Message){
	protocol.RoleUser:      (*messageBuilder).addUser,
	protocol.RoleTool:      (*messageBuilder).addUser,
	protocol.RoleAssistant: (*messageBuilder).addAssistant,
}

// messagesOf leaves out what was thought in earlier turns: nothing is bound to it any more, and what is bound to the
// text before it would be refused after a change of that text.
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

// turnStart is the index of the person's message that began the turn under way. What the person added while tools were
// running began none.
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

// addAssistant leaves out a message that says and calls nothing, which the API refuses, and joins one to another, which
// not every server does.
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

// flush ends the user message that is being gathered.
func (t *messageBuilder) flush() {
	if blocks := append(t.results, t.texts...); len(blocks) > 0 {
		t.out = append(t.out, sdk.NewUserMessage(blocks...))
	}
	t.results, t.texts = nil, nil
}

// resultBlock leaves an empty text out, because the API refuses those, and puts one where it wants one.
func resultBlock(req supervisor.ModelRequest, r *protocol.ToolResult) sdk.ContentBlockParamUnion {
	block := sdk.ToolResultBlockParam{ToolUseID: r.Call}
	text := r.Text
	if r.Failed {
		block.IsError = sdk.Bool(true)
		if blank(text) {
			text = "It failed and did not say why."
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
