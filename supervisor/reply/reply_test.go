package reply_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/reply"
)

func turn(id, inbound, conversation int64) supervisor.Turn {
	return supervisor.Turn{ID: id, Inbound: inbound, Conversation: supervisor.Conversation{ID: conversation}}
}

// patience is how long a watcher may wait for a change that has already happened.
const patience = 10 * time.Second

func next(t *testing.T, w *reply.Watcher) reply.ReplyUpdate {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	u, err := w.NextUpdate(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestWatcher_SeesLatestText(t *testing.T) {
	var feeds reply.Feeds
	w := feeds.WatchConversation(7)
	defer w.Close()
	next(t, w) // skip the update with which a watch begins

	s := feeds.OpenStream(turn(1, 2, 7), "")
	for range 1000 {
		s.AppendText("x")
	}
	u := next(t, w)
	if u.Turn != 1 || u.Inbound != 2 || len(u.Text) != 1000 {
		t.Fatalf("got turn %d, inbound %d, %d bytes; want 1, 2, 1000", u.Turn, u.Inbound, len(u.Text))
	}
}

func TestSteps_BecomeParagraphs(t *testing.T) {
	var feeds reply.Feeds
	s := feeds.OpenStream(turn(1, 2, 7), "before")
	s.AppendText("hal")
	s.ResetStep()
	s.AppendText("I loo")
	s.CommitStep("I look.")
	s.AppendText("Don")
	text, partial := s.Text()
	if text != "before\n\nI look.\n\nDon" || partial != "Don" {
		t.Errorf("text %q, partial %q", text, partial)
	}
}

// TestBeginStep_TextBeforeStep_IsShownAtOnce checks that the text before a step is shown when the
// step begins, so that nothing moves when it ends.
func TestBeginStep_TextBeforeStep_IsShownAtOnce(t *testing.T) {
	var feeds reply.Feeds
	s := feeds.OpenStream(turn(1, 2, 7), "before")
	s.BeginStep("(cut off)")
	s.BeginStep("(Taken in.)")
	s.AppendText("I see it.")
	text, partial := s.Text()
	s.CommitStep(reply.JoinSteps("(Taken in.)", "I see it."))
	after, _ := s.Text()
	if text != "before\n\n(Taken in.)\n\nI see it." || text != after || partial != "I see it." {
		t.Errorf("text %q, partial %q, and then %q", text, partial, after)
	}
}

func TestEmptyStep_AddsNoParagraph(t *testing.T) {
	if got := reply.JoinSteps("a", "", "b"); got != "a\n\nb" {
		t.Errorf("got %q", got)
	}
}

func TestToolLines_OldestAreDropped(t *testing.T) {
	var feeds reply.Feeds
	w := feeds.WatchConversation(7)
	defer w.Close()
	s := feeds.OpenStream(turn(1, 2, 7), "")
	for i := range 100 {
		s.ShowTool(protocol.TurnEvent{Call: fmt.Sprint(i)})
	}
	u := next(t, w)
	if len(u.Tools) != 64 || u.Tools[0].Call != "36" || u.Tools[63].Call != "99" {
		t.Fatalf("%d lines, from %q to %q", len(u.Tools), u.Tools[0].Call, u.Tools[len(u.Tools)-1].Call)
	}
	s.AppendText("x")
	if u := next(t, w); len(u.Tools) != 0 {
		t.Errorf("%d lines came twice", len(u.Tools))
	}
}

func TestStreamClose_NotifiesWatchers(t *testing.T) {
	var feeds reply.Feeds
	w := feeds.WatchConversation(7)
	defer w.Close()
	s := feeds.OpenStream(turn(1, 2, 7), "")
	next(t, w)
	s.Close()
	if u := next(t, w); !u.Outbox || u.Turn != 0 {
		t.Errorf("got %+v", u)
	}
}

func TestWatcher_OtherConversation_IsNotNotified(t *testing.T) {
	var feeds reply.Feeds
	w := feeds.WatchConversation(8)
	defer w.Close()
	next(t, w)
	feeds.OpenStream(turn(1, 2, 7), "").AppendText("x")
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	if _, err := w.NextUpdate(ctx); !errors.Is(err, cause) {
		t.Errorf("got %v, want the cause", err)
	}
}

func TestCurrentReply_ReturnsRunningReply(t *testing.T) {
	changed := map[int64]int{}
	feeds := reply.Feeds{Changed: func(conversation int64) { changed[conversation]++ }}
	if _, ok := feeds.CurrentReply(7); ok {
		t.Error("there is a reply before any turn")
	}
	s := feeds.OpenStream(turn(1, 11, 7), "Earlier.")
	s.AppendText("And n")
	s.AppendText("ow.")
	r, ok := feeds.CurrentReply(7)
	if !ok || r.Turn.ID != 1 || r.Text != "Earlier.\n\nAnd now." {
		t.Errorf("it shows %+v, %v", r, ok)
	}
	s.Close()
	feeds.NotifyDelivery(8)
	if _, ok := feeds.CurrentReply(7); ok {
		t.Error("there is a reply after the turn")
	}
	if changed[7] != 4 || changed[8] != 1 {
		t.Errorf("told of changes %v, want 4 in 7 and 1 in 8", changed)
	}
}

func TestCommitStep_UnchangedText_NotifiesNobody(t *testing.T) {
	told := 0
	feeds := reply.Feeds{Changed: func(int64) { told++ }}
	s := feeds.OpenStream(turn(1, 11, 7), "")
	s.AppendText("I look.")
	for _, c := range []struct {
		text string
		want int // how often watchers were notified, in total
	}{{"I look.", 2}, {"", 2}, {"Done.", 3}} {
		if s.CommitStep(c.text); told != c.want {
			t.Errorf("commit of %q: told %d times, want %d", c.text, told, c.want)
		}
	}
	if text, partial := s.Text(); text != "I look.\n\nDone." || partial != "" {
		t.Errorf("text %q, partial %q", text, partial)
	}
}

func TestResetStep_EmptyStep_NotifiesNobody(t *testing.T) {
	told := 0
	feeds := reply.Feeds{Changed: func(int64) { told++ }}
	s := feeds.OpenStream(turn(1, 11, 7), "")
	if s.ResetStep(); told != 1 {
		t.Error("a reply that had said nothing was reset, and somebody was told")
	}
	s.AppendText("I look.")
	if s.ResetStep(); told != 3 {
		t.Error("a reply was taken back, and nobody was told")
	}
}

// TestReply_GrowsInItsDestination checks that a job's turn, which has a conversation of its own, is
// shown in the conversation of its answer.
func TestReply_GrowsInItsDestination(t *testing.T) {
	changed := map[int64]int{}
	feeds := reply.Feeds{Changed: func(conversation int64) { changed[conversation]++ }}
	w := feeds.WatchConversation(8)
	defer w.Close()
	next(t, w)
	job := turn(1, 2, 7)
	job.Destination = supervisor.Conversation{ID: 8}
	s := feeds.OpenStream(job, "")
	s.AppendText("Good morning")
	if u := next(t, w); u.Turn != 1 || u.Text != "Good morning" {
		t.Errorf("where it answers it shows %+v", u)
	}
	if r, ok := feeds.CurrentReply(7); ok {
		t.Errorf("its own conversation shows %+v", r)
	}
	s.Close()
	if u := next(t, w); !u.Outbox || u.Turn != 0 {
		t.Errorf("at its end it shows %+v", u)
	}
	if changed[7] != 0 || changed[8] != 3 {
		t.Errorf("told of changes %v, want 3 in 8 alone", changed)
	}
}

// TestReplies_SeveralTurns_ShowTheFirst checks that the first of several turns in one conversation
// is shown until it ends, and then the next.
func TestReplies_SeveralTurns_ShowTheFirst(t *testing.T) {
	var feeds reply.Feeds
	w := feeds.WatchConversation(7)
	defer w.Close()
	job := turn(2, 3, 9)
	job.Destination = supervisor.Conversation{ID: 7}
	first, second := feeds.OpenStream(turn(1, 2, 7), "one"), feeds.OpenStream(job, "two")
	second.ShowTool(protocol.TurnEvent{Call: "c"})
	if u := next(t, w); u.Turn != 1 || u.Text != "one" || len(u.Tools) != 0 {
		t.Errorf("first it shows %+v", u)
	}
	first.Close()
	if u := next(t, w); u.Turn != 2 || u.Text != "two" {
		t.Errorf("then it shows %+v", u)
	}
	second.Close()
	if u := next(t, w); u.Turn != 0 {
		t.Errorf("at the end it shows %+v", u)
	}
}

// TestShowNote_NextText_RemovesNote checks that a note below a reply is shown, but is not a part of
// the reply. It disappears with the next text.
func TestShowNote_NextText_RemovesNote(t *testing.T) {
	for name, change := range map[string]func(*reply.Stream){
		"text":         func(s *reply.Stream) { s.AppendText("Yes.") },
		"a step's end": func(s *reply.Stream) { s.CommitStep("Yes.") }, "a reset": (*reply.Stream).ResetStep,
	} {
		var f reply.Feeds
		s := f.OpenStream(turn(1, 1, 1), "Well,")
		watcher := f.WatchConversation(1)
		s.ShowNote("(It is slow.)")
		update := next(t, watcher)
		if update.Text != "Well,\n\n(It is slow.)" {
			t.Errorf("before %s: %+v", name, update)
		}
		if text, _ := s.Text(); text != "Well," {
			t.Errorf("before %s the reply is %q", name, text)
		}
		change(s)
		if r, _ := f.CurrentReply(1); strings.Contains(r.Text, "slow") {
			t.Errorf("after %s it is still noted: %q", name, r.Text)
		}
	}
}

// TestTools_LongestRunning_IsShown checks that the tool that has run longest is shown, until it
// ends or the model continues.
func TestTools_LongestRunning_IsShown(t *testing.T) {
	var f reply.Feeds
	s := f.OpenStream(turn(1, 1, 1), "")
	running := func() string {
		r, _ := f.CurrentReply(1)
		return strings.TrimSpace(r.Tool.Call + " " + r.Tool.Tool + " " + r.Tool.Text)
	}
	for _, step := range []struct {
		do   func()
		want string
	}{
		{func() {}, ""},
		{func() {
			s.ShowTool(protocol.TurnEvent{Kind: protocol.EventToolBegan, Call: "a", Tool: "run_command", Text: "make"})
		}, "a run_command make"},
		{func() { s.ShowTool(protocol.TurnEvent{Kind: protocol.EventToolBegan, Call: "b", Tool: "read_file"}) },
			"a run_command make"},
		{func() { s.ShowTool(protocol.TurnEvent{Kind: protocol.EventToolProgress, Call: "b", Tool: "read_file"}) },
			"a run_command make"},
		{func() { s.ShowTool(protocol.TurnEvent{Kind: protocol.EventToolEnded, Call: "a"}) }, "b read_file"},
		{func() { s.AppendText("Well,") }, ""},
		{func() { s.ShowTool(protocol.TurnEvent{Kind: protocol.EventToolEnded, Call: "b"}) }, ""},
	} {
		step.do()
		if got := running(); got != step.want {
			t.Errorf("it runs %q, want %q", got, step.want)
		}
	}
}
