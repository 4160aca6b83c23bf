package command_test

import (
	"context"
	"testing"
	"time"

	"mews/supervisor"
)

// The digest is for its person alone: turned on in a group it comes in their private chat.
func TestTheDigestIsNotForAGroup(t *testing.T) {
	h := newRig(t)
	h.options.People = people{"ann": {Name: "ann"}}
	made := &madeIn{}
	h.options.Jobs = made
	h.inGroup()
	h.live()
	if got := h.ask("/digest 7:30"); got != "I have answered you in our private chat." || made.in.InGroup() || made.words != "digest 7:30" {
		t.Errorf("told was %q; %q was made in %+v", got, made.words, made.in)
	}
}

// madeIn notes which routine was turned on where.
type madeIn struct {
	noJobs
	in    supervisor.Conversation
	words string
}

func (m *madeIn) Routine(_ context.Context, _ supervisor.User, c supervisor.Conversation, name, words string, _ time.Time) (supervisor.Delivery, error) {
	m.in, m.words = c, name+" "+words
	return supervisor.Delivery{Text: "It is on."}, nil
}

// noJobs has none and sets none.
type noJobs struct{}

func (noJobs) Remind(context.Context, supervisor.User, supervisor.Conversation, int64, string, time.Time) (supervisor.Delivery, error) {
	return supervisor.Delivery{Text: "no reminders here"}, nil
}

func (noJobs) Routine(context.Context, supervisor.User, supervisor.Conversation, string, string, time.Time) (supervisor.Delivery, error) {
	return supervisor.Delivery{Text: "It is off."}, nil
}

func (noJobs) OfferZone(context.Context, supervisor.User) (d supervisor.Delivery, err error) {
	return d, nil
}

func (noJobs) List(context.Context, string) (supervisor.Delivery, error) {
	return supervisor.Delivery{Text: "no reminders here"}, nil
}

func (noJobs) Cancel(context.Context, string, string) (string, error) {
	return "no reminders here", nil
}

func (noJobs) Press(context.Context, supervisor.User, supervisor.Conversation, int64, string, time.Time) (supervisor.Delivery, error) {
	return supervisor.Delivery{Text: "no reminders here"}, nil
}
