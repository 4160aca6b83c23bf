package sqlite_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/app/policies"
	"mews/supervisor/sqlite"
)

// dueCleanings lists the due changes of messages on Telegram, each as message, kind and chat.
func (s postStory) dueCleanings(at time.Time) (list []string) {
	s.Helper()
	due, err := s.db.MessageCleanups().ListDue(s.Context(), supervisor.ChannelTelegram, at, 100)
	s.must(err)
	for _, c := range due {
		list = append(list, string(c.Kind)+" "+c.Message+" of "+c.Conversation.User+" in "+c.Conversation.Chat)
	}
	return list
}

func TestMessageCleanup_Done_IsNotListed(t *testing.T) {
	s := postStory{newStory(t)}
	rows := s.db.MessageCleanups()
	chat := s.chat("alice", "42")
	_, ok, err := rows.NextDue(t.Context(), supervisor.ChannelTelegram)
	s.must(err)
	s.same("one is next", ok, false)
	for _, c := range []supervisor.MessageCleanup{
		{Conversation: chat, Message: "1", Kind: supervisor.CleanupDelete, Due: noon.Add(time.Hour)},
		{Conversation: s.chat("bob", "-5"), Message: "2", Kind: supervisor.CleanupRemoveButtons,
			Due: noon.Add(time.Minute)},
		// a message on another channel
		{Conversation: s.home, Message: "3", Kind: supervisor.CleanupDelete},
		{Conversation: chat, Message: "4", Kind: supervisor.CleanupRemoveButtons},
	} {
		s.must(rows.Put(t.Context(), c))
	}
	next := func(want time.Time) {
		t.Helper()
		due, ok, err := rows.NextDue(t.Context(), supervisor.ChannelTelegram)
		s.must(err)
		s.same("next", due, want)
		s.same("there is a next", ok, !want.IsZero() && want.After(time.UnixMilli(0)))
	}
	next(noon)
	s.same("now", s.dueCleanings(noon), []string{"unbutton 4 of alice in 42"})
	s.same("almost a minute later", s.dueCleanings(noon.Add(time.Minute-time.Millisecond)), []string{"unbutton 4 of alice in 42"})
	all := []string{"unbutton 4 of alice in 42", "unbutton 2 of bob in -5", "delete 1 of alice in 42"}
	s.same("an hour later", s.dueCleanings(noon.Add(time.Hour)), all)

	due, err := rows.ListDue(t.Context(), supervisor.ChannelTelegram, noon.Add(time.Hour), 2)
	s.must(err)
	s.same("the first two", []string{due[0].Message, due[1].Message}, []string{"4", "2"})
	s.same("the second", due[1], supervisor.MessageCleanup{ID: due[1].ID, Conversation: s.chat("bob", "-5"),
		Message: "2",
		Kind:    supervisor.CleanupRemoveButtons, Due: noon.Add(time.Minute)})
	for range 2 { // in the second round the call changes nothing
		s.must(rows.DeleteCleanup(t.Context(), due[0].ID))
		s.same("left", s.dueCleanings(noon.Add(time.Hour)), all[1:])
	}
	next(noon.Add(time.Minute))

	s.checkRefused(rows.Put(t.Context(), supervisor.MessageCleanup{Conversation: supervisor.Conversation{ID: 999},
		Message: "1",
		Kind:    supervisor.CleanupDelete}), supervisor.CodeNotFound, "no conversation 999")
	s.checkRefused(rows.Put(t.Context(), supervisor.MessageCleanup{Conversation: chat, Message: "1", Kind: "wash"}),
		supervisor.CodeInternal, "CHECK")
	s.checkRefused(rows.Put(t.Context(), supervisor.MessageCleanup{Conversation: chat, Kind: supervisor.CleanupDelete}),
		supervisor.CodeInternal, "CHECK")
}

const secret = "JBSWY3DPEHPK3PXP"

// sendVanishing sends a delivery that is deleted after a quarter of an hour, with posts in the
// given states.
func (s postStory) sendVanishing(c supervisor.Conversation, states ...supervisor.PostState) supervisor.Delivery {
	s.Helper()
	f := picture("qr.png")
	f.Caption = secret
	d, err := s.db.Outbox().SendNotice(s.Context(), supervisor.Delivery{Conversation: c, Text: secret +
		" is the secret.",
		Buttons: yesNo, Files: []supervisor.File{f}, DeleteAfter: 15 * time.Minute})
	s.must(err)
	for i, state := range states {
		p, err := s.db.Posts().MarkSending(s.Context(), c.ID, supervisor.Post{Delivery: d.ID, Part: i,
			Content: supervisor.RichText{Text: secret, File: &f}})
		s.must(err)
		name := ""
		if state == supervisor.PostSent {
			name = string(rune('a' + i))
		}
		s.settle(p, state, name)
	}
	return d
}

func TestTemporaryMessage_DeliveryClosed_IsDeleted(t *testing.T) {
	for _, outcome := range []supervisor.DeliveryResult{supervisor.OutcomeSent, supervisor.OutcomeUnknown,
		supervisor.OutcomeFailed} {
		t.Run(string(outcome), func(t *testing.T) {
			s := postStory{newStory(t)}
			chat := s.chat("alice", "42")
			d := s.sendVanishing(chat, supervisor.PostSent, supervisor.PostUnknown, supervisor.PostFailed, supervisor.PostSent)
			s.same("before it was given", s.dueCleanings(noon.Add(time.Hour)), []string(nil))
			s.now = noon.Add(time.Minute)
			for range 2 { // in the second round the close changes nothing
				s.close(d, outcome, "why")
				s.same("due in time", s.dueCleanings(s.now.Add(15*time.Minute-time.Millisecond)), []string(nil))
				s.same("due", s.dueCleanings(s.now.Add(15*time.Minute)), []string{"delete a of alice in 42", "delete d of alice in 42"})
			}
			list, err := s.db.Outbox().List(t.Context(), chat.ID, 0, 10)
			s.must(err)
			want := d
			want.Text, want.Files = "(This message was temporary and has been deleted.)", nil
			s.same("what is kept of it", list, []supervisor.Delivery{want})
			for _, p := range s.listPosts(0, d.ID) {
				s.same("what is kept of a post", p.Content, supervisor.RichText{})
			}
			n, err := s.db.Outbox().ResendUndelivered(t.Context(), chat.ID, 10)
			s.must(err)
			s.same("sent again", n, 0)
			untold, err := s.db.Outbox().ListUnreportedLosses(t.Context(), chat.ID)
			s.must(err)
			s.same("to be told of", len(untold), 0)
		})
	}
}

// A terminal cannot delete messages, but the files in the spool are deleted.
func TestTemporaryMessage_InTerminal_DeletesFiles(t *testing.T) {
	s := postStory{newStory(t)}
	due := func(at time.Time) (list []supervisor.MessageCleanup) {
		list, err := s.db.MessageCleanups().ListDue(t.Context(), supervisor.ChannelTerminal, at, 10)
		s.must(err)
		return list
	}
	files := []supervisor.File{picture("a.png"), picture("b.png")}
	files[1].SHA256 = strings.Repeat("b", 64)
	for _, d := range []supervisor.Delivery{
		{Conversation: s.home, Text: secret, Files: files, DeleteAfter: 15 * time.Minute},
		{Conversation: s.home, Text: "hello", Files: []supervisor.File{picture("stays.png")}},
		{Conversation: s.home, Text: "no file", DeleteAfter: time.Minute},
	} {
		said, err := s.db.Outbox().SendNotice(t.Context(), d)
		s.must(err)
		for range 2 { // in the second round the call changes nothing
			s.must(s.db.Outbox().MarkDelivered(t.Context(), said.ID))
		}
	}
	s.same("due too early", due(noon.Add(15*time.Minute-time.Millisecond)), []supervisor.MessageCleanup(nil))
	list := due(noon.Add(15 * time.Minute))
	s.same("due", []string{list[0].Message, list[1].Message, fmt.Sprint(len(list))}, []string{files[0].SHA256, files[1].SHA256, "2"})
	s.same("of whom", list[0].Conversation, s.home)
	s.same("on Telegram", s.dueCleanings(noon.Add(time.Hour)), []string(nil))
}

// The deleted text is gone from the free pages of the database and from its journal.
func TestTemporaryMessage_Deleted_IsGoneFromDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mews.db")
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{Policies: policies.All()})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ran := make(chan error, 1)
	go func() { ran <- db.Run(ctx) }()
	s := postStory{&story{T: t, db: db, path: path, now: noon}}
	chat := s.chat("alice", "42")
	for range 20 {
		d := s.sendVanishing(chat, supervisor.PostSent, supervisor.PostSent)
		s.notice(chat, strings.Repeat("words ", 100))
		s.close(d, supervisor.OutcomeSent, "")
	}
	s.checkNotOnDisk(path) // the check runs while the database is open
	cancel()
	s.must(<-ran)
	s.must(db.Close())
	s.checkNotOnDisk(path)
}

// checkNotOnDisk fails the test if a file of the database holds the secret.
func (s postStory) checkNotOnDisk(path string) {
	s.Helper()
	files, err := filepath.Glob(path + "*")
	s.must(err)
	for _, name := range files {
		body, err := os.ReadFile(name)
		s.must(err)
		if n := bytes.Count(body, []byte(secret)); n > 0 {
			s.Errorf("the secret is in %s %d times", filepath.Base(name), n)
		}
	}
}

// Erased texts of any length are gone from the file. Short texts share a page, and long texts have
// pages of their own.
func TestEraseUser_Texts_AreGoneFromDisk(t *testing.T) {
	s := postStory{newStory(t)}
	for n := range 60 {
		for _, user := range []string{"alice", "bob"} {
			words := map[string]string{"alice": secret, "bob": "hello"}[user]
			_, _, err := s.db.Inbox().StoreInbound(t.Context(), supervisor.Inbound{Source: "terminal",
				Key: fmt.Sprint(n), Kind: supervisor.KindText,
				Text:         strings.Repeat(words+" ", 1+n*n/2),
				Conversation: supervisor.Conversation{User: user, Channel: supervisor.ChannelTerminal}})
			s.must(err)
		}
	}
	_, err := s.db.UserAccessStores().People.Erase(t.Context(), "alice")
	s.must(err)
	s.checkNotOnDisk(s.path)
	s.same("of bob", s.query("SELECT count(*) FROM inbox WHERE text LIKE 'hello%'"), "60")
}
