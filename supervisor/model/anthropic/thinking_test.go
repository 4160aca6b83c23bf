package anthropic

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor/modelcall"
)

// TestThinkingForm_FollowsModelName covers model names of Anthropic and of proxies.
func TestThinkingForm_FollowsModelName(t *testing.T) {
	const budget, adaptive = `{"type":"enabled","budget_tokens":8192}`, `{"type":"adaptive"} "medium"`
	cases := []struct{ model, off, medium string }{
		{"claude-3-7-sonnet-20250219", "", budget},
		{"claude-opus-4-20250514", "", budget},
		{"claude-sonnet-4-5", "", budget},
		{"claude-haiku-4-5-20251001", "", budget},
		{"some-proxys-own", "", budget},
		{"claude-opus-4-6", "", adaptive},
		{"anthropic/claude-sonnet-4.6", "", adaptive},
		{"anthropic.claude-opus-4-7-v1:0", "", adaptive},
		{"claude-opus-4-8", "", adaptive},
		{"claude-opus-5", `{"type":"disabled"}`, adaptive},
		{"claude-sonnet-5", `{"type":"disabled"}`, adaptive},
		{"claude-haiku-5-5", `{"type":"disabled"}`, adaptive},
		{"claude-sonnet-5-5@20260928", `{"type":"between_tools"}`, adaptive},
		{"claude-opus-5-5", ` "low"`, adaptive},
		{"claude-fable-5-1", ` "low"`, adaptive},
		{"claude-mythos-5", ` "low"`, adaptive},
		{"claude-sonnet-6-20270101", ` "low"`, adaptive},
		{"claude-opus-10", ` "low"`, adaptive},
	}
	for _, c := range cases {
		for level, want := range map[modelcall.ThinkingLevel]string{"": c.off, modelcall.ThinkingOff: c.off,
			modelcall.ThinkingMedium: c.medium} {
			if got := thinkingOf(t, c.model, level, 0); got != want {
				t.Errorf("%s, %q: got %s, want %s", c.model, level, got, want)
			}
		}
	}
}

// thinkingOf returns the parameters about thinking and the effort of a request.
func thinkingOf(t *testing.T, model string, level modelcall.ThinkingLevel, maxTokens int) string {
	t.Helper()
	how := thinkingFormOf(model, level, int64(maxTokens+DefaultMaxTokens*btoi(maxTokens == 0)))
	body, err := encode(hi(), how, 1)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Thinking struct {
			Type   string `json:"type"`
			Budget int    `json:"budget_tokens,omitempty"`
		} `json:"thinking"`
		Config struct {
			Effort json.RawMessage `json:"effort"`
		} `json:"output_config"`
	}
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatal(err)
	}
	out := ""
	if got.Thinking.Type != "" {
		encoded, _ := json.Marshal(got.Thinking)
		out = string(encoded)
	}
	if got.Config.Effort != nil {
		out += " " + string(got.Config.Effort)
	}
	return out
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestThinkingBudget_LeavesRoomForAnswer(t *testing.T) {
	for maxTokens, want := range map[int]string{
		32000: `{"type":"enabled","budget_tokens":24576}`, 8192: `{"type":"enabled","budget_tokens":7168}`,
		2048: `{"type":"enabled","budget_tokens":1024}`, 2047: "", 1: "",
	} {
		if got := thinkingOf(t, "claude-sonnet-4-5", modelcall.ThinkingHigh, maxTokens); got != want {
			t.Errorf("of %d: got %s, want %s", maxTokens, got, want)
		}
	}
}

// TestThinking_SameTurn_IsSentAgain checks that thinking is sent back only during its turn, and
// only if the model still thinks.
func TestThinking_SameTurn_IsSentAgain(t *testing.T) {
	for _, c := range []struct {
		model string
		level modelcall.ThinkingLevel
		want  int
	}{
		{"claude-opus-4-6", modelcall.ThinkingLow, 2}, {"claude-opus-4-6", modelcall.ThinkingOff, 0},
		{"claude-opus-5", modelcall.ThinkingOff, 0}, {"claude-opus-5-5", modelcall.ThinkingOff, 2},
		{"claude-sonnet-5-5", modelcall.ThinkingOff, 2}, {"claude-sonnet-4-5", modelcall.ThinkingHigh, 2},
	} {
		req := history()
		req.Model, req.Thinking = c.model, c.level
		body := requestBody(t, req, Options{})
		got := strings.Count(body, `"type":"thinking"`) + strings.Count(body, `"type":"redacted_thinking"`)
		if got != c.want || strings.Contains(body, "early") {
			t.Errorf("%s, %s: %d thoughts in %s", c.model, c.level, got, body)
		}
		req.Messages = append(req.Messages, said(protocol.ContentPart{Text: "There."}),
			protocol.NewUserMessage("thanks"))
		if body := requestBody(t, req, Options{}); strings.Contains(body, `"signature"`) {
			t.Errorf("%s, %s: thoughts of the turn before in %s", c.model, c.level, body)
		}
	}
}

func TestThinking_OfOtherModelOrServer_IsNotSent(t *testing.T) {
	for origin, want := range map[string]int{"": 2, "api.anthropic.com/claude-opus-4-6": 2,
		"api.anthropic.com/claude-opus-5-5": 0,
		"proxy.example/claude-opus-4-6":     0} {
		req := history()
		req.Model, req.Thinking = "claude-opus-4-6", modelcall.ThinkingLow
		for _, m := range req.Messages {
			for _, p := range m.Parts {
				if p.Thinking != nil {
					p.Thinking.Origin = origin
				}
			}
		}
		form := thinkingFormOf(req.Model, req.Thinking, DefaultMaxTokens)
		form.origin = "api.anthropic.com/claude-opus-4-6"
		body, err := encode(req, form, DefaultMaxTokens)
		got := strings.Count(string(body), `"type":"thinking"`) + strings.Count(string(body),
			`"type":"redacted_thinking"`)
		if err != nil || got != want {
			t.Errorf("%q: %d thoughts, want %d; %v", origin, got, want, err)
		}
	}
}

func TestOldThinking_Refused_IsOmitted(t *testing.T) {
	cases := []struct {
		name, model string
		level       modelcall.ThinkingLevel
		refusal     string
		asked       int
		then        string // a text that must not be in the second request
	}{
		{"thoughts of another conversation", "claude-opus-5-5", modelcall.ThinkingLow,
			"messages.3.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.", 2,
			`"signature"`},
		{"thoughts that are no longer valid, where a turn must begin with some", "claude-opus-4-5", modelcall.ThinkingLow,
			"messages.3.content.0: Invalid `signature` in `thinking` block", 2, `"enabled"`},
		{"a turn that began at another model's", "claude-opus-4-5", modelcall.ThinkingLow,
			"messages.3.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.", 2, `"enabled"`},
		{"thinking that can't be turned off", "claude-opus-5", modelcall.ThinkingOff,
			`"thinking.type.disabled" is not supported for this model. Use "thinking.type.adaptive".`, 2, `"disabled"`},
		{"thinking that was wanted and is refused", "claude-opus-4-5", modelcall.ThinkingLow,
			`"thinking.type.enabled" is not supported for this model.`, 1, ""},
		{"another reason", "claude-opus-5", modelcall.ThinkingOff, "tools.0: wrong", 1, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var bodies []string
			base := serve(t, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if bodies = append(bodies, string(body)); len(bodies) == 1 {
					refuses(400, "invalid_request_error", c.refusal)(w, r)
					return
				}
				sendStream(okStream)(w, r)
			})
			req := history()
			req.Model, req.Thinking = c.model, c.level
			_, _, err := ask(open(t, Options{BaseURL: base}), req)
			if len(bodies) != c.asked || (err == nil) != (c.asked == 2) {
				t.Fatalf("asked %d times, %v", len(bodies), err)
			}
			if failed := new(modelcall.Error); err != nil && !errors.As(err, &failed) {
				t.Errorf("got %v", err)
			}
			if c.asked == 2 && (!strings.Contains(bodies[0], c.then) || strings.Contains(bodies[1], c.then)) {
				t.Errorf("%s in the second request, or not in the first:\n%s\n%s", c.then, bodies[1], bodies[0])
			}
		})
	}
}
