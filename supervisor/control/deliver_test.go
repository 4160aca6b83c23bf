package control_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/control"
	"mews/supervisor/inbox"
	"mews/supervisor/problem"
)

func same(h *rig, what string, got, want []string) {
	h.Helper()
	if !slices.Equal(got, want) {
		h.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func TestSendMessage_AnswerIsDelivered(t *testing.T) {
	h := newRig(t)
	h.live()
	v := h.startAttach(control.JoinChatRequest{After: control.StartAtUndelivered}, false)
	if a := next[attached](h, v); a.again || a.User != "ann" || a.Home != "/homes/ann" || a.Version != "1.2" || a.Conversation == 0 {
		t.Errorf("attached to %+v", a)
	}
	said, err := v.SendMessage(t.Context(), "my-key", "hello")
	h.must(err)
	h.answer("Hello, Ann.")
	d := next[control.Delivery](h, v)
	if d.Key != "my-key" || d.Inbound != said.Inbound || d.Text != "Hello, Ann." || d.Kind != supervisor.DeliveryAnswer {
		t.Errorf("delivered was %+v", d)
	}
	if id := <-h.outbox.delivered; id != d.ID || len(h.pending()) != 0 {
		t.Errorf("taken was %d, and %q wait", id, h.pending())
	}
	counts, err := h.db.StatusCounts(t.Context())
	h.must(err)
	if counts.Inbounds[supervisor.InboundDone] != 1 {
		t.Errorf("the inbounds are %v", counts.Inbounds)
	}
}

func TestReconnect_ShowsMissedDeliveryOnce(t *testing.T) {
	h := newRig(t)
	end := h.live()
	v := h.attach(control.JoinChatRequest{After: control.StartAtUndelivered})
	h.notice("before")
	same(h, "first", v.texts(h, 1), []string{"before"})
	<-h.outbox.delivered
	end()
	next[lost](h, v)
	h.notice("meanwhile")
	said := make(chan error, 1)
	go func() {
		_, err := v.SendMessage(context.Background(), "key", "are you there?")
		said <- err
	}()
	h.live()
	if a := next[attached](h, v); !a.again {
		t.Error("the screen is not told that it is back")
	}
	h.must(<-said)
	h.answer("I am.")
	same(h, "then", v.texts(h, 2), []string{"meanwhile", "I am."})
	<-h.outbox.delivered
	<-h.outbox.delivered
	same(h, "more", v.rest(), nil)
}

// crashingInbox is an inbox that stores a message, and ends the supervisor before it answers.
type crashingInbox struct {
	*inbox.Inbox
	kept chan int64
}

func (s crashingInbox) StoreInbound(ctx context.Context, in supervisor.Inbound,
	files ...supervisor.Attachment) (supervisor.Inbound, error) {
	in, err := s.Inbox.StoreInbound(ctx, in, files...)
	s.kept <- in.ID
	<-ctx.Done()
	return in, err
}

func TestSendMessage_ReplyLost_IsStoredOnce(t *testing.T) {
	h := newRig(t)
	whole := h.options.Inbox
	s := crashingInbox{Inbox: whole.(*inbox.Inbox), kept: make(chan int64, 1)}
	h.options.Inbox = s
	end := h.live()
	v := h.attach(control.JoinChatRequest{After: control.StartAtUndelivered})
	said := make(chan control.InputReceipt, 1)
	go func() {
		got, err := v.SendMessage(context.Background(), "key", "hello")
		if err != nil {
			t.Error(err)
		}
		said <- got
	}()
	kept := <-s.kept
	end()
	h.options.Inbox = whole
	h.live()
	if got := <-said; got.Inbound != kept || h.inbounds() != 1 {
		t.Errorf("kept as %d, said as %d; %d messages are there", kept, got.Inbound, h.inbounds())
	}
}

// TestDelivery_ReceiptLost_IsShownOnce ends the supervisor after it got a client's answer, and
// before it commits the answer. The client must not show the message twice, and no other client may
// get it.
func TestDelivery_ReceiptLost_IsShownOnce(t *testing.T) {
	h := newRig(t)
	h.live()
	v := h.attach(control.JoinChatRequest{After: control.StartAtUndelivered})
	h.outbox.fail(1)
	id := h.notice("one")
	same(h, "first", v.texts(h, 1), []string{"one"})
	if got := <-h.outbox.delivered; got != id {
		t.Errorf("taken was %d, want %d", got, id)
	}
	h.notice("two")
	same(h, "then", v.texts(h, 1), []string{"two"})
	<-h.outbox.delivered
	same(h, "left", h.pending(), nil)
}

func TestJoin_AfterDelivery_ShowsOnlyNewer(t *testing.T) {
	h := newRig(t)
	h.live()
	first := h.attach(control.JoinChatRequest{After: control.StartFromNow})
	h.notice("taken")
	same(h, "the first", first.texts(h, 1), []string{"taken"})
	<-h.outbox.delivered
	first.end()
	h.notice("waiting")

	now := h.attach(control.JoinChatRequest{After: control.StartFromNow})
	undelivered := h.attach(control.JoinChatRequest{After: control.StartAtUndelivered})
	all := h.attach(control.JoinChatRequest{After: 0})
	h.notice("new")
	same(h, "from now on", now.texts(h, 1), []string{"new"})
	same(h, "what was not delivered", undelivered.texts(h, 2), []string{"waiting", "new"})
	same(h, "everything", all.texts(h, 3), []string{"taken", "waiting", "new"})
}

func TestDelivery_Unconfirmed_GoesToNextClient(t *testing.T) {
	h := newRig(t)
	h.live()
	want := numbers(1, 120) // more deliveries than fit into one batch
	for _, text := range want {
		h.notice(text)
	}
	leaves := h.startAttach(control.JoinChatRequest{After: control.StartAtUndelivered}, true)
	same(h, "offered", leaves.texts(h, 120), want)
	h.notice("121")
	same(h, "offered then", leaves.texts(h, 1), []string{"121"})
	same(h, "waiting", h.pending(), numbers(1, 121))
	takes := h.attach(control.JoinChatRequest{After: control.StartAtUndelivered})
	same(h, "taken", takes.texts(h, 121), numbers(1, 121))
	for range 121 {
		<-h.outbox.delivered
	}
	same(h, "left", h.pending(), nil)
	same(h, "offered again", leaves.rest(), nil)
}

// TestReconnect_GetsOnlyUndeliveredMessages disconnects a client while it catches up. After the
// reconnect, the client must not show deliveries that other clients have taken.
func TestReconnect_GetsOnlyUndeliveredMessages(t *testing.T) {
	h := newRig(t)
	h.live()
	for i, text := range numbers(1, 6) {
		id := h.notice(text)
		if i%2 == 1 {
			h.must(h.db.Outbox().MarkDelivered(t.Context(), id))
		}
	}
	h.outbox.fail(1)
	v := h.startAttach(control.JoinChatRequest{After: control.StartAtUndelivered}, false)
	same(h, "shown", v.texts(h, 3), []string{"1", "3", "5"})
	for range 3 {
		<-h.outbox.delivered
	}
	h.notice("7")
	same(h, "shown then", v.texts(h, 1), []string{"7"})
}

func TestLeave_ShownDelivery_IsMarkedDelivered(t *testing.T) {
	h := newRig(t)
	h.live()
	v := h.attach(control.JoinChatRequest{After: control.StartFromNow})
	h.must(v.Leave(t.Context())) // nothing was shown, so there is nothing to confirm
	for range 20 {
		h.notice("bye")
		next[control.Delivery](h, v)
		h.must(v.Leave(t.Context()))
		same(h, "left", h.pending(), nil)
	}
}

func TestTwoClients_BothGetAllDeliveries(t *testing.T) {
	h := newRig(t)
	h.live()
	one, two := h.attach(control.JoinChatRequest{After: 0}), h.attach(control.JoinChatRequest{After: 0})
	other := h.attach(control.JoinChatRequest{After: 0, Chat: "work"})
	bob := h.attach(control.JoinChatRequest{After: 0, User: "bob"})
	one.say(h, "hello")
	h.answer("Hello.")
	two.say(h, "and again")
	h.answer("Hello again.")
	want := []string{"Hello.", "Hello again."}
	same(h, "one", one.texts(h, 2), want)
	same(h, "two", two.texts(h, 2), want)
	h.noticeIn(h.conversation("ann", "work"), "for work")
	h.noticeIn(h.conversation("bob", ""), "for bob")
	same(h, "another conversation", other.texts(h, 1), []string{"for work"})
	same(h, "another person", bob.texts(h, 1), []string{"for bob"})
}

// clientScreen is the text on a client's screen.
type clientScreen struct {
	turn  int64
	text  string
	tools []string
}

func (w *clientScreen) show(t *testing.T, s control.Progress) {
	t.Helper()
	if s.Turn != w.turn {
		w.turn, w.text = s.Turn, ""
	}
	if s.Offset > len(w.text) {
		t.Fatalf("after %q comes %+v", w.text, s)
	}
	w.text = w.text[:s.Offset] + s.Text
	for _, l := range s.Tools {
		w.tools = append(w.tools, l.State+" "+l.Tool+" "+l.Text)
	}
}

func (w *clientScreen) until(h *rig, t *testing.T, v *client, text string) {
	t.Helper()
	for w.text != text {
		w.show(t, next[control.Progress](h, v))
	}
}

func TestReply_IsShownAsItGrows(t *testing.T) {
	h := newRig(t)
	h.live()
	v := h.attach(control.JoinChatRequest{After: 0})
	v.say(h, "hello")
	turn, s := h.begin()
	var w clientScreen
	s.AppendText("I lo")
	w.until(h, t, v, "I lo")
	s.AppendText("ok.")
	w.until(h, t, v, "I look.")
	s.ResetStep() // the worker has died, so the step is repeated
	w.until(h, t, v, "")
	s.CommitStep("I look.")
	s.ShowTool(protocol.TurnEvent{Call: "c", Tool: "list_files", Kind: protocol.EventToolEnded, Text: "3 files"})
	s.AppendText("Three files.")
	const whole = "I look.\n\nThree files."
	w.until(h, t, v, whole)
	same(h, "tools", w.tools, []string{"tool.ended list_files 3 files"})

	late := h.attach(control.JoinChatRequest{After: 0}) // this client attaches in the middle of the reply
	(&clientScreen{}).until(h, t, late, whole)

	h.finish(turn, s, whole)
	if d := next[control.Delivery](h, v); d.Text != whole {
		t.Errorf("delivered was %q", d.Text)
	}
}

// TestAnswer_ComesBeforeNextTurn runs two turns directly after each other. The first answer must
// come before any progress of the second turn.
func TestAnswer_ComesBeforeNextTurn(t *testing.T) {
	h := newRig(t)
	h.live()
	v := h.attach(control.JoinChatRequest{After: 0})
	for range 50 {
		v.say(h, "one")
		v.say(h, "two")
		first, s := h.begin()
		s.AppendText("first")
		h.finish(first, s, "first, whole")
		second, s := h.begin()
		s.AppendText("second")
		h.finish(second, s, "second, whole")
		answered := int64(0)
		for answered != second.ID {
			switch e := (<-v.events).(type) {
			case control.Progress:
				if e.Turn == second.ID && answered != first.ID {
					t.Fatal("the second turn was shown before the first was answered")
				}
				if e.Turn != 0 && e.Turn <= answered {
					t.Fatalf("of turn %d, which is answered, comes %+v", e.Turn, e)
				}
			case control.Delivery:
				answered = map[string]int64{"first, whole": first.ID, "second, whole": second.ID}[e.Text]
			}
		}
	}
}

func TestAnswer_TooLongForALine_IsCut(t *testing.T) {
	h := newRig(t)
	h.live()
	v := h.attach(control.JoinChatRequest{After: 0})
	v.say(h, "tell me everything")
	turn, s := h.begin()
	long := strings.Repeat("ä€", 500<<10) // a text of 2.5 MB, longer than a line of the wire
	s.AppendText(long)
	if show := next[control.Progress](h, v); show.Text != "" && !strings.HasPrefix(long, show.Text) {
		t.Errorf("shown was %.40q", show.Text)
	}
	h.finish(turn, s, long)
	d := next[control.Delivery](h, v)
	begin, note, ok := strings.Cut(d.Text, "\n\n(")
	if !ok || !strings.HasPrefix(long, begin) || len(begin) < 100<<10 || !strings.Contains(note, "2500 KiB") {
		t.Errorf("delivered were %d bytes that end in %q", len(d.Text), note)
	}
	<-h.outbox.delivered
	h.notice("next")
	same(h, "then", v.texts(h, 1), []string{"next"})
}

// TestToolLine_TooLong_IsLeftOut checks that a line about a tool is left out if it is too long. The
// client stays connected. A worker may choose the names of its calls freely.
func TestToolLine_TooLong_IsLeftOut(t *testing.T) {
	h := newRig(t)
	h.live()
	v := h.attach(control.JoinChatRequest{After: 0})
	s := h.feeds.OpenStream(supervisor.Turn{ID: 1, Conversation: h.conversation("ann", "")}, "")
	s.ShowTool(protocol.TurnEvent{Call: strings.Repeat("x", 2<<20)})
	s.AppendText("hello")
	(&clientScreen{}).until(h, t, v, "hello")
	s.Close()
}

func TestChat_CannotJoin_Fails(t *testing.T) {
	h := newRig(t)
	var gone *control.NotRunningError
	if err := <-h.startAttach(control.JoinChatRequest{After: 0}, false).ran; !errors.As(err, &gone) {
		t.Errorf("with no socket: %v", err)
	}
	end := h.live()
	if err := <-h.startAttach(control.JoinChatRequest{After: 0, User: "eve"}, false).ran; err == nil ||
		err.Error() != "There is no such user." {
		t.Errorf("as nobody: %v", err)
	}
	v := h.attach(control.JoinChatRequest{After: 0})
	end()
	h.people.stranger.Store(true)
	h.live()
	if err := <-v.ran; err == nil || err.Error() != "You are a stranger." {
		t.Errorf("thrown out: %v", err)
	}
}

func TestChat_SupervisorGoneTooLong_Fails(t *testing.T) {
	h := newRig(t)
	end := h.live()
	s := &recordingScreen{events: make(chan any, 100)}
	chat := control.NewChat(h.path, control.JoinChatRequest{After: 0}, s)
	ran := make(chan error, 1)
	go func() { ran <- chat.Run(context.Background(), time.Nanosecond) }()
	if _, ok := (<-s.events).(attached); !ok {
		t.Fatal("not attached first")
	}
	end()
	if err := <-ran; err == nil || !strings.Contains(err.Error(), "has been away") {
		t.Errorf("ended with %v", err)
	}
}

func TestSendMessage_InvalidText_IsRefused(t *testing.T) {
	h := newRig(t)
	h.live()
	v := h.attach(control.JoinChatRequest{After: 0})
	for _, text := range []string{"", "  ", "a\x00b", "a\xffb", strings.Repeat("x", supervisor.MaxInboundText+1)} {
		if _, err := v.SendMessage(t.Context(), "key", text); !strings.Contains(problem.UserText(err), "The message") {
			t.Errorf("%.10q: %v", text, err)
		}
	}
	if h.inbounds() != 0 {
		t.Errorf("%d messages were kept", h.inbounds())
	}
	v.say(h, strings.Repeat("x", supervisor.MaxInboundText))
}

func TestSendMessage_ContextEnds_Returns(t *testing.T) {
	h := newRig(t)
	chat := control.NewChat(h.path, control.JoinChatRequest{}, nil)
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	if _, err := chat.SendMessage(ctx, "key", "hello"); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}
