package command_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/sqlite"
)

// A private command sent in a group, such as /digest, runs in the user's private chat.
func TestPrivateCommand_InAGroup_RunsInPrivateChat(t *testing.T) {
	h := newRig(t)
	h.options.People = people{"ann": {Name: "ann"}}
	var made feature.CommandRequest
	h.options.Features = append(
		h.options.Features,
		feature.Command{SlashCommand: supervisor.SlashCommand{Name: "digest", Help: "a summary"},
			Group:   feature.HelpGroupChat,
			Private: feature.AlwaysPrivateAnswer, Run: func(_ context.Context,
				r feature.CommandRequest) (supervisor.Delivery,
				error) {
				made = r
				return supervisor.Delivery{Text: "It is on."}, nil
			}},
	)
	h.inGroup()
	h.live()
	got := h.ask("/digest 7:30")
	if got != "I answered you in our private chat." || made.Conversation.IsInGroup() || made.Arguments != "7:30" {
		t.Errorf("told was %q; %q was made in %+v", got, made.Arguments, made.Conversation)
	}
}

// noOffer is an OfferZone without an offer.
func noOffer(context.Context, supervisor.User) (d supervisor.Delivery, err error) { return d, nil }

// fixedOutcomeOutbox is an outbox in which each delivery has the same outcome.
type fixedOutcomeOutbox struct {
	sqlite.Outbox
	outcome supervisor.DeliveryResult
}

func (o fixedOutcomeOutbox) Outcome(context.Context, int64) (supervisor.DeliveryResult, error) {
	return o.outcome, nil
}

// A group is never told that a private answer has arrived before the channel has taken it.
func TestPrivateAnswer_Undelivered_TellsTheGroup(t *testing.T) {
	for outcome, want := range map[supervisor.DeliveryResult]string{
		supervisor.OutcomeSent:    "I answered you in our private chat.",
		supervisor.OutcomeFailed:  "I can't write to you in private.",
		supervisor.OutcomeUnknown: "I answered you in our private chat. The answer may not have arrived.",
		"":                        "The answer goes to our private chat.",
	} {
		t.Run("outcome "+string(outcome), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newRig(t)
				h.options.Outbox = fixedOutcomeOutbox{h.db.Outbox(), outcome}
				h.options.People = people{"ann": {Name: "ann"}}
				h.inGroup()
				end := h.live()
				if got := h.ask("/usage"); !strings.HasPrefix(got, want) {
					t.Errorf("told was %q, want %q", got, want)
				}
				end()
			})
		})
	}
}
