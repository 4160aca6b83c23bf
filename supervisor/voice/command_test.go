package voice_test

import (
	"strings"
	"testing"

	"mews/supervisor"
	"mews/supervisor/feature/featuretest"
)

func TestVoiceCommands_StoreChoiceAndAnswer(t *testing.T) {
	r := newRig(t)
	v, _ := r.runVoices()
	terminal := supervisor.Conversation{ID: r.home.ID, User: "alice", Channel: supervisor.ChannelTerminal}
	for _, c := range []struct {
		in   supervisor.Conversation
		text string
		want string
	}{
		{terminal, "/voice", "Answers come in writing here. There are no voice messages in this chat"},
		{terminal, "/voice ON", "There are no voice messages in this chat."},
		{terminal, "/voices", "- alan (yours)\n- ben"},
		{r.home, "/voice loud", "Write “/voice off”, “/voice on” or “/voice only”."},
		{r.home, "/voice ON", "A voice message follows each answer here."},
		{r.home, "/voice", "A voice message follows each answer here."},
		{r.home, "/voices BEN", "From now on I speak as ben."},
		{r.home, "/voices", "- alan\n- ben (yours)"},
	} {
		asked := supervisor.Inbound{Conversation: c.in, Kind: supervisor.KindCommand, Text: c.text}
		got := featuretest.RunCommand(t, v.Feature(), asked)
		if !strings.Contains(got.Text, c.want) {
			t.Errorf("%q is answered with %q, which lacks %q", c.text, got.Text, c.want)
		}
		if voices := c.in == r.home && c.text == "/voices"; voices != (len(got.Files) == 2) {
			t.Errorf("%q is answered with the files %+v", c.text, got.Files)
		}
	}
}
