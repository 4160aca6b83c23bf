package command_test

import (
	"context"
	"testing"

	"mews/supervisor"
	"mews/supervisor/feature"
)

// A private command sent in a group, such as /digest, runs in the user's private chat.
func TestPrivateCommand_InAGroup_RunsInPrivateChat(t *testing.T) {
	h := newRig(t)
	h.options.People = people{"ann": {Name: "ann"}}
	var made feature.CommandRequest
	h.options.Features = append(
		h.options.Features,
		feature.Command{SlashCommand: supervisor.SlashCommand{Name: "digest", Help: "a summary"},
			Group:   feature.GroupChat,
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
