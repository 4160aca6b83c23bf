package command_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"mews/supervisor"
)

// fakeResender maps a conversation to the number of its messages that may not have arrived.
type fakeResender map[int64]int

func (u fakeResender) ResendUndelivered(_ context.Context, conversation int64, limit int) (int, error) {
	n := min(u[conversation], limit)
	u[conversation] -= n
	return n, nil
}

func TestResend_CountsMessages(t *testing.T) {
	for _, c := range []struct {
		lost int
		want string
	}{
		{0, "There is nothing to send again."},
		{1, "Above is 1 message that may not have reached you, sent again."},
		{2, "Above are 2 messages that may not have reached you, sent again."},
		{49, "Above are 49 messages that may not have reached you, sent again."},
		{50, "Above are the oldest 50 messages that may not have reached you, sent again. Use /resend once more for the rest."},
	} {
		h := newRig(t)
		h.options.Resender = fakeResender{h.home.ID: c.lost, h.home.ID + 1: 7}
		h.live()
		if got := h.ask("/resend"); got != c.want {
			t.Errorf("of %d lost is said %q", c.lost, got)
		}
		if got := h.ask("/resend"); !strings.HasPrefix(got, "There is nothing") {
			t.Errorf("the second time is said %q", got)
		}
	}
}

// The messages that /resend repeats are older than its answer, so they arrive before it.
func TestResend_Messages_PrecedeAnswer(t *testing.T) {
	h := newRig(t)
	for text, outcome := range map[string]supervisor.DeliveryResult{
		"lost": supervisor.OutcomeUnknown, "refused": supervisor.OutcomeFailed, "arrived": supervisor.OutcomeSent,
	} {
		d, err := h.db.Outbox().PutTextNotice(t.Context(), h.home.ID, text)
		if err != nil {
			t.Fatal(err)
		}
		closing := supervisor.DeliveryOutcome{Delivery: d.ID, Outcome: outcome, Why: "as the test has it"}
		if err := h.db.Outbox().StoreOutcome(t.Context(), closing); err != nil {
			t.Fatal(err)
		}
	}
	h.options.Resender = h.db.Outbox()
	h.live()
	if got := h.ask("/resend"); got != "Above are 2 messages that may not have reached you, sent again." {
		t.Errorf("said is %q", got)
	}
	waiting, err := h.db.Outbox().ListPending(t.Context(), h.home.ID, 0, 10)
	if err != nil || len(waiting) != 3 {
		t.Fatalf("waiting are %+v, %v", waiting, err)
	}
	if last := waiting[2]; last.Kind != supervisor.DeliveryCommand || waiting[0].Text == "arrived" || waiting[1].Text == "arrived" {
		t.Errorf("waiting are %+v", waiting)
	}
}

// failingResender is a Resender that fails.
type failingResender struct{}

func (failingResender) ResendUndelivered(context.Context, int64, int) (int, error) {
	return 0, errors.New("errno 5")
}

func TestResend_Failure_IsReported(t *testing.T) {
	h := newRig(t)
	h.options.Resender = failingResender{}
	h.live()
	if got := h.ask("/resend"); strings.Contains(got, "ending") || !strings.Contains(got, "in the log") {
		t.Errorf("said is %q", got)
	}
}
