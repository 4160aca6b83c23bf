package notice_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
	"mews/supervisor/notice"
	"mews/supervisor/sqlite/sqlitetest"
)

func TestTellOnce_CalledTwice_SendsOnce(t *testing.T) {
	db := sqlitetest.Open(t)
	queued := 0
	n := notice.Notices{Outbox: db.Outbox(), Settings: db.Settings(), Queued: func(int64) { queued++ },
		Now: time.Now, Log: hclog.NewNullLogger()}
	alice := supervisor.Conversation{User: "alice", Channel: supervisor.ChannelTerminal}
	for _, name := range []string{"package ffmpeg", "package ffmpeg", "package poppler"} {
		n.TellOnce(t.Context(), alice, name, "It is missing.")
	}
	if queued != 2 {
		t.Errorf("%d notices were queued, want 2", queued)
	}
	for name, want := range map[string]bool{"package poppler": true, "package tesseract": false} {
		if told, err := n.WasToldOnce(t.Context(), "alice", name); told != want || err != nil {
			t.Errorf("%s was told: %v, %v", name, told, err)
		}
	}
}

func TestTellAdmins_WithTelegram_ReachesBothChats(t *testing.T) {
	db := sqlitetest.Open(t)
	queued := make(chan int64)
	alice := supervisor.User{Name: "alice", Accounts: map[supervisor.Channel]string{supervisor.ChannelTelegram: "42"}}
	n := notice.Notices{Outbox: db.Outbox(), Settings: db.Settings(),
		Admins: func() []supervisor.User { return []supervisor.User{alice} }, Queued: func(c int64) { queued <- c },
		Now: time.Now, Log: hclog.NewNullLogger()}
	n.TellAdmins("The disk is full.")
	told := map[supervisor.Channel]bool{}
	for range 1 + len(supervisor.PrivateChannels()) {
		c, known, err := db.Conversations().FindConversation(t.Context(), <-queued)
		if err != nil || !known {
			t.Fatal(known, err)
		}
		told[c.Channel] = true
	}
	if !told[supervisor.ChannelTelegram] || !told[supervisor.ChannelTerminal] {
		t.Errorf("told was in %v", told)
	}
}

// TestTellAdmins_StoreFails_SendsDirectly: a text that can't be stored is sent directly. A text
// that can't be sent directly is stored.
func TestTellAdmins_StoreFails_SendsDirectly(t *testing.T) {
	db := sqlitetest.Open(t)
	direct, queued := make(chan supervisor.Channel, 10), make(chan int64, 10)
	alice := supervisor.User{Name: "alice", Accounts: map[supervisor.Channel]string{supervisor.ChannelTelegram: "42"}}
	n := notice.Notices{Outbox: db.Outbox(), Settings: db.Settings(), Queued: func(c int64) { queued <- c },
		Admins: func() []supervisor.User { return []supervisor.User{alice} }, Now: time.Now, Log: hclog.NewNullLogger(),
		Direct: func(_ context.Context, c supervisor.Conversation, _ string) error {
			if c.Channel != supervisor.ChannelTelegram {
				return errors.ErrUnsupported
			}
			direct <- c.Channel
			return nil
		}}
	n.TellAdminsWithoutStoring("The disk is nearly full.")
	<-direct
	for range supervisor.PrivateChannels() {
		<-queued
	}
	if err := db.Close(); err != nil { // nothing can be stored any more
		t.Fatal(err)
	}
	n.TellAdmins("Something else.")
	<-direct
	if len(queued) != 0 {
		t.Errorf("%d more were stored", len(queued))
	}
}

// TestTellOtherAdmins_UsesPrivateChats: the admin that the news is about gets no message.
func TestTellOtherAdmins_UsesPrivateChats(t *testing.T) {
	db := sqlitetest.Open(t)
	queued := make(chan int64, 9)
	on := func(name, account string) supervisor.User {
		return supervisor.User{Name: name, Accounts: map[supervisor.Channel]string{supervisor.ChannelTelegram: account}}
	}
	n := notice.Notices{Outbox: db.Outbox(), Settings: db.Settings(),
		Admins: func() []supervisor.User { return []supervisor.User{on("alice", "42"), on("bob", "43")} },
		Queued: func(c int64) { queued <- c }, Now: time.Now, Log: hclog.NewNullLogger()}
	n.TellOtherAdmins("bob has come in.", "bob")
	<-queued
	n.TellOtherAdmins("carol has come in.", "")
	<-queued
	<-queued
	got := sqlitetest.QueryColumn(t, db, "SELECT c.user || ' ' || c.chat || ' ' || o.text FROM outbox o "+
		"JOIN conversation c ON c.id = o.conversation ORDER BY c.user, o.id")
	want := []string{"alice 42 bob has come in.", "alice 42 carol has come in.", "bob 43 carol has come in."}
	if !slices.Equal(got, want) {
		t.Errorf("sent %q, want %q", got, want)
	}
}
