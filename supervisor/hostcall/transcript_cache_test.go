package hostcall_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "mews/internal/fixedseed"
	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/history"
	"mews/supervisor/modelcall"
	"mews/supervisor/sqlite"
)

// awkward are texts that could change on their way to the disk and back.
var awkward = []string{"", "plain", "<b>&amp;</b>", "a\x00b\x1b", "half a \xff character", "\u2028 \ufffd 🦅", strings.Repeat("long ", 300)}

var awkwardArguments = []string{`{}`, ` { "path" : "<a>" } `, `{"n":1.50e3,"s":"\u003c\ud83e\udd85"}`, `{"a":[ ]}`, `null`}

// TestTranscriptCache_EqualsDatabase checks that the cache equals a fresh read, for random
// messages, orders of results and positions of the window.
func TestTranscriptCache_EqualsDatabase(t *testing.T) {
	var got modelcall.Request
	var answer protocol.Message
	r := newRig(t, func(_ context.Context, req modelcall.Request, _ func(string)) (protocol.Message, error) {
		got = req
		return answer, nil
	})
	r.finish()
	turns := 1
	rapid.Check(t, func(rt *rapid.T) {
		turns++
		r.open = r.startTurn("ann", fmt.Sprint(turns))
		r.conn.BeginTurn(r.turn())
		defer r.finish()
		r.options.History = rapid.IntRange(50, 3000).Draw(rt, "budget")
		conversation := r.open.Turn.Conversation.ID
		for step := range rapid.IntRange(1, 8).Draw(rt, "steps") {
			answer = drawAnswer(rt)
			if step > 0 && rapid.IntRange(0, 4).Draw(rt, "restart") == 0 {
				if err := r.db.Transcript().ClearWindow(t.Context(), conversation); err != nil {
					rt.Fatal(err)
				}
			}
			fresh, err := r.db.Transcript().ListMessages(t.Context(), conversation)
			if err != nil {
				rt.Fatal(err)
			}
			calls := r.makeCalls()
			_, window, err := r.db.Transcript().ListSince(t.Context(), conversation, 0)
			if err != nil {
				rt.Fatal(err)
			}
			name := func(r protocol.ToolResult) string {
				if r.Rest != nil {
					return r.Rest.SHA256
				}
				return hash(r.Text)
			}
			// a request that moves the window has only the messages after the move
			from := history.ShortenToBudget(fresh, 0, r.options.History, window.Trimmed, name).From
			fresh = slices.DeleteFunc(fresh, func(m protocol.Message) bool { return m.ID < from })
			if diff := cmp.Diff(history.ShortenToBudget(fresh, 0, r.options.History, window.Trimmed, name).Messages,
				got.Messages); diff != "" {
				rt.Fatalf("step %d: fresh, and as sent:\n%s", step, diff)
			}
			text := rapid.SampledFrom(awkward).Draw(rt, "result")
			var wg sync.WaitGroup
			for _, call := range calls {
				wg.Go(func() {
					if err := r.done(protocol.ToolResult{Call: call.ID, Name: call.Name, Text: text}); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
		}
	})
}

// finish ends the turn.
func (r *rig) finish() {
	r.t.Helper()
	if err := r.conn.EndTurn(r.open.Turn.ID, protocol.TurnEndDone).Failure; err != nil {
		r.t.Error(err)
	}
	end := sqlite.TurnEnding{Turn: r.open.Turn.ID, Why: protocol.TurnEndDone, State: supervisor.InboundAnswered,
		Unanswered: "none"}
	if _, err := r.db.Turns().Finish(r.t.Context(), end); err != nil {
		r.t.Fatal(err)
	}
}

func drawAnswer(t *rapid.T) protocol.Message {
	m := protocol.Message{Parts: []protocol.ContentPart{{Text: "I think: " + rapid.SampledFrom(awkward).Draw(t,
		"text")}}}
	for range rapid.IntRange(0, 3).Draw(t, "calls") {
		m.Parts = append(m.Parts, protocol.ContentPart{Call: &protocol.ToolCall{Name: "list_files",
			Arguments: json.RawMessage(rapid.SampledFrom(awkwardArguments).Draw(t, "arguments"))}})
	}
	return m
}

// countingTranscript counts the messages that are read from the store.
type countingTranscript struct {
	sqlite.Transcript
	read int
}

func (r *countingTranscript) ListSince(ctx context.Context, conversation, after int64) ([]protocol.Message,
	sqlite.ModelWindow, error) {
	newer, from, err := r.Transcript.ListSince(ctx, conversation, after)
	r.read += len(newer)
	return newer, from, err
}

func TestTranscriptCache_ReadsMessagesOnce(t *testing.T) {
	r := newRig(t, asks(1))
	counting := &countingTranscript{Transcript: r.db.Transcript()}
	r.options.Transcript = counting
	const steps = 20
	for range steps {
		call := r.makeCalls()[0]
		if err := r.done(protocol.ToolResult{Call: call.ID, Name: call.Name, Text: fmt.Sprint("result of ", call.ID)}); err != nil {
			t.Fatal(err)
		}
	}
	if want := 1 + 2*(steps-1); counting.read != want {
		t.Errorf("%d messages were read, want %d", counting.read, want)
	}
}
