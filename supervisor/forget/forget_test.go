package forget_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/forget"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// fakeHome is a Home whose worker may die before it answers.
type fakeHome struct {
	asked []protocol.TurnDataQuery
	err   error
	done  func() // called by each call that returns no error
}

func (h *fakeHome) CountOrDeleteTurnData(_ context.Context, _ string, of protocol.TurnDataQuery,
	_ bool) (n supervisor.ForgetCounts, err error) {
	if h.asked = append(h.asked, of); h.err == nil && h.done != nil {
		h.done()
	}
	return supervisor.ForgetCounts{Facts: 1}, h.err
}

func (h *fakeHome) RemoveMessages(context.Context, string, []int64) error { return nil }

// fakePeople are users, each with the number of days for which messages are kept. Find calls the
// function end when the last user, zoe, is looked up.
type fakePeople struct {
	days map[string]int
	end  func()
}

func (p fakePeople) Names() []string { return slices.Sorted(maps.Keys(p.days)) }

func (p fakePeople) Find(name string) (supervisor.User, bool) {
	if name == "zoe" {
		p.end()
	}
	return supervisor.User{Name: name, History: p.days[name]}, true
}

// The current configuration decides which messages expire. After an interruption, the next run
// continues. Some data must stay: messages that a model still sees, waiting and newer messages,
// messages of other users, and the home.
func TestExpire_OldMessages_AreDeleted(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	path, committed := filepath.Join(t.TempDir(), "mews.db"), func() {}
	db := sqlitetest.OpenPath(t, path, sqlite.Options{Now: func() time.Time { return now }, OnCommit: func() { committed() }})
	keys := 0
	put := func(user, chat, word string) {
		t.Helper()
		keys++
		in, _, err := db.Inbox().StoreInbound(t.Context(), supervisor.Inbound{Source: "terminal", Key: fmt.Sprint(keys),
			Kind: supervisor.KindText, Text: word,
			Conversation: supervisor.Conversation{User: user, Channel: supervisor.ChannelTerminal, Chat: chat}})
		if err == nil && chat != "waits" {
			_, _, err = db.Turns().Start(t.Context(), in.ID, nil)
			sqlitetest.ExecStatements(t, db, `UPDATE turn SET ended_at = started_at, why = 'done'; UPDATE inbox SET state = 'done' WHERE id = `+fmt.Sprint(in.ID))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var gone []string
	for i := range 10 {
		gone = append(gone, fmt.Sprintf("old%dsecret", i))
		put("alice", "", gone[i])
	}
	stay := []string{"shownsecret", "waitingsecret", "zoesecret", "newsecret"}
	put("alice", "", stay[0])
	sqlitetest.ExecStatements(t, db, `UPDATE conversation SET window_from = (SELECT max(id) FROM message)`)
	put("alice", "waits", stay[1])
	put("zoe", "", stay[2])
	sqlitetest.ExecStatements(t, db, `UPDATE conversation SET window_from = (SELECT max(id) + 1 FROM message) WHERE user = 'zoe'`)
	now = now.AddDate(0, 0, 366)
	put("alice", "", stay[3])
	var audit []string
	h := &fakeHome{}
	expire := func(days int, ctx context.Context, end func()) (left int) {
		_ = forget.New(forget.Options{Store: db.ForgetRequestStore(), Index: h, Home: h, Turns: db.ForgetRequestStore(),
			Facts: db.Memories(), People: fakePeople{map[string]int{"alice": days, "zoe": 0}, end},
			Now: func() time.Time { return now }, Remove: func(string) error { return nil }, Log: hclog.NewNullLogger(),
			// Run returns when ctx ends
			Audit: func(user, action, detail string) { audit = append(audit, user+" "+action+": "+detail) }}).Run(ctx)
		for _, file := range []string{path, path + "-wal"} {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, word := range gone {
				left += bytes.Count(content, []byte(word))
			}
		}
		return left
	}
	for _, days := range []int{0, 367} {
		ctx, cancel := context.WithCancel(t.Context())
		if left := expire(days, ctx, cancel); left == 0 {
			t.Fatalf("kept for %d days: it is gone", days)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	committed = cancel // ctx ends after the first batch
	expire(365, ctx, cancel)
	committed = func() {}
	rest := sqlitetest.QueryColumn(t, db, `SELECT count(*) FROM inbox WHERE text LIKE 'old%'`)
	if !cmp.Equal(rest, []string{"2"}) || len(audit) > 0 {
		t.Errorf("cut off, there are %v, %v", rest, audit)
	}
	for range 2 { // in the second round there is no data to delete
		ctx, cancel = context.WithCancel(t.Context())
		if left := expire(365, ctx, cancel); left != 0 {
			t.Errorf("%d words are left", left)
		}
	}
	left := sqlitetest.QueryColumn(t, db, `SELECT i.text || coalesce((SELECT ' ' || (m.parts LIKE '%' || i.text || '%') FROM message m JOIN turn t ON t.id = m.turn WHERE t.inbound = i.id), '')
		FROM inbox i WHERE text <> '' ORDER BY id`)
	if want := []string{stay[0] + " 1", stay[1], stay[2] + " 1", stay[3] + " 1"}; !cmp.Equal(left, want) {
		t.Errorf("there are %v", left)
	}
	if want := []string{"alice expired: 2 messages, 0 answers, 0 results; 1 wait"}; !cmp.Equal(audit, want) {
		t.Errorf("the audit log has %q", audit)
	}
	if len(h.asked) > 0 || !cmp.Equal(sqlitetest.QueryColumn(t, db, `SELECT count(*) FROM forgotten_turn`),
		[]string{"0"}) {
		t.Errorf("the home is seen to: %+v", h.asked)
	}
}

// Mews deletes a turn's rows before the worker clears the home. If Mews crashes in between, its
// next start must clear the home.
func TestForget_Crash_NextStartClearsHome(t *testing.T) {
	db, h := sqlitetest.Open(t), &fakeHome{err: errors.New("the worker has ended")}
	in, _, err := db.Inbox().StoreInbound(t.Context(), supervisor.Inbound{Source: "terminal", Key: "1",
		Kind: supervisor.KindText, Text: "I take oolong",
		Conversation: supervisor.Conversation{User: "alice", Channel: supervisor.ChannelTerminal}})
	if err != nil {
		t.Fatal(err)
	}
	turn, _, err := db.Turns().Start(t.Context(), in.ID, nil)
	if err != nil {
		t.Fatal(err)
	}
	sqlitetest.ExecStatements(t, db, `UPDATE turn SET ended_at = started_at, why = 'done'`)
	sqlitetest.ExecStatements(t, db, `UPDATE inbox SET state = 'done'`)
	options := forget.Options{Store: db.ForgetRequestStore(), Index: h, Home: h, Turns: db.ForgetRequestStore(),
		Facts: db.Memories(), People: fakePeople{}, Remove: func(string) error { return nil }, Audit: func(string,
			string, string) {
		},
		Log: hclog.NewNullLogger()}
	wish := supervisor.ForgetRequest{User: "alice", Inbound: in.ID + 1, Since: time.Unix(0, 0),
		Until: time.Now().Add(time.Minute)}
	if counts, err := forget.New(options).Count(t.Context(), wish); err == nil || counts.Messages != 1 {
		t.Fatalf("got %+v, %v", counts, err)
	}
	if _, err := forget.New(options).Forget(t.Context(), wish); err == nil {
		t.Fatal("no error")
	}
	if left := sqlitetest.QueryColumn(t, db, `SELECT count(*) FROM message UNION ALL SELECT count(*) FROM forgotten_turn`); !cmp.Equal(left, []string{"0", "1"}) {
		t.Errorf("there are %v", left)
	}
	h.err = nil
	ctx, cancel := context.WithCancel(t.Context())
	h.done = cancel
	_ = forget.New(options).Run(ctx) // Run returns when ctx ends
	if len(h.asked) != 3 || !cmp.Equal(h.asked[1], h.asked[2]) || !cmp.Equal(h.asked[2].Turns, []int64{turn.ID}) || len(h.asked[2].Messages) != 1 {
		t.Errorf("asked %+v", h.asked)
	}
	h.done = nil
	if _, err := forget.New(options).Forget(t.Context(), wish); err != nil {
		t.Fatal(err)
	}
	if left := sqlitetest.QueryColumn(t, db, `SELECT count(*) FROM forgotten_turn UNION ALL SELECT count(*) FROM forgetting WHERE ended_at IS NULL`); !cmp.Equal(left, []string{"0", "0"}) {
		t.Errorf("there are %v", left)
	}
}
