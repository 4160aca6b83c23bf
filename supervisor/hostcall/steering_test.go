package hostcall_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/history"
	"mews/supervisor/hostcall"
	"mews/supervisor/model"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/modelcall"
	"mews/supervisor/reply"
)

// say stores a message of ann's while her turn runs.
func (r *rig) say(key, text string) {
	r.t.Helper()
	_, _, err := r.db.Inbox().StoreInbound(r.t.Context(),
		supervisor.Inbound{Conversation: r.open.Turn.Conversation, Source: "test", Key: key,
			Kind: supervisor.KindText, Text: text})
	if err != nil {
		r.t.Fatal(err)
	}
}

// edit changes the message with which ann's turn began.
func (r *rig) edit(text string) {
	r.t.Helper()
	item := supervisor.BatchItem{Update: 9, EditedAt: time.Now(),
		Inbound: supervisor.Inbound{Conversation: r.open.Turn.Conversation, Key: "edit",
			Message: r.open.Turn.Message, Kind: supervisor.KindText, Text: text}}
	if _, err := r.db.Inbox().StoreBatch(r.t.Context(), supervisor.InboundBatch{Source: "test",
		Items: []supervisor.BatchItem{item}}); err != nil {
		r.t.Fatal(err)
	}
}

func wants(mode supervisor.BusyMode) func(context.Context, string) supervisor.BusyMode {
	return func(context.Context, string) supervisor.BusyMode { return mode }
}

// userTexts returns the user's messages in a request.
func userTexts(req modelcall.Request) (texts []string) {
	for _, m := range req.Messages {
		if m.Role == protocol.RoleUser {
			texts = append(texts, m.Text())
		}
	}
	return texts
}

func TestSteering_NewMessage_ReachesNextStep(t *testing.T) {
	var requests []modelcall.Request
	var r *rig
	shown := "" // the reply when the model's second answer begins
	says := asksThenSays(&requests)
	r = newRig(t, func(ctx context.Context, req modelcall.Request, delta func(string)) (protocol.Message, error) {
		shown, _ = r.stream.Text()
		return says(ctx, req, delta)
	})
	r.options.Busy = wants(supervisor.BusySteer)
	r.say("k1", "in the same breath")
	call := r.makeCalls()[0]
	r.say("k2", "and also this")
	r.say("k3", "and that")
	if err := r.done(protocol.ToolResult{Call: call.ID, Name: call.Name, Text: "a.md"}); err != nil {
		t.Fatal(err)
	}
	refused := r.modelStream()
	refused.System = protocol.SystemTextRef{Hash: hash("unknown")}
	if _, err := r.call(protocol.MethodModelStream, refused); wireCode(err) != protocol.CodeUnknownHash {
		t.Fatalf("got %v", err)
	}
	// The worker repeats the same request, because the refused request has changed nothing.
	again := r.modelStream()
	again.After = refused.After
	answer, err := r.call(protocol.MethodModelStream, again)
	if err != nil {
		t.Fatal(err)
	}
	if n := answer.(protocol.ModelStreamResult).AddedMessages; n != 2 {
		t.Errorf("the worker is told that %d were taken in", n)
	}
	want := []string{"hello", "in the same breath", "and also this", "and that"}
	if diff := cmp.Diff([][]string{want[:2], want}, [][]string{userTexts(requests[0]), userTexts(requests[1])}); diff != "" {
		t.Error(diff)
	}
	if m := requests[1].Messages; m[len(m)-3].Role != protocol.RoleTool {
		t.Errorf("they stand behind a %s", m[len(m)-3].Role)
	}
	if shown != "I look.\n\n"+reply.LineAboutReadMessages(2) {
		t.Errorf("as the answer to them began the reply was %q", shown)
	}
	if text, _ := r.stream.Text(); text != "I look.\n\n"+reply.LineAboutReadMessages(2)+"\n\nI see it." {
		t.Errorf("the reply is %q", text)
	}
	if r.peer.ended != nil || len(r.audited) > 0 {
		t.Errorf("ended: %v, audited: %q", r.peer.ended, r.audited)
	}
}

func TestSteering_QueueMode_MessageWaits(t *testing.T) {
	for _, mode := range []supervisor.BusyMode{supervisor.BusyQueue, supervisor.BusyRestart} {
		var requests []modelcall.Request
		r := newRig(t, asksThenSays(&requests))
		r.options.Busy = wants(mode)
		r.say("k1", "and also this")
		r.makeCalls()
		if diff := cmp.Diff([]string{"hello"}, userTexts(requests[0])); diff != "" {
			t.Errorf("%s: %s", mode, diff)
		}
	}
}

// TestSteering_UrgentJoins_FollowUpWaits checks that in every mode an urgent message reaches the
// next step, and a follow-up waits.
func TestSteering_UrgentJoins_FollowUpWaits(t *testing.T) {
	for mode, want := range map[supervisor.BusyMode][]string{
		supervisor.BusyQueue: {"hello", "be brief"}, supervisor.BusyRestart: {"hello", "be brief"},
		supervisor.BusySteer: {"hello", "be brief", "usual"},
	} {
		var requests []modelcall.Request
		r := newRig(t, asksThenSays(&requests))
		r.options.Busy = wants(mode)
		for key, priority := range map[string]supervisor.InboundPriority{"later": supervisor.PriorityFollowup,
			"usual":    supervisor.PriorityUsual,
			"be brief": supervisor.PriorityNow} {
			_, _, err := r.db.Inbox().StoreInbound(t.Context(),
				supervisor.Inbound{Conversation: r.open.Turn.Conversation, Source: "test", Key: key,
					Kind: supervisor.KindText, Text: key, Priority: priority})
			if err != nil {
				t.Fatal(err)
			}
		}
		r.makeCalls()
		if diff := cmp.Diff(want, userTexts(requests[0])); diff != "" {
			t.Errorf("%s: %s", mode, diff)
		}
	}
}

// The reply says that a message was read only after a step has answered that message. If a call
// fails before it is made, or the worker dies, the model has not read the message.
func TestSteering_FailedStep_LeavesMessageUnread(t *testing.T) {
	broke := errors.New("the budget of the day is used up")
	var requests []modelcall.Request
	answer := asksThenSays(&requests)
	r := newRig(t, func(ctx context.Context, req modelcall.Request, delta func(string)) (protocol.Message, error) {
		if len(userTexts(req)) == 2 {
			return protocol.Message{}, broke
		}
		return answer(ctx, req, delta)
	})
	r.options.Busy = wants(supervisor.BusySteer)
	call := r.makeCalls()[0]
	r.say("k1", "the wrong folder!")
	if err := r.done(protocol.ToolResult{Call: call.ID, Name: call.Name, Text: "a.md"}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.call(protocol.MethodModelStream, r.modelStream()); err == nil {
		t.Fatal("the step was made")
	}
	if text, _ := r.stream.Text(); text != "I look." {
		t.Errorf("after a step that failed the reply is %q", text)
	}
	r.say("k2", "and be brief")
	turn := r.turn()
	turn.Step = 1
	r.conn, r.peer = r.newConn("ann")
	r.conn.BeginTurn(turn)
	r.makeCalls()
	if text, _ := r.stream.Text(); text != "I look.\n\n"+reply.LineAboutReadMessages(2)+"\n\nI see it." {
		t.Errorf("after the step that was made the reply is %q", text)
	}
}

// TestSteering_LongMessage_Waits checks that a short message joins even a full request. A long
// message joins only if it fits.
func TestSteering_LongMessage_Waits(t *testing.T) {
	var last modelcall.Request
	r := newRig(t, func(ctx context.Context, req modelcall.Request, delta func(string)) (protocol.Message, error) {
		last = req
		return asks(1)(ctx, req, delta)
	})
	r.options.Busy, r.options.History = wants(supervisor.BusySteer), 4000
	page := func(letter string) string { return strings.Repeat(letter, 8<<10) }
	call := r.makeCalls()[0]
	for i, text := range []string{"not that folder!", page("b"), page("c"), "ok?"} {
		r.say(fmt.Sprint("k", i), text)
	}
	if err := r.done(protocol.ToolResult{Call: call.ID, Name: call.Name, Text: page("r") + page("r")}); err != nil {
		t.Fatal(err)
	}
	call = r.makeCalls()[0]
	if diff := cmp.Diff([]string{"hello", "not that folder!"}, userTexts(last)); diff != "" {
		t.Errorf("where a page does not fit beside the newest result the model was told (-want +got)\n%s", diff)
	}
	if err := r.done(protocol.ToolResult{Call: call.ID, Name: call.Name, Text: "short"}); err != nil {
		t.Fatal(err)
	}
	r.makeCalls()
	if got := userTexts(last); got[len(got)-1] != page("b") {
		t.Errorf("with room for one page the last that the model was told is %.20q", got[len(got)-1])
	}
	if got := history.EstimateTokens(last.Messages); got > r.options.History {
		t.Errorf("the request has %d tokens", got)
	}
}

// TestSteering_JoinedMessages_AreReadInFull adds two messages of the same size in each of five
// steps, beside results of 20 KB. No request becomes too long; messages that do not fit wait.
func TestSteering_JoinedMessages_AreReadInFull(t *testing.T) {
	for _, c := range []struct{ window, size, taken int }{
		{4000, 1500, 10}, {4000, 4000, 5}, {8000, 1500, 10}, {8000, 4000, 5}, {8000, 12_000, 0}, {32_000, 12_000, 10}, {32_000, 30_000, 5},
	} {
		step := 0
		server, url := modeltest.NewServer(t, func(modeltest.Request) modeltest.Answer {
			if step++; step > 5 {
				return modeltest.Answer{Text: "I have read it."}
			}
			return modeltest.Answer{Calls: []modeltest.Call{{Name: "list_files", Args: `{}`}}}
		})
		server.Limits.Context = c.window
		models := catalogueOf(t, model.Options{Default: "p/m",
			Providers: []model.ProviderOptions{{Name: "p", Kind: "openai", BaseURL: url, Window: int64(c.window)}}})
		r := newRigOf(t, models)
		r.describeTools()
		r.options.Busy, r.options.History, r.options.Room = wants(supervisor.BusySteer), 32_000, models.MaxRequestTokens
		turn := r.turn()
		turn.First = r.open.Messages[0].ID
		r.conn.EndTurn(turn.ID, "")
		r.conn.BeginTurn(turn)
		var said []string
		for calls := r.makeCalls(); len(calls) > 0; calls = r.makeCalls() {
			for range 2 {
				n := len(said)
				said = append(said, fmt.Sprintf("Message %d begins. %sMessage %d ends.", n, strings.Repeat("word ", c.size/5), n))
				r.say(fmt.Sprint("k", n), said[n])
			}
			result := protocol.ToolResult{Call: calls[0].ID, Name: calls[0].Name, Text: strings.Repeat("words of the file; ", 1060)}
			if err := r.done(result); err != nil {
				t.Fatal(err)
			}
		}
		read := slices.DeleteFunc(slices.Clone(said), func(text string) bool {
			return !slices.ContainsFunc(server.Requests(), func(q modeltest.Request) bool { return strings.Contains(string(q.Raw), text) })
		})
		if !slices.Equal(read, said[:c.taken]) || len(server.Requests()) != 6 {
			t.Errorf("of %d messages of %d bytes in a window of %d tokens %d were read whole, want %d; there were %d requests",
				len(said), c.size, c.window, len(read), c.taken, len(server.Requests()))
		}
	}
}

// TestSteering_SmallWindow_LongMessageWaits checks that a long message waits if the model's window
// is smaller than the history's limit. In a turn of its own the message is read whole. In this turn
// it would be cut.
func TestSteering_SmallWindow_LongMessageWaits(t *testing.T) {
	server, url := modeltest.NewServer(t, func(r modeltest.Request) modeltest.Answer {
		if strings.Contains(string(r.Raw), "a file; ") {
			return modeltest.Answer{Text: "I have read it."}
		}
		return modeltest.Answer{Calls: []modeltest.Call{{Name: "list_files", Args: `{}`}}}
	})
	server.Limits.Context = 8000
	models := catalogueOf(t, model.Options{Default: "p/m",
		Providers: []model.ProviderOptions{{Name: "p", Kind: "openai", BaseURL: url, Window: 8000}}})
	r := newRigOf(t, models)
	r.describeTools()
	r.options.Busy, r.options.History, r.options.Room = wants(supervisor.BusySteer), 32_000, models.MaxRequestTokens
	page := strings.Repeat("a word or two; ", 1000)
	call := r.makeCalls()[0]
	r.say("k1", "not that folder!")
	r.say("k2", page)
	if err := r.done(protocol.ToolResult{Call: call.ID, Name: call.Name, Text: strings.Repeat("a file; ", 2000)}); err != nil {
		t.Fatal(err)
	}
	if calls := r.makeCalls(); len(calls) != 0 {
		t.Fatalf("the model's calls are %+v", calls)
	}
	r.finish()
	newest := func() string {
		all := server.Requests()
		return string(all[len(all)-1].Raw)
	}
	if body := newest(); !strings.Contains(body, "not that folder!") || strings.Contains(body, "a word or two") {
		t.Errorf("the model was told %d bytes, ending in %.300q", len(body), body[len(body)-300:])
	}
	r.options.Busy = wants(supervisor.BusyQueue)
	r.open = r.startTurnWith("ann", "k3", page)
	r.conn.BeginTurn(r.turn())
	if r.makeCalls(); !strings.Contains(newest(), page) {
		t.Errorf("in a turn of its own the page is not read whole")
	}
}

// failingSteps is a store that fails to add messages to a turn.
type failingSteps struct {
	hostcall.Steps
}

func (failingSteps) AddWaitingTexts(context.Context, int64, int, supervisor.InboundPriority) (int, error) {
	return 0, errors.New("the disk is full")
}

func TestSteering_StoreFails_StepContinues(t *testing.T) {
	r := newRig(t, asks(1))
	r.options.Busy, r.options.Steps = wants(supervisor.BusySteer), failingSteps{r.db.Turns()}
	r.say("k1", "and also this")
	if calls := r.makeCalls(); len(calls) != 1 {
		t.Errorf("the model's calls are %+v", calls)
	}
}

// TestSteering_FirstMessage_StaysInRequest checks that requests keep the turn's first message,
// however many messages join the turn.
func TestSteering_FirstMessage_StaysInRequest(t *testing.T) {
	var last modelcall.Request
	r := newRig(t, func(ctx context.Context, req modelcall.Request, delta func(string)) (protocol.Message, error) {
		last = req
		return asks(1)(ctx, req, delta)
	})
	r.options.Busy, r.options.History = wants(supervisor.BusySteer), 100
	turn := r.turn()
	turn.First = r.open.Messages[0].ID
	r.conn.EndTurn(turn.ID, "")
	r.conn.BeginTurn(turn)
	for i := range 10 {
		call := r.makeCalls()[0]
		r.say(fmt.Sprint("k", i), fmt.Sprint("and also ", i))
		if err := r.done(protocol.ToolResult{Call: call.ID, Name: call.Name, Text: "a.md, b.md, c.md, d.md, e.md"}); err != nil {
			t.Fatal(err)
		}
	}
	r.makeCalls()
	got := userTexts(last)
	if len(got) == 11 || !strings.HasPrefix(got[0], "hello\n\n[Steps of yours that followed") || got[len(got)-1] != "and also 9" {
		t.Errorf("the model was told %q", got)
	}
	if last.First != turn.First {
		t.Errorf("the request says that message %d began it, want %d", last.First, turn.First)
	}
}

// TestSteering_EditedMessage_ReachesNextStep checks that an edited message reaches the next step in
// every mode.
func TestSteering_EditedMessage_ReachesNextStep(t *testing.T) {
	for _, mode := range []supervisor.BusyMode{supervisor.BusySteer, supervisor.BusyQueue, supervisor.BusyRestart} {
		var requests []modelcall.Request
		r := newRig(t, asksThenSays(&requests))
		r.options.Busy = wants(mode)
		call := r.makeCalls()[0]
		r.edit("goodbye")
		if err := r.done(protocol.ToolResult{Call: call.ID, Name: call.Name, Text: "a.md"}); err != nil {
			t.Fatal(err)
		}
		r.makeCalls()
		want := []string{"hello", "Correction of my message “hello”: now it reads: “goodbye”"}
		if diff := cmp.Diff(want, userTexts(requests[1])); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", mode, diff)
		}
		if text, _ := r.stream.Text(); text != "I look.\n\n"+reply.LineAboutReadMessages(1)+"\n\nI see it." {
			t.Errorf("%s: the reply is %q", mode, text)
		}
	}
}
