package ingress

import (
	"slices"
	"testing"

	"mews/supervisor"
)

// A chat takes messages again once the bot is let in, or a user writes there. A stranger's message
// does not count.
func TestStoreBatch_ChatReachableAgain_IsReported(t *testing.T) {
	p := newFixture(t)
	back := supervisor.Incoming{Channel: supervisor.ChannelTelegram, Kind: supervisor.IncomingChatUnblocked,
		Chat: "101"}
	p.take(1, back, p.incoming(101, 101, `,"text":"I am back"`), p.incoming(999, 999, `,"text":"who are you?"`))
	if !slices.Equal(p.returned, []string{"101", "101"}) {
		t.Errorf("noted %q", p.returned)
	}
	if len(p.accepted) != 1 {
		t.Errorf("accepted %+v", p.accepted)
	}
}

// An emoji that answers no question is dropped.
func TestStoreBatch_Reaction_StartsNoTurn(t *testing.T) {
	p := newFixture(t)
	in := p.incoming(101, 101, `,"text":"x"`)
	in.Kind, in.Text = supervisor.IncomingReaction, "👍"
	p.take(1, in)
	if len(p.accepted) != 0 {
		t.Errorf("accepted %+v", p.accepted)
	}
}
