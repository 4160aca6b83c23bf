package app_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/supervisor/api"
	"mews/supervisor/app/apptest"
	"mews/supervisor/control"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/telegram/telegramtest"
)

// scriptedModel is a model with a script. If the user's message contains the words of a line, it
// makes that line's calls, one in each step. Then it says the line's answer.
type scriptedModel []struct {
	words  string // the line is for messages that contain these words
	calls  []modeltest.Call
	answer string
}

func (p scriptedModel) answer(r modeltest.Request) modeltest.Answer {
	for _, line := range p {
		if !strings.Contains(r.NewestUserMessage(), line.words) {
			continue
		}
		if done := len(r.AnsweredCalls()); done < len(line.calls) {
			return modeltest.Answer{Calls: line.calls[done : done+1]}
		}
		return modeltest.Answer{Text: line.answer}
	}
	return modeltest.Answer{Text: "Noted."}
}

func calls(namesAndArgs ...string) (list []modeltest.Call) {
	for i := 0; i < len(namesAndArgs); i += 2 {
		list = append(list, modeltest.Call{Name: namesAndArgs[i], Args: namesAndArgs[i+1]})
	}
	return list
}

// aliceService is a service with a clock in the past. In it alice talks to a model in several
// conversations.
type aliceService struct {
	*gatedService
	terminal *control.Chat // chat of alice's terminal with the service
}

// storyStart is on a Thursday. In Madrid it is an hour later.
var storyStart = time.Date(2025, 11, 20, 12, 19, 0, 0, time.UTC)

const aliceInMadrid = "alice, role: admin, totp: 'off', timezone: Europe/Madrid"

// newAliceService configures alice's service with a model, for a given API.
func newAliceService(t *testing.T, provider string, script modeltest.Script, more string,
	people ...string) *aliceService {
	l := &aliceService{gatedService: newGatedService(t, script,
		"models: {default: test/claude-sonnet-4-5, providers: {test: "+provider+"}}\n"+more, people...)}
	l.at = storyStart
	return l
}

// providerKinds configures a model for each kind of API.
var providerKinds = map[string]string{
	"openai": "{kind: openai, base_url: MODEL_URL}", "anthropic": "{kind: anthropic, api_key: k, base_url: MODEL_ROOT}",
}

// attachTerminal opens alice's terminal until the test ends.
func (l *aliceService) attachTerminal() {
	l.T.Helper()
	joined := make(unreadScreen, 1)
	l.terminal = control.NewChat(l.Socket, control.JoinChatRequest{User: "alice", After: control.StartFromNow}, joined)
	ctx, cancel := context.WithCancel(context.WithoutCancel(l.T.Context()))
	ended := make(chan error, 1)
	go func() { ended <- l.terminal.Run(ctx, 0) }()
	l.T.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			l.T.Errorf("the terminal: %v", err)
		}
	})
	<-joined
}

// unreadScreen is the screen of a terminal that nobody reads. The channel gets a value when the
// terminal attaches for the first time.
type unreadScreen chan struct{}

func (u unreadScreen) ShowConnected(_ control.JoinChatResult, again bool) {
	if !again {
		u <- struct{}{}
	}
}

func (unreadScreen) ShowDelivery(control.Delivery) bool { return true }
func (unreadScreen) ShowProgress(control.Progress)      {}
func (unreadScreen) ShowConnectionLost(error)           {}

// turn moves the clock by a minute, calls say, and waits for the answer. It returns the newest
// request to the model.
func (l *aliceService) turn(say func()) modeltest.Request {
	l.T.Helper()
	l.move(time.Minute)
	obedientService{l.gatedService}.turn(say)
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "all to be delivered", l.allDelivered)
	requests := l.model.Requests()
	return requests[len(requests)-1]
}

// sayInChat sends a message in alice's chat on Telegram, and waits for the answer.
func (l *aliceService) sayInChat(text string, more ...telegramtest.MessageOption) modeltest.Request {
	l.T.Helper()
	return l.turn(func() { l.say("alice", text, more...) })
}

// sayInTerminal sends a message in alice's terminal, and waits for the answer.
func (l *aliceService) sayInTerminal(text string) modeltest.Request {
	l.T.Helper()
	return l.turn(func() { l.typeInTerminal(text) })
}

// typeInTerminal sends a message in alice's terminal, without waiting for the answer.
func (l *aliceService) typeInTerminal(text string) {
	l.T.Helper()
	if _, err := l.terminal.SendMessage(l.T.Context(), control.NewMessageKey(), text); err != nil {
		l.T.Fatal(err)
	}
}

// pressButton lets alice press a button with a label, below a message with these words.
func (l *aliceService) pressButton(words, label string) {
	l.T.Helper()
	m, u := l.awaitCard("alice", words), l.telegramUser("alice")
	for _, row := range m.Keyboard {
		for _, b := range row {
			if b.Text != label {
				continue
			}
			if _, _, err := l.bot.PressButton(telegramtest.PrivateChat(u), u, m.ID, b.Data); err != nil {
				l.T.Fatal(err)
			}
			return
		}
	}
	l.T.Fatalf("no button %q below %q, but %q", label, m.Text, labels(m))
}

// awaitIdle waits until no worker is busy, because a turn ends shortly after its answer.
func (l *aliceService) awaitIdle() {
	l.T.Helper()
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the workers to rest", func() bool { return l.isIdle(l.T.Context()) })
}

// isIdle says whether no worker is busy and nothing waits.
func (l *aliceService) isIdle(ctx context.Context) bool {
	var s api.Status
	err := control.CallOnce(ctx, l.Socket, api.MethodStatus, nil, &s)
	return err == nil && s.Waiting == (api.UnfinishedWork{}) && !slices.ContainsFunc(s.Users,
		func(u api.UserStatus) bool { return u.Worker == "busy" })
}

// writeHomeFile writes a file into alice's home, as alice would.
func (l *aliceService) writeHomeFile(name, text string) {
	l.T.Helper()
	path := filepath.Join(l.UserHome("alice"), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		l.T.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		l.T.Fatal(err)
	}
	apptest.ChownToWorkers(l.T, l.UserHome("alice"))
}

// For both kinds of API, the requests of chosen turns must equal the golden files in
// testdata/requests.
func TestModelRequests_MatchGoldenFiles(t *testing.T) {
	script := scriptedModel{
		{"I take oolong", calls("remember", `{"text":"Takes oolong, no sugar","kind":"preference"}`), "I'll remember that."},
		{"What have I sent", calls("find_tools", `{"words":"uploads"}`, "list_uploads", `{}`), "Nothing yet."},
		{"Which cake", calls("ask_user", `{"question":"Which one?","kind":"choice","options":["apple","plum"]}`), "Plum it is."},
	}
	for kind, provider := range providerKinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			g := newGoldenRequests(t, "requests/"+kind)
			l := newAliceService(t, provider, script.answer, `limits: {history: 1000}
speech: {in: {engine: command, command: [sh, -c, echo buy eggs, "{wav}"]}}
`, aliceInMadrid, "bob")
			l.open()
			g.scene("first message", l.sayInChat("hi"))
			l.sayInChat("I take oolong, no sugar")
			if r := l.sayInChat("With a biscuit."); strings.Contains(r.System, "oolong") {
				t.Errorf("the system text is another while that is not free: %s", r.System)
			}
			l.awaitIdle()
			l.writeHomeFile("SOUL.md", "You are dry and kind.\n")
			l.writeHomeFile("AGENTS.md", "Call me Al.\n")
			l.writeHomeFile("USER.md", "Alice, a carpenter in Madrid.\n")
			l.writeHomeFile("memory/"+g.today+".md", "- 09:10 The oven is broken\n")
			l.move(6 * time.Minute)
			g.scene("facts, notes and prompt files", l.sayInChat("What do you know of me?"))
			l.sayInChat("", telegramtest.WithVoice(telegramtest.File{ID: "file", Content: waveFile()}, time.Second))
			l.sayInChat("The plumber comes at nine.", telegramtest.AsForwardOf(l.telegramUser("bob"), storyStart))
			var id int64
			l.turn(func() { id = l.say("alice", "Buy tomatos") })
			l.say("alice", "Buy tomatoes", telegramtest.AsEditOf(id))
			g.scene("stamps of messages", l.turn(func() { l.pressButton("", "Answer it anew") }))
			g.scene("question answered by a button", l.turn(func() {
				l.say("alice", "Which cake do I want?")
				l.pressButton("Which one?", "plum")
			}))
			opened := l.sayInChat("What have I sent you?")
			g.scene("family of tools opened", opened)
			g.whole(opened)
			l.bot.Say(flatChat, l.telegramUser("alice"), "/allow")
			l.awaitInFlat("I now answer the people I know in this group")
			g.scene("group", l.turn(func() { l.bot.Say(flatChat, l.telegramUser("alice"), "@mews_bot who cleans this week?") }), "telegram", "group")
			l.attachTerminal()
			g.scene("recap in the terminal", l.sayInTerminal("Are you here as well?"), "telegram", "terminal")
			g.scene("history trimmed", l.sayInChat(strings.Repeat("oven ", 500)))
			l.sayAndAwait("alice", "/new", "")
			g.scene("after /new", l.sayInChat("Let's begin anew."))
			l.move(time.Minute)
			l.sayAndAwait("alice", "/forget conversation", "")
			l.pressButton("I delete this for good", "Forget it")
			l.bot.WaitUntil(t, "it to be forgotten", func() bool {
				return strings.HasPrefix(lastOf(l.told("alice")),
					"Forgotten")
			})
			g.scene("after /forget", l.sayInChat("What did I say?"))
			g.end()
		})
	}
}

// Prompt files, memory, notes, a recap, all tools and a terminal are at their limits. Without the
// conversation's own messages, a request then has at most 40 KiB.
func TestModelRequest_FullPrompt_IsAtMost40KiB(t *testing.T) {
	script := scriptedModel{
		{"open", calls("terminal", `{"action":"open","command":"sleep 1000","wait":0.01}`), "It runs."},
		{"long", nil, strings.Repeat("words ", 100)},
	}
	for kind, provider := range providerKinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			l := newAliceService(t, provider, script.answer, "", aliceInMadrid)
			for name, size := range map[string]int{"SOUL.md": 5 << 10, "AGENTS.md": 17 << 10, "USER.md": 5 << 10} {
				l.writeHomeFile(name, strings.Repeat("A line of it.\n", size/14))
			}
			var facts, notes strings.Builder
			for i := range 500 {
				fmt.Fprintf(&facts, "- %0300d <!-- k%d fact 0.9 2025-11-20 #1 -->\n", i, i+1)
				fmt.Fprintf(&notes, "- 09:10 %0300d\n", i)
			}
			l.writeHomeFile("MEMORY.md", facts.String())
			l.writeHomeFile("memory/"+time.Now().UTC().Format(time.DateOnly)+".md", notes.String())
			l.open()
			l.sayInChat("open it")
			for range 10 {
				l.sayInChat("long " + strings.Repeat("words ", 100))
			}
			l.attachTerminal()
			for _, family := range []string{"terminal", "uploads", "activity", "chat", "memory", "history"} {
				l.typeInTerminal("/tools keep " + family)
			}
			r := l.sayInTerminal("hi")
			definitions := 0
			for _, tool := range r.Tools {
				definitions += len(tool.Name) + len(tool.Description) + len(tool.Schema)
			}
			t.Logf("%d bytes, of which are %d the system text and %d those of %d tools", len(r.Raw), len(r.System), definitions, len(r.Tools))
			if len(r.Raw) > 40<<10 || !strings.Contains(string(r.Raw), "in other chats") || len(r.Tools) < 28 {
				t.Errorf("the request has %d bytes, want at most 40 KiB, with a recap and all tools: %s", len(r.Raw), r.Raw)
			}
		})
	}
}
