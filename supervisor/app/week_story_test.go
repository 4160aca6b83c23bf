package app_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/telegram/telegramtest"
)

// Alice's week. On the first day she mentions a quetzal key. That message leaves the history, is
// found on the seventh day, and is then forgotten.
const (
	daysOfWeek = 7
	theKey     = "The quetzal key hangs behind the stove."
	whereIsIt  = "Where did I say that it hangs?"
)

// exchange is a message on a day, with the model's calls and its answer.
type exchange struct {
	day    int
	place  string // "chat", "terminal" and "flat" are alice's conversations; a name means that user's chat
	text   string
	calls  []modeltest.Call
	answer string
}

// secretsOfOthers are words that other users say in the same week, each in their own chat.
var secretsOfOthers = map[string]string{"bob": "marmalade", "carol": "kestrel", "dan": "obsidian"}

// weekOfExchanges returns the week's exchanges, in order.
func weekOfExchanges() (week []exchange) {
	things := []string{"oven", "lathe", "gutter", "violin", "ladder", "kiln", "mitre saw"}
	special := map[int][]exchange{
		1: {
			{
				place:  "chat",
				text:   "I take oolong, no sugar.",
				calls:  calls("remember", `{"text":"Takes oolong, no sugar","kind":"preference"}`),
				answer: "Noted.",
			},
			{place: "chat", text: theKey, answer: "Good to know."},
		},
		2: {
			{
				place:  "chat",
				text:   "The plumber was here, note that.",
				calls:  calls("find_tools", `{"words":"memory"}`, "note_today", `{"text":"The plumber was here"}`),
				answer: "Noted for today.",
			},
		},
		4: {
			{
				place:  "chat",
				text:   "I take oolong with milk now.",
				calls:  calls("update_memory", `{"id":"k1","text":"Takes oolong with milk"}`),
				answer: "Changed.",
			},
		},
		7: {
			{
				place:  "chat",
				text:   "What do I drink?",
				calls:  calls("recall", `{"words":"oolong"}`),
				answer: "Oolong with milk.",
			},
			{
				place:  "chat",
				text:   whereIsIt,
				calls:  calls("find_tools", `{"words":"history"}`, "search_history", `{"words":"quetzal"}`),
				answer: "Behind the stove.",
			},
		},
	}
	for day := 1; day <= daysOfWeek; day++ {
		thing := things[day-1]
		week = append(week, special[day]...)
		week = append(week, []exchange{
			{
				place:  "chat",
				text:   "Good morning, I will see to the " + thing + " today, and to what else there is in the workshop.",
				answer: "Good luck with the " + thing + ".",
			},
			{
				place: "terminal",
				text:  "Write down what the " + thing + " needs.",
				calls: calls(
					"write_file",
					fmt.Sprintf(`{"path":"notes/day-%d.md","content":"The %s needs oil."}`, day, thing),
				),
				answer: "It is in notes.",
			},
			{place: "flat", text: "who helps me with the " + thing + "?", answer: "Ask around."},
			{
				place:  "chat",
				text:   "The " + thing + " is harder than I thought; what was the trick with the long screws again?",
				answer: strings.Repeat("Turn them slowly, and oil them before. ", 30),
			},
			{
				place:  "terminal",
				text:   "Is the note on the " + thing + " there?",
				calls:  calls("read_file", fmt.Sprintf(`{"path":"notes/day-%d.md"}`, day)),
				answer: "It is.",
			},
			{place: "chat", text: "The " + thing + " is done. I am tired.", answer: "Well done, rest now."},
			{place: "flat", text: "the " + thing + " works again", answer: "Nice."},
		}...)
		for _, name := range []string{"bob", "carol", "dan"}[day%3 : day%3+1] {
			week = append(
				week,
				exchange{
					place:  name,
					text:   fmt.Sprintf("Day %d: my word is %s.", day, secretsOfOthers[name]),
					answer: "Kept between us.",
				},
			)
		}
		for i := range week {
			if week[i].day == 0 {
				week[i].day = day
			}
		}
	}
	return append(
		week,
		exchange{day: daysOfWeek, place: "bob", text: "What do others say?", answer: "Nothing that I know of.",
			calls: calls("find_tools", `{"words":"history"}`, "search_history", `{"words":"oolong workshop kestrel"}`)},
	)
}

// afterForget is the exchange after the week is forgotten.
var afterForget = exchange{
	place:  "chat",
	text:   "And where does it hang?",
	answer: "I do not know.",
	calls:  calls("find_tools", `{"words":"history"}`, "search_history", `{"words":"stove"}`),
}

// weekService is the service in which the week takes place.
type weekService struct {
	*aliceService
	killSwitch
}

// newWeek starts a weekService. Alice is at her terminal, and the group of the flat is allowed.
func newWeek(t *testing.T) *weekService {
	script := scriptedModel{}
	for _, e := range append(weekOfExchanges(), afterForget) {
		script = append(script, scriptedModel{{e.text, e.calls, e.answer}}...)
	}
	l := &weekService{
		aliceService: newAliceService(
			t,
			providerKinds["openai"],
			script.answer,
			"limits: {history: 1000}\n",
			aliceInMadrid,
			"bob, totp: 'off'",
			"carol, totp: 'off'",
			"dan, totp: 'off'",
		),
	}
	l.mute = func() func() { return l.bot.InjectFault(telegramtest.Fault{Kind: telegramtest.ResetFault, Times: -1}) }
	l.requestCount, l.homes = l.model.CountRequests, filepath.Dir(l.UserHome("alice"))
	l.killed, l.committed = make(chan struct{}, 1), func() { l.commit(filepath.Join(l.Dir, "state", "private")) }
	l.open()
	l.bot.Say(flatChat, l.telegramUser("alice"), "/allow")
	l.awaitInFlat("I now answer the people I know in this group")
	l.attachTerminal()
	return l
}

// await waits for a condition. If the service is killed meanwhile, await restarts it.
func (l *weekService) await(what string, there func() bool) {
	l.T.Helper()
	for killed := true; killed; {
		l.WaitUntilTrue(apptest.DefaultTestTimeout, what, func() bool {
			select {
			case <-l.killed:
				killed = true
			default:
				killed = false
			}
			return killed || there()
		})
		if killed {
			l.revive()
		}
	}
}

// revive ends the killed service, and starts a new one with the disk as it was at the kill. The
// index is lost and rebuilt.
func (l *weekService) revive() {
	l.T.Helper()
	at := time.Now()
	l.cancel()
	close(l.ended)
	l.shut()
	l.bot.RecordClientKill(at)
	l.heard()
	if err := l.restore(filepath.Join(l.Dir, "state", "private")); err != nil {
		l.T.Fatal(err)
	}
	l.open()
	l.arm(true)
}

// playExchange plays an exchange. If killed is true, the service is killed after each commit in it.
func (l *weekService) playExchange(e exchange, killed bool) modeltest.Request {
	l.T.Helper()
	l.move(time.Minute)
	asked, accepted := l.model.CountRequests(), make(chan struct{})
	settled := func() bool {
		select {
		case <-accepted:
			return l.bot.CountPendingUpdates() == 0 && l.model.CountRequests() > asked && l.isIdle(l.alive)
		default:
			return false
		}
	}
	l.arm(killed)
	go func() { // a terminal repeats the message while the service is down
		defer close(accepted)
		switch e.place {
		case "chat":
			l.say("alice", e.text)
		case "flat":
			l.bot.Say(flatChat, l.telegramUser("alice"), "@mews_bot "+e.text)
		case "terminal":
			l.typeInTerminal(e.text)
		default:
			l.say(e.place, e.text)
		}
	}()
	l.await(e.text, settled)
	if l.disarm() {
		<-l.killed
		l.revive()
		l.disarm()
		l.await(e.text, settled)
	}
	requests := l.model.Requests()
	return requests[len(requests)-1]
}

// playDays plays the first days of the week. It kills the service in each exchange whose number is
// divisible by the parameter every. It returns the requests without repeated ones.
func (l *weekService) playDays(
	days, every int,
	check func(exchange, modeltest.Request),
) (requests []modeltest.Request) {
	l.T.Helper()
	day := 1
	for i, e := range weekOfExchanges() {
		if e.day > days {
			break
		}
		if e.day > day {
			day = e.day
			l.move(storyStart.AddDate(0, 0, day-1).Sub(l.now()))
		}
		if e.text == whereIsIt {
			l.awaitIndexed()
		}
		check(e, l.playExchange(e, every > 0 && i%every == every-1))
	}
	return l.distinctRequests(l.model.Requests())
}

// By the seventh day, alice's messages of the first day have left the history. recall and
// search_history still find them. After alice forgets the week, neither the disk nor a request
// contains any of it. Requests of other users never contain alice's words, and her requests never
// contain theirs.
func TestWeekOfTalk_IsFoundThenForgotten(t *testing.T) {
	t.Parallel()
	g, l := newGoldenRequests(t, "week"), newWeek(t)
	chosen := map[string]string{
		"What do I drink?":    "recalled",
		whereIsIt:             "found",
		"What do others say?": "words of others",
	}
	// words of the prompt's lines that differ between the terminal and other conversations
	differing := map[string][]string{
		"chat": {"terminal", "telegram"},
		"bob":  {"alice", "terminal", "Madrid", "bob", "telegram"},
	}
	requests := l.playDays(daysOfWeek, 0, func(e exchange, r modeltest.Request) {
		if e.place == "terminal" && chosen["terminal"] == "" {
			chosen["terminal"] = "terminal"
			g.scene("terminal", r)
		}
		if chosen[e.text] != "" {
			g.scene(chosen[e.text], r, differing[e.place]...)
		}
	})
	trims := map[string]bool{}
	for _, r := range requests {
		if first := r.Messages[0].Content; strings.Contains(first, "left out here") &&
			strings.Contains(string(r.Raw), "Telegram, written") {
			trims[first] = true
		}
		checkOwnWords(t, r)
	}
	if len(trims) < 4 {
		t.Errorf("the window was moved on %d times, want 4", len(trims))
	}
	l.move(time.Minute)
	l.say("alice", "/forget 2025-11-20..2025-11-26")
	l.pressButton("I delete this for good", "Forget it")
	l.await("the week to be forgotten", func() bool { return strings.HasPrefix(lastOf(l.told("alice")), "Forgotten") })
	l.await("nothing of it to be left", func() bool { return len(l.filesWith("quetzal")) == 0 })
	before := l.model.CountRequests()
	g.scene("forgotten", l.playExchange(afterForget, false), differing["chat"]...)
	g.end()
	for _, r := range l.model.Requests()[before:] {
		if bytes.Contains(r.Raw, []byte("quetzal")) {
			t.Errorf("a later request has it: %s", r.Raw)
		}
	}
}

// However often the service is killed, the model gets the same requests. MEWS_WEEK_KILLED=1 kills
// the service after each commit of each exchange of the week. The default is only the first day,
// with kills in every eighth exchange.
func TestWeek_KilledAtCommits_SendsSameRequests(t *testing.T) {
	t.Parallel()
	days, every := 1, 8
	if os.Getenv("MEWS_WEEK_KILLED") != "" {
		days, every = daysOfWeek, apptest.NumberFromEnv(t, "MEWS_WEEK_KILLED", 1)
	}
	l := newWeek(t)
	requests := l.playDays(days, 0, func(exchange, modeltest.Request) {})
	l.shut()
	checkSameRequests(t, days, every, requests)
}

// checkOwnWords fails if a request contains words of another user.
func checkOwnWords(t *testing.T, r modeltest.Request) {
	t.Helper()
	whose := regexp.MustCompile(`personal assistant of (\w+),`).FindStringSubmatch(r.System)[1]
	words := map[string]string{"alice": "workshop|lathe|behind the stove|Takes oolong"}
	for name, word := range secretsOfOthers {
		words[name] = "my word is " + word
	}
	for name, word := range words {
		if found := regexp.MustCompile(word).FindString(string(r.Raw)); name != whose && found != "" &&
			!strings.Contains(r.NewestUserMessage(), "What do others say?") {
			t.Errorf("a request of %s has %q, which is %s's: %s", whose, found, name, r.Raw)
		}
	}
}

// filesWith lists the files of the state folder that contain a word.
func (l *weekService) filesWith(word string) (files []string) {
	l.T.Helper()
	err := filepath.WalkDir(filepath.Join(l.Dir, "state"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(word)) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		l.T.Fatal(err)
	}
	return files
}

// checkSameRequests plays the first days again, and kills the service after each commit of every
// n-th exchange, with n = every. The requests must equal want.
func checkSameRequests(t *testing.T, days, every int, want []modeltest.Request) {
	t.Helper()
	l := newWeek(t)
	got := l.playDays(days, every, func(exchange, modeltest.Request) {})
	t.Logf("killed %d times, %d requests", l.deaths, len(got))
	// A file written before the kill is written again, and the result says so. Everything else must
	// be equal.
	alike := func(r modeltest.Request) string {
		return strings.ReplaceAll(string(r.Raw), "was found to hold just this already", "was created")
	}
	for i := range min(len(got), len(want)) {
		if diff := cmp.Diff(alike(want[i]), alike(got[i])); diff != "" {
			t.Fatalf("request %d is another one with kills (-want +got):\n%s", i, diff)
		}
	}
	if len(got) != len(want) || l.deaths == 0 {
		t.Errorf(
			"%d requests, want %d, after %d kills:\n%s\nwant\n%s",
			len(got),
			len(want),
			l.deaths,
			askedLines(got),
			askedLines(want),
		)
	}
}

// askedLines returns the newest messages in requests, one on each line.
func askedLines(requests []modeltest.Request) string {
	var lines strings.Builder
	for i, r := range requests {
		fmt.Fprintf(&lines, "%d: %s (%d messages)\n", i, r.NewestUserMessage(), len(r.Messages))
	}
	return lines.String()
}
