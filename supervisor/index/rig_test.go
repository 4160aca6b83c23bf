package index

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// rig is an index over a real transcript.
type rig struct {
	testing.TB
	db     *sqlite.DB
	index  *Index
	people []string
	last   int64 // id of the last stored message
	stop   func()
}

func newRig(t testing.TB, people ...string) *rig {
	t.Helper()
	r := &rig{TB: t, people: people, stop: func() {}}
	r.db = sqlitetest.OpenPath(t, filepath.Join(t.TempDir(), "mews.db"), sqlite.Options{})
	for i, name := range people { // the first conversation of each user has the user's number
		r.change("INSERT INTO conversation (id, user, channel, chat, thread, created_at) VALUES (%d, '%s', 'telegram', '%d', '', 0)", i+1, name, i+1)
	}
	r.index = New(Options{Now: func() time.Time { return time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC) }, Path: filepath.Join(t.TempDir(), "index.db"), Transcript: r.db.Transcript(), People: func() []string { return r.people }})
	t.Cleanup(func() { r.stop() })
	return r
}

func (r *rig) change(format string, args ...any) {
	r.Helper()
	sqlitetest.ExecStatements(r, r.db, fmt.Sprintf(format, args...))
}

// run runs the index until stop.
func (r *rig) run() *rig {
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	ran := make(chan error, 1)
	go func() { ran <- r.index.Run(ctx) }()
	r.stop = func() {
		cancel()
		if err := <-ran; err != nil {
			r.Error(err)
		}
		r.stop = func() {}
	}
	return r
}

// putMessage stores a message in a user's conversation, in a turn of its own, and tells the index.
func (r *rig) putMessage(user string, role protocol.Role, text string) (message int64) {
	r.Helper()
	r.keep(user, role, text)
	r.index.NotifyMessage(user, r.conversation(user))
	return r.last
}

func (r *rig) keep(user string, role protocol.Role, text string) {
	r.Helper()
	r.change("%s", r.statement(user, role, text, time.Unix(r.last+1, 0)))
}

// statement returns SQL that stores a message in a turn of its own.
func (r *rig) statement(user string, role protocol.Role, text string, at time.Time) string {
	r.Helper()
	r.last++
	parts, err := json.Marshal([]protocol.ContentPart{{Text: text}})
	if err != nil {
		r.Fatal(err)
	}
	return fmt.Sprintf(`INSERT INTO inbox (id, user, conversation, source, key, kind, text, state, received_at, changed_at)
			VALUES (%[1]d, '%[2]s', %[3]d, 'test', '%[1]d', 'text', '', 'done', 0, 0);
		INSERT INTO turn (id, user, conversation, kind, inbound, why, started_at, ended_at) VALUES (%[1]d, '%[2]s', %[3]d, 'chat', %[1]d, 'done', 0, 0);
		INSERT INTO message (id, user, conversation, turn, role, parts, created_at) VALUES (%[1]d, '%[2]s', %[3]d, %[1]d, '%[4]s', '%[5]s', %[6]d);`,
		r.last, user, r.conversation(user), role, strings.ReplaceAll(string(parts), "'", "''"), at.UnixMilli())
}

func (r *rig) conversation(user string) int64 {
	for i, name := range r.people {
		if name == user {
			return int64(i + 1)
		}
	}
	return 0
}

// searchTexts returns the texts of a search after everything was read.
func (r *rig) searchTexts(user, words string) (texts []string) {
	r.Helper()
	for _, h := range r.search(Query{User: user, Text: words}) {
		texts = append(texts, h.Text)
	}
	return texts
}

func (r *rig) search(q Query) []Hit {
	r.Helper()
	r.waitUntilRead()
	result, err := r.index.Search(r.Context(), q)
	if err != nil {
		r.Fatal(err)
	}
	return result.Hits
}

// waitUntilRead waits until all messages were read.
func (r *rig) waitUntilRead() {
	r.Helper()
	r.await("the index to have read all", func() bool {
		for _, name := range r.people {
			if !r.ready() || r.unread(name) > 0 {
				return false
			}
		}
		return true
	})
}

func (r *rig) ready() bool {
	db, _ := r.index.searchable("")
	return db != nil
}

func (r *rig) unread(user string) int64 {
	after, err := engineValue(r.index, findCursor, user, r.conversation(user))
	if err != nil {
		return 1
	}
	n, err := r.db.Transcript().CountDialogMessages(r.Context(), user, r.conversation(user), after)
	if err != nil {
		r.Fatal(err)
	}
	return n
}

// await waits for a condition, as long as the test may run.
func (r *rig) await(what string, there func() bool) {
	r.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !there() {
		select {
		case <-tick.C:
		case <-r.Context().Done():
			r.Fatalf("waited in vain for %s", what)
		}
	}
}
