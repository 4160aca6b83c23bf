package main_test

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
	"mews/supervisor/telegram/telegramtest"
)

// Sizes of the run. MEWS_REMINDER_FIRES and MEWS_REMINDER_KILLS make it longer (`make crash`);
// MEWS_REMINDER_SEED replays a run.
const (
	reminderFires = 100
	reminderKills = 3

	repeats = 5 // number of fires of a repeating reminder
	// one kill in four comes during repeating reminders, the other kills during single reminders
	repeatEvery = 4
)

// TestReminderCrashRun_TellsEachFireOnce kills the supervisor at random while eight people set
// reminders on Telegram. Most reminders come once, a moment later; some come several times.
// Telegram cuts some sends after taking them. Sometimes Telegram fails, or refuses messages for two
// seconds. Each fire is stored once and is never early. Its message is sent once, or twice if the
// repeat is marked and the fate of the first was unknown.
func TestReminderCrashRun_TellsEachFireOnce(t *testing.T) {
	seed := uint64(apptest.NumberFromEnv(t, "MEWS_REMINDER_SEED", int(time.Now().UnixNano()>>10)))
	fires, kills := apptest.NumberFromEnv(t, "MEWS_REMINDER_FIRES", reminderFires), apptest.NumberFromEnv(t,
		"MEWS_REMINDER_KILLS", reminderKills)
	t.Logf("replay with MEWS_REMINDER_SEED=%d", seed)
	r := newReminderRun(t, rand.New(rand.NewPCG(seed, 0)), fires)
	r.Start()
	for i := range kills {
		if due := share(fires, kills, i); i%repeatEvery == 0 {
			r.setRepeating(due)
		} else {
			r.setOnce(due)
		}
	}
	r.settle()
	r.check(fires, kills)
	r.Stop()
	r.CheckIntegrity()
}

// reminderRun is a service on Telegram, and eight people who set reminders.
type reminderRun struct {
	*apptest.Service
	t       *testing.T
	rng     *rand.Rand
	server  *telegramtest.Server
	people  []telegramtest.User
	all     []*setReminder
	updates int
	came    chan struct{} // a token for each reminder that comes to Telegram
}

// setReminder is a reminder of one person.
type setReminder struct {
	person  int
	times   int       // number of the reminder's fires
	due     time.Time // time of a single reminder; zero for a repeating reminder
	resends int       // number of requests to resend the reminder
}

func newReminderRun(t *testing.T, rng *rand.Rand, fires int) *reminderRun {
	r := &reminderRun{t: t, rng: rng, came: make(chan struct{}, 2*fires)}
	var people []string
	for i := range crashPeople {
		people = append(people, fmt.Sprint("p", i))
		r.people = append(r.people, telegramtest.User{ID: apptest.FirstTelegramID + int64(i), First: people[i]})
	}
	r.Service = apptest.NewService(t, "", people...)
	r.Bin = apptest.LinkProgramsInTestFolder(t, apptest.BuildPrograms(t))
	r.server = telegramtest.New(t, telegramtest.Options{Token: testToken, Strict: true, OnRequest: r.recordCall})
	r.server.InjectFault(telegramtest.Fault{Method: "sendMessage", Kind: telegramtest.ResetFault, After: true,
		Rate: 0.01,
		Seed: rng.Uint64()})
	r.server.InjectFault(telegramtest.Fault{Kind: telegramtest.ErrorFault, Code: 500, Text: "Internal Server Error",
		Rate: 0.005, Seed: rng.Uint64()})
	for _, u := range r.people {
		r.server.InjectFault(telegramtest.Fault{Kind: telegramtest.FloodFault, Chat: u.ID, RetryAfter: 2, Rate: 0.005,
			Seed: rng.Uint64()})
	}
	r.AppendConfig(apptest.TelegramConfig(r.server, fastRate))
	return r
}

func (r *reminderRun) recordCall(c telegramtest.APICall) {
	if text, _ := c.Params["text"].(string); c.Method == "sendMessage" && isReminder(text) {
		select {
		case r.came <- struct{}{}:
		default:
		}
	}
}

// isReminder reports whether a message is a due reminder. The confirmation of a new reminder does
// not count: it has a number before the colon.
func isReminder(text string) bool {
	return strings.Contains(text, "Reminder: ") || strings.Contains(text, "These reminders were due")
}

// set sets a reminder of the next person.
func (r *reminderRun) set(when string, s setReminder) {
	i := len(r.all)
	s.person = i % len(r.people)
	r.all = append(r.all, &s)
	u := r.people[s.person]
	r.server.Say(telegramtest.PrivateChat(u), u, fmt.Sprintf("/remind %s: tea, number %d.", when, i))
	r.updates++
}

// setOnce sets n reminders that come once, and kills the supervisor while some of them come.
func (r *reminderRun) setOnce(n int) {
	for range n {
		due := time.Now().Add(time.Duration(r.rng.IntN(1500)) * time.Millisecond).UTC().Truncate(time.Millisecond)
		r.set(due.Format("2006-01-02T15:04:05.000Z07:00"), setReminder{times: 1, due: due})
	}
	r.awaitSome(r.rng.IntN(n))
	r.kill()
	r.Start()
}

// awaitSome waits until n reminders have come, or some seconds have passed. Then it waits a moment
// longer.
func (r *reminderRun) awaitSome(n int) {
	patience := time.After(2 * time.Second)
	for range n {
		select {
		case <-r.came:
			continue
		case <-patience: // the reminders may wait until Telegram accepts messages to their chat again
		}
		break
	}
	<-time.After(time.Duration(r.rng.IntN(30)) * time.Millisecond)
}

func (r *reminderRun) kill() {
	at := time.Now()
	r.Kill()
	r.server.RecordClientKill(at)
	r.CheckIntegrity()
}

// setRepeating sets repeating reminders and kills the supervisor. No user may repeat a reminder
// more often than every minute, so the test changes the database before the next start: the
// reminders then come every few tenths of a second.
func (r *reminderRun) setRepeating(fires int) {
	for left := fires; left > 0; left -= repeats {
		times := min(left, repeats)
		r.set(fmt.Sprintf("every 1 min %d times", times), setReminder{times: times})
	}
	r.WaitUntilTrue(apptest.DefaultTestTimeout, "the reminders to be set",
		func() bool { return r.QueryCount("SELECT count(*) FROM job") == len(r.all) })
	r.kill()
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(r.Dir, "state", "private", "mews.db"))
	if err != nil {
		r.t.Fatal(err)
	}
	defer db.Close()
	now := time.Now().Truncate(time.Millisecond)
	if _, err := db.Exec(`UPDATE job SET rule = json_set(rule, '$.at', ?1, '$.every', (300 + id * 37 % 400) * 1000000), next = ?2, since = ?2 - 1
		WHERE state = 'active' AND json_extract(rule, '$.every') = ?3`, now.Format(time.RFC3339Nano), now.UnixMilli(), time.Minute.Nanoseconds()); err != nil {
		r.t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		r.t.Fatal(err)
	}
	r.Start()
}

// settle waits until every reminder has come. People ask again for messages that may not have
// arrived.
func (r *reminderRun) settle() {
	const (
		waiting = "SELECT (SELECT count(*) FROM outbox WHERE outcome IS NULL) + (SELECT count(*) FROM inbox WHERE state IN ('new', 'arriving', 'running'))"
		due     = "SELECT count(*) FROM job WHERE state = 'active'"
	)
	settled := func() bool {
		return r.QueryCount("SELECT count(*) FROM received") == r.updates && r.QueryCount(due) == 0 &&
			r.QueryCount(waiting) == 0
	}
	r.WaitUntilTrue(apptest.DefaultTestTimeout+time.Duration(len(r.all))*50*time.Millisecond, "every reminder to come",
		settled)
	for range 10 {
		lost := r.noteRepeats()
		if lost == 0 {
			return
		}
		r.t.Logf("%d messages may not have arrived; everybody says /resend", lost)
		for _, u := range r.people {
			r.server.Say(telegramtest.PrivateChat(u), u, "/resend")
			r.updates++
		}
		r.WaitUntilTrue(apptest.DefaultTestTimeout, "what was sent again", settled)
	}
	r.t.Error("after ten times /resend there are still messages that may not have arrived")
}

// noteRepeats records the reminders that may not have arrived, which people ask for again. It
// returns the number of messages.
func (r *reminderRun) noteRepeats() (lost int) {
	r.t.Helper()
	r.eachRow("SELECT text FROM outbox WHERE outcome <> 'sent'", func(scan func(...any) error) error {
		var text string
		err := scan(&text)
		for _, s := range r.remindersIn(text) {
			s.resends++
		}
		lost++
		return err
	})
	return lost
}

// eachRow calls the function read with each row of a query, in a copy of the database.
func (r *reminderRun) eachRow(query string, read func(scan func(...any) error) error) {
	r.t.Helper()
	db := r.OpenDatabaseCopy()
	defer db.Close()
	rows, err := db.Query(query)
	if err != nil {
		r.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := read(rows.Scan); err != nil {
			r.t.Fatal(err)
		}
	}
	if err := rows.Err(); err != nil {
		r.t.Fatal(err)
	}
}

var reminderNumber = regexp.MustCompile(`tea, number (\d+)\.`)

// remindersIn returns the reminders whose words are in a text.
func (r *reminderRun) remindersIn(text string) (found []*setReminder) {
	for _, m := range reminderNumber.FindAllStringSubmatch(text, -1) {
		if i, err := strconv.Atoi(m[1]); err == nil && i < len(r.all) {
			found = append(found, r.all[i])
		}
	}
	return found
}

// check compares the database and each chat with the reminders that were set.
func (r *reminderRun) check(fires, kills int) {
	r.t.Helper()
	r.checkKept(fires)
	marked := 0
	for person, u := range r.people {
		marked += r.checkChat(person, r.server.BotMessages(u.ID))
	}
	cut := 0
	for _, c := range r.server.Calls("sendMessage") {
		if c.Code == 0 {
			cut++
		}
	}
	r.t.Logf("%d fires of %d reminders, %d kills; %d messages are marked as perhaps a repeat, %d sends had no answer", fires, len(r.all), kills, marked, cut)
	// A kill may come between a send and the storing of its result, at most once for each chat. A
	// send that the kill cuts off has no answer.
	if most := cut + kills*crashPeople; marked > most {
		r.t.Errorf("%d messages are marked as a repeat, and the fate of %d at most was in doubt", marked, most)
	}
}

// checkKept checks the stored fires. Each reminder fired the right number of times, at the right
// times. Each fire put a message into the outbox.
func (r *reminderRun) checkKept(fires int) {
	r.t.Helper()
	type kept struct{ jobs, fired, fires, said int }
	all := map[*setReminder]*kept{}
	for _, s := range r.all {
		all[s] = &kept{}
	}
	r.eachRow("SELECT text, fired, (SELECT count(*) FROM fire WHERE job = job.id AND state = 'said') FROM job", func(scan func(...any) error) error {
		var text string
		var fired, rows int
		err := scan(&text, &fired, &rows)
		for _, s := range r.remindersIn(text) {
			all[s].jobs, all[s].fired, all[s].fires = all[s].jobs+1, fired, rows
		}
		return err
	})
	r.eachRow("SELECT text FROM outbox WHERE inbound IS NULL", func(scan func(...any) error) error {
		var text string
		err := scan(&text)
		for _, s := range r.remindersIn(text) {
			all[s].said++
		}
		return err
	})
	for i, s := range r.all {
		if got, want := *all[s], (kept{1, s.times, s.times, s.times}); got != want {
			r.t.Errorf("of reminder %d is kept %+v, want %+v", i, got, want)
		}
	}
	if n := r.QueryCount("SELECT count(*) FROM fire"); n != fires {
		r.t.Errorf("%d fires are kept, want %d", n, fires)
	}
	r.eachRow(`SELECT j.text, f.due, f.fired_at, coalesce(json_extract(j.rule, '$.every') / 1000000, 0), json_extract(j.rule, '$.at') FROM fire f
		JOIN job j ON j.id = f.job`, r.checkDue)
}

// checkDue checks a fire's due time against its reminder.
func (r *reminderRun) checkDue(scan func(...any) error) error {
	var text, at string
	var due, fired, every int64
	if err := scan(&text, &due, &fired, &every, &at); err != nil {
		return err
	}
	anchor, err := time.Parse(time.RFC3339Nano, at)
	if err != nil {
		return err
	}
	if fired < due {
		r.t.Errorf("%q was due at %d, and came before at %d", text, due, fired)
	}
	for _, s := range r.remindersIn(text) {
		if s.times == 1 && every == 0 && due != s.due.UnixMilli() {
			r.t.Errorf("%q was due at %s, and fired as if it were %d", text, s.due, due)
		}
	}
	if since := due - anchor.UnixMilli(); since < 0 || every > 0 && since%every != 0 {
		r.t.Errorf("%q fired for %d, which is no time of a rule of every %d ms from %s on", text, due, every, at)
	}
	return nil
}

// checkChat compares a person's chat with their reminders. It returns how many messages are marked
// as a repeat.
func (r *reminderRun) checkChat(person int, chat []telegramtest.Message) (marked int) {
	r.t.Helper()
	type told struct{ plain, marked, cards, markedCards int }
	count := map[*setReminder]*told{}
	for _, m := range chat {
		repeat := strings.HasPrefix(m.Text, apptest.RepeatedMessageMark)
		if repeat {
			marked++
		}
		for _, s := range r.remindersIn(m.Text) {
			if count[s] == nil {
				count[s] = &told{}
			}
			counted := &count[s].cards // the confirmation of a new reminder
			switch {
			case isReminder(m.Text) && repeat:
				counted = &count[s].marked
			case isReminder(m.Text):
				counted = &count[s].plain
			case repeat:
				counted = &count[s].markedCards
			}
			*counted++
		}
	}
	for i, s := range r.all {
		got := count[s]
		if got == nil {
			got = &told{}
		}
		switch {
		case s.person != person && *got != told{}:
			r.t.Errorf("p%d was told reminder %d, which is p%d's", person, i, s.person)
		case s.person == person && (got.plain > s.times || got.plain+got.marked < s.times || got.marked > s.times+s.resends):
			r.t.Errorf("p%d was told reminder %d: %+v, want %d times", person, i, *got, s.times)
		case s.person == person && (got.cards > 1 || got.cards+got.markedCards == 0 || got.markedCards > 1+s.resends):
			r.t.Errorf("that reminder %d is set p%d was told: %+v", i, person, *got)
		}
	}
	return marked
}
