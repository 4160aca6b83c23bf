package main_test

import (
	"database/sql"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/telegram/telegramtest"
)

// fastRate is a pace that no benchmark meets: how long a turn takes is measured then, and not how long
// it has to wait.
const fastRate = "rate: {chat: 30, all: 1000}"

// endpoint is a model that notes when it was called and when it had said all.
type endpoint struct {
	model *modeltest.Server
	calls chan modelCall
	takes atomic.Int64 // nanoseconds until it answers
}

type modelCall struct{ called, ended time.Time }

func newEndpoint(b *testing.B) (e *endpoint, url string) {
	e = &endpoint{calls: make(chan modelCall, 64)}
	e.model = modeltest.New(func(r modeltest.Request) modeltest.Answer {
		if d := time.Duration(e.takes.Load()); d > 0 {
			<-time.After(d)
		}
		return modeltest.Instant(r)
	})
	listener := httptest.NewServer(e)
	b.Cleanup(listener.Close)
	return e, listener.URL + "/v1"
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v := modelCall{called: time.Now()}
	e.model.ServeHTTP(w, r)
	v.ended = time.Now()
	if r.Method == http.MethodPost { // what models there are is asked with GET
		e.calls <- v
	}
}

// telegramService is a service whose people talk on Telegram.
type telegramService struct {
	*apptest.Service
	b       *testing.B
	model   *endpoint
	server  *telegramtest.Server
	people  []telegramtest.User
	polls   chan telegramtest.Call // holds the first since it was emptied
	answers chan telegramtest.Call // those that show a whole answer
}

// newTelegramService lays out a service; people are so many, and more is added to the
// configuration's telegram.
func newTelegramService(b *testing.B, people int, more string) *telegramService {
	return newTelegramServiceOf(b, people, more, "")
}

// newTelegramServiceOf is newTelegramService with a Bot API server that puts files into a folder;
// "": it serves them.
func newTelegramServiceOf(b *testing.B, people int, more, files string) *telegramService {
	m := &telegramService{b: b, polls: make(chan telegramtest.Call, 1), answers: make(chan telegramtest.Call, 64)}
	var url string
	m.model, url = newEndpoint(b)
	var names []string
	for i := range people {
		names = append(names, fmt.Sprint("p", i))
		m.people = append(m.people, telegramtest.User{ID: apptest.FirstID + int64(i), First: names[i]})
	}
	m.Service = apptest.NewService(b, url, names...)
	m.server = telegramtest.New(b, telegramtest.Options{Token: testToken, Strict: true, Seen: m.recordCall, Files: files})
	m.Configure(apptest.OnTelegram(m.server, more))
	return m
}

// Start starts the service as its unit would.
func (m *telegramService) Start() { asUnit(m.b, m.Service.Start) }

// recordCall sorts what the Bot API is asked.
func (m *telegramService) recordCall(c telegramtest.Call) {
	switch {
	case c.Method == "getUpdates":
		select {
		case m.polls <- c:
		default:
		}
	case c.Params["text"] == "ok":
		m.answers <- c
	}
}

// say has somebody write while the service polls, and returns when that was.
func (m *telegramService) say(who int) time.Time {
	m.b.Helper()
	m.server.Await(m.b, "a poll that waits", m.server.Polling)
	u := m.people[who%len(m.people)]
	said := time.Now()
	m.server.Say(telegramtest.Private(u), u, "hi")
	return said
}

// awaitAnswer is when the next answer came to the Bot API.
func (m *telegramService) awaitAnswer() time.Time {
	return receive(m.b, m.answers, m.Service, "an answer").At
}

// receive waits for what comes within a minute.
func receive[T any](b *testing.B, c <-chan T, h *apptest.Service, what string) T {
	b.Helper()
	select {
	case got := <-c:
		return got
	case <-time.After(time.Minute):
		b.Fatalf("waited a minute for %s\n%s", what, h.Log())
		panic("not reached")
	}
}

// timeTurn is a whole turn: how long it took to the model, and from the model's end to the Bot API.
func (m *telegramService) timeTurn(who int) (before, after time.Duration) {
	m.b.Helper()
	said := m.say(who)
	answered := m.awaitAnswer()
	v := receive(m.b, m.model.calls, m.Service, "the model's end")
	return v.called.Sub(said), answered.Sub(v.ended)
}

// warm has each of the first people talk once, so that they have their worker.
func (m *telegramService) warm(people int) {
	m.b.Helper()
	for i := range people {
		m.timeTurn(i)
		m.pause()
	}
}

// pause leaves the service the time to do what follows an answer. It is not measured.
func (m *telegramService) pause() { <-time.After(20 * time.Millisecond) }

// samples are what was measured. What is reported of them is the median: a machine that others use
// too has outliers.
type samples []time.Duration

func (s samples) median() time.Duration {
	if len(s) == 0 {
		return 0
	}
	slices.Sort(s)
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// percentile is what so many of a hundred are below.
func (s samples) percentile(of int) time.Duration {
	if len(s) == 0 {
		return 0
	}
	slices.Sort(s)
	return s[min(len(s)*of/100, len(s)-1)]
}

func (s samples) report(b *testing.B, unit time.Duration, name string) {
	b.ReportMetric(float64(s.median())/float64(unit), name)
}

// disk tells what a commit cannot be faster than, where the service keeps its database.
type disk struct {
	b    *testing.B
	file *os.File
	took samples
}

func (m *telegramService) disk() *disk {
	f, err := os.Create(filepath.Join(m.Dir, "raw"))
	if err != nil {
		m.b.Fatal(err)
	}
	m.b.Cleanup(func() { f.Close() })
	return &disk{b: m.b, file: f}
}

// commit appends a page and waits until that is on disk.
func (d *disk) commit() {
	began := time.Now()
	if _, err := d.file.Write(make([]byte, 4096)); err != nil {
		d.b.Fatal(err)
	}
	if err := d.file.Sync(); err != nil {
		d.b.Fatal(err)
	}
	d.took = append(d.took, time.Since(began))
}

// BenchmarkTelegramTurn is a whole turn on Telegram with a warm worker and a model that answers at
// once: from the update to the model's call there are two commits, from the model's end to the
// answer's call one, and one after that.
func BenchmarkTelegramTurn(b *testing.B) {
	m := newTelegramService(b, 8, fastRate)
	m.Start()
	m.warm(8)
	disk := m.disk()
	var before, after samples
	cost := measureCost(b, m.Service)
	for b.Loop() {
		x, y := m.timeTurn(len(before))
		b.StopTimer()
		before, after = append(before, x), append(after, y)
		m.pause()
		disk.commit()
		b.StartTimer()
	}
	cost.report(b, m.Service, len(before))
	before.report(b, time.Microsecond, "µs-to-model")
	after.report(b, time.Microsecond, "µs-from-model")
	disk.took.report(b, time.Microsecond, "µs-fsync")
}

// BenchmarkTelegramEightAtOnce is how long the last of eight people waits for an answer of a model
// that takes a second, at the pace that Telegram allows.
func BenchmarkTelegramEightAtOnce(b *testing.B) {
	m := newTelegramService(b, 8, "")
	m.Start()
	m.warm(8)
	disk := m.disk()
	m.model.takes.Store(int64(time.Second))
	var last samples
	for b.Loop() {
		said := m.say(0)
		for i := range m.people[1:] {
			u := m.people[i+1]
			m.server.Say(telegramtest.Private(u), u, "hi")
		}
		var latest time.Time
		for range m.people {
			latest = m.awaitAnswer()
			receive(b, m.model.calls, m.Service, "the model's end")
		}
		last = append(last, latest.Sub(said))
		b.StopTimer()
		<-time.After(time.Second) // a chat takes three messages in three seconds
		disk.commit()
		b.StartTimer()
	}
	last.report(b, time.Millisecond, "ms-last-answer")
	disk.took.report(b, time.Microsecond, "µs-fsync")
}

// BenchmarkTelegramStart is from the supervisor's start until its first poll comes to the Bot API:
// with a new state folder, and with one that is there.
func BenchmarkTelegramStart(b *testing.B) {
	var fresh, again samples
	for b.Loop() {
		m := newTelegramService(b, 1, "")
		fresh = append(fresh, m.timeStart())
		m.Stop()
		for range 10 {
			again = append(again, m.timeStart())
			m.Stop()
		}
	}
	fresh.report(b, time.Millisecond, "ms-new-to-poll")
	again.report(b, time.Millisecond, "ms-to-poll")
	b.ReportMetric(0, "ns/op")
}

// timeStart starts the service and returns how long that took to its first poll.
func (m *telegramService) timeStart() time.Duration {
	select {
	case <-m.polls: // of an earlier life
	default:
	}
	began := time.Now()
	m.Start()
	return receive(m.b, m.polls, m.Service, "a poll").At.Sub(began)
}

// BenchmarkTelegramMemory is the private memory of the supervisor and the spawner while they poll
// and nobody has spoken, with budgets and approvals at the gate; that of a worker once its person
// has spoken; and how much more the supervisor takes after 1,100 turns of one conversation than
// after a hundred. What is resident stands beside it.
func BenchmarkTelegramMemory(b *testing.B) {
	for b.Loop() {
		m := newTelegramService(b, 2, fastRate)
		m.Configure(gateConfig)
		m.Start()
		supervisor, spawner := idle(b, m.Service, m.server)
		b.ReportMetric(privateMemory(b, supervisor), "KB-supervisor-idle")
		b.ReportMetric(privateMemory(b, spawner), "KB-spawner")
		b.ReportMetric(privateMemory(b, supervisor)+privateMemory(b, spawner), "KB-idle")
		b.ReportMetric(residentMemory(b, supervisor)+residentMemory(b, spawner), "KB-idle-resident")
		m.warm(2)
		settle()
		b.ReportMetric(privateMemory(b, workerOf(m.Service, "p0")), "KB-worker")
		for range 100 {
			m.timeTurn(0)
		}
		at100, resident100 := privateMemory(b, supervisor), residentMemory(b, supervisor)
		for range 1000 {
			m.timeTurn(0)
		}
		b.ReportMetric(privateMemory(b, supervisor)-at100, "KB-growth-1000-turns")
		b.ReportMetric(residentMemory(b, supervisor)-resident100, "KB-growth-resident")
		m.Stop()
	}
	b.ReportMetric(0, "ns/op")
}

// gateConfig are the lines of a configuration with which the gate has something to do.
const gateConfig = "budget: {users: {day: 100}}\napprovals: {all: {send_file: ask, settings: step_up}}\n"

// BenchmarkTelegramHistory is how much slower the way to the model is where there is more that a
// turn does not need: a long past, against a short one and against one that just fills the model's
// window; and many people.
func BenchmarkTelegramHistory(b *testing.B) {
	for _, c := range []struct {
		name       string
		less, more crowd
	}{
		{"messages", crowd{10, 10}, crowd{10, 10000}},
		{"window", crowd{10, windowful}, crowd{10, 10000}},
		{"people", crowd{10, 0}, crowd{1000, 0}},
	} {
		b.Run(c.name, func(b *testing.B) { compareServices(b, c.less, c.more) })
	}
}

// crowd is how many people a service knows, and how many messages the first of them has exchanged
// with it.
type crowd struct{ people, messages int }

// compare has two services take turns, so that what else the machine does is to the disadvantage of
// both.
func compareServices(b *testing.B, less, more crowd) {
	mails := []*telegramService{less.telegramService(b), more.telegramService(b)}
	before := make([]samples, len(mails))
	for b.Loop() {
		for i, m := range mails {
			took, _ := m.timeTurn(0)
			b.StopTimer()
			before[i] = append(before[i], took)
			m.pause()
			b.StartTimer()
		}
	}
	before[0].report(b, time.Microsecond, "µs-less")
	before[1].report(b, time.Microsecond, "µs-more")
	b.ReportMetric(float64(before[1].median())/float64(before[0].median()), "times")
}

// telegramService is a service with that crowd, and with a warm worker of the first.
func (c crowd) telegramService(b *testing.B) *telegramService {
	m := newTelegramService(b, c.people, fastRate)
	m.fillHistory(c.messages)
	m.Start()
	m.warm(1)
	return m
}

// rememberedBytes is the length of each message that remember puts into a history, and windowful
// how many of them are about what the window holds after it was last cut: half of 32,000 tokens of
// four bytes, and 16 bytes for each message.
const (
	rememberedBytes = 400
	windowful       = 16000 * 4 / (rememberedBytes + 16)
)

// fillHistory gives the first person's conversation a past of so many messages. The service must not
// run.
func (m *telegramService) fillHistory(messages int) {
	m.b.Helper()
	if messages == 0 {
		return
	}
	m.Start() // which makes the database
	m.Stop()
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(m.Dir, "state", "private", "mews.db"))
	if err != nil {
		m.b.Fatal(err)
	}
	defer db.Close()
	tx, err := db.BeginTx(m.b.Context(), nil)
	if err != nil {
		m.b.Fatal(err)
	}
	text := strings.Repeat("a word of it ", rememberedBytes)[:rememberedBytes]
	for _, statement := range insertPast {
		if _, err := tx.Exec(statement, sql.Named("turns", messages/2), sql.Named("text", text),
			sql.Named("chat", fmt.Sprint(m.people[0].ID)), sql.Named("now", time.Now().UnixMilli())); err != nil {
			m.b.Fatalf("%v: %s", err, statement)
		}
	}
	if err := tx.Commit(); err != nil {
		m.b.Fatal(err)
	}
}

// turnNumbers counts the turns.
const turnNumbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :turns) `

// insertPast is a conversation's, with a question and an answer in each turn.
var insertPast = []string{
	`INSERT INTO conversation (id, user, channel, chat, thread, created_at)
		SELECT 1, 'p0', 'telegram', :chat, '', :now`,
	turnNumbers + `INSERT INTO inbox (id, user, conversation, source, key, kind, text, state, received_at, changed_at)
		SELECT i, 'p0', 1, 'past', i, 'text', :text, 'done', :now, :now FROM n`,
	turnNumbers + `INSERT INTO received (source, id, user, raw, received_at)
		SELECT 'past', i, 'p0', :text, :now FROM n`,
	turnNumbers + `INSERT INTO turn (id, user, conversation, kind, inbound, why, started_at, ended_at)
		SELECT i, 'p0', 1, 'chat', i, 'done', :now, :now FROM n`,
	turnNumbers + `INSERT INTO message (id, user, conversation, turn, role, parts, created_at)
		SELECT 2 * i - 1, 'p0', 1, i, 'user', json_array(json_object('text', :text)), :now FROM n
		UNION ALL SELECT 2 * i, 'p0', 1, i, 'assistant', json_array(json_object('text', :text)), :now FROM n`,
	turnNumbers + `INSERT INTO outbox (id, user, conversation, inbound, turn, kind, text, created_at, delivered_at, outcome)
		SELECT i, 'p0', 1, i, i, 'answer', :text, :now, :now, 'sent' FROM n`,
	turnNumbers + `INSERT INTO post (user, conversation, turn, delivery, part, state, message, content, changed_at)
		SELECT 'p0', 1, i, i, 0, 'sent', i, json_object('text', :text), :now FROM n`,
}
