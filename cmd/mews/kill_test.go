package main_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/app/apptest"
	"mews/supervisor/control"
	"mews/supervisor/model/modeltest"
)

// Sizes of the run. MEWS_KILL_MESSAGES and MEWS_KILL_KILLS make it longer; MEWS_KILL_SEED replays a
// run.
const (
	killPeople   = 8
	killMessages = 96
	killKills    = 10
)

// workerKills is how many workers a person may lose between two starts of the supervisor: one less
// than the circuit breaker allows. Another test checks the circuit breaker.
const workerKills = 4

// TestTerminalKillRun_AnswersEachMessageOnce kills supervisor and workers at random while eight
// people send a hundred messages. Three of ten messages have files, and for two of ten messages the
// model asks a question. Each message is answered exactly once. The order is kept, except that a
// message may overtake files that take long to arrive. Each file is in uploads/ once, the database
// is intact after each kill, and no process is left.
func TestTerminalKillRun_AnswersEachMessageOnce(t *testing.T) {
	seed := uint64(apptest.NumberFromEnv(t, "MEWS_KILL_SEED", int(time.Now().UnixNano()>>10)))
	messages, kills := apptest.NumberFromEnv(t, "MEWS_KILL_MESSAGES", killMessages), apptest.NumberFromEnv(t,
		"MEWS_KILL_KILLS", killKills)
	t.Logf("replay with MEWS_KILL_SEED=%d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))

	_, url := modeltest.NewServer(t, modeltest.SlowScript(checkFilesFirst(modeltest.FileWriterScript), 8,
		2*time.Millisecond))
	var people []string
	for i := range killPeople {
		people = append(people, fmt.Sprint("p", i))
	}
	h := apptest.NewService(t, url, people...)
	h.AppendConfig(apptest.QueueModeConfig + recogniserConfig)
	h.Start()

	answers := make(chan struct{}, messages)
	var users []*chatUser
	var talking sync.WaitGroup
	ctx, leave := context.WithCancel(t.Context())
	defer talking.Wait()
	defer leave()
	for i, name := range people {
		k := newChatUser(h, name, addQuestions(rng.Uint64(), name, randomMessages(rng.Uint64(), name, share(messages, killPeople, i))), answers)
		k.leaving = ctx
		users = append(users, k)
		talking.Go(func() { k.sendAll(ctx) })
		<-k.joined // waits, because a chat ends if its first attempt to connect fails
	}
	killer := &killer{service: h, rng: rng, losses: map[int]int{}}
	for i := range kills {
		killer.kill(answers, i*messages/kills)
	}
	t.Logf("%d messages, %d kills of the supervisor, %d of workers", messages, killer.supervisors, killer.workers)
	if killer.supervisors == 0 || killer.workers == 0 {
		t.Error("one of the two was never killed")
	}
	asked := 0
	patience := time.After(3 * time.Minute)
	for _, k := range users {
		select {
		case <-k.done:
		case <-patience:
			t.Error("some messages were not answered within three minutes")
			patience = expired
		}
		asked += k.check(t, takenMessages(t, h, k.name))
	}
	checkQuestions(t, h, asked)
	h.WaitUntilTrue(10*time.Second, "every message to be done", func() bool {
		return h.QueryCount("SELECT count(*) FROM inbox WHERE state <> 'done'") == 0
	})
	leave()
	talking.Wait()
	if n := h.QueryCount("SELECT count(*) FROM inbox"); n != messages+asked {
		t.Errorf("%d messages are kept, %d were sent and %d answers", n, messages, asked)
	}
	h.Stop()
	h.CheckIntegrity()
}

// expired is a closed channel, for a timeout that is over already.
var expired = func() <-chan time.Time {
	c := make(chan time.Time)
	close(c)
	return c
}()

// killer kills supervisors and workers, and counts the kills.
type killer struct {
	service *apptest.Service
	died    func(time.Time) // called at each kill of the supervisor; may be nil
	rng     *rand.Rand
	// Workers killed since the supervisor's last start, by the person's number.
	losses               map[int]int
	supervisors, workers int
	answered             int
}

// kill waits for about as many answers as are due, and a moment longer. Then it kills a worker or
// the supervisor.
func (k *killer) kill(answers <-chan struct{}, due int) {
	patience := time.After(2 * time.Second)
	for k.answered < due {
		select {
		case <-answers:
			k.answered++
			continue
		case <-patience: // Mews may have put off all due answers to retry them later
		}
		break
	}
	<-time.After(time.Duration(k.rng.IntN(30)) * time.Millisecond)
	wantsWorker := k.rng.IntN(2) == 0
	// even a short run kills both a supervisor and a worker
	if k.supervisors == 0 || k.workers == 0 {
		wantsWorker = k.supervisors > 0
	}
	if wantsWorker && k.workers == 0 {
		k.awaitWorker()
	}
	if wantsWorker && k.killWorker() {
		k.service.CheckIntegrity()
		return
	}
	at := time.Now()
	k.service.Kill()
	if k.died != nil {
		k.died(at)
	}
	k.service.CheckIntegrity()
	k.service.Start()
	k.supervisors++
	clear(k.losses)
}

// awaitWorker waits for a worker: right after a start of the supervisor none runs yet.
func (k *killer) awaitWorker() {
	for patience := time.After(30 * time.Second); len(k.service.WorkerPIDs()) == 0; {
		select {
		case <-patience:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// killWorker kills a worker of a person who may lose another worker.
func (k *killer) killWorker() bool {
	workers := k.service.WorkerPIDs()
	people := slices.Sorted(maps.Keys(workers))
	k.rng.Shuffle(len(people), func(i, j int) { people[i], people[j] = people[j], people[i] })
	for _, name := range people {
		person, err := strconv.Atoi(strings.TrimPrefix(name, "p"))
		if err != nil || k.losses[person] >= workerKills || k.isNearlyGivenUp(name) {
			continue
		}
		if syscall.Kill(workers[name], syscall.SIGKILL) == nil {
			k.losses[person]++
			k.workers++
			return true
		}
	}
	return false
}

// isNearlyGivenUp reports whether a person's turn or file operation has lost as many workers as it
// may. After one more lost worker Mews would give it up, which another test checks.
func (k *killer) isNearlyGivenUp(person string) bool {
	return k.service.QueryCount(`SELECT (SELECT count(*) FROM turn WHERE user = ?1 AND ended_at IS NULL AND deaths >= 2) +
		(SELECT count(*) FROM operation WHERE user = ?1 AND state IN ('waiting', 'running') AND deaths >= 2)`, person) > 0
}

// chatMessage is a message and the question that it makes the model ask.
type chatMessage struct {
	text     string
	files    []chatFile
	question *chatQuestion // question that the message makes the model ask; nil means none
}

// randomMessages makes random messages of one person: words, files to write and read, lines to
// append, several steps, and files sent.
func randomMessages(seed uint64, name string, n int) []chatMessage {
	rng := rand.New(rand.NewPCG(seed, 1))
	var all []chatMessage
	for i := range n {
		text := [...]string{
			fmt.Sprintf("say %s %d", name, i),
			fmt.Sprintf("write %s-%d to file%d.txt", name, i, i),
			fmt.Sprintf("append %s-%d to log.txt", name, i),
			fmt.Sprintf("steps %d", 2+rng.IntN(3)),
		}[rng.IntN(4)]
		all = append(all, addFiles(rng, name, i, fmt.Sprintf("say #%d\n%s", i, text)))
	}
	return all
}

// chatUser is one person at a terminal.
type chatUser struct {
	name     string
	home     string
	messages []chatMessage
	chat     *control.Chat
	answers  chan<- struct{}

	leaving   context.Context // a context that ends when the person leaves
	answering sync.WaitGroup

	mu         sync.Mutex // guards the fields below
	sent       map[string]int
	answerKeys map[string]int // answers to questions, by their keys
	questions  map[int]int    // number of times that each message's question came
	confirmed  map[int]int    // number of confirmations of each answer
	got        []control.Delivery
	remaining  int
	joined     chan struct{}
	done       chan struct{}
}

func newChatUser(h *apptest.Service, name string, messages []chatMessage, answers chan<- struct{}) *chatUser {
	k := &chatUser{name: name, home: h.UserHome(name), messages: messages, answers: answers,
		sent: map[string]int{}, answerKeys: map[string]int{}, questions: map[int]int{}, confirmed: map[int]int{}, remaining: len(messages), joined: make(chan struct{}), done: make(chan struct{})}
	k.chat = control.NewChat(h.Socket, control.JoinChatRequest{User: name, After: control.StartAtUndelivered}, k)
	return k
}

// sendAll sends every message without waiting for answers, and stays until ctx ends.
func (k *chatUser) sendAll(ctx context.Context) {
	var running sync.WaitGroup
	running.Go(func() { k.chat.Run(ctx, 0) })
	defer k.answering.Wait()
	defer running.Wait()
	for i, l := range k.messages {
		key := control.NewMessageKey()
		k.mu.Lock()
		k.sent[key] = i
		k.mu.Unlock()
		var uploaded []control.UploadedFile
		for n, f := range l.files {
			ref, err := k.chat.UploadFile(ctx, bytes.NewReader(f.content))
			if err != nil {
				return // check reports the missing answer
			}
			uploaded = append(uploaded, control.UploadedFile{Blob: ref, Name: fmt.Sprint(f.kind, n, map[string]string{"voice": ".wav"}[f.kind])})
		}
		if _, err := k.chat.SendMessage(ctx, key, l.text, uploaded...); err != nil {
			return // check reports the missing answer
		}
	}
}

func (k *chatUser) ShowDelivery(d control.Delivery) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.takeQuestion(d) {
		return true
	}
	k.got = append(k.got, d)
	if d.Kind == supervisor.DeliveryAnswer {
		if k.remaining--; k.remaining == 0 {
			close(k.done)
		}
		select {
		case k.answers <- struct{}{}:
		default:
		}
	}
	return true
}

func (k *chatUser) ShowConnected(_ control.JoinChatResult, again bool) {
	if !again {
		close(k.joined)
	}
}

func (*chatUser) ShowProgress(control.Progress) {}
func (*chatUser) ShowConnectionLost(error)      {}

// check compares the deliveries with the messages and with the order in which turns took them.
func (k *chatUser) check(t *testing.T, took map[string]takenMessage) (asked int) {
	t.Helper()
	k.mu.Lock()
	defer k.mu.Unlock()
	came := make([]int, len(k.messages))
	for _, d := range k.got {
		i, mine := k.sent[d.Key]
		if d.Kind != supervisor.DeliveryAnswer || !mine {
			t.Errorf("%s got what nobody asked for: %s %q", k.name, d.Kind, d.Text)
			continue
		}
		if !strings.HasSuffix(d.Text, k.messages[i].wantedAnswer()) {
			t.Errorf("%s: message %d, %q, was answered with %q", k.name, i, k.messages[i].text, d.Text)
		}
		for due := range i {
			late, early := took[k.messages[i].text], took[k.messages[due].text]
			if came[due] == 0 && !late.mayOvertake(early) {
				t.Errorf("%s got the answer to message %d, message %d was due: %+v, %+v", k.name, i, due, late, early)
			}
		}
		came[i]++
	}
	for i, n := range came {
		if n != 1 {
			t.Errorf("%s got %d answers to message %d", k.name, n, i)
		}
	}
	k.checkFiles(t)
	checkUploads(t, k.name, k.home, k.messages)
	return k.checkQuestions(t)
}

// checkFiles checks the person's log.txt: each line was appended once.
func (k *chatUser) checkFiles(t *testing.T) {
	t.Helper()
	log, err := os.ReadFile(filepath.Join(k.home, "log.txt"))
	if err != nil && !os.IsNotExist(err) {
		t.Error(err)
	}
	lines := strings.Split(strings.TrimSpace(string(log)), "\n")
	for _, l := range k.messages {
		_, command, _ := strings.Cut(l.text, "\n")
		if line, ok := strings.CutSuffix(strings.TrimPrefix(command, "append "), " to log.txt"); ok {
			if n := len(slices.DeleteFunc(slices.Clone(lines), func(s string) bool { return s != line })); n != 1 {
				t.Errorf("%s: %q stands %d times in log.txt", k.name, line, n)
			}
		}
	}
}

// share returns the size of the i-th of n nearly equal parts.
func share(whole, n, i int) int { return whole*(i+1)/n - whole*i/n }
