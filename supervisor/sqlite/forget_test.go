package sqlite_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// exchangeState is a message of the user with everything that followed from it.
type exchangeState struct {
	words   []string
	at      []time.Time // times that put the exchange into a span
	turn    supervisor.Turn
	inbound supervisor.Inbound
	ends    supervisor.Delivery
	done    bool
	edited  bool // the message was edited, and its row has only the time of the last edit
}

// forgetting is a conversation. The test forgets a part of it.
type forgetting struct {
	*editStory
	rt        *rapid.T
	user      string
	chat      supervisor.Conversation
	exchanges []*exchangeState
	n         *int // number of words and updates so far
}

var forgetSteps = map[string]func(*forgetting){
	"ask":     func(m *forgetting) { m.ask(nil) },
	"answer":  func(m *forgetting) { m.open(m.answer) },
	"work":    func(m *forgetting) { m.open(m.work) },
	"deliver": func(m *forgetting) { m.open(m.deliver) },
	"all":     func(m *forgetting) { m.answerAll() },
	"quote": func(m *forgetting) {
		if len(m.exchanges) > 0 {
			m.ask(rapid.SampledFrom(m.exchanges).Draw(m.rt, "quoted"))
		}
	},
	"edit": func(m *forgetting) {
		if len(m.exchanges) == 0 {
			return
		}
		e := rapid.SampledFrom(m.exchanges).Draw(m.rt, "edited")
		if e.edited {
			return
		}
		e.edited = true
		*m.n++
		item := textItem(m.user, int64(*m.n), m.word(e))
		item.Inbound.Message, item.EditedAt, item.Inbound.Conversation = e.inbound.Message, m.now, m.chat
		m.receive(item)
		e.at = append(e.at, m.now)
	},
}

// word returns a new unique word for an exchange.
func (m *forgetting) word(e *exchangeState) string {
	*m.n++
	e.words = append(e.words, fmt.Sprintf("w%dsecret", *m.n))
	return e.words[len(e.words)-1]
}

func (m *forgetting) open(do func(*exchangeState)) {
	for _, e := range m.exchanges {
		if !e.done {
			do(e)
			return
		}
	}
}

// ask sends a text, which may quote another exchange.
func (m *forgetting) ask(quoted *exchangeState) {
	e := &exchangeState{at: []time.Time{m.now}}
	*m.n++
	item := textItem(m.user, int64(*m.n), m.word(e))
	item.Inbound.Conversation = m.chat
	if quoted != nil {
		item.RepliesTo, item.Inbound.Quote = quoted.inbound.Message, "[to: "+quoted.words[0]+"]"
	}
	e.inbound = m.receive(item).Stored[0]
	m.exchanges = append(m.exchanges, e)
}

func (m *forgetting) begin(e *exchangeState) {
	if e.turn.ID == 0 {
		e.turn = m.editStory.begin(e.inbound)
		e.at = append(e.at, m.now)
	}
}

// work adds a tool call that changes a file, and a message, to the turn.
func (m *forgetting) work(e *exchangeState) {
	if e.ends.ID != 0 {
		return
	}
	m.begin(e)
	*m.n++
	call := fmt.Sprint("call", *m.n)
	s := step(e.turn, m.word(e), call)
	s.Message.Parts[len(s.Message.Parts)-1].Call.Arguments = json.RawMessage(`{"path":"` + m.word(e) + `"}`)
	_, err := m.db.Turns().CommitStep(m.Context(), s)
	m.must(err)
	r := result(call, m.word(e))
	path := m.word(e)
	sha := fmt.Sprintf("%064d", *m.n)
	m.must(m.db.Blobs().PutFileBackup(m.Context(), m.user, protocol.BlobRef{SHA256: sha, Size: 1}, e.turn.ID))
	r.Changes = []protocol.Change{{Kind: "edit", Target: path, Undo: &protocol.Undo{Path: path, Before: protocol.FileState(sha), After: two, Size: 1, Mode: 0o600}}}
	_, err = m.db.Turns().CommitResult(m.Context(), e.turn.ID, r)
	m.must(err)
	e.at = append(e.at, m.now)
}

func (m *forgetting) answer(e *exchangeState) {
	if e.ends.ID != 0 {
		return
	}
	m.begin(e)
	said := m.word(e)
	_, err := m.db.Turns().CommitStep(m.Context(), step(e.turn, said))
	m.must(err)
	e.ends = m.finish(e.turn, said)
	e.at = append(e.at, m.now)
}

func (m *forgetting) deliver(e *exchangeState) {
	if e.ends.ID == 0 {
		return
	}
	posts, err := m.db.Posts().CreatePosts(m.Context(), e.ends.ID, []supervisor.RichText{{Text: m.word(e)}})
	m.must(err)
	p, err := m.db.Posts().MarkSending(m.Context(), m.chat.ID, posts[0])
	m.must(err)
	p.State, p.Message = supervisor.PostSent, fmt.Sprint("p", p.ID)
	m.must(m.db.Outbox().StoreOutcome(m.Context(), supervisor.DeliveryOutcome{Delivery: e.ends.ID,
		Outcome: supervisor.OutcomeSent, Post: p}))
	e.done = true
}

// answerAll answers all waiting messages and delivers all answers.
func (m *forgetting) answerAll() {
	for _, e := range m.exchanges {
		if !e.done {
			m.answer(e)
			m.deliver(e)
		}
	}
	list, err := m.db.Outbox().ListPending(m.Context(), m.chat.ID, 0, 1000) // list has only notices about edits
	m.must(err)
	for _, d := range list {
		m.close(d, supervisor.OutcomeSent, "")
	}
}

// rows returns every row of the database as text.
func (m *forgetting) rows() (rows []string) {
	for _, table := range sqlitetest.QueryColumn(m, m.db,
		`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT IN ('received', 'conversation')`) {
		columns := sqlitetest.QueryColumn(m, m.db,
			`SELECT group_concat('quote(' || name || ')', '||'' ''||') FROM pragma_table_info(?)`, table)[0]
		for _, row := range sqlitetest.QueryColumn(m, m.db, `SELECT `+columns+` FROM `+table) {
			rows = append(rows, table+": "+row)
		}
	}
	return rows
}

// hasAny returns those of the words that a text contains.
func hasAny(text []byte, words []string) (found []string) {
	for _, w := range words {
		if bytes.Contains(text, []byte(w)) {
			found = append(found, w)
		}
	}
	return found
}

// Messages are sent, edited, quoted, answered or left waiting. Forgetting is interrupted anywhere.
// In the end the database's files have no data of the span. All other data is unchanged.
func TestForgetSpan_DeletesOnlyThatSpan(t *testing.T) {
	commits, stopAt := atomic.Int64{}, atomic.Int64{}
	var stop atomic.Pointer[context.CancelFunc]
	s := &editStory{batchStory{newStory(t)}}
	s.path += "2"
	s.db = sqlitetest.OpenPath(t, s.path, sqlite.Options{Now: func() time.Time { return s.now }, OnCommit: func() {
		if cancel := stop.Load(); cancel != nil && commits.Add(1) == stopAt.Load() {
			(*cancel)()
		}
	}})
	n, runs := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		m := &forgetting{editStory: s, rt: rt, user: fmt.Sprint("user", runs), n: &n}
		m.chat = s.story.chat(m.user, fmt.Sprint(runs))
		began := m.now.Add(-time.Second)
		for range rapid.IntRange(2, 12).Draw(rt, "steps") {
			forgetSteps[rapid.SampledFrom(slices.Sorted(maps.Keys(forgetSteps))).Draw(rt, "step")](m)
			m.now = m.now.Add(time.Minute)
		}
		last := m.now
		since := began.Add(time.Duration(rapid.IntRange(0, 12).Draw(rt, "since")) * time.Minute)
		until := since.Add(time.Duration(rapid.IntRange(1, 20).Draw(rt, "for")) * time.Minute)
		if until.After(last) {
			until = last
		}
		wish := supervisor.ForgetRequest{User: m.user, Inbound: int64(runs), Since: since, Until: until}
		if rapid.Bool().Draw(rt, "conversation") {
			wish.Conversation = m.chat.ID
		}
		wish, err := s.db.ForgetRequestStore().Put(t.Context(), wish)
		m.must(err)
		if rapid.Bool().Draw(rt, "waits") { // some messages of the span may still wait
			_, err = s.db.ForgetRequestStore().ForgetNextPart(t.Context(), wish)
			m.must(err)
		}
		m.answerAll()
		var gone, kept []string
		for _, e := range m.exchanges {
			in := slices.ContainsFunc(e.at, func(at time.Time) bool { return !at.Before(since) && at.Before(until) })
			if in {
				gone = append(gone, e.words...)
			} else {
				kept = append(kept, e.words...)
			}
		}
		var want []string
		for _, row := range m.rows() {
			if len(hasAny([]byte(row), kept)) > 0 && len(hasAny([]byte(row), gone)) == 0 {
				want = append(want, row)
			}
		}
		// Forgetting is interrupted after one of its commits, and continues.
		cuts := []int64{int64(rapid.IntRange(1, 10).Draw(rt, "cut")), 0}
		for _, cut := range cuts {
			ctx, cancel := context.WithCancel(t.Context())
			commits.Store(0)
			stopAt.Store(cut)
			stop.Store(&cancel)
			open, err := s.db.ForgetRequestStore().ListUnfinished(ctx)
			m.must(err)
			mine := slices.IndexFunc(open, func(f supervisor.ForgetRequest) bool { return f.ID == wish.ID })
			if mine < 0 {
				cancel()
				break // the interruption came after the last commit
			}
			p, err := s.db.ForgetRequestStore().ForgetNextPart(ctx, open[mine])
			if err == nil {
				err = s.db.ForgetRequestStore().RemoveForgottenBlobs(ctx, m.user, func(string) error { return nil })
			}
			if err == nil {
				err = s.db.ForgetRequestStore().PutProgress(ctx, p.ForgetRequest)
			}
			if err != nil && cut == 0 || err == nil && p.Counts.Waiting > 0 {
				rt.Fatalf("%+v waits: %v", p.Counts, err)
			}
			cancel()
		}
		stop.Store(nil)
		rows := m.rows()
		for _, row := range want {
			if !slices.Contains(rows, row) {
				rt.Errorf("is gone: %s", row)
			}
		}
		for _, file := range []string{s.path, s.path + "-wal"} {
			content, err := os.ReadFile(file)
			if err != nil && !os.IsNotExist(err) {
				rt.Fatal(err)
			}
			if found := hasAny(content, gone); len(found) > 0 {
				var where []string
				for _, row := range rows {
					if len(hasAny([]byte(row), found)) > 0 {
						where = append(where, row)
					}
				}
				rt.Errorf("%s still has %v\n%s", file, found, strings.Join(where, "\n"))
			}
		}
	})
}
