package main_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/recurrence"
	"mews/supervisor/telegram/telegramtest"
)

// Sizes of the run. MEWS_TASK_FIRES and MEWS_TASK_KILLS make it longer (`make crash`);
// MEWS_TASK_SEED replays a run.
const (
	taskFires = 48
	taskKills = 3

	taskTimes = 4 // number of fires of each task
)

// TestTaskCrashRun_TellsEachResultOnce kills the supervisor at random while tasks and checks of
// eight people run. The kills fall between the claim of a fire, its check, its model's call and its
// message. Each fire is stored once, and its result is sent once. The result is sent twice only if
// the repeat is marked and the fate of the first was unknown.
func TestTaskCrashRun_TellsEachResultOnce(t *testing.T) {
	seed := uint64(apptest.NumberFromEnv(t, "MEWS_TASK_SEED", int(time.Now().UnixNano()>>10)))
	fires, kills := apptest.NumberFromEnv(t, "MEWS_TASK_FIRES", taskFires), apptest.NumberFromEnv(t, "MEWS_TASK_KILLS",
		taskKills)
	t.Logf("replay with MEWS_TASK_SEED=%d", seed)
	r := newTaskRun(t, rand.New(rand.NewPCG(seed, 0)), fires)
	r.openChats()
	for i := range kills {
		r.kill()
		r.insertTasks(max(1, share(fires, kills, i)/taskTimes))
		r.Start()
		r.awaitSome()
	}
	r.settle()
	r.check(kills)
	r.Stop()
	r.CheckIntegrity()
}

// taskRun is a service on Telegram, and eight people with tasks.
type taskRun struct {
	*apptest.Service
	t      *testing.T
	rng    *rand.Rand
	server *telegramtest.Server
	people []telegramtest.User
	tasks  int
	came   chan struct{} // a token for each task's message that comes to Telegram
}

var taskNumber = regexp.MustCompile(`apples, task (\d+)\.`)

func newTaskRun(t *testing.T, rng *rand.Rand, fires int) *taskRun {
	r := &taskRun{t: t, rng: rng, came: make(chan struct{}, 2*fires+100)}
	_, url := modeltest.NewServer(t, func(q modeltest.Request) modeltest.Answer {
		words := taskNumber.FindString(q.NewestUserMessage())
		if words == "" {
			return modeltest.Answer{Text: "Good morning."}
		}
		say, _ := json.Marshal(map[string]string{"say": "I have counted the " + words})
		return modeltest.Answer{Calls: []modeltest.Call{{Name: "job_result", Args: string(say)}}}
	})
	var people []string
	for i := range crashPeople {
		people = append(people, fmt.Sprint("p", i))
		r.people = append(r.people, telegramtest.User{ID: apptest.FirstTelegramID + int64(i), First: people[i]})
	}
	r.Service = apptest.NewService(t, url, people...)
	r.Bin = apptest.LinkProgramsInTestFolder(t, apptest.BuildPrograms(t))
	r.server = telegramtest.New(t, telegramtest.Options{Token: testToken, Strict: true,
		OnRequest: func(c telegramtest.APICall) {
			if text, _ := c.Params["text"].(string); c.Method == "sendMessage" && taskNumber.MatchString(text) {
				r.came <- struct{}{}
			}
		}})
	r.server.InjectFault(telegramtest.Fault{Method: "sendMessage", Kind: telegramtest.ResetFault, After: true,
		Rate: 0.01,
		Seed: rng.Uint64()})
	r.AppendConfig(apptest.TelegramConfig(r.server, fastRate) +
		"\nbudget: {users: {jobs: {run: 0, day: 0, month: 0}}}\nlimits: {jobs: 4}\n")
	return r
}

// openChats makes the people write, so that the service knows their private chats.
func (r *taskRun) openChats() {
	r.Start()
	for _, u := range r.people {
		r.server.Say(telegramtest.PrivateChat(u), u, "/jobs")
	}
	r.WaitUntilTrue(apptest.DefaultTestTimeout, "everybody to be answered", func() bool {
		return r.QueryCount("SELECT count(*) FROM outbox WHERE outcome = 'sent'") == len(r.people)
	})
}

func (r *taskRun) kill() {
	at := time.Now()
	r.Kill()
	r.server.RecordClientKill(at)
	r.CheckIntegrity()
}

// insertTasks inserts n tasks into the database; every third is a check. Mews does not let users
// run tasks so often. The service must not run.
func (r *taskRun) insertTasks(n int) {
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(r.Dir, "state", "private", "mews.db"))
	if err != nil {
		r.t.Fatal(err)
	}
	defer db.Close()
	now := time.Now().Truncate(time.Millisecond)
	for range n {
		who, kind, options := fmt.Sprint("p", r.tasks%len(r.people)), "agent", `{"exact":true}`
		if r.tasks%3 == 2 {
			kind, options = "check", `{"exact":true,"look":{"command":"true"}}`
		}
		rule, _ := json.Marshal(recurrence.Rule{Kind: recurrence.Interval, At: now, Every: time.Duration(300+r.rng.IntN(900)) * time.Millisecond, MaxFires: taskTimes})
		if _, err := db.Exec(`INSERT INTO job (user, kind, state, name, text, rule, zone, conversation, made_by, options, since, next, created_at, changed_at)
			SELECT ?1, ?2, 'active', '', ?3, ?4, '', c.id, ?3, ?5, ?6 - 1, ?6, ?6, ?6 FROM conversation c WHERE c.user = ?1 AND c.channel = 'telegram'`,
			who, kind, fmt.Sprintf("apples, task %d.", r.tasks), string(rule), options, now.UnixMilli()); err != nil {
			r.t.Fatal(err)
		}
		r.tasks++
	}
	if err := db.Close(); err != nil {
		r.t.Fatal(err)
	}
}

// awaitSome waits until a few messages have come, or some seconds have passed. Then it waits a
// moment longer.
func (r *taskRun) awaitSome() {
	patience := time.After(3 * time.Second)
	for range r.rng.IntN(12) {
		select {
		case <-r.came:
			continue
		case <-patience:
		}
		break
	}
	<-time.After(time.Duration(r.rng.IntN(40)) * time.Millisecond)
}

// settle waits until every task has fired the right number of times.
func (r *taskRun) settle() {
	const open = `SELECT (SELECT count(*) FROM outbox WHERE outcome IS NULL) + (SELECT count(*) FROM inbox WHERE state IN ('new', 'arriving', 'running'))
		+ (SELECT count(*) FROM job WHERE state = 'active') + (SELECT count(*) FROM fire WHERE ended_at IS NULL)`
	r.WaitUntilTrue(apptest.DefaultTestTimeout+time.Duration(r.tasks*taskTimes)*50*time.Millisecond,
		"every task to come", func() bool { return r.QueryCount(open) == 0 })
}

// check compares the database and each chat with the tasks.
func (r *taskRun) check(kills int) {
	r.t.Helper()
	if n := r.QueryCount("SELECT count(*) FROM fire WHERE state NOT IN ('said', 'skipped')"); n > 0 {
		r.t.Errorf("%d fires are neither said nor skipped", n)
	}
	if n := r.QueryCount("SELECT count(*) FROM job WHERE fired <> ?", taskTimes); n > 0 {
		r.t.Errorf("%d tasks were not due %d times", n, taskTimes)
	}
	said, told, marked := 0, 0, 0
	chats := map[string][2]int{} // counts of plain and of marked messages, by task
	for _, u := range r.people {
		for _, m := range r.server.BotMessages(u.ID) {
			words, count := taskNumber.FindStringSubmatch(m.Text), 0
			if len(words) == 0 {
				continue
			}
			if strings.HasPrefix(m.Text, apptest.RepeatedMessageMark) {
				count = 1
				marked++
			}
			c := chats[words[1]]
			c[count]++
			chats[words[1]] = c
			told++
		}
	}
	db := r.OpenDatabaseCopy()
	defer db.Close()
	for i := range r.tasks {
		var n, outbox int
		if err := db.QueryRow(`SELECT (SELECT count(*) FROM fire f WHERE f.job = j.id AND f.state = 'said'), (SELECT count(*) FROM outbox o
			JOIN fire f ON f.delivery = o.id WHERE f.job = j.id AND instr(o.text, j.text) > 0) FROM job j WHERE j.text = ?`,
			fmt.Sprintf("apples, task %d.", i)).Scan(&n, &outbox); err != nil {
			r.t.Fatal(err)
		}
		said += n
		if c := chats[strconv.Itoa(i)]; outbox != n || n == 0 || c[0] > n || c[0]+c[1] < n {
			r.t.Errorf("of task %d %d fires were said, %d are in the outbox, and told %v", i, n, outbox, c)
		}
	}
	if n := 0; db.QueryRow("SELECT count(*) FROM outbox WHERE text LIKE '%apples, task%'").Scan(&n) != nil || n != said {
		r.t.Errorf("%d fires were said, and %d deliveries are of any", said, n)
	}
	cut := 0
	for _, c := range r.server.Calls("sendMessage") {
		if c.Code == 0 {
			cut++
		}
	}
	r.t.Logf("%d fires of %d tasks, %d said, %d messages, %d kills; %d are marked as perhaps a repeat, %d "+
		"sends had no answer",
		r.tasks*taskTimes, r.tasks, said, told, kills, marked, cut)
	if most := cut + kills*crashPeople; marked > most {
		r.t.Errorf("%d messages are marked as a repeat, and the fate of %d at most was in doubt", marked, most)
	}
}
