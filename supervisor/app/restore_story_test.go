package app_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mews/supervisor"
	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/sqlite"
	"mews/supervisor/telegram/telegramtest"
)

// destroy deletes the database and the files in a home, as a lost disk does. The backups stay.
func (l *gatedService) destroy(name string) {
	l.T.Helper()
	entries, err := os.ReadDir(l.UserHome(name))
	lost := []string{filepath.Join(l.Dir, "state", "private"), filepath.Join(l.Dir, "state", "homes")}
	for _, e := range entries {
		lost = append(lost, filepath.Join(l.UserHome(name), e.Name()))
	}
	for _, path := range lost {
		err = errors.Join(err, os.RemoveAll(path))
	}
	if err != nil {
		l.T.Fatal(err)
	}
}

// newestBackup returns the folder of the newest backup.
func (l *gatedService) newestBackup() string {
	l.T.Helper()
	all, err := filepath.Glob(filepath.Join(l.Dir, "state", "backups", "mews-*"))
	if err != nil || len(all) == 0 {
		l.T.Fatalf("backups: %q, %v", all, err)
	}
	return slices.Max(all)
}

// The backup has a message that was not sent, one without an answer, and a reminder that is due now.
// After the restore, none of them comes by itself, and all are listed.
func TestRestore_BusyService_ListsInsteadOfSending(t *testing.T) {
	t.Parallel()
	l := newGatedService(t, modeltest.EchoScript, "worker: {uids: ''}\n", "ann, role: admin, totp: 'off'")
	l.Bin = apptest.LinkProgramsInTestFolder(t, apptest.BuildPrograms(t))
	l.Start()
	l.sayAndAwait("ann", "hello", "")
	l.sayAndAwait("ann", "/remind in 5 h: dentist", "")
	l.Stop()
	note := filepath.Join(l.UserHome("ann"), "note.md")
	if err := os.WriteFile(note, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	apptest.ChownToWorkers(t, l.UserHome("ann"))
	l.withDatabase(func(db *sqlite.DB) {
		c, err := db.Conversations().FindOrCreate(t.Context(), "ann", supervisor.ChannelTelegram, "101", "")
		if err == nil {
			_, err = db.Outbox().PutTextNotice(t.Context(), c.ID, "the unsent message")
		}
		if err == nil {
			_, _, err = db.Inbox().StoreInbound(t.Context(), supervisor.Inbound{Conversation: c, Source: "test",
				Key: "1", Kind: supervisor.KindText, Text: "the unanswered question"})
		}
		if err == nil { // an older version made the backup
			err = db.Openings().Put(t.Context(), "v0.0.1")
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	l.mustRun("backup")
	backup := l.newestBackup()
	l.mustRun("restore", backup, "--drill")
	l.destroy("ann")
	l.say("ann", "while you were away")
	before := len(l.told("ann"))
	l.mustRun("restore", backup)
	if said := runVerb(l, "restore", backup); !strings.Contains(said, "already has files of Mews") {
		t.Errorf("a second restore says\n%s", said)
	}
	if text, err := os.ReadFile(note); err != nil || string(text) != "mine" {
		t.Errorf("the note: %q, %v", text, err)
	}

	l.Start()
	isAnswer := func(text string) bool { return strings.Contains(text, "while you were away") }
	l.bot.WaitUntil(t, "the answer", func() bool { return slices.ContainsFunc(l.told("ann")[before:], isAnswer) })
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "all to be delivered", func() bool {
		return l.QueryCount("SELECT count(*) FROM outbox WHERE delivered_at IS NULL") == 0
	})
	said := l.told("ann")[before:]
	if len(said) != 2 {
		t.Errorf("ann was told %q", said)
	}
	card := l.awaitCard("ann", "Mews was restored from a backup")
	for _, want := range []string{"the unsent message", "the unanswered question", "I do not know what happened",
		"the month counts as spent"} {
		if !strings.Contains(card.Text, want) {
			t.Errorf("the message does not say %q:\n%s", want, card.Text)
		}
	}
	press := func(label string) {
		t.Helper()
		u := l.telegramUser("ann")
		for _, row := range card.Keyboard {
			for _, b := range row {
				if b.Text == label {
					if _, _, err := l.bot.PressButton(telegramtest.PrivateChat(u), u, card.ID, b.Data); err != nil {
						t.Fatal(err)
					}
					return
				}
			}
		}
		t.Fatalf("no button %q among %q", label, labels(card))
	}
	press("Send again")
	l.bot.WaitUntil(t, "the unsent message", func() bool {
		return slices.ContainsFunc(l.told("ann")[before:], func(text string) bool {
			return strings.HasPrefix(text, "the unsent message")
		})
	})
	l.Stop()
}
