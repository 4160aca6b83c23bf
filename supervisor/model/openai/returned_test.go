package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/modelcall"
)

// thinker is a model that thinks in each step. It calls tools in two steps, and then says "done".
func thinker(r modeltest.Request) modeltest.Answer {
	n := len(r.AnsweredCalls())
	a := modeltest.Answer{Thinking: fmt.Sprintf("thought %d", n), Chunk: 3}
	if n >= 3 || !strings.Contains(r.NewestUserMessage(), "work") {
		a.Text = "done"
		return a
	}
	for i := range 2 - min(n, 1) { // two parallel calls in the first step, then one call
		a.Calls = append(a.Calls, modeltest.Call{ID: fmt.Sprintf("id%d%d", n, i), Name: "read_file",
			Args: `{"path":"a"}`})
	}
	return a
}

// dialogue runs the turns of a conversation with any provider, and keeps the transcript.
type dialogue struct {
	t    *testing.T
	req  modelcall.Request
	last modelcall.Answer
}

func newDialogue(t *testing.T) *dialogue {
	req := history()
	req.Messages, req.Thinking = nil, modelcall.ThinkingHigh
	return &dialogue{t: t, req: req}
}

// turn sends requests until the model calls no tool.
func (d *dialogue) turn(p *Provider, model, text string) error {
	d.t.Helper()
	d.req.Model = model
	d.req.Messages = append(d.req.Messages, protocol.NewUserMessage(text))
	d.last.Stop = modelcall.StopReasonTools
	for n := 0; d.last.Stop == modelcall.StopReasonTools; n++ {
		if n > 5 {
			return errors.New("the turn does not end")
		}
		var err error
		if d.last, _, err = ask(p, d.req); err != nil {
			return err
		}
		n := len(d.req.Messages)
		for i := range d.last.Message.Parts { // the supervisor gives each call an id of its own
			if c := d.last.Message.Parts[i].Call; c != nil {
				c.ID = fmt.Sprintf("t%d-%d", n, i)
			}
		}
		d.req.Messages = append(d.req.Messages, d.last.Message)
		for _, c := range d.last.Message.ToolCalls() {
			d.req.Messages = append(d.req.Messages, protocol.Message{Role: protocol.RoleTool,
				Parts: []protocol.ContentPart{
					{Result: &protocol.ToolResult{Call: c.ID, Name: c.Name, Text: "A"}}}})
		}
	}
	return nil
}

// returning lists the servers that want parts back. "any" stands for a server that Mews does not
// know. Mews learns the wishes of that server.
var returning = []struct {
	dialect modeltest.Dialect
	server  string
}{
	{modeltest.DialectGemini, "gemini"}, {modeltest.DialectDeepSeek, "deepseek"}, {modeltest.DialectMoonshot,
		"moonshot"},
	{modeltest.DialectOpenRouter, "openrouter"},
	{modeltest.DialectGemini, "any"}, {modeltest.DialectDeepSeek, "any"}, {modeltest.DialectMoonshot, "any"},
	{modeltest.DialectOpenRouter,
		"any"},
}

// thoughts returns the returned parts that a server got in a request, as one text for each message.
func thoughts(r modeltest.Request) (all []string) {
	for _, m := range r.Messages {
		if text := strings.Join(m.Thought, " "); text != "" && text != modeltest.GeminiStandInSignature {
			all = append(all, text)
		}
	}
	return all
}

func TestReasoningParts_GoBackToTheirModel(t *testing.T) {
	for _, c := range returning {
		t.Run(string(c.dialect)+" as "+c.server, func(t *testing.T) {
			fake, base := modeltest.NewServer(t, thinker)
			fake.Dialect = c.dialect
			p := open(t, Options{BaseURL: base, Server: c.server})
			d := newDialogue(t)
			for range 2 {
				if err := d.turn(p, "m", "work"); err != nil || d.last.Message.Text() != "done" {
					t.Fatalf("%+v, %v", d.last, err)
				}
			}
			requests := fake.Requests()
			if len(requests) != 6 {
				t.Fatalf("%d requests", len(requests))
			}
			for i, want := range []int{0, 1, 2} {
				if got := thoughts(requests[i]); len(got) != want {
					t.Errorf("request %d has %q, want %d", i, got, want)
				}
			}
			if got := thoughts(requests[3]); len(got) < 2 {
				t.Errorf("the next turn has %q", got)
			}
			if calls := requests[5].Messages[1].Calls; len(calls) != 2 {
				t.Errorf("calls became text: %+v", requests[5].Messages)
			}
		})
	}
}

// TestReasoningParts_NeverReachOtherModels asks another model of the same server, and the same
// model at another server.
func TestReasoningParts_NeverReachOtherModels(t *testing.T) {
	for _, c := range returning {
		t.Run(string(c.dialect)+" as "+c.server, func(t *testing.T) {
			fake, base := modeltest.NewServer(t, thinker)
			other, otherBase := modeltest.NewServer(t, thinker)
			fake.Dialect, other.Dialect = c.dialect, c.dialect
			p, q := open(t, Options{BaseURL: base, Server: c.server}), open(t, Options{BaseURL: otherBase,
				Server: c.server})
			d := newDialogue(t)
			if err := d.turn(p, "m", "work"); err != nil {
				t.Fatal(err)
			}
			before := len(fake.Requests())
			for _, next := range []struct {
				p     *Provider
				model string
			}{{p, "n"}, {q, "m"}} {
				if err := d.turn(next.p, next.model, "hello"); err != nil || d.last.Message.Text() != "done" {
					t.Fatalf("%s: %+v, %v", next.model, d.last, err)
				}
			}
			for _, r := range append(fake.Requests()[before:], other.Requests()...) {
				if got := thoughts(r); len(got) > 0 {
					t.Errorf("%s got %q", r.Model, got)
				}
			}
			if err := d.turn(p, "m", "work"); err != nil || len(thoughts(fake.Requests()[before+1])) == 0 {
				t.Errorf("back at the first model: %v", err)
			}
		})
	}
}

// TestCallsOfOtherModel_AreAccepted continues after calls that lack their model's returned parts.
// The calls are in the running turn, and in an earlier turn.
func TestCallsOfOtherModel_AreAccepted(t *testing.T) {
	for _, c := range returning {
		t.Run(string(c.dialect)+" as "+c.server, func(t *testing.T) {
			fake, base := modeltest.NewServer(t, thinker)
			fake.Dialect = c.dialect
			p := open(t, Options{BaseURL: base, Server: c.server})
			for _, running := range []bool{true, false} {
				req := history()
				req.Thinking = modelcall.ThinkingLow
				if running {
					req.Messages = req.Messages[:4] // the request now ends with the results of tools
				}
				answer, _, err := ask(p, req)
				if err != nil || answer.Message.Text() != "done" {
					t.Fatalf("running %t: %+v, %v", running, answer, err)
				}
			}
			all := fake.Requests()
			last := all[len(all)-1]
			asText := strings.Contains(string(last.Raw), "earlier_call")
			if asText != (c.dialect == modeltest.DialectDeepSeek || c.dialect == modeltest.DialectMoonshot ||
				c.dialect == modeltest.DialectGemini && c.server == "any") {
				t.Errorf("as text %t: %s", asText, last.Raw)
			}
			if asText && !strings.Contains(string(last.Raw), `\"result\":\"A\"`) {
				t.Errorf("a result is lost: %s", last.Raw)
			}
		})
	}
}

func TestReasoningParts_TooLarge_AreLeftOut(t *testing.T) {
	fake, base := modeltest.NewServer(t, func(r modeltest.Request) modeltest.Answer {
		a := thinker(r)
		a.Thinking, a.Chunk = strings.Repeat("x", maxKept), 0
		if strings.Contains(r.NewestUserMessage(), "earlier_call") {
			a.Text, a.Calls = "done", nil
		}
		return a
	})
	fake.Dialect = modeltest.DialectDeepSeek
	d := newDialogue(t)
	if err := d.turn(open(t, Options{BaseURL: base, Server: "deepseek"}), "m", "work"); err != nil {
		t.Fatal(err)
	}
	for _, m := range d.req.Messages {
		if len(m.Parts) > 0 && m.Parts[0].Thinking != nil {
			t.Errorf("kept %d bytes", len(m.Parts[0].Thinking.Block))
		}
	}
}

// TestReasoningParts_Refused_AreLeftOut uses two servers that refuse. One knows no returned parts;
// the signatures of the other have become invalid.
func TestReasoningParts_Refused_AreLeftOut(t *testing.T) {
	block := func(model, signature string) *protocol.Thinking {
		text, _ := json.Marshal(map[string]any{"reasoning_content": "hm",
			"calls": []any{map[string]any{"google": map[string]any{"thought_signature": signature}}}})
		return &protocol.Thinking{Format: ThinkingFormat, Origin: model, Block: text}
	}
	for dialect, name := range map[modeltest.Dialect]string{modeltest.DialectGroq: "any",
		modeltest.DialectGemini: "gemini"} {
		fake, base := modeltest.NewServer(t, thinker)
		fake.Dialect = dialect
		p := open(t, Options{BaseURL: base, Server: name})
		req := history()
		req.Messages = req.Messages[:4]
		req.Messages[1].Parts = append([]protocol.ContentPart{{Thinking: block(p.ThinkingOrigin("m"),
			"of an older release")}},
			req.Messages[1].Parts...)
		for range 2 {
			if answer, _, err := ask(p, req); err != nil || answer.Message.Text() != "done" {
				t.Errorf("%s: %+v, %v", dialect, answer, err)
			}
		}
	}
}

// TestReasoningDetails_InPieces_AreJoined has the pieces that OpenRouter sends.
func TestReasoningDetails_InPieces_AreJoined(t *testing.T) {
	stream := chunked("stop", `"reasoning_details":[{"type":"reasoning.text","text":"So","format":"f","index":0}]`,
		`"reasoning_details":[{"type":"reasoning.text","text":" it is","signature":null,"index":0}]`,
		`"reasoning_details":[{"type":"reasoning.text","signature":"s<>","index":0},`+
			`{"type":"reasoning.encrypted","data":"x","id":"e","index":1}]`,
		callPieces(piece(`"index":0,"id":"a"`, "f", "{}")), `"reasoning_details":null`)
	answer, _, err := ask(open(t, Options{BaseURL: serve(t, sendStream(stream)), Server: "openrouter"}), hi())
	if err != nil || answer.Message.Parts[0].Thinking == nil {
		t.Fatalf("%+v, %v", answer, err)
	}
	var got struct {
		Details []map[string]any `json:"reasoning_details"`
	}
	if err := json.Unmarshal(answer.Message.Parts[0].Thinking.Block, &got); err != nil {
		t.Fatal(err)
	}
	const want = "[map[format:f index:0 signature:s<> text:So it is type:reasoning.text] " +
		"map[data:x id:e index:1 type:reasoning.encrypted]]"
	if text := fmt.Sprint(got.Details); text != want {
		t.Errorf("got %s", text)
	}
}
