package app

import (
	"strings"
	"testing"

	"mews/supervisor"
	"mews/supervisor/command"
)

func TestModelWithoutVision_WarnsUserOnce(t *testing.T) {
	s := newTwoPersonService(t)
	c, err := s.db.Conversations().FindOrCreate(t.Context(), "ann", supervisor.ChannelTerminal, "", "")
	must(t, err)
	for _, spec := range []string{"local/tiny", "local/tiny", "local/small"} {
		s.tellBlindModel(t.Context(), c.ID, spec)
	}
	told, err := s.db.Outbox().ListPending(t.Context(), c.ID, 0, 9)
	must(t, err)
	if len(told) != 2 || !strings.HasPrefix(told[0].Text, "local/tiny can't see pictures") ||
		!strings.HasPrefix(told[1].Text, "local/small") {
		t.Errorf("told was %+v", told)
	}
}

func TestSeesPictures_ByModelName_IsGuessed(t *testing.T) {
	for spec, want := range map[string]bool{
		"claude/claude-sonnet-4-5": true, "openai/gpt-4o-mini": true, "openai/gpt-4o-mini-tts": false, "local/qwen2.5vl:7b": true,
		"local/qwen3": false, "offline": false,
	} {
		if got := (command.ModelOffer{Spec: spec}).SeesPictures(); got != want {
			t.Errorf("%s sees: %v", spec, got)
		}
	}
}
