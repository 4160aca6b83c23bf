package session_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/session"
)

// digestOf returns the digest of the nonce in the buttons of a turn.
func digestOf(turn int64) string {
	sum := sha256.Sum256(fmt.Append(nil, turn))
	return hex.EncodeToString(sum[:])
}

// asking is a worker whose attempts ask the user and then answer.
func (h *harness) asking(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
	q, _, err := h.db.Questions().Ask(ctx, supervisor.Question{Conversation: a.Turn.Conversation, Turn: a.Turn.ID, Kind: supervisor.QuestionApproval,
		Tool: "send_file", Subject: strings.Repeat("5", 64), Text: "May I?", OpenFor: time.Hour}, digestOf(a.Turn.ID), nil)
	switch {
	case ctx.Err() != nil:
		return session.AttemptEnd{}, context.Cause(ctx)
	case err != nil:
		return session.AttemptEnd{}, err
	case q.End == supervisor.QuestionOpen:
		return ended(protocol.TurnEndWaitsForUser), nil
	}
	h.commit(a, string(q.End)+" "+string(q.Answer.Say))
	return done, nil
}

// answer presses yes on the question of a conversation's turn. It resumes the turn as package
// question does.
func (h *harness) answer(c supervisor.Conversation) {
	h.Helper()
	open, _ := h.open(c)
	_, came, err := h.db.Questions().RecordPress(h.Context(), supervisor.QuestionPress{Digest: digestOf(open.Turn.ID),
		User: c.User, Conversation: c.ID, Word: "once"})
	if must(h, came, err) != supervisor.PressAccepted {
		h.Errorf("a press came to %s", came)
	}
	h.registry.WakeSession(c)
}

// suspensionCounter counts suspended turns.
type suspensionCounter struct {
	session.SuspendedTurns
	kept chan int64
}

func (s suspensionCounter) Suspend(ctx context.Context, turn int64, ran time.Duration) (bool, error) {
	waits, err := s.SuspendedTurns.Suspend(ctx, turn, ran)
	s.kept <- turn
	return waits, err
}

// newAsking returns a harness whose turns ask questions. kept receives the ID of each suspended
// turn.
func newAsking(t *testing.T) (h *harness, kept <-chan int64) {
	t.Helper()
	h = newHarness(t, nil)
	c := make(chan int64, 2000)
	h.options.Runner, h.options.Waiting = runnerFunc(h.asking), suspensionCounter{h.db.Turns(), c}
	return h, c
}

// TestSuspendedTurn_FreesItsSlot checks that a suspended turn frees its slot. While many
// conversations of a user wait, another conversation is still answered.
func TestSuspendedTurn_FreesItsSlot(t *testing.T) {
	h, kept := newAsking(t)
	h.options.AtOnce = 1
	h.live()
	var all []supervisor.Conversation
	for i := range 5 {
		all = append(all, h.conversation("alice", fmt.Sprint(i)))
		h.say(all[i], "send it")
		<-kept
	}
	h.answer(all[3])
	h.same("the answered", h.await(all[3], 2)[1].Text, "answered once")
	h.say(all[0], "and this") // this message waits until the suspended turn has ended
	for _, c := range []supervisor.Conversation{all[4], all[0]} {
		h.answer(c)
		h.await(c, 2)
	}
	<-kept // the turn of the second message asks, too
	h.same("running", h.inbounds(supervisor.InboundRunning), 3)
	h.same("offences", h.offences, []string(nil))
}

// TestStop_EndsSuspendedTurn checks that a stop ends a suspended turn and its question.
func TestStop_EndsSuspendedTurn(t *testing.T) {
	h, kept := newAsking(t)
	h.live()
	c := h.conversation("alice", "1")
	h.say(c, "send it")
	<-kept
	ahead := h.stop(c, h.command(c))
	h.same("why", ahead.Why, protocol.TurnEndStopped)
	list := h.await(c, 2)
	h.same("told", list[1].Text, "(Stopped, as you asked.)")
	_, came, err := h.db.Questions().RecordPress(t.Context(), supervisor.QuestionPress{Digest: digestOf(list[1].Turn),
		User: "alice", Conversation: c.ID, Word: "once"})
	h.same("press", must(h, came, err), supervisor.PressQuestionCancelled)
}

// TestSuspend_WithoutQuestion_EndsWorker checks that a worker is ended if it claims to wait but has
// asked no question.
func TestSuspend_WithoutQuestion_EndsWorker(t *testing.T) {
	h := newHarness(t, func(context.Context, session.Attempt) (session.AttemptEnd, error) {
		return ended(protocol.TurnEndWaitsForUser), nil
	})
	h.live()
	c := h.conversation("alice", "1")
	h.say(c, "send it")
	h.await(c, 1) // after a few attempts the turn is parked
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, o := range h.offences {
		if !strings.Contains(o, "nobody was asked") {
			h.Error(o)
		}
	}
	h.same("offences", len(h.offences), 3)
}

// TestSuspendedTurn_PausesTimeLimit checks that a turn's time limit does not count the wait. It
// counts all running time, also from before the wait.
func TestSuspendedTurn_PausesTimeLimit(t *testing.T) {
	h, kept := newAsking(t)
	var seconds []int64
	now := time.Now()
	asking := h.options.Runner
	h.options.Now = func() time.Time { return now }
	h.options.Runner = runnerFunc(func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
		seconds = append(seconds, a.Start.Limits.Seconds)
		defer func() { now = now.Add(100 * time.Second) }()
		return asking.Run(ctx, a)
	})
	h.live()
	c := h.conversation("alice", "1")
	h.say(c, "send it")
	<-kept
	now = now.Add(10 * time.Hour)
	h.answer(c)
	h.await(c, 2)
	h.same("seconds", seconds, []int64{900, 800})
}

func (h *harness) same(what string, got, want any) {
	h.Helper()
	if d := cmp.Diff(want, got); d != "" {
		h.Errorf("%s: (-want +got)\n%s", what, d)
	}
}

// TestRepeatedQuestions_ReachTurnTimeLimit checks that a worker can't exceed the turn's time limit
// by claiming to wait after its question has ended.
func TestRepeatedQuestions_ReachTurnTimeLimit(t *testing.T) {
	h, kept := newAsking(t)
	now := time.Now()
	h.options.Now = func() time.Time { return now }
	tries, asking := 0, h.options.Runner
	h.options.Runner = runnerFunc(func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
		now = now.Add(100 * time.Second)
		if tries++; tries == 1 {
			return asking.Run(ctx, a)
		}
		return ended(protocol.TurnEndWaitsForUser), nil
	})
	h.live()
	c := h.conversation("alice", "1")
	h.say(c, "send it")
	<-kept
	h.answer(c)
	list := h.await(c, 2)
	h.same("why", list[1].TurnEnd, protocol.TurnEndTimeLimit)
	h.same("tries", tries, 9)
}

// manyWaiting is how many turns wait at the same time.
const manyWaiting = 1000

// TestThousandSuspendedTurns_HoldNoMemory checks that a thousand suspended turns hold no memory,
// and do not delay a start. Each turn is answered afterwards.
func TestThousandSuspendedTurns_HoldNoMemory(t *testing.T) {
	h, kept := newAsking(t)
	end := h.live()
	var all []supervisor.Conversation
	for i := range manyWaiting {
		all = append(all, h.conversation(fmt.Sprint("user", i), "1"))
	}
	before := heap()
	for _, c := range all {
		h.say(c, "send it")
	}
	for range all {
		<-kept
	}
	end()
	waiting := heap()
	t.Logf("%d waiting turns: %d KiB of heap more", manyWaiting, (waiting-before)>>10)
	if waiting > before+1<<20 {
		t.Errorf("%d waiting turns hold %d KiB", manyWaiting, (waiting-before)>>10)
	}
	unfinished, err := h.db.Inbox().ListUnfinishedConversations(t.Context())
	h.same("to be gone on with at a start", len(must(h, unfinished, err)), 0)
	begun := time.Now()
	h.live()
	t.Logf("started after %v", time.Since(begun))
	for _, c := range all {
		h.answer(c)
	}
	for _, c := range all {
		h.same("answer", h.await(c, 2)[1].Text, "answered once")
	}
}

// heap returns the bytes on the heap after a garbage collection.
func heap() int64 {
	runtime.GC()
	runtime.GC() // a second collection frees memory that finalizers have released
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
