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

// fastRate is a rate limit that no benchmark reaches, so that turns never wait for it.
const fastRate = "rate: {chat: 30, all: 1000}"

// recordingModel is a model that records the start and the end of each call.
type recordingModel struct {
	model *modeltest.Server
	calls chan modelCall
	takes atomic.Int64 // nanoseconds until the model answers
}

type modelCall struct{ called, ended time.Time }

func newEndpoint(b *testing.B) (e *recordingModel, url string) {
	e = &recordingModel{calls: make(chan modelCall, 64)}
	e.model = modeltest.NewUnstartedServer(func(r modeltest.Request) modeltest.Answer {
		if d := time.Duration(e.takes.Load()); d > 0 {
			<-time.After(d)
		}
		return modeltest.AnswerOKScript(r)
	})
	listener := httptest.NewServer(e)
	b.Cleanup(listener.Close)
	return e, listener.URL + "/v1"
}

func (e *recordingModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v := modelCall{called: time.Now()}
	e.model.ServeHTTP(w, r)
	v.ended = time.Now()
	if r.Method == http.MethodPost { // a GET asks for the list of models
		e.calls <- v
	}
}

// telegramService is a service whose users talk on Telegram.
type telegramService struct {
	*apptest.Service
	b       *testing.B
	model   *recordingModel
	server  *telegramtest.Server
	people  []telegramtest.User
	polls   chan telegramtest.APICall // holds the first poll since the channel was emptied
	answers chan telegramtest.APICall // calls of the Bot API that show a complete answer
}

// newTelegramService makes a service with some users. The text in more is added to the section
// telegram of the configuration.
func newTelegramService(b *testing.B, people int, more string) *telegramService {
	return newTelegramServiceOf(b, people, more, "")
}

// newTelegramServiceOf is newTelegramService with a Bot API server that puts files into the folder
// files. If files is "", the server serves the files itself.
func newTelegramServiceOf(b *testing.B, people int, more, files string) *telegramService {
	m := &telegramService{b: b, polls: make(chan telegramtest.APICall, 1), answers: make(chan telegramtest.APICall, 64)}
	var url string
	m.model, url = newEndpoint(b)
	var names []string
	for i := range people {
		names = append(names, fmt.Sprint("p", i))
		m.people = append(m.people, telegramtest.User{ID: apptest.FirstTelegramID + int64(i), First: names[i]})
	}
	m.Service = apptest.NewService(b, url, names...)
	m.server = telegramtest.New(b,
		telegramtest.Options{Token: testToken, Strict: true, OnRequest: m.recordCall, Files: files})
	m.AppendConfig(apptest.TelegramConfig(m.server, more))
	return m
}

// Start starts the service with the timer settings of its systemd unit.
func (m *telegramService) Start() { asUnit(m.b, m.Service.Start) }

// recordCall puts polls and complete answers into their channels.
func (m *telegramService) recordCall(c telegramtest.APICall) {
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

// say sends a message of a user once the service polls, and returns its time.
func (m *telegramService) say(who int) time.Time {
	m.b.Helper()
	m.server.WaitUntil(m.b, "a poll that waits", m.server.IsPolling)
	u := m.people[who%len(m.people)]
	said := time.Now()
	m.server.Say(telegramtest.PrivateChat(u), u, "hi")
	return said
}

// awaitAnswer returns the time at which the next answer came to the Bot API.
func (m *telegramService) awaitAnswer() time.Time {
	return receive(m.b, m.answers, m.Service, "an answer").At
}

// receive receives from a channel, for at most a minute.
func receive[T any](b *testing.B, c <-chan T, h *apptest.Service, what string) T {
	b.Helper()
	select {
	case got := <-c:
		return got
	case <-time.After(time.Minute):
		b.Fatalf("waited a minute for %s\n%s", what, h.LogTail())
		panic("not reached")
	}
}

// timeTurn times a whole turn: from the message to the model's call, and from the model's end to
// the Bot API.
func (m *telegramService) timeTurn(who int) (before, after time.Duration) {
	m.b.Helper()
	said := m.say(who)
	answered := m.awaitAnswer()
	v := receive(m.b, m.model.calls, m.Service, "the model's end")
	return v.called.Sub(said), answered.Sub(v.ended)
}

// warm makes the first people talk once, so that they have workers.
func (m *telegramService) warm(people int) {
	m.b.Helper()
	for i := range people {
		m.timeTurn(i)
		m.pause()
	}
}

// pause lets the service finish the work after an answer, which is not measured.
func (m *telegramService) pause() { <-time.After(20 * time.Millisecond) }

// samples are measured times. The median is reported, because a shared machine has outliers.
type samples []time.Duration

func (s samples) median() time.Duration {
	if len(s) == 0 {
		return 0
	}
	slices.Sort(s)
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// percentile returns the time below which the given percentage of the samples lies.
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

// disk measures the disk of the database: no commit can be faster.
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

// commit appends a page to a file and waits until it is on disk.
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

// BenchmarkTelegramTurn measures a whole turn on Telegram with a warm worker and a model that
// answers at once. There are two commits before the model's call, one commit between the end of the
// model's answer and its sending, and one commit after the sending.
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

// BenchmarkTelegramEightAtOnce measures how long the last of eight people waits for an answer. The
// model takes a second, and Telegram's own rate limits hold.
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
			m.server.Say(telegramtest.PrivateChat(u), u, "hi")
		}
		var latest time.Time
		for range m.people {
			latest = m.awaitAnswer()
			receive(b, m.model.calls, m.Service, "the model's end")
		}
		last = append(last, latest.Sub(said))
		b.StopTimer()
		<-time.After(time.Second) // Telegram allows three messages in three seconds to a chat
		disk.commit()
		b.StartTimer()
	}
	last.report(b, time.Millisecond, "ms-last-answer")
	disk.took.report(b, time.Microsecond, "µs-fsync")
}

// BenchmarkTelegramStart measures from the supervisor's start until its first poll reaches the Bot
// API. It measures with a new state folder and with an existing state folder.
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

// timeStart starts the service and returns how long its first poll took.
func (m *telegramService) timeStart() time.Duration {
	select {
	case <-m.polls: // drops a poll of an earlier start
	default:
	}
	began := time.Now()
	m.Start()
	return receive(m.b, m.polls, m.Service, "a poll").At.Sub(began)
}

// BenchmarkTelegramMemory measures private memory, with budgets and approvals in use. It reports
// the supervisor and the spawner before the first message, and a worker after a message of its
// user. It also reports the supervisor's growth from 100 to 1,200 turns of one conversation, and
// resident memory.
func BenchmarkTelegramMemory(b *testing.B) {
	for b.Loop() {
		m := newTelegramService(b, 2, fastRate)
		m.AppendConfig(gateConfig)
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

// BenchmarkTelegramPeople measures the supervisor's private memory after 500 users have spoken
// once. It measures immediately, and a minute later, when unused memory has been returned to the
// system.
func BenchmarkTelegramPeople(b *testing.B) {
	const people = 500
	for b.Loop() {
		m := newTelegramService(b, people, fastRate)
		m.Start()
		m.warm(people)
		supervisor := m.ProcessIDs("mews")[0]
		b.ReportMetric(privateMemory(b, supervisor), "KB-after-500-people")
		<-time.After(65 * time.Second)
		b.ReportMetric(privateMemory(b, supervisor), "KB-a-minute-later")
		m.Stop()
	}
	b.ReportMetric(0, "ns/op")
}

// gateConfig configures budgets and approvals, so that the gate has work to do.
const gateConfig = "budget: {users: {day: 100}}\napprovals: {all: {send_file: ask, settings: step_up}}\n"

// BenchmarkTelegramHistory measures how much unneeded data delays the model's call. It compares a
// long history with a short history, a long history with a history that just fills the model's
// window, and many users with few.
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

// crowd is the number of users that a service knows, and the number of messages in the first user's
// conversation.
type crowd struct{ people, messages int }

// compareServices alternates turns of two services, so that other load on the machine slows both of
// them.
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

// telegramService makes a service with the crowd's users and messages, and with a warm worker of
// the first user.
func (c crowd) telegramService(b *testing.B) *telegramService {
	m := newTelegramService(b, c.people, fastRate)
	m.fillHistory(c.messages)
	m.Start()
	m.warm(1)
	return m
}

// Sizes of a history that fillHistory makes. rememberedBytes is the length of each message.
// windowful is the number of messages that the window holds after a cut: half of 32,000 tokens of
// four bytes, with 16 bytes for each message.
const (
	rememberedBytes = 400
	windowful       = 16000 * 4 / (rememberedBytes + 16)
)

// fillHistory puts past messages into the first user's conversation. The service must not run.
func (m *telegramService) fillHistory(messages int) {
	m.b.Helper()
	if messages == 0 {
		return
	}
	m.Start() // the first start makes the database
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

// turnNumbers begins a query that counts the turns from 1.
const turnNumbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :turns) `

// insertPast are the statements that insert a conversation's past: a question and an answer in each
// turn.
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
