package anthropic

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/modelcall"
)

// talker is a script that first calls two tools at once, then one tool, and then answers.
func talker(r modeltest.Request) modeltest.Answer {
	switch len(r.AnsweredCalls()) {
	case 0:
		return modeltest.Answer{Text: "I look.", Thinking: "Where is it? <here> & there", Chunk: 7, Calls: []modeltest.Call{
			{Name: "read_file", Args: `{"path": "a"}`}, {Name: "list_files", Args: `{}`}}}
	case 2:
		return modeltest.Answer{Calls: []modeltest.Call{{Name: "read_file", Args: `{"path": "b"}`}}, Chunk: 3}
	}
	return modeltest.Answer{Text: "echo: " + r.NewestUserMessage(), Thinking: modeltest.RedactedThinkingPrefix + "x"}
}

// TestTwentyTurns_ReadMostFromCache runs turns with tools against a strict server, with and without
// thinking. At least 85 % of the input must be read from the cache.
func TestTwentyTurns_ReadMostFromCache(t *testing.T) {
	for _, model := range []string{"claude-opus-4-5", "claude-opus-4-8", "claude-opus-5", "claude-opus-5-5"} {
		for _, level := range []modelcall.ThinkingLevel{modelcall.ThinkingOff, modelcall.ThinkingHigh} {
			t.Run(model+" "+string(level), func(t *testing.T) {
				server, base := modeltest.NewServer(t, talker)
				server.Key = "sk-1"
				p := open(t, Options{BaseURL: base, APIKey: "sk-1"})
				req := history()
				req.Model, req.Thinking, req.Messages = model, level, nil
				req.System = strings.Repeat("You are an assistant. ", 300)
				for turn := range 20 {
					req.Messages = append(req.Messages, protocol.NewUserMessage(fmt.Sprintf("question %d %s", turn, strings.Repeat("x ", 100))))
					answerWith(t, p, &req, turn)
				}
				if spent := server.TotalUsage(); spent.Calls != 60 || spent.CacheReadShare() < 0.85 {
					t.Errorf("%d calls, %.2f read from the cache: %+v", spent.Calls, spent.CacheReadShare(), spent)
				}
			})
		}
	}
}

// answerWith runs one turn to its end, as the session does: it gives the calls ids of its own, and
// sends the calls' results to the model.
func answerWith(t *testing.T, p *Provider, req *modelcall.Request, turn int) {
	t.Helper()
	for step := range 3 {
		answer, _, err := ask(p, *req)
		if err != nil {
			t.Fatalf("turn %d, step %d: %v", turn, step, err)
		}
		results := protocol.Message{Role: protocol.RoleTool}
		for i, part := range answer.Message.Parts {
			if part.Call != nil {
				part.Call.ID = fmt.Sprintf("t%d-%d-%d", turn, step, i)
				results.Parts = append(results.Parts,
					protocol.ContentPart{Result: &protocol.ToolResult{Call: part.Call.ID,
						Name: part.Call.Name, Text: strings.Repeat("line ", 50), Failed: i%2 == 0}})
			}
		}
		if req.Messages = append(req.Messages, stored(t, answer.Message)); results.Parts != nil {
			req.Messages = append(req.Messages, results)
		}
		if want := []modelcall.StopReason{"tools", "tools", "end"}[step]; answer.Stop != want {
			t.Fatalf("turn %d, step %d stopped for %q", turn, step, answer.Stop)
		}
	}
}

// stored returns a message as the transcript returns it after storing.
func stored(t *testing.T, m protocol.Message) (out protocol.Message) {
	t.Helper()
	line, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(line, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestTurn_BegunByAnotherModel_Continues checks that the thinking of another model is left out. The
// strict server must accept the rest.
func TestTurn_BegunByAnotherModel_Continues(t *testing.T) {
	for _, model := range []string{"claude-opus-4-5", "claude-opus-4-8", "claude-opus-5-5"} {
		_, base := modeltest.NewServer(t, modeltest.EchoScript)
		req := history()
		req.Model, req.Thinking, req.Messages = model, modelcall.ThinkingHigh, []protocol.Message{
			protocol.NewUserMessage("hi"),
			said(protocol.ContentPart{Thinking: &protocol.Thinking{Format: "other", Block: json.RawMessage(`"hm"`)}},
				called("1", "f", "{}")),
			resulted(protocol.ToolResult{Call: "1", Name: "f", Text: "r"}),
			said(), said(called("2", "f", "{}")), resulted(protocol.ToolResult{Call: "2", Name: "f", Text: "r"}),
			said(protocol.ContentPart{Text: "One,"}), said(protocol.ContentPart{Text: "two."}),
			protocol.NewUserMessage("go on"),
			said(called("3", "f", "{}")), resulted(protocol.ToolResult{Call: "3", Name: "f", Text: "r"}),
		}
		answer, _, err := ask(open(t, Options{BaseURL: base, APIKey: "k"}), req)
		if err != nil || answer.Message.Text() != "echo: go on" {
			t.Errorf("%s: %v, %v", model, answer, err)
		}
	}
}

func TestStrictServer_Failure_HasErrorClass(t *testing.T) {
	cases := map[modeltest.FailureClass]modelcall.ErrorClass{
		modeltest.FailureRateLimited: modelcall.RateLimited, modeltest.FailureOverloaded: modelcall.Overloaded,
		modeltest.FailureInternalError: modelcall.ServerError, modeltest.FailureModelLoading: modelcall.Overloaded,
		modeltest.FailureWrongKey: modelcall.AuthFailed, modeltest.FailureForbidden: modelcall.AuthFailed,
		modeltest.FailureNoCredit:     modelcall.NoCredit,
		modeltest.FailureUnknownModel: modelcall.ModelMissing, modeltest.FailurePromptTooLong: modelcall.RequestTooLong,
		modeltest.FailureBodyTooLarge:     modelcall.RequestTooLong,
		modeltest.FailureToolsUnsupported: modelcall.ToolsUnsupported,
		modeltest.FailureContentFiltered:  modelcall.ContentFiltered,
		modeltest.FailureInvalidRequest:   modelcall.RequestRefused,
	}
	for class, want := range cases {
		for _, fault := range []modeltest.Fault{modeltest.FaultFromFailureClass(class),
			modeltest.FaultAfterAnswer(class)} {
			_, base := modeltest.NewServer(t, modeltest.ScriptWithFaults(modeltest.EchoScript, fault))
			p := open(t, Options{BaseURL: base, APIKey: "k"})
			_, _, err := ask(p, hi())
			failed := new(modelcall.Error)
			if !errors.As(err, &failed) || failed.Class != want || failed.Request == "" {
				t.Errorf("%s: got %v, request %q", class, err, failed.Request)
			}
			if class == modeltest.FailureRateLimited && failed.Usage.Input == 0 && failed.RetryAfter != 7*time.Second {
				t.Errorf("to be left alone for %v", failed.RetryAfter)
			}
			if answer, _, err := ask(p, hi()); err != nil || answer.Message.Text() != "echo: hi" {
				t.Errorf("after %s: %v, %v", class, answer, err)
			}
		}
	}
}

func TestStrictServer_Fault_HasErrorClass(t *testing.T) {
	cases := map[string]struct {
		fault   modeltest.Fault
		want    modelcall.ErrorClass
		silence time.Duration
	}{
		"cut":      {modeltest.FaultCutStream(700), modelcall.StreamCut, 0},
		"stalled":  {modeltest.FaultStalledStream(700), modelcall.StreamStalled, 50 * time.Millisecond},
		"mute":     {modeltest.FaultStalledStream(0), modelcall.StreamStalled, 50 * time.Millisecond},
		"empty":    {modeltest.FaultEmptyAnswer, modelcall.EmptyAnswer, 0},
		"filtered": {modeltest.FaultStopReason(modeltest.StopReasonFilter), modelcall.ContentFiltered, 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			script := func(modeltest.Request) modeltest.Answer {
				return modeltest.Answer{Text: strings.Repeat("word ", 50), Chunk: 5}
			}
			_, base := modeltest.NewServer(t, modeltest.ScriptWithFaults(script, c.fault))
			p := open(t, Options{BaseURL: base, APIKey: "k", Silence: c.silence})
			if _, _, err := ask(p, hi()); modeltest.ErrorClassOf(err) != c.want {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestStrictServer_ModelList_IsRead(t *testing.T) {
	server, base := modeltest.NewServer(t, modeltest.EchoScript)
	for i := range 120 {
		server.Models = append(server.Models, fmt.Sprintf("claude-%d", i))
	}
	got, err := open(t, Options{BaseURL: base, APIKey: "k"}).Models(t.Context())
	if err != nil || len(got) != 120 || got[119] != "claude-119" {
		t.Errorf("%d models, %v", len(got), err)
	}
}
