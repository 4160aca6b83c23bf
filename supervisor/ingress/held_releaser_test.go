package ingress

import (
	"slices"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/inbox"
	"mews/supervisor/sqlite/sqlitetest"
)

// TestHeldMessages_NoCodeNeeded_AreReleased checks that a held message is released once, when its
// user no longer needs a code.
func TestHeldMessages_NoCodeNeeded_AreReleased(t *testing.T) {
	db := sqlitetest.Open(t)
	users := func(codes supervisor.TOTPPolicy) []supervisor.User {
		return []supervisor.User{{Name: "alice", Accounts: map[supervisor.Channel]string{supervisor.ChannelTelegram: "101"}, Codes: codes},
			{Name: "bob", Accounts: map[supervisor.Channel]string{supervisor.ChannelTelegram: "102"},
				Codes: supervisor.TOTPRequired}}
	}
	people, err := access.NewPeople(users(supervisor.TOTPRequired), 1, nil)
	must(t, err)
	seal := access.NewSealer([access.SealingKeySize]byte{1})
	gate := access.NewGate(access.Options{People: people, Factors: db.UserAccessStores().Factors,
		Logins: db.UserAccessStores().Logins, Seal: seal, Now: time.Now})
	for _, user := range []string{"alice", "bob"} {
		made, err := seal.NewEnrolment(user)
		must(t, err)
		must(t, db.UserAccessStores().Factors.Put(t.Context(), user, made.Sealed, nil))
	}
	sqlitetest.ExecStatements(t, db, "UPDATE totp SET confirmed_at = 1")
	box := inbox.New(inbox.Options{Store: db.Inbox(), Gate: gate, Conversations: db.Conversations(), Queued: func(int64) {},
		Accepted: func(in supervisor.Inbound) { t.Errorf("%q is accepted through a closed gate", in.Text) }})
	for i, user := range []string{"alice", "bob"} {
		account := []string{"101", "102"}[i]
		must(t, box.StoreBatch(t.Context(), supervisor.InboundBatch{Source: "test",
			Items: []supervisor.BatchItem{{Inbound: supervisor.Inbound{
				Conversation: supervisor.Conversation{User: user, Channel: supervisor.ChannelTelegram, Chat: account},
				Source:       "test", Key: account, Sender: account, Text: "of " + user,
			}}}}))
	}
	var released []string
	r := HeldMessageReleaser{Gate: gate, Inbox: db.Inbox(), Serves: func(supervisor.Conversation) bool { return true },
		Log:      hclog.NewNullLogger(),
		Accepted: func(in supervisor.Inbound) { released = append(released, in.Text) }}
	r.ReleaseMessages(t.Context())
	if len(released) != 0 {
		t.Errorf("released while codes are needed: %q", released)
	}
	must(t, people.SetUsers(users(supervisor.TOTPOff), access.StoredUsers{}))
	for range 2 {
		r.ReleaseMessages(t.Context())
	}
	if want := []string{"of alice"}; !slices.Equal(released, want) {
		t.Errorf("released %q, want %q", released, want)
	}
}
