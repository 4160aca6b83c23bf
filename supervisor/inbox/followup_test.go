package inbox_test

import (
	"testing"

	"mews/supervisor"
)

// TestFollowUp_IsTextWithoutCommand checks that a follow-up has words or files; without them it is
// a command.
func TestFollowUp_IsTextWithoutCommand(t *testing.T) {
	file := []supervisor.Attachment{{File: "f", Kind: "photo"}}
	for _, c := range []struct {
		text  string
		files []supervisor.Attachment
		want  supervisor.Inbound
	}{
		{"/followup and then this", nil, supervisor.Inbound{Kind: "text", Text: "and then this", Priority: supervisor.PriorityFollowup}},
		{"/FollowUp@mews_bot  more\nlines ", nil, supervisor.Inbound{Kind: "text", Text: "more\nlines", Priority: supervisor.PriorityFollowup}},
		{"/followup look", file, supervisor.Inbound{Kind: "text", Text: "look", Priority: supervisor.PriorityFollowup}},
		{"/followup", file, supervisor.Inbound{Kind: "text", Priority: supervisor.PriorityFollowup}},
		{"/followup /stop", nil, supervisor.Inbound{Kind: "text", Text: "/stop", Priority: supervisor.PriorityFollowup}},
		{"/followup", nil, supervisor.Inbound{Kind: "command", Text: "/followup", Command: "followup"}},
		{"/followups x", nil, supervisor.Inbound{Kind: "command", Text: "/followups x", Command: "followups"}},
		{"a /followup", nil, supervisor.Inbound{Kind: "text", Text: "a /followup"}},
	} {
		box, _, accepted := openInbox(t)
		_, err := box.StoreInbound(t.Context(), message("k", c.text), c.files...)
		if err != nil {
			t.Fatal(err)
		}
		in := (*accepted)[0]
		got := supervisor.Inbound{Kind: in.Kind, Text: in.Text, Command: in.Command, Priority: in.Priority}
		if got != c.want {
			t.Errorf("%q is kept as %+v, want %+v", c.text, got, c.want)
		}
	}
}
