package app

import (
	"testing"

	"mews/supervisor"
	"mews/supervisor/access"
)

// The test checks conversations of chats and of jobs.
func TestServedUsers_AreOnlyActiveUsers(t *testing.T) {
	users := []supervisor.User{{Name: "alice", Accounts: map[supervisor.Channel]string{supervisor.ChannelTelegram: "42"}}, {Name: "bob"}}
	people, err := access.NewPeople(users, 1, nil)
	must(t, err)
	must(t, people.SetUsers(users, access.StoredUsers{Suspended: []string{"bob"},
		Groups: []access.Group{{Channel: supervisor.ChannelTelegram, Chat: "-7"}}}))
	s := &service{userParts: userParts{people: people}}
	for c, want := range map[supervisor.Conversation]bool{
		{User: "alice", Channel: supervisor.ChannelTerminal}:             true,
		{User: "alice", Channel: supervisor.ChannelTelegram, Chat: "42"}: true,
		{User: "alice", Channel: supervisor.ChannelTelegram, Chat: "43"}: false,
		{User: "alice", Channel: supervisor.ChannelTelegram, Chat: "-7"}: true,
		{User: "alice", Channel: supervisor.ChannelTelegram, Chat: "-8"}: false,
		{User: "alice", Channel: "job", Chat: "7"}:                       true,
		{User: "bob", Channel: supervisor.ChannelTerminal}:               false,
		{User: "bob", Channel: "job", Chat: "7"}:                         false,
		{User: "nobody", Channel: "job", Chat: "7"}:                      false,
	} {
		if got := s.serves(c); got != want {
			t.Errorf("%+v is served: %v", c, got)
		}
	}
}
