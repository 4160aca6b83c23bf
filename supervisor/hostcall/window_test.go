package hostcall_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/model"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/modelcall"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// reads is a model that reads a file in each turn, and then answers.
func reads(r modeltest.Request) modeltest.Answer {
	if last := r.Messages[len(r.Messages)-1]; last.Role == "tool" {
		return modeltest.Answer{Text: "I have read it."}
	}
	return modeltest.Answer{Calls: []modeltest.Call{{Name: "list_files", Args: `{}`}}}
}

// describeTools adds descriptions to the tools, which servers require.
func (r *rig) describeTools() {
	schema := json.RawMessage(`{"type":"object","properties":{}}`)
	r.conn.OnHandshake(protocol.HelloResult{Tools: []protocol.Tool{{Name: "get_time", Description: "The time.",
		Schema: schema},
		{Name: "list_files", Description: "The files.", Schema: schema}}})
}

// longTalk runs 30 turns, each with a result of 20 KB. The system text has a realistic length.
// longTalk returns how many requests were refused as too long.
func longTalk(t *testing.T, r *rig) (refused string) {
	t.Helper()
	r.options.History = 32_000
	r.describeTools()
	system := strings.Repeat("Be good and helpful. ", 330)
	for turn := range 30 {
		if turn > 0 {
			r.finish()
			r.open = r.startTurnWith("ann", fmt.Sprint(turn+1), fmt.Sprintf("Question %d: what is in it?", turn+1))
			r.conn.BeginTurn(r.turn())
		}
		for {
			stream := r.modelStream()
			stream.System = protocol.SystemTextRef{Hash: hash(system), Text: system}
			got, err := r.call(protocol.MethodModelStream, stream)
			if err != nil {
				t.Fatalf("turn %d: %v", turn+1, err)
			}
			calls := got.(protocol.ModelStreamResult).Message.ToolCalls()
			for _, c := range calls {
				text := fmt.Sprintf("File %d begins.\n%s\nFile %d ends.", turn+1, strings.Repeat("words of the file; ", 1060), turn+1)
				if err := r.done(protocol.ToolResult{Call: c.ID, Name: c.Name, Text: text}); err != nil {
					t.Fatal(err)
				}
			}
			if len(calls) == 0 {
				break
			}
		}
	}
	return sqlitetest.QueryColumn(t, r.db, "SELECT count(*) FROM usage WHERE class = 'too_long'")[0]
}

// TestSmallWindow_LongHistory_IsRefusedOnce checks that at most one request is refused as too long,
// even if the model's window is unknown.
func TestSmallWindow_LongHistory_IsRefusedOnce(t *testing.T) {
	for name, c := range map[string]struct {
		window     int
		dialect    modeltest.Dialect
		configured bool
		refused    string
	}{
		"4,000, configured":                {window: 4000, configured: true, refused: "0"},
		"4,000, as the server says":        {window: 4000, dialect: modeltest.DialectVLLM, refused: "0"},
		"8,000, configured":                {window: 8000, configured: true, refused: "0"},
		"8,000, as vLLM says":              {window: 8000, dialect: modeltest.DialectVLLM, refused: "0"},
		"8,000, as llama.cpp says":         {window: 8000, dialect: modeltest.DialectLlamaCpp, refused: "0"},
		"8,000, learnt from a refusal":     {window: 8000, refused: "1"},
		"8,000, a refusal without numbers": {window: 8000, dialect: modeltest.DialectOllama, refused: "1"},
		"32,000, learnt from a refusal":    {window: 32_000, refused: "1"},
		"32,000, configured":               {window: 32_000, configured: true, refused: "0"},
	} {
		t.Run(name, func(t *testing.T) {
			server, url := modeltest.NewServer(t, reads)
			server.Dialect, server.Limits.Context = c.dialect, c.window
			o := model.Options{Default: "p/m", Providers: []model.ProviderOptions{{Name: "p", Kind: "openai", BaseURL: url}}}
			if c.configured {
				o.Providers[0].Window = int64(c.window)
			}
			if got := longTalk(t, newRigOf(t, catalogueOf(t, o))); got != c.refused {
				t.Errorf("%s requests were refused for their length, want %s", got, c.refused)
			}
			all := server.Requests()
			last := string(all[len(all)-1].Raw)
			if c.window > 4000 && !strings.Contains(last, `"hello"`) || !strings.Contains(last, "Question 30:") ||
				!strings.Contains(last, "File 30 begins.") || !strings.Contains(last, "File 30 ends.") {
				t.Errorf("after %d requests the newest has %d bytes: %.1500s", len(all), len(last), last[7000:])
			}
			if !strings.Contains(last, "left out here") || !strings.Contains(last, "read_output") {
				t.Errorf("the model is not told what was left out")
			}
		})
	}
}

// TestContextWindow_ServerCutsRequest_IsLearnt uses a server that cuts long requests without an
// error. The server's token counts reveal the size of its window.
func TestContextWindow_ServerCutsRequest_IsLearnt(t *testing.T) {
	longest := 0
	server, url := modeltest.NewServer(t, func(r modeltest.Request) modeltest.Answer {
		a := reads(r)
		a.Usage = &modeltest.AnswerUsage{Prompt: min(int64(len(r.Raw)/4), 4096), Completion: 10}
		return a
	})
	o := model.Options{Default: "p/m", Providers: []model.ProviderOptions{{Name: "p", Kind: "openai", BaseURL: url}}}
	longTalk(t, newRigOf(t, catalogueOf(t, o)))
	over := 0
	for _, r := range server.Requests() {
		longest = max(longest, len(r.Raw)/4)
		if len(r.Raw)/4 > 4096 {
			over++
		}
	}
	if over == 0 || over > 3 {
		t.Errorf("%d requests were longer than the window, the longest of %d tokens", over, longest)
	}
}

// TestTruncatedResult_NamesFileOfFullOutput checks that the line in place of cut text names an
// output, which the user may read.
func TestTruncatedResult_NamesFileOfFullOutput(t *testing.T) {
	server, url := modeltest.NewServer(t, reads)
	server.Limits.Context = 8000
	o := model.Options{Default: "p/m", Providers: []model.ProviderOptions{{Name: "p", Kind: "openai", BaseURL: url, Window: 8000}}}
	r := newRigOf(t, catalogueOf(t, o))
	longTalk(t, r)
	all := server.Requests()
	_, rest, found := strings.Cut(string(all[len(all)-1].Raw), `read_output {\"output\": \"`)
	if !found {
		t.Fatal("no output is named")
	}
	for _, user := range []string{"ann", "bob"} {
		size, ok, err := r.db.Blobs().IsOwner(t.Context(), user, rest[:64])
		if err != nil || ok != (user == "ann") || ok && size < 19_000 {
			t.Errorf("%s: %d bytes, %v, %v", user, size, ok, err)
		}
	}
}

func catalogueOf(t *testing.T, o model.Options) *model.Catalogue {
	t.Helper()
	c, err := model.NewCatalogue(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// killedTranscript is a Transcript whose next MoveWindow fails as if the service were killed:
// "before" the commit, "after" it, or never ("").
type killedTranscript struct {
	sqlite.Transcript
	kill string
}

func (k *killedTranscript) MoveWindow(ctx context.Context, conversation, from int64) error {
	kill := k.kill
	k.kill = ""
	if kill == "before" {
		return errors.New("killed")
	}
	err := k.Transcript.MoveWindow(ctx, conversation, from)
	if kill == "after" {
		return errors.Join(err, errors.New("killed"))
	}
	return err
}

// TestHistoryTrim_Killed_SendsSameRequest checks that a kill around the commit that moves the
// window changes neither the messages of the request nor its tools.
func TestHistoryTrim_Killed_SendsSameRequest(t *testing.T) {
	want := askAfterTrim(t, "")
	text, err := json.Marshal(want.Messages)
	if len(want.Tools) != 17 || err != nil || !strings.Contains(string(text), "[Earlier messages") ||
		!strings.Contains(string(text), strings.Repeat("x", 900)) {
		t.Fatalf("asked with %d tools and %s, %v", len(want.Tools), text, err)
	}
	for _, kill := range []string{"before", "after"} {
		got := askAfterTrim(t, kill)
		if diff := cmp.Diff(want.Messages, got.Messages); diff != "" {
			t.Errorf("killed %s the commit: the messages (-want +got):\n%s", kill, diff)
		}
		if diff := cmp.Diff(want.Tools, got.Tools); diff != "" {
			t.Errorf("killed %s the commit: the tools (-want +got):\n%s", kill, diff)
		}
	}
}

// askAfterTrim returns the first request after the window's move. The result in the turn before
// fits into that request only because of the move, and more tools are open than may stay open. If
// kill is not "", the service is killed at the move, and asks again.
func askAfterTrim(t *testing.T, kill string) modelcall.Request {
	t.Helper()
	r := newToolRig(t, bulk(23)...)
	in := r.open.Turn.Conversation
	for _, tool := range bulk(23) {
		if err := r.db.OpenedTools().AddTools(t.Context(), in, supervisor.OpenedTool{Name: tool.Name}); err != nil {
			t.Fatal(err)
		}
	}
	begin := func(size int) {
		r.finish()
		r.open, r.steps = r.startTurnWith("ann", fmt.Sprint("size ", size), strings.Repeat("y", size)), 0
		r.conn.BeginTurn(r.turn())
	}
	begin(2000)
	r.step()
	begin(20)
	call := r.step("read_file {}").Message.ToolCalls()[0]
	if err := r.done(protocol.ToolResult{Call: call.ID, Name: call.Name, Text: strings.Repeat("x", 900)}); err != nil {
		t.Fatal(err)
	}
	r.step()
	begin(1800)
	r.options.History, r.options.Transcript = 1000, &killedTranscript{r.db.Transcript(), kill}
	if kill != "" {
		if _, err := r.tryStep(); err == nil {
			t.Fatal("the window was not moved")
		}
		r.restart()
	}
	r.step()
	return r.asked
}
