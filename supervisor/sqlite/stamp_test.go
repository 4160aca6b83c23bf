package sqlite_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

const attachmentOf = `INSERT INTO attachment (inbound, position, user, file, kind, name, media_type, size, seconds)
	VALUES (%[1]d, 0, 'alice', 'f', '%[2]s', '', '', 0, 0)`

// A message's stamp has its time, in the zone that the user had then, its channel and its kind.
func TestStamp_Message_HasTimeAndZone(t *testing.T) {
	madrid, err := time.LoadLocation("Europe/Madrid")
	if err != nil {
		t.Fatal(err)
	}
	db := sqlitetest.OpenPath(t, filepath.Join(t.TempDir(), "mews.db"), sqlite.Options{Zone: func(user, chosen string) *time.Location {
		if chosen != "" {
			return time.FixedZone(chosen, -3*60*60)
		}
		return madrid
	}})
	sent := time.Date(2026, 11, 20, 12, 19, 0, 0, time.UTC)
	for i, c := range []struct {
		name   string
		in     supervisor.Inbound
		change string // SQL that changes the inbound before its turn starts
		want   string
	}{
		{"written", supervisor.Inbound{}, "", "[Fri 20 Nov 2026 13:19, Telegram, written]"},
		{"voice", supervisor.Inbound{}, fmt.Sprintf(attachmentOf, 2, "voice"), "[Fri 20 Nov 2026 13:19, Telegram, voice]"},
		{"forwarded photo", supervisor.Inbound{Group: supervisor.InboundGroupForwarded}, fmt.Sprintf(attachmentOf, 3,
			"photo"),
			"[Fri 20 Nov 2026 13:19, Telegram, file, forwarded]"},
		{"edited", supervisor.Inbound{}, "UPDATE inbox SET edited_at = 1 WHERE id = 4", "[Fri 20 Nov 2026 13:19, Telegram, written, edited]"},
		{"button", supervisor.Inbound{Source: "question"}, "", "[Fri 20 Nov 2026 13:19, Telegram, a button]"},
		{"job", supervisor.Inbound{Kind: supervisor.KindJob}, "", "[Fri 20 Nov 2026 13:19, Telegram, a job]"},
		{"group", supervisor.Inbound{Conversation: supervisor.Conversation{Chat: "-5"}}, "", "[Fri 20 Nov 2026 13:19, Telegram group, written]"},
		{"review", supervisor.Inbound{Kind: supervisor.KindReview}, "", ""},
		{"elsewhere by now", supervisor.Inbound{}, "INSERT INTO setting (user, name, value) VALUES ('alice', 'timezone', 'West')",
			"[Fri 20 Nov 2026 09:19, Telegram, written]"},
	} {
		in := c.in
		in.Conversation.User, in.Conversation.Channel, in.Key, in.Text, in.ReceivedAt = "alice", "telegram", fmt.Sprint(i), "hello", sent
		in.Conversation.Thread = in.Key // each inbound has its own thread, so that no other turn runs there
		if in.Kind == "" {
			in.Kind = supervisor.KindText
		}
		if in.Source == "" {
			in.Source = "bot"
		}
		kept, _, err := db.Inbox().StoreInbound(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if c.change != "" {
			sqlitetest.ExecStatements(t, db, c.change)
		}
		if _, _, err := db.Turns().Start(t.Context(), kept.ID, nil); err != nil {
			t.Fatal(err)
		}
		messages, err := db.Transcript().ListMessages(t.Context(), kept.Conversation.ID)
		if err != nil || messages[0].Stamp != c.want || messages[0].Text() != "hello" {
			t.Errorf("%s: %+v, %v; want %s", c.name, messages, err, c.want)
		}
	}
	first, err := db.Transcript().ListMessages(t.Context(), 1)
	if err != nil || first[0].Stamp != "[Fri 20 Nov 2026 13:19, Telegram, written]" {
		t.Errorf("the first: %+v, %v", first, err)
	}
	// The user edits the message a minute later.
	told := "UPDATE inbox SET text = 'hallo', told = 'hello', edited_at = 1795177200000 WHERE id = 1"
	sqlitetest.ExecStatements(t, db, told)
	if n, err := db.Turns().AppendEdits(t.Context(), 1, 1000); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if first, err = db.Transcript().ListMessages(t.Context(), 1); err != nil ||
		first[1].Stamp != "[Fri 20 Nov 2026 09:20, Telegram, written, edited]" {
		t.Errorf("corrected: %+v, %v", first, err)
	}
}
