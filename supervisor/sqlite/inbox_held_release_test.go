package sqlite_test

import (
	"testing"

	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// isServed accepts every chat except 666.
func isServed(c supervisor.Conversation) bool { return c.Chat != "666" }

// If a user no longer needs a code, the held inbounds are released, once. Inbounds of chats that
// are not served stay held.
func TestReleaseHeldInbounds_ServedChats_Releases(t *testing.T) {
	s := batchStory{newStory(t)}
	s.receive(guardedItem("alice", 1, "one"), inChat("666", guardedItem("alice", 2, "from an account that was theirs")),
		guardedItem("bob", 3, "bob's"), guardedItem("alice", 4, "two"))
	holding, err := s.db.Inbox().ListUsersWithHeldInbounds(t.Context())
	s.must(err)
	s.same("of whom something is held", holding, []string{"alice", "bob"})
	let, err := s.db.Inbox().ReleaseHeldInbounds(t.Context(), "alice", isServed)
	s.must(err)
	s.same("let in", texts(let), []string{"new one", "new two"})
	next, _, err := s.db.Inbox().NextInbound(t.Context(), let[0].Conversation.ID)
	s.must(err)
	s.same("next", next.Text, "one")
	let, err = s.db.Inbox().ReleaseHeldInbounds(t.Context(), "alice", isServed)
	s.must(err)
	s.same("let in again", len(let), 0)
	s.same("still held", s.query("SELECT group_concat(user || ': ' || text) FROM inbox WHERE held = 1"),
		"alice: from an account that was theirs,bob: bob's")
	s.same("logins", s.query("SELECT count(*) FROM login"), "0")
	entries, err := s.db.Audit().List(t.Context(), sqlite.AuditFilter{User: "alice", Limit: 10})
	s.must(err)
	s.same("audited", len(entries), 1)
	s.same("as", entries[0].Action+": "+entries[0].Detail, "gate.gone: 2 held inbounds let in, for no code is asked for any more")
}
