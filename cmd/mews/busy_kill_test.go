package main_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/app/apptest"
	"mews/supervisor/control"
	"mews/supervisor/model/modeltest"
)

// Sizes of the run. MEWS_STEER_MESSAGES and MEWS_STEER_KILLS make it longer; MEWS_KILL_SEED replays
// a run.
const (
	steerPeople   = 4
	steerMessages = 40
	steerKills    = 5
)

// steerRun is a service and people who write while they are being answered.
type steerRun struct {
	*apptest.Service
	messages int // messages of all people together
	users    []*chatUser
	said     chan struct{} // a token for each message that is on disk
	asked    chan struct{} // holds a token for each of the newest model requests, a few at most
	// closed when the first person has written twice; the model's steps end only after that
	opened chan struct{}
}

// TestSteerRun_RandomDeaths_AnswersAllOnce kills supervisor and workers at random while people
// write during turns of several steps. In the end each message is in its transcript once and in
// order, is done, and is answered by one turn.
func TestSteerRun_RandomDeaths_AnswersAllOnce(t *testing.T) {
	seed := uint64(apptest.NumberFromEnv(t, "MEWS_KILL_SEED", int(time.Now().UnixNano()>>10)))
	messages := apptest.NumberFromEnv(t, "MEWS_STEER_MESSAGES", steerMessages)
	kills := apptest.NumberFromEnv(t, "MEWS_STEER_KILLS", steerKills)
	t.Logf("replay with MEWS_KILL_SEED=%d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	r := &steerRun{
		messages: messages,
		said:     make(chan struct{}, messages),
		asked:    make(chan struct{}, steerPeople),
		opened:   make(chan struct{}),
	}
	answer := modeltest.SlowScript(echoAfter(3), 8, 2*time.Millisecond)
	_, url := modeltest.NewServer(t, func(q modeltest.Request) modeltest.Answer {
		select {
		case r.asked <- struct{}{}:
		default:
		}
		select {
		case <-r.opened:
		case <-t.Context().Done():
		}
		return answer(q)
	})
	var people []string
	for i := range steerPeople {
		people = append(people, fmt.Sprint("p", i))
	}
	r.Service = apptest.NewService(t, url, people...)
	r.Start()
	var talking sync.WaitGroup
	defer talking.Wait()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	for _, name := range people {
		k := newChatUser(r.Service, name, make([]chatMessage, messages), make(chan struct{}, 1))
		r.users = append(r.users, k)
		talking.Go(func() { r.writeMessages(ctx, k, k.name == people[0]) })
		<-k.joined
		select {
		case <-r.opened: // now the first message's turn surely reads the second message between two steps
		case <-time.After(apptest.DefaultTestTimeout):
			t.Fatal("the first person could not write twice")
		}
	}
	killer := &killer{service: r.Service, rng: rng, losses: map[int]int{}}
	for i := range kills {
		killer.kill(r.said, i*messages/kills)
	}
	r.WaitUntilTrue(2*time.Minute, "every message to be done", func() bool {
		return r.QueryCount("SELECT count(*) FROM inbox WHERE state = 'done'") == messages
	})
	leave()
	talking.Wait()
	taken := r.QueryCount("SELECT count(*) FROM inbox WHERE turn IS NOT NULL")
	between := r.QueryCount("SELECT count(*) FROM outbox WHERE text LIKE '%sent meanwhile, and go on%'")
	t.Logf(
		"%d messages, %d of them taken in, %d answers took some in between two steps; %d kills of the supervisor, %d of workers",
		messages,
		taken,
		between,
		killer.supervisors,
		killer.workers,
	)
	if killer.supervisors == 0 || between == 0 {
		t.Error("the supervisor was never killed, or nothing taken in between two steps")
	}
	for _, k := range r.users {
		r.checkTranscript(k)
	}
	r.Stop()
	r.CheckIntegrity()
}

// writeMessages sends a person's share of the messages. Each message follows a request of any
// person to the model. At first only the first person writes.
func (r *steerRun) writeMessages(ctx context.Context, k *chatUser, first bool) {
	var running sync.WaitGroup
	running.Go(func() { k.chat.Run(ctx, 0) })
	defer running.Wait()
	for i := range r.messages / steerPeople {
		most := 200 * time.Millisecond // longest wait if no person is being answered
		if first && i == 1 {
			most = apptest.DefaultTestTimeout // wait until the turn of the person's first message asks the model
		} else if first && i == 2 {
			close(r.opened)
		}
		select {
		case <-r.asked:
		case <-time.After(most):
		case <-ctx.Done():
			return
		}
		if _, err := k.chat.SendMessage(ctx, control.NewMessageKey(), fmt.Sprintf("message %d.", i)); err != nil {
			return // the test fails: there are too few messages
		}
		r.said <- struct{}{}
	}
}

var steeredNumber = regexp.MustCompile(`message (\d+)\.`)

// messageNumbers returns the numbers of the messages in texts, in order.
func messageNumbers(texts ...string) (all []int) {
	for _, m := range steeredNumber.FindAllStringSubmatch(strings.Join(texts, "\n"), -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			panic(err)
		}
		all = append(all, n)
	}
	return all
}

// checkTranscript compares a person's transcript and answers with what the person wrote.
func (r *steerRun) checkTranscript(k *chatUser) {
	r.T.Helper()
	var want []int
	for i := range r.messages / steerPeople {
		want = append(want, i)
	}
	said := messageNumbers(
		queryTexts(r.Service, `SELECT parts FROM message WHERE user = ? AND role = 'user' ORDER BY id`, k.name)...)
	if diff := cmp.Diff(want, said); diff != "" {
		r.T.Errorf("%s: in the transcript: (-want +got)\n%s", k.name, diff)
	}
	var answers []string
	var keys int
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, d := range k.got {
		if d.Kind != supervisor.DeliveryAnswer || d.Why != protocol.TurnEndDone {
			r.T.Errorf("%s was told %s %s %q", k.name, d.Kind, d.Why, d.Text)
		}
		answers, keys = append(answers, d.Text), keys+1+len(d.Also)
	}
	if diff := cmp.Diff(want, messageNumbers(answers...)); diff != "" || keys != len(want) {
		r.T.Errorf("%s: answered, with %d keys: (-want +got)\n%s", k.name, keys, diff)
	}
}

// queryTexts returns the first column of a query.
func queryTexts(h *apptest.Service, query string, args ...any) (all []string) {
	h.T.Helper()
	db := h.OpenDatabaseCopy()
	defer db.Close()
	rows, err := db.QueryContext(h.T.Context(), query, args...)
	if err != nil {
		h.T.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			h.T.Fatal(err)
		}
		all = append(all, text)
	}
	if err := rows.Err(); err != nil {
		h.T.Fatal(err)
	}
	return all
}
