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

// A week of alice's. What is said on its first day of a quetzal key leaves the window, is found on
// the seventh, and is forgotten then.
const (
	daysOfWeek = 7
	theKey     = "The quetzal key hangs behind the stove."
	whereIsIt  = "Where did I say that it hangs?"
)

// exchange is what somebody says somewhere on a day, the calls that the model makes of it, and what
// it answers.
type exchange struct {
	day    int
	where  string // chat, terminal and flat are alice's; else it is the chat of whom it names
	says   string
	calls  []modeltest.Call
	answer string
}

// secretsOfOthers are words that others say in the same week, each in a chat of their own.
var secretsOfOthers = map[string]string{"bob": "marmalade", "carol": "kestrel", "dan": "obsidian"}

// weekOfExchanges is the week, in order.
func weekOfExchanges() (week []exchange) {
	things := []string{"oven", "lathe", "gutter", "violin", "ladder", "kiln", "mitre saw"}
	special := map[int][]exchange{
		1: {
			{
				where:  "chat",
				says:   "I take oolong, no sugar.",
				calls:  calls("remember", `{"text":"Takes oolong, no sugar","kind":"preference"}`),
				answer: "Noted.",
			},
			{where: "chat", says: theKey, answer: "Good to know."},
		},
		2: {
			{
				where:  "chat",
				says:   "The plumber was here, note that.",
				calls:  calls("find_tools", `{"words":"memory"}`, "note_today", `{"text":"The plumber was here"}`),
				answer: "Noted for today.",
			},
		},
		4: {
			{
				where:  "chat",
				says:   "I take oolong with milk now.",
				calls:  calls("update_memory", `{"id":"k1","text":"Takes oolong with milk"}`),
				answer: "Changed.",
			},
		},
		7: {
			{
				where:  "chat",
				says:   "What do I drink?",
				calls:  calls("recall", `{"words":"oolong"}`),
				answer: "Oolong with milk.",
			},
			{
				where:  "chat",
				says:   whereIsIt,
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
				where:  "chat",
				says:   "Good morning, I will see to the " + thing + " today, and to what else there is in the workshop.",
				answer: "Good luck with the " + thing + ".",
			},
			{
				where: "terminal",
				says:  "Write down what the " + thing + " needs.",
				calls: calls(
					"write_file",
					fmt.Sprintf(`{"path":"notes/day-%d.md","content":"The %s needs oil."}`, day, thing),
				),
				answer: "It is in notes.",
			},
			{where: "flat", says: "who helps me with the " + thing + "?", answer: "Ask around."},
			{
				where:  "chat",
				says:   "The " + thing + " is harder than I thought; what was the trick with the long screws again?",
				answer: strings.Repeat("Turn them slowly, and oil them before. ", 30),
			},
			{
				where:  "terminal",
				says:   "Is the note on the " + thing + " there?",
				calls:  calls("read_file", fmt.Sprintf(`{"path":"notes/day-%d.md"}`, day)),
				answer: "It is.",
			},
			{where: "chat", says: "The " + thing + " is done. I am tired.", answer: "Well done, rest now."},
			{where: "flat", says: "the " + thing + " works again", answer: "Nice."},
		}...)
		for _, name := range []string{"bob", "carol", "dan"}[day%3 : day%3+1] {
			week = append(
				week,
				exchange{
					where:  name,
					says:   fmt.Sprintf("Day %d: my word is %s.", day, secretsOfOthers[name]),
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
		exchange{day: daysOfWeek, where: "bob", says: "What do others say?", answer: "Nothing that I know of.",
			calls: calls("find_tools", `{"words":"history"}`, "search_history", `{"words":"oolong workshop kestrel"}`)},
	)
}

// afterwards is said once the week is forgotten.
var afterForget = exchange{
	where:  "chat",
	says:   "And where does it hang?",
	answer: "I do not know.",
	calls:  calls("find_tools", `{"words":"history"}`, "search_history", `{"words":"stove"}`),
}

// livedWeek is a service in which the week is lived.
type weekService struct {
	*aliceService
	killSwitch
}

// newWeek lays one out, and opens it with alice at her terminal and the flat allowed.
func newWeek(t *testing.T) *weekService {
	part := scriptedModel{}
	for _, e := range append(weekOfExchanges(), afterForget) {
		part = append(part, scriptedModel{{e.says, e.calls, e.answer}}...)
	}
	l := &weekService{
		aliceService: newAliceService(
			t,
			providerKinds["openai"],
			part.answer,
			"limits: {history: 1000}\n",
			aliceInMadrid,
			"bob, totp: 'off'",
			"carol, totp: 'off'",
			"dan, totp: 'off'",
		),
	}
	l.mute = func() func() { return l.bot.Fault(telegramtest.Fault{Kind: telegramtest.Reset, Times: -1}) }
	l.asked, l.homes = l.model.Count, filepath.Dir(l.Home("alice"))
	l.killed, l.committed = make(chan struct{}, 1), func() { l.commit(filepath.Join(l.Dir, "state", "private")) }
	l.open()
	l.bot.Say(flatChat, l.telegramUser("alice"), "/allow")
	l.awaitInFlat("People may speak")
	l.attachTerminal()
	return l
}

// until waits for something, and has the service go on that is killed meanwhile.
func (l *weekService) await(what string, there func() bool) {
	l.T.Helper()
	for killed := true; killed; {
		l.WaitFor(apptest.Patience, what, func() bool {
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

// revive ends a life that was killed, and begins the next with what was on disk then. The index is
// gone with it, and is built anew.
func (l *weekService) revive() {
	l.T.Helper()
	at := time.Now()
	l.cancel()
	close(l.dead)
	l.shut()
	l.bot.Died(at)
	l.heard()
	if err := l.restore(filepath.Join(l.Dir, "state", "private")); err != nil {
		l.T.Fatal(err)
	}
	l.open()
	l.arm(true)
}

// lives has an exchange take place. With killed the service is killed after each commit of it.
func (l *weekService) playExchange(e exchange, killed bool) modeltest.Request {
	l.T.Helper()
	l.move(time.Minute)
	asked, accepted := l.model.Count(), make(chan struct{})
	settled := func() bool {
		select {
		case <-accepted:
			return l.bot.Pending() == 0 && l.model.Count() > asked && l.isIdle(l.alive)
		default:
			return false
		}
	}
	l.arm(killed)
	go func() { // a terminal says it again as long as the service is away
		defer close(accepted)
		switch e.where {
		case "chat":
			l.say("alice", e.says)
		case "flat":
			l.bot.Say(flatChat, l.telegramUser("alice"), "@mews_bot "+e.says)
		case "terminal":
			l.typeInTerminal(e.says)
		default:
			l.say(e.where, e.says)
		}
	}()
	l.await(e.says, settled)
	if l.disarm() {
		<-l.killed
		l.revive()
		l.disarm()
		l.await(e.says, settled)
	}
	requests := l.model.Requests()
	return requests[len(requests)-1]
}

// weekRequests has the first days of the week take place, with kills in each exchange whose number
// every divides, and gives the requests of it all without those that were made again.
func (l *weekService) playDays(
	days, every int,
	look func(exchange, modeltest.Request),
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
		if e.says == whereIsIt {
			l.awaitIndexed()
		}
		look(e, l.playExchange(e, every > 0 && i%every == every-1))
	}
	return l.distinctRequests(l.model.Requests())
}

// TestWeek_IsFoundThenForgotten: what alice says on the first day has left the window by the seventh, and
// is found then, by recall and by search_history; once she has the week forgotten, nothing is left
// of it on disk and in requests. What others say in the same week is in no request of hers, nor is
// hers in one of theirs.
func TestWeek_IsFoundThenForgotten(t *testing.T) {
	t.Parallel()
	g, l := newGoldenRequests(t, "week"), newWeek(t)
	chosen := map[string]string{
		"What do I drink?":    "2-recalled",
		whereIsIt:             "3-found",
		"What do others say?": "4-of-others",
	}
	requests := l.playDays(daysOfWeek, 0, func(e exchange, r modeltest.Request) {
		if e.where == "terminal" && chosen["terminal"] == "" {
			chosen["terminal"] = "1-terminal"
			g.same("1-terminal", r)
		}
		if chosen[e.says] != "" {
			g.same(chosen[e.says], r)
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
	l.pressButton("gone for good", "Forget it")
	l.await("the week to be forgotten", func() bool { return strings.HasPrefix(last(l.told("alice")), "Forgotten") })
	l.await("nothing of it to be left", func() bool { return len(l.filesWith("quetzal")) == 0 })
	before := l.model.Count()
	g.same("5-forgotten", l.playExchange(afterForget, false))
	for _, r := range l.model.Requests()[before:] {
		if bytes.Contains(r.Raw, []byte("quetzal")) {
			t.Errorf("a later request has it: %s", r.Raw)
		}
	}
}

// TestWeek_KilledAtCommits_AsksTheSame: however often the service is killed, the model is asked the
// very same. MEWS_WEEK_KILLED=1 has it killed after each commit of each exchange of the week;
// without it the first day is lived, and each eighth exchange is killed.
func TestWeek_KilledAtCommits_AsksTheSame(t *testing.T) {
	t.Parallel()
	days, every := 1, 8
	if os.Getenv("MEWS_WEEK_KILLED") != "" {
		days, every = daysOfWeek, apptest.Number(t, "MEWS_WEEK_KILLED", 1)
	}
	l := newWeek(t)
	requests := l.playDays(days, 0, func(exchange, modeltest.Request) {})
	l.shut()
	checkSameRequests(t, days, every, requests)
}

// foreign fails where a request has words of somebody else than whose it is.
func checkOwnWords(t *testing.T, r modeltest.Request) {
	t.Helper()
	whose := regexp.MustCompile(`personal assistant of (\w+),`).FindStringSubmatch(r.System)[1]
	words := map[string]string{"alice": "workshop|lathe|behind the stove|Takes oolong"}
	for name, word := range secretsOfOthers {
		words[name] = "my word is " + word
	}
	for name, word := range words {
		if found := regexp.MustCompile(word).FindString(string(r.Raw)); name != whose && found != "" &&
			!strings.Contains(r.Asked(), "What do others say?") {
			t.Errorf("a request of %s has %q, which is %s's: %s", whose, found, name, r.Raw)
		}
	}
}

// with are the files of the state folder that have a word.
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

// sameWith has the first days of the week take place once more, with the service killed after each
// commit of each exchange whose number every divides: the model is asked the very same.
func checkSameRequests(t *testing.T, days, every int, want []modeltest.Request) {
	t.Helper()
	l := newWeek(t)
	got := l.playDays(days, every, func(exchange, modeltest.Request) {})
	t.Logf("killed %d times, %d requests", l.deaths, len(got))
	// A file that was written before the kill is written again, and the result says so. Nothing
	// else differs.
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

// askedIn is what requests ask, a line each.
func askedLines(requests []modeltest.Request) string {
	var lines strings.Builder
	for i, r := range requests {
		fmt.Fprintf(&lines, "%d: %s (%d messages)\n", i, r.Asked(), len(r.Messages))
	}
	return lines.String()
}
