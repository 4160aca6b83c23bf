package access

import (
	"testing"

	"mews/supervisor"
)

func TestRefusalText_PressOrTooManyHeld_IsReturned(t *testing.T) {
	elsewhere := supervisor.GateCheck{ChallengeIn: supervisor.Conversation{Channel: supervisor.ChannelTelegram, Chat: "7"}}
	for _, c := range []struct {
		kind supervisor.InboundKind
		g    supervisor.GateCheck
		held int64
		want string
	}{
		{supervisor.KindText, supervisor.GateCheck{}, 99, ""},
		{supervisor.KindText, elsewhere, 100, textTooManyHeld},
		{supervisor.KindPress, supervisor.GateCheck{}, 0, textPressLocked},
		{supervisor.KindPress, elsewhere, 100, textPressLockedElsewhere},
	} {
		if got := RefusalText(c.kind, c.g, c.held); got != c.want {
			t.Errorf("%s, %d held: %q, want %q", c.kind, c.held, got, c.want)
		}
	}
}

func TestShouldChallenge_ChallengedBefore_IsFalse(t *testing.T) {
	for told, want := range map[int64][2]bool{0: {true, true}, 1: {false, true}, 3: {false, true}, 4: {false, false}} {
		got := [2]bool{ShouldChallenge(supervisor.GateCheck{}, told),
			ShouldChallenge(supervisor.GateCheck{RepeatSoon: true}, told)}
		if got != want {
			t.Errorf("told %d times: %v, want %v", told, got, want)
		}
	}
}
