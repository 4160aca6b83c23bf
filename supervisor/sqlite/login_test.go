package sqlite_test

import (
	"testing"

	"mews/supervisor"
)

func TestEndLogin_OpenGate_IsClosed(t *testing.T) {
	s := batchStory{newStory(t)}
	logins := s.db.UserAccessStores().Logins
	s.receive(codeItem("alice", 1, 1), inChat("43", codeItem("alice", 2, 2)), codeItem("bob", 3, 1))
	login, ok, err := logins.FindLogin(t.Context(), "alice", supervisor.ChannelTelegram, "43")
	s.must(err)
	s.same("found", login, supervisor.Login{User: "alice", Channel: supervisor.ChannelTelegram, Chat: "43", OpenedAt: noon,
		UsedAt: noon})
	s.same("is there", ok, true)
	s.must(logins.EndLogin(t.Context(), "alice", supervisor.ChannelTelegram, "43"))
	_, ok, err = logins.FindLogin(t.Context(), "alice", supervisor.ChannelTelegram, "43")
	s.must(err)
	s.same("after it was closed", ok, false)
	n, err := logins.EndAllLogins(t.Context(), "alice")
	s.must(err)
	s.same("closed", n, int64(1))
	s.same("left", s.query("SELECT user FROM login"), "bob")
}
