package ingress

import (
	"context"
	"slices"
	"testing"

	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/sqlite/sqlitetest"
)

func TestCurrentName_SeveralRenames_ReturnsNewest(t *testing.T) {
	var m ChatRenames
	m.AddRename("-5", "-1005")
	m.AddRename("-1005", "-2005")
	m.AddRename("-6", "-6")
	for chat, want := range map[string]string{"-5": "-2005", "-1005": "-2005", "-2005": "-2005", "-6": "-6", "-7": "-7"} {
		if got := m.CurrentName(chat); got != want {
			t.Errorf("%s is called %s, want %s", chat, got, want)
		}
	}
	m.AddRename("-2005", "-5") // the chat gets its first name again
	if got := m.CurrentName("-1005"); got != "-5" {
		t.Errorf("it is called %s", got)
	}
}

// TestRenameChat_FoundBySend_UpdatesUsersFirst checks the order of a move. The new name is stored
// before the conversations move. Then users are read again, and only then waiting work is woken. If
// only the configuration allows the group, by its old name, the new name is allowed before users
// are read.
func TestRenameChat_FoundBySend_UpdatesUsersFirst(t *testing.T) {
	db := sqlitetest.Open(t)
	before, err := db.Conversations().FindOrCreate(t.Context(), "alice", supervisor.ChannelTelegram, "-7", "")
	must(t, err)
	var renames ChatRenames
	var calls []string
	people, err := access.NewPeople(nil, 0, func(string) (uint32, error) { return 1, nil })
	must(t, err)
	must(t, people.SetUsers(nil, access.StoredUsers{Groups: []access.Group{{Channel: supervisor.ChannelTelegram,
		Chat: "-7"}}}))
	m := ChatRenamer{Conversations: db.Conversations(), People: people, Groups: db.UserAccessStores().Groups,
		Renames: &renames,
		Refresh: func(context.Context) error {
			calls = append(calls, "refresh, called "+renames.CurrentName("-7"))
			allowed, err := db.UserAccessStores().Groups.List(t.Context())
			if err != nil || len(allowed) != 1 || allowed[0].Chat != "-1007" {
				t.Errorf("allowed are %v, %v", allowed, err)
			}
			return err
		},
		Wake: func(_ context.Context, chat string) error { calls = append(calls, "wake "+chat); return nil }}
	for i, want := range []int{1, 0} {
		if moved, err := m.RenameChat(t.Context(), supervisor.ChannelTelegram, "-7", "-1007"); err != nil ||
			moved != want {
			t.Errorf("move %d moved %d, %v", i, moved, err)
		}
	}
	after, err := db.Conversations().FindOrCreate(t.Context(), "alice", supervisor.ChannelTelegram, "-1007", "")
	if err != nil || after.ID != before.ID {
		t.Errorf("the conversation was %d and is %d, %v", before.ID, after.ID, err)
	}
	once := []string{"refresh, called -1007", "wake -1007"}
	if want := append(once, once...); !slices.Equal(calls, want) {
		t.Errorf("did %q, want %q", calls, want)
	}
}
