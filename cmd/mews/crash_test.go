package main_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
	"mews/supervisor/effect"
	"mews/supervisor/history"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/telegram/telegramtest"
)

// Sizes of the run. MEWS_CRASH_UPDATES and MEWS_CRASH_KILLS make it longer (`make crash`);
// MEWS_CRASH_SEED replays a run.
const (
	crashPeople  = 8
	crashUpdates = 96
	crashKills   = 8
)

// TestTelegramCrashRun_LosesNoMessage kills supervisor and workers at random while eight people
// write on Telegram. Telegram takes one send in a hundred and then cuts the connection. Sometimes
// Telegram fails, or refuses messages for a second or two. Three messages of ten have files.
// MEWS_CRASH_UPDATES sets the number of messages.
//
// No message and no file is lost, and an album gets one answer. Each chat keeps its order, except
// that a message may overtake files that take long to arrive. No message is sent twice, unless the
// repeat is marked and the fate of the first was unknown. Every acknowledged update is on disk. No
// message is sent while Telegram refuses messages. The database is intact after each kill.
func TestTelegramCrashRun_LosesNoMessage(t *testing.T) {
	seed := uint64(apptest.NumberFromEnv(t, "MEWS_CRASH_SEED", int(time.Now().UnixNano()>>10)))
	updates, kills := roundToPeople(apptest.NumberFromEnv(t, "MEWS_CRASH_UPDATES", crashUpdates)),
		apptest.NumberFromEnv(t, "MEWS_CRASH_KILLS", crashKills)
	t.Logf("replay with MEWS_CRASH_SEED=%d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))

	run := newCrashRun(t, rng, updates)
	run.Start()
	killer := &killer{service: run.Service, died: run.server.RecordClientKill, rng: rng, losses: map[int]int{}}
	for i := range kills {
		run.writeUntil(i*updates/kills + updates/kills)
		killer.kill(run.done, i*updates/kills)
	}
	run.writeUntil(updates)
	t.Logf("%d updates, %d kills of the supervisor, %d of workers", updates, killer.supervisors, killer.workers)
	if killer.supervisors == 0 || killer.workers == 0 {
		t.Error("one of the two was never killed")
	}
	run.settle()
	run.check(killer.supervisors)
	run.Stop()
	run.CheckIntegrity()
}

// roundToPeople rounds a number of messages up, so that all people write equally many.
func roundToPeople(messages int) int { return (messages + crashPeople - 1) / crashPeople * crashPeople }

// crashRun is a service on Telegram, and eight people who write to it.
type crashRun struct {
	*apptest.Service
	t       *testing.T
	server  *telegramtest.Server
	writers []*writer
	said    int           // number of messages sent
	updates int           // updates that brought the messages: an album has several
	done    chan struct{} // a token for each finished answer of the model
}

// writer is one person on Telegram.
type writer struct {
	user     telegramtest.User
	home     string
	messages []chatMessage
	said     int
	resends  map[int]int // number of requests to resend the answer, by message
}

func newCrashRun(t *testing.T, rng *rand.Rand, updates int) *crashRun {
	r := &crashRun{t: t, done: make(chan struct{}, updates)}
	_, url := modeltest.NewServer(t, r.model)
	var people []string
	for i := range crashPeople {
		people = append(people, fmt.Sprint("p", i))
	}
	r.Service = apptest.NewService(t, url, people...)
	r.Bin = apptest.LinkProgramsInTestFolder(t, apptest.BuildPrograms(t))
	r.server = telegramtest.New(t, telegramtest.Options{Token: testToken, Strict: true, BeforeConfirm: r.checkAcknowledged})
	r.server.InjectFault(telegramtest.Fault{Method: "sendMessage", Kind: telegramtest.ResetFault, After: true,
		Rate: 0.01,
		Seed: rng.Uint64()})
	r.server.InjectFault(telegramtest.Fault{Method: telegramtest.DownloadMethod, Kind: telegramtest.ResetFault,
		Times: 2})
	r.server.InjectFault(telegramtest.Fault{Kind: telegramtest.ErrorFault, Code: 500, Text: "Internal Server Error",
		Rate: 0.005, Seed: rng.Uint64()})
	r.AppendConfig(apptest.TelegramConfig(r.server, "rate: {chat: 30, all: 1000}") + apptest.QueueModeConfig +
		recogniserConfig)
	for i, name := range people {
		r.server.InjectFault(telegramtest.Fault{Kind: telegramtest.FloodFault, Chat: apptest.FirstTelegramID + int64(i),
			RetryAfter: 2, Rate: 0.005, Seed: rng.Uint64()})
		r.writers = append(r.writers, &writer{
			user: telegramtest.User{ID: apptest.FirstTelegramID + int64(i), First: name}, home: r.UserHome(name),
			resends:  map[int]int{},
			messages: randomMessages(rng.Uint64(), name, updates/crashPeople),
		})
	}
	return r
}

// testToken has the form of a real bot token.
const testToken = "42:TEST-token-of-a-bot-that-is-not-there"

// model follows the message's commands and counts finished answers. Some answers are slow and grow
// in their chats.
func (r *crashRun) model(q modeltest.Request) modeltest.Answer {
	a := checkFilesFirst(modeltest.FileWriterScript)(q)
	a.Chunk, a.Delay = 16, 2*time.Millisecond
	if m := messageNumber.FindStringSubmatch(q.NewestUserMessage()); m != nil && isSlow(m[1]) {
		a.Chunk, a.Delay = 4, 80*time.Millisecond
	}
	if len(a.Calls) == 0 {
		select {
		case r.done <- struct{}{}:
		default:
		}
	}
	return a
}

// isSlow reports whether a message gets a slow answer. Every tenth message gets one, and from
// number 100 on every hundredth message.
func isSlow(number string) bool {
	return strings.HasSuffix(number, "00") || len(number) < 3 && strings.HasSuffix(number, "0")
}

// checkAcknowledged checks that updates are on disk. The fake Telegram calls checkAcknowledged
// before it forgets the updates.
func (r *crashRun) checkAcknowledged(updates []int64) {
	db := r.OpenDatabaseCopy()
	defer db.Close()
	for _, id := range updates {
		var n int
		err := db.QueryRow("SELECT count(*) FROM received WHERE id = ?", id).Scan(&n)
		if err != nil || n != 1 {
			r.t.Errorf("update %d was acknowledged and is not on disk: %d rows, %v", id, n, err)
		}
	}
}

// writeUntil makes the people write until they have written as many messages in total as the number
// until.
func (r *crashRun) writeUntil(until int) {
	for ; r.said < until; r.said++ {
		w := r.writers[r.said%crashPeople]
		if w.said < len(w.messages) {
			r.updates += w.send(r.server)
		}
	}
}

// send sends the writer's next message. It returns the number of its updates.
func (w *writer) send(s *telegramtest.Server) (updates int) {
	m := w.messages[w.said]
	text, more := m.text, []telegramtest.MessageOption(nil)
	if len(m.files) > 1 {
		more = append(more, telegramtest.WithAlbum(fmt.Sprint("album ", w.said)))
	}
	for i, f := range m.files {
		s.Say(telegramtest.PrivateChat(w.user), w.user, text, append(more, f.telegramField(fmt.Sprintf("%s-%d-%d",
			w.user.First, w.said, i)))...)
		text = "" // only the first file has the text
	}
	if len(m.files) == 0 {
		s.Say(telegramtest.PrivateChat(w.user), w.user, text)
	}
	w.said++
	return max(1, len(m.files))
}

// settle waits until all messages are answered. If an answer may not have arrived, the service says
// so, and its user writes /resend.
func (r *crashRun) settle() {
	r.WaitUntilTrue(5*time.Minute+time.Duration(r.said)*50*time.Millisecond, "every message to be answered",
		func() bool {
			return r.QueryCount("SELECT count(*) FROM inbox WHERE state IN ('new', 'arriving', 'running')") == 0 &&
				r.QueryCount("SELECT count(*) FROM outbox WHERE outcome IS NULL") == 0 &&
				r.QueryCount("SELECT count(*) FROM received") == r.updates
		})
	for range 10 {
		lost := r.QueryCount("SELECT count(*) FROM outbox WHERE outcome <> 'sent'")
		if lost == 0 {
			return
		}
		r.t.Logf("%d messages may not have arrived; everybody says /resend", lost)
		r.noteRepeats()
		for _, w := range r.writers {
			r.server.Say(telegramtest.PrivateChat(w.user), w.user, "/resend")
			r.updates++
		}
		r.WaitUntilTrue(time.Minute, "what was sent again", func() bool {
			return r.QueryCount("SELECT count(*) FROM received") == r.updates &&
				r.QueryCount("SELECT count(*) FROM outbox WHERE outcome IS NULL") == 0
		})
	}
	r.t.Error("after ten times /resend there are still messages that may not have arrived")
}

// noteRepeats records the answers that may not have arrived, which people ask for again.
func (r *crashRun) noteRepeats() {
	r.t.Helper()
	db := r.OpenDatabaseCopy() // one copy of the database for all people
	defer db.Close()
	for _, w := range r.writers {
		rows, err := db.Query("SELECT i.text FROM outbox o JOIN inbox i ON i.id = o.inbound WHERE o.outcome <> 'sent' AND i.user = ?", w.user.First)
		if err != nil {
			r.t.Fatal(err)
		}
		for rows.Next() {
			var text string
			if err := rows.Scan(&text); err != nil {
				r.t.Fatal(err)
			}
			if i := slices.IndexFunc(w.messages, func(m chatMessage) bool { return m.text == text }); i >= 0 {
				w.resends[i]++
			}
		}
		if err := rows.Err(); err != nil {
			r.t.Fatal(err)
		}
	}
}

// check compares each chat with the messages written there.
func (r *crashRun) check(kills int) {
	r.t.Helper()
	marked := 0
	for _, w := range r.writers {
		marked += w.check(r.t, r.server.BotMessages(w.user.ID), takenMessages(r.t, r.Service, w.user.First))
	}
	cut := 0
	for _, c := range r.server.Calls("sendMessage") {
		if c.Code == 0 {
			cut++
		}
	}
	r.t.Logf("%d messages are marked as perhaps a repeat; %d sends had no answer", marked, cut)
	// A message may be marked as a repeat if Mews could not know whether it was sent. A kill causes
	// at most one such message in each chat: the kill came before Telegram's answer to the send, or
	// before that answer was stored.
	if most := cut + kills*crashPeople; marked > most {
		r.t.Errorf("%d messages are marked as a repeat, and the fate of %d at most was in doubt", marked, most)
	}
}

var messageNumber = regexp.MustCompile(`say #(\d+)\b`)

// check checks one chat. It returns how many messages are marked as a repeat.
func (w *writer) check(t *testing.T, chat []telegramtest.Message, took map[string]takenMessage) (marked int) {
	t.Helper()
	complete := map[int]int{}
	for _, m := range chat {
		repeat := strings.HasPrefix(m.Text, apptest.RepeatedMessageMark)
		if repeat {
			marked++
		}
		if strings.Contains(m.Text, "again") && !messageNumber.MatchString(m.Text) {
			continue // skips the answer to /resend
		}
		i := w.messageIndex(m.Text)
		if i < 0 || !w.isComplete(m.Text, i) {
			continue // the text was cut: this happens only if the message's fate was unknown
		}
		if complete[i] > 0 && !repeat {
			t.Errorf("%s: the answer to message %d stands there again, and is not marked as a repeat", w.user.First, i)
		}
		for before := range complete {
			late, early := took[w.messages[before].text], took[w.messages[i].text]
			if i < before && !repeat && !late.mayOvertake(early) {
				t.Errorf("%s: the answer to message %d came after that to message %d: %+v, %+v", w.user.First, i, before, early, late)
			}
		}
		complete[i]++
	}
	checkUploads(t, w.user.First, w.home, w.messages)
	for i := range w.messages {
		if complete[i] == 0 || complete[i] > 2+w.resends[i] {
			t.Errorf("%s: message %d has %d whole answers", w.user.First, i, complete[i])
		}
	}
	return marked
}

// messageIndex returns the index of the message that a text answers, or -1 if the text does not
// name it.
func (w *writer) messageIndex(text string) int {
	m := messageNumber.FindStringSubmatch(text)
	if m == nil {
		return -1
	}
	i, err := strconv.Atoi(m[1])
	if err != nil || i >= len(w.messages) {
		return -1
	}
	return i
}

// isComplete reports whether a text contains the whole answer to message i. A list of effects and a
// note about an earlier message may follow.
func (w *writer) isComplete(text string, i int) bool {
	said := strings.Join(strings.Fields(text), " ")
	// the model repeats the note that it read before the message
	said = strings.Replace(said, strings.TrimSpace(history.EarlierMessagesNote)+" ", "", 1)
	want := "done: " + strings.Join(strings.Fields(w.messages[i].text), " ")
	_, rest, found := strings.Cut(said, want)
	return found && (rest == "" || strings.HasPrefix(rest, " "+effect.TextEffectsHeading+" ") || strings.Contains(rest,
		"/resend"))
}
