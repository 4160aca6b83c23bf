package schedule

import (
	"testing"

	"mews/supervisor"
)

func TestDestinationText_GroupTitle_IsShown(t *testing.T) {
	titles := map[string]string{"-100": "Family\u202e", "-200": ""}
	ds := &destinations{
		people:  func(string) (supervisor.User, bool) { return supervisor.User{}, true },
		allowed: func(supervisor.Conversation) bool { return true },
		title:   func(c supervisor.Conversation) string { return titles[c.Chat] },
	}
	for _, c := range []struct{ chat, thread, want string }{
		{"-100", "", "It goes to the group “Family”."},
		{"-100", "7", "It goes to the group “Family”, topic 7."},
		{"-200", "", "It goes to the group -200."},
		{"-200", "7", "It goes to the group -200/7."},
	} {
		j := supervisor.Job{Conversation: supervisor.Conversation{User: "ann", Channel: supervisor.ChannelTelegram,
			Chat: c.chat, Thread: c.thread}}
		if got := ds.destinationText(j); got != c.want {
			t.Errorf("%s/%s: got %q, want %q", c.chat, c.thread, got, c.want)
		}
	}
}
