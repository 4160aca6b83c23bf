package transcription_test

import (
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature/featuretest"
)

func TestTranscribeCommand_HearsOnlyOwnFiles(t *testing.T) {
	home := supervisor.Conversation{ID: 3, User: "ann"}
	for _, c := range []struct {
		in    supervisor.Inbound
		want  string
		heard string // beginning of the operation's parameters; "" means that none starts
	}{
		{supervisor.Inbound{Kind: supervisor.KindCommand, Text: "/transcribe `a b.ogg`"}, "Heard:",
			`{"path":"a b.ogg","seconds":3600,`},
		{supervisor.Inbound{Kind: supervisor.KindCommand, Text: "/transcribe ../bob/a.ogg"}, "Name a recording", ""},
		{supervisor.Inbound{Kind: supervisor.KindCommand, Text: "/transcribe"}, "Name a recording", ""},
		{supervisor.Inbound{Kind: supervisor.KindPress, Text: "tr:14:uploads/a:b.ogg"}, "Heard:",
			`{"path":"uploads/a:b.ogg","seconds":116,`},
		{supervisor.Inbound{Kind: supervisor.KindPress, Text: "tr:-1:a.ogg"}, "This button does nothing", ""},
		{supervisor.Inbound{Kind: supervisor.KindPress, Text: "tr:x:a.ogg"}, "This button does nothing", ""},
		{supervisor.Inbound{Kind: supervisor.KindPress, Text: "tr:14:../bob/a.ogg"}, "Name a recording", ""},
		{supervisor.Inbound{Kind: supervisor.KindPress, Text: "tr:14:/etc/passwd"}, "Name a recording", ""},
		{supervisor.Inbound{Kind: supervisor.KindPress, Text: "tr:"}, "This button does nothing", ""},
	} {
		r := newRig(true)
		r.setResult(protocol.TranscribeResult{Text: "Milch.", Seconds: 14})
		c.in.Conversation = home
		got := featuretest.RunCommand(t, r.Feature(), c.in)
		if !strings.HasPrefix(got.Text, c.want) || (len(r.begunTexts) == 1) != (c.heard != "") {
			t.Errorf("%s: told %q, begun with %q", c.in.Text, got.Text, r.begunTexts)
		}
		if c.heard != "" && (len(r.started) != 1 || !strings.HasPrefix(r.started[0].Parameters, c.heard) ||
			!strings.Contains(r.begunTexts[0], "] Milch.")) {
			t.Errorf("%s: heard was %+v", c.in.Text, r.started)
		}
	}
}
