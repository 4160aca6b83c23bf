package sqlite_test

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// The queue is compared with a model of texts, albums and follow-ups. Some texts are dropped, and
// some are moved to the front. Meanwhile turns begin, take texts, are stopped and end, and the
// database restarts. Each text is answered once, in the model's order. A dropped text is never
// answered.
func TestQueue_RandomSteps_MatchesModel(t *testing.T) {
	path, run := filepath.Join(t.TempDir(), "mews.db"), 0
	open := func() *sqlite.DB { return sqlitetest.OpenPath(t, path, sqlite.Options{}) }
	db := open()
	rapid.Check(t, func(rt *rapid.T) {
		run++
		c, err := db.Conversations().FindOrCreate(t.Context(), fmt.Sprint("user", run), supervisor.ChannelTelegram, "1",
			"")
		if err != nil {
			rt.Fatal(err)
		}
		m := &queueModel{T: rt, t: t, db: db, home: c}
		defer func() { db = m.db }()
		rt.Repeat(map[string]func(*rapid.T){
			"":       func(*rapid.T) { m.check() },
			"send":   func(*rapid.T) { m.send() },
			"now":    func(*rapid.T) { m.press(m.db.Inbox().MoveTextToFront, func(s *sentText) { s.priority = 1 }) },
			"drop":   func(*rapid.T) { m.press(m.db.Inbox().DropText, func(s *sentText) { s.state = "dropped" }) },
			"begin":  func(*rapid.T) { m.begin() },
			"steer":  func(*rapid.T) { m.take(supervisor.PriorityUsual) },
			"step":   func(*rapid.T) { m.take(supervisor.PriorityNow) },
			"finish": func(*rapid.T) { m.finish() },
			"crash": func(rt *rapid.T) {
				// The database is rarely reopened, since that is slow.
				if rapid.IntRange(0, 9).Draw(rt, "crash") > 0 {
					return
				}
				if err := m.db.Close(); err != nil {
					rt.Fatal(err)
				}
				m.db = open()
			},
		})
		for m.finish(); m.begin(); m.finish() {
		}
		m.check()
		m.answeredOnce()
	})
}

// sentText is a text in the model.
type sentText struct {
	id, priority    int64
	together, state string
}

type queueModel struct {
	*rapid.T
	t      *testing.T
	db     *sqlite.DB
	home   supervisor.Conversation
	sent   []sentText // all texts in the order of sending
	albums int
	turn   int64 // the running turn; 0 means none
}

func (m *queueModel) must(err error) {
	if err != nil {
		m.Fatal(err)
	}
}

// send sends a text, a follow-up, or an album of two.
func (m *queueModel) send() {
	one := sentText{state: "new", priority: rapid.SampledFrom([]int64{0, 0, -1}).Draw(m.T, "priority")}
	texts := []sentText{one}
	if rapid.IntRange(0, 3).Draw(m.T, "album") == 0 {
		m.albums++
		one.together = fmt.Sprint("album", m.albums)
		second := one
		second.priority = 0 // the album's first part has the caption
		texts = []sentText{one, second}
	}
	for _, s := range texts {
		in := supervisor.Inbound{Conversation: m.home, Key: fmt.Sprint("key-", len(m.sent)), Kind: supervisor.KindText, Text: fmt.Sprint(len(m.sent)),
			Group: s.together, Priority: supervisor.InboundPriority(s.priority)}
		got, err := m.db.Inbox().StoreBatch(m.t.Context(), supervisor.InboundBatch{Source: "test",
			Items: []supervisor.BatchItem{{Inbound: in}}})
		m.must(err)
		s.id, s.priority = got.Stored[0].ID, texts[0].priority
		if s.together != "" { // a text outside of an album has no files, and so arrives at once
			_, err := m.db.Inbox().CompleteArrivals(m.t.Context(), []sqlite.ArrivalResult{{Inbound: s.id,
				Origin: supervisor.OriginOwn}})
			m.must(err)
		}
		m.sent = append(m.sent, s)
	}
}

// press presses a button of a random earlier text, once or twice.
func (m *queueModel) press(do func(ctx context.Context, user string, inbound int64) (supervisor.Inbound, bool, error), changes func(*sentText)) {
	if len(m.sent) == 0 {
		return
	}
	which := rapid.SampledFrom(m.sent).Draw(m.T, "which")
	for range rapid.IntRange(1, 2).Draw(m.T, "times") {
		in, ok, err := do(m.t.Context(), m.home.User, which.id)
		m.must(err)
		if !ok || in.ID != which.id {
			m.Fatalf("a press below %d is about %d, %t", which.id, in.ID, ok)
		}
	}
	if which.state != "new" {
		return
	}
	for i, s := range m.sent {
		if s.id == which.id || s.together != "" && s.together == which.together {
			changes(&m.sent[i])
		}
	}
}

// waiting returns the waiting texts of at least a priority, in the order of answering.
func (m *queueModel) waiting(least int64) (list []sentText) {
	for _, s := range m.sent {
		if s.state == "new" && s.priority >= least {
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b sentText) int { return cmp.Compare(b.priority, a.priority) })
	return list
}

func (m *queueModel) set(id int64, state string) {
	i := slices.IndexFunc(m.sent, func(s sentText) bool { return s.id == id })
	m.sent[i].state = state
}

// begin starts the next turn, if no turn runs and a text waits.
func (m *queueModel) begin() bool {
	in, found, err := m.db.Inbox().NextInbound(m.t.Context(), m.home.ID)
	m.must(err)
	list := m.waiting(-1)
	if found != (len(list) > 0) || found && in.ID != list[0].id {
		m.Fatalf("next is %d (%t), want the first of %+v", in.ID, found, list)
	}
	if m.turn != 0 || !found {
		return false
	}
	turn, _, err := m.db.Turns().Start(m.t.Context(), in.ID, nil)
	m.must(err)
	m.turn = turn.ID
	for _, s := range list {
		if s.id == in.ID || s.together != "" && s.together == list[0].together {
			m.set(s.id, "running")
		}
	}
	return true
}

func (m *queueModel) take(least supervisor.InboundPriority) {
	if m.turn == 0 {
		return
	}
	n, err := m.db.Turns().AddWaitingTexts(m.t.Context(), m.turn, 1<<20, least)
	m.must(err)
	list := m.waiting(int64(least))
	if n != len(list) {
		m.Fatalf("%d were taken in, want %+v", n, list)
	}
	for _, s := range list {
		m.set(s.id, "running")
	}
}

func (m *queueModel) finish() {
	if m.turn == 0 {
		return
	}
	why := rapid.SampledFrom([]protocol.TurnEndReason{protocol.TurnEndDone, protocol.TurnEndStopped}).Draw(m.T, "why")
	_, err := m.db.Turns().Finish(m.t.Context(), sqlite.TurnEnding{Turn: m.turn, Why: why,
		State: supervisor.InboundAnswered, Text: "So."})
	m.must(err)
	m.turn = 0
	for _, s := range m.sent {
		if s.state == "running" {
			m.set(s.id, "answered")
		}
	}
}

// check compares all texts with their rows and with the queue.
func (m *queueModel) check() {
	q, err := m.db.Inbox().ReadQueue(m.t.Context(), m.home.ID)
	m.must(err)
	var got, want []int64
	for _, w := range q.Waiting {
		got = append(got, w.Inbound.ID)
	}
	last := ""
	for _, s := range m.waiting(-1) {
		if s.together == "" || s.together != last {
			want = append(want, s.id)
		}
		last = s.together
	}
	if !slices.Equal(got, want) || (q.Running.ID != 0) != (m.turn != 0) {
		m.Fatalf("%v are listed and %d runs, want %v and turn %d", got, q.Running.ID, want, m.turn)
	}
}

// answeredOnce checks that each text that was not dropped is in one turn. The transcript must have
// each text once, in the order of taking.
func (m *queueModel) answeredOnce() {
	list, err := m.db.Transcript().ListMessages(m.t.Context(), m.home.ID)
	m.must(err)
	times := map[string]int{}
	for _, msg := range list {
		if msg.Role == protocol.RoleUser {
			times[msg.Text()]++
		}
	}
	for i, s := range m.sent {
		if want := map[string]int{"answered": 1}[s.state]; times[fmt.Sprint(i)] != want || s.state == "new" || s.state == "running" {
			m.Fatalf("text %d, %s, is in the transcript %d times", i, s.state, times[fmt.Sprint(i)])
		}
	}
}
