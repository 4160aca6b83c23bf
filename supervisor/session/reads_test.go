package session_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"mews/supervisor"
	"mews/supervisor/session"
)

// begun is an attempt that runs until the test ends it.
type begun struct {
	what string
	end  chan struct{}
}

// holding returns a worker that reports each attempt, and holds it until the test ends it.
func holding(h *harness, begins chan<- begun) runnerFunc {
	var reviews atomic.Int32
	return func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
		if a.Turn.Kind == supervisor.TurnReview {
			if n := reviews.Add(1); n > 2 {
				h.Errorf("%d reviews run at once", n)
			}
			defer reviews.Add(-1)
		}
		b := begun{h.question(a), make(chan struct{})}
		begins <- b
		select {
		case <-b.end:
		case <-ctx.Done():
			return session.AttemptEnd{}, context.Cause(ctx)
		}
		h.commit(a, "done")
		return done, nil
	}
}

// review makes the review of a pull request due.
func (h *harness) review(user, number string) supervisor.Conversation {
	h.Helper()
	c, err := h.db.Conversations().FindOrCreate(h.Context(), user, supervisor.ChannelGitHub, "acme/widget", number)
	must(h, c, err)
	h.put(c, supervisor.KindReview, "review "+number)
	h.registry.WakeSession(c)
	return c
}

// TestReviews_TakeNoSlotFromOtherTurns checks that two reviews run at once, and leave all slots of
// other turns free.
func TestReviews_TakeNoSlotFromOtherTurns(t *testing.T) {
	h := newHarness(t, nil)
	begins := make(chan begun)
	h.options.Runner, h.options.AtOnce = holding(h, begins), 1
	h.options.Busy = func(context.Context, string) supervisor.BusyMode { return supervisor.BusyRestart }
	defer h.live()()
	next := func(want string) begun {
		t.Helper()
		b := <-begins
		if b.what != want {
			t.Fatalf("%q has begun, want %q", b.what, want)
		}
		return b
	}
	h.say(h.conversation("ann", "1"), "ann's")
	anns := next("ann's")
	h.review("ann", "1")
	h.say(h.conversation("ann", "2"), "ann's second")
	h.say(h.conversation("bob", "1"), "bob's")
	close(anns.end)
	var one begun
	for range 3 { // the turns come in any order, because it depends on when each turn asks for its slot
		if b := <-begins; b.what == "review 1" {
			one = b
		} else {
			close(b.end)
		}
	}
	h.review("ann", "2")
	two := next("review 2")
	h.review("bob", "3")
	h.review("ann", "1") // the waiting message does not stop the running review
	for n := range 3 {
		// the review uses none of ann's two slots, and not the only slot of all turns
		h.say(h.conversation("ann", "1"), "meanwhile")
		close(next("meanwhile").end)
		h.await(h.conversation("ann", "1"), 2+n)
	}
	close(two.end)
	three := next("review 3")
	close(one.end)
	close(next("review 1").end)
	close(three.end)
}

// fakeSpeaker records the conversations whose answers were spoken.
type fakeSpeaker struct {
	mu   sync.Mutex
	said []supervisor.Channel
}

func (v *fakeSpeaker) AnswerMode(c supervisor.Conversation, _ string) (supervisor.VoiceMode, string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.said = append(v.said, c.Channel)
	return supervisor.VoiceOff, ""
}

func (v *fakeSpeaker) Wake() {}

// TestReviewTurn_Answer_IsNotSpoken checks that only answers in chats are spoken.
func TestReviewTurn_Answer_IsNotSpoken(t *testing.T) {
	h := newHarness(t, nil)
	voices := &fakeSpeaker{}
	h.options.Runner, h.options.Voices = runnerFunc(h.echo), voices
	defer h.live()()
	h.await(h.review("ann", "1"), 1)
	c := h.conversation("ann", "1")
	h.say(c, "hello")
	h.await(c, 1)
	voices.mu.Lock()
	defer voices.mu.Unlock()
	if !slices.Equal(voices.said, []supervisor.Channel{supervisor.ChannelTerminal}) {
		t.Errorf("answers were to be said on %q", voices.said)
	}
}
