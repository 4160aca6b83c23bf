package schedule

import (
	"errors"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor"
)

// Answers to a model that may not turn file notices on or off.
const (
	answerNoFiles      = "A task can't turn this on or off: only the person can, or you when they ask you in a chat."
	answerFilesInGroup = "File notifications are for the private chat only: others can read them in a group."
)

// A turn in a private chat can turn file notices on and off. A task or a turn in a group can't.
func TestFileNoticeTools_WorkOnlyInPrivateChat(t *testing.T) {
	h := newHarness(t)
	group := supervisor.Conversation{User: "alice", Channel: supervisor.ChannelTelegram, Chat: "-100"}
	call := func(kind supervisor.TurnKind, in supervisor.Conversation, name string) (string, error) {
		answer, err := h.RunCall(t.Context(), supervisor.JobToolCall{User: "alice", Kind: kind,
			Call: protocol.ToolCall{ID: "c", Name: name, Arguments: []byte(`{}`)}}, in)
		return answer.Text, err
	}
	for _, c := range []struct {
		kind       supervisor.TurnKind
		in         supervisor.Conversation
		name, says string
		refused    string
	}{
		{supervisor.TurnChat, chatOf("alice"), "get_file_notification_status", "File watch is off.", ""},
		{supervisor.TurnJob, chatOf("alice"), "enable_file_notifications", "", answerNoFiles},
		{supervisor.TurnChat, group, "enable_file_notifications", "", answerFilesInGroup},
		{supervisor.TurnChat, group, "get_file_notification_status", "", answerFilesInGroup},
		{supervisor.TurnChat, chatOf("alice"), "enable_file_notifications", "File watch is on.", ""},
		{supervisor.TurnJob, chatOf("alice"), "disable_file_notifications", "", answerNoFiles},
		{supervisor.TurnJob, chatOf("alice"), "get_file_notification_status", "File watch is on.", ""},
		{supervisor.TurnChat, chatOf("alice"), "disable_file_notifications", "File watch is off.", ""},
		{supervisor.TurnChat, chatOf("alice"), "get_file_notification_status", "File watch is off.", ""},
	} {
		text, err := call(c.kind, c.in, c.name)
		told := new(supervisor.Error)
		if errors.As(err, &told) != (c.refused != "") || c.refused != "" && told.Message != c.refused || !strings.HasPrefix(text, c.says) {
			t.Errorf("%s of a %s: %q, %v", c.name, c.kind, text, err)
		}
	}
}
