package main_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/rogpeppe/go-internal/testscript"

	"mews/supervisor/app/apptest"
	"mews/supervisor/sqlite/sqlitetest"
	"mews/supervisor/telegram/telegramtest"
)

// People and groups on the scenarios' Telegram, by name.
var (
	botPeople = map[string]int64{"alice": 1001, "bob": 1002, "mallory": 1003, "carol": 1004}
	botGroups = map[string]telegramtest.Chat{
		"family": {ID: -5001, Type: "group", Title: "family"},
		"clan":   {ID: -1000000005001, Type: "supergroup", Title: "clan"},
		"club":   {ID: -1000000005002, Type: "supergroup", Title: "club", Forum: true},
	}
)

// hookSpeed is how many times faster than Telegram the fake repeats refused webhook calls.
const hookSpeed = 10

// scriptBot is a bot on the scenario's own Bot API server. A wrong call fails the scenario. The
// scenario also fails if the server forgets an update that is not on disk.
type scriptBot struct {
	t      testing.TB
	db     string // path of the service's database
	server *telegramtest.Server
	source string            // source of the bot's updates in the database
	faults []func()          // functions that end the injected faults
	seen   map[string]string // transcript of each chat at the last `chat` command, by the chat's name

	mu     sync.Mutex     // guards the fields below
	forBot map[int64]bool // by update id: true means that Mews must store the update, false that it must not
}

// botCommand makes a script command that acts on Telegram.
func botCommand(usage string, do func(*scriptBot, *testscript.TestScript, []string)) scriptCommand {
	return command(usage, func(s *scriptEnv, ts *testscript.TestScript, args []string) {
		if s.bot == nil {
			ts.Fatalf("there is no Telegram")
		}
		do(s.bot, ts, args)
	})
}

// startTelegram starts a server, which replaces an earlier server. The earlier server goes on
// running.
func (s *scriptEnv) startTelegram(ts *testscript.TestScript, args []string) {
	b := &scriptBot{t: s.t, db: filepath.Join(s.dir, "state", "mews", "private", "mews.db"), seen: map[string]string{},
		forBot: map[int64]bool{}}
	o := telegramtest.Options{Token: testToken, Strict: true, Speed: hookSpeed, BeforeConfirm: b.checkAcknowledged}
	if len(args) > 0 {
		o.Files = ts.MkAbs(args[0])
	}
	b.server = telegramtest.New(s.t, o)
	b.source = fmt.Sprintf("telegram/%s/%d", b.server.URL(), b.server.BotID())
	s.bot = b
	ts.Setenv("BOT_URL", b.server.URL())
	ts.Setenv("BOT_TOKEN", b.server.Token())
	ts.Setenv("HOOK", freeAddress(ts))
}

func freeAddress(ts *testscript.TestScript) string {
	address, err := unusedAddress()
	ts.Check(err)
	return address
}

// unusedAddress returns an address to listen at, also after a restart of the service. Its port is
// below the range from which Linux (from 32768) and macOS take ports for other programs.
func unusedAddress() (string, error) {
	var err error
	for range 100 {
		var l net.Listener
		if l, err = net.Listen("tcp", fmt.Sprint("127.0.0.1:", 20_000+rand.IntN(12_000))); err == nil {
			return l.Addr().String(), l.Close()
		}
	}
	return "", fmt.Errorf("no port is free: %w", err)
}

// checkAcknowledged checks that only updates for the bot are on disk. The fake Telegram calls it
// before it forgets the updates. Updates of a deleted time span are no longer on disk.
func (b *scriptBot) checkAcknowledged(updates []int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	db := sqlitetest.OpenCopy(b.t, b.db)
	defer db.Close()
	for _, id := range updates {
		var n int
		meant, known := b.forBot[id]
		err := db.QueryRow(`SELECT count(*) FROM received WHERE source = ?1 AND id = ?2 UNION ALL SELECT 1 FROM source
			WHERE ?3 AND name = ?1 AND next > ?2 AND EXISTS (SELECT id FROM forgetting UNION ALL SELECT 1 FROM forgotten) ORDER BY 1 DESC LIMIT 1`, b.source, id, meant).Scan(&n)
		if err != nil || known && meant != (n == 1) {
			b.t.Errorf("update %d is forgotten by Telegram: it is on disk %d times, it was for the bot: %t, %v", id, n, meant, err)
		}
	}
}

// await waits until the service fulfils a condition.
func (b *scriptBot) await(ts *testscript.TestScript, there func() bool, otherwise func() string) {
	awaitIn(ts, there, func() string { return otherwise() + "\n" + b.server.DumpState() })
}

// awaitIn waits until the function there returns true. If that takes too long, the script fails
// with the text from the function otherwise.
func awaitIn(ts *testscript.TestScript, there func() bool, otherwise func() string) {
	deadline := time.After(apptest.DefaultTestTimeout)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !there() {
		select {
		case <-deadline:
			ts.Fatalf("waited %s: %s", apptest.DefaultTestTimeout, otherwise())
		case <-tick.C:
		}
	}
}

// speaker is a user in a chat: NAME in private, NAME@GROUP, or NAME@GROUP/TOPIC.
type speaker struct {
	who  telegramtest.User
	chat telegramtest.Chat
	more []telegramtest.MessageOption
}

func speakerOf(ts *testscript.TestScript, text string) speaker {
	name, group, _ := strings.Cut(text, "@")
	id, known := botPeople[name]
	if !known {
		ts.Fatalf("there is nobody %q; there are %q", name, slices.Sorted(maps.Keys(botPeople)))
	}
	p := speaker{who: telegramtest.User{ID: id, First: name}}
	p.chat = telegramtest.PrivateChat(p.who)
	group, topic, _ := strings.Cut(group, "/")
	if group != "" {
		p.chat = chatOf(ts, group)
	}
	if topic != "" {
		thread, err := strconv.ParseInt(topic, 10, 64)
		ts.Check(err)
		p.more = append(p.more, telegramtest.WithThread(thread))
	}
	return p
}

// chatOf returns a group, or a user's private chat, by name.
func chatOf(ts *testscript.TestScript, name string) telegramtest.Chat {
	if c, ok := botGroups[name]; ok {
		return c
	}
	if id, ok := botPeople[name]; ok {
		return telegramtest.PrivateChat(telegramtest.User{ID: id, First: name})
	}
	ts.Fatalf("there is no chat %q", name)
	return telegramtest.Chat{}
}

// send sends a message of a user.
func (b *scriptBot) send(ts *testscript.TestScript, meant bool, args []string, more ...telegramtest.MessageOption) {
	p := speakerOf(ts, args[0])
	for _, media := range args[2:] {
		more = append(more, mediaOf(ts, media))
	}
	b.mu.Lock()
	defer b.mu.Unlock() // holds the mutex until forBot has the update; the server may ask about the update earlier
	update, _ := b.server.Say(p.chat, p.who, strings.ReplaceAll(args[1], `\n`, "\n"), append(p.more, more...)...)
	b.forBot[update] = meant
}

func (b *scriptBot) say(ts *testscript.TestScript, args []string) {
	b.send(ts, true, args)
}

func (b *scriptBot) aside(ts *testscript.TestScript, args []string) {
	b.send(ts, false, args)
}

func (b *scriptBot) reply(ts *testscript.TestScript, args []string) {
	chat := speakerOf(ts, args[0]).chat.ID
	for _, m := range slices.Backward(b.server.Messages(chat)) {
		if strings.Contains(m.Text, args[1]) {
			if m.FromBot {
				b.awaitNoted(ts, chat, m.ID)
			}
			b.send(ts, true, slices.Concat(args[:1], args[2:]), telegramtest.WithReplyTo(m.ID))
			return
		}
	}
	ts.Fatalf("nothing with %q in it stands there", args[1])
}

// awaitNoted waits until the database has stored a message as sent by the service. A real user
// never answers faster.
func (b *scriptBot) awaitNoted(ts *testscript.TestScript, chat, message int64) {
	notes := fmt.Sprintf("SELECT count(*) FROM post p JOIN conversation c ON c.id = p.conversation WHERE c.chat = '%d' AND p.message = '%d'",
		chat, message)
	b.await(ts, func() bool { return b.count(ts, notes) > 0 },
		func() string { return fmt.Sprintf("message %d of chat %d is not noted", message, chat) })
}

// edit changes the newest message of a user with a text.
func (b *scriptBot) edit(ts *testscript.TestScript, args []string) {
	p := speakerOf(ts, args[0])
	more := p.more
	for _, media := range args[3:] {
		more = append(more, mediaOf(ts, media))
	}
	for _, m := range slices.Backward(b.server.Messages(p.chat.ID)) {
		if m.From.ID == p.who.ID && m.Text == args[1] {
			b.server.Say(p.chat, p.who, args[2], append(more, telegramtest.AsEditOf(m.ID))...)
			return
		}
	}
	ts.Fatalf("nothing of %s with the text %q stands there", args[0], args[1])
}

// awaitTaken waits until the service has taken all updates.
func (b *scriptBot) awaitTaken(ts *testscript.TestScript, _ []string) {
	b.await(ts, func() bool { return b.server.CountPendingUpdates() == 0 },
		func() string { return "something is not taken" })
}

// awaitChat waits until the new messages of a chat are equal to a file. The messages that an
// earlier command saw must be unchanged.
func (b *scriptBot) awaitChat(ts *testscript.TestScript, args []string) {
	id, want := chatOf(ts, args[0]).ID, b.seen[args[0]]+ts.ReadFile(args[1])
	b.await(ts, func() bool { return b.transcript(id) == want }, func() string {
		now := b.transcript(id)
		if rest, ok := strings.CutPrefix(now, b.seen[args[0]]); ok {
			return fmt.Sprintf("what has come to %s's chat is not %s:\n%s", args[0], args[1], rest)
		}
		return fmt.Sprintf("%s's chat has changed:\n%s", args[0], now)
	})
	b.seen[args[0]] = want
}

// awaitShown waits until a chat matches a pattern; other messages may come before.
func (b *scriptBot) awaitShown(ts *testscript.TestScript, args []string) {
	id := chatOf(ts, args[0]).ID
	pattern, err := regexp.Compile(`(?m)` + args[1])
	ts.Check(err)
	b.await(ts, func() bool { return pattern.MatchString(b.transcript(id)) }, func() string {
		return fmt.Sprintf("%s's chat does not show %q:\n%s", args[0], args[1], b.transcript(id))
	})
}

// awaitReaction waits until the newest message with a text has a reaction, "" for none.
func (b *scriptBot) awaitReaction(ts *testscript.TestScript, args []string) {
	id := chatOf(ts, args[0]).ID
	b.await(ts, func() bool {
		for _, m := range slices.Backward(b.server.Messages(id)) {
			if m.Text == args[1] {
				return m.Reaction == args[2]
			}
		}
		return false
	}, func() string { return fmt.Sprintf("%q of %s has not the reaction %q", args[1], args[0], args[2]) })
}

// thumbs adds a user's emoji to the newest message of the bot with a text in it.
func (b *scriptBot) thumbs(ts *testscript.TestScript, args []string) {
	p := speakerOf(ts, args[0])
	for _, m := range slices.Backward(b.server.BotMessages(p.chat.ID)) {
		if strings.Contains(m.Text, args[1]) {
			if b.server.React(p.chat, p.who, m.ID, args[2]) == 0 {
				ts.Fatalf("the service wants no reactions")
			}
			return
		}
	}
	ts.Fatalf("there is no message with %q\n%s", args[1], b.transcript(p.chat.ID))
}

// transcript returns a chat as a user sees it.
func (b *scriptBot) transcript(chat int64) string {
	var lines strings.Builder
	byID := map[int64]telegramtest.Message{}
	for _, m := range b.server.Messages(chat) {
		byID[m.ID] = m
		if m.Text == "" && m.Media == "" {
			continue // skips a notice of Telegram itself
		}
		if m.Thread != 0 {
			fmt.Fprintf(&lines, "[%d] ", m.Thread)
		}
		lines.WriteString(author(m))
		if answered, ok := byID[m.ReplyTo]; ok {
			fmt.Fprintf(&lines, ", to %s's %q", author(answered), firstLine(answered.Text))
		}
		if m.Silent {
			lines.WriteString(", silently")
		}
		text := m.Text
		if m.FromBot {
			text = withEntities(m.Text, m.Entities)
		}
		if m.Media != "" {
			text = strings.TrimSpace("(" + m.Media + ") " + text)
		}
		lines.WriteString(": " + strings.ReplaceAll(text, "\n", "\n  ") + "\n")
	}
	return strings.ReplaceAll(lines.String(), "\n  \n", "\n\n")
}

func author(m telegramtest.Message) string {
	if m.FromBot {
		return "mews"
	}
	return m.From.First
}

// withEntities returns a text with its entities as tags.
func withEntities(text string, entities []telegramtest.Entity) string {
	var b strings.Builder
	at := 0
	marks := func() {
		// of two entities with the same beginning, the longer entity comes first
		for _, e := range slices.Backward(entities) {
			if e.Offset+e.Length == at {
				b.WriteString("</" + e.Type + ">")
			}
		}
		for _, e := range entities {
			if e.Offset == at {
				b.WriteString("<" + strings.TrimSpace(e.Type+" "+e.URL+e.Language) + ">")
			}
		}
	}
	for _, r := range text {
		marks()
		b.WriteRune(r)
		at += utf16.RuneLen(r)
	}
	marks()
	return b.String()
}

// count returns the number that a query selects.
func (b *scriptBot) count(ts *testscript.TestScript, query string) (n int) {
	n, err := strconv.Atoi(strings.Join(sqlitetest.QueryColumnInCopy(b.t, b.db, query), "\n"))
	ts.Check(err)
	return n
}

// awaitOutcomes waits until the service knows the outcome of each sent message.
func (b *scriptBot) awaitOutcomes(ts *testscript.TestScript, _ []string) {
	b.await(ts, func() bool { return b.count(ts, unnoted) == 0 },
		func() string { return "it is not noted what became of a message" })
}

const (
	unnoted = "SELECT (SELECT count(*) FROM post WHERE state = 'sending') + " +
		"(SELECT count(*) FROM question WHERE why IS NULL AND expires_at IS NULL)"
	unanswered  = "SELECT count(*) FROM inbox WHERE state IN ('new', 'running')"
	undelivered = "SELECT count(*) FROM outbox o JOIN conversation c ON c.id = o.conversation " +
		"WHERE c.channel = 'telegram' AND o.outcome IS NULL"
	openFires = "SELECT count(*) FROM fire WHERE ended_at IS NULL" // counts unfinished fires of reminders and tasks
)

// awaitSettled waits until neither the service nor the server has work left. The chats that the
// script has seen must not have changed.
func (b *scriptBot) awaitSettled(ts *testscript.TestScript, _ []string) {
	b.await(ts, func() bool {
		return b.server.CountPendingUpdates() == 0 && b.count(ts, unanswered) == 0 && b.count(ts, undelivered) == 0 &&
			b.count(ts, openFires) == 0
	}, func() string {
		return fmt.Sprintf("%d messages are not answered, %d answers not delivered",
			b.count(ts, unanswered), b.count(ts, undelivered))
	})
	for name, want := range b.seen {
		if now := b.transcript(chatOf(ts, name).ID); now != want {
			ts.Fatalf("%s's chat has changed since:\n%s", name, now)
		}
	}
}

// awaitCalls waits until a method was called N times exactly, or N+ for at least N times. Only
// calls with the given parameter count.
func (b *scriptBot) awaitCalls(ts *testscript.TestScript, args []string) {
	least, exact := strings.TrimSuffix(args[1], "+"), !strings.HasSuffix(args[1], "+")
	want, err := strconv.Atoi(least)
	ts.Check(err)
	called := func() int {
		if args[0] == "any" {
			return len(b.server.Calls())
		}
		return len(slices.DeleteFunc(b.server.Calls(args[0]), func(c telegramtest.APICall) bool {
			name, value, given := strings.Cut(strings.Join(args[2:], ""), "=")
			return given && fmt.Sprint(c.Params[name]) != value
		}))
	}
	b.await(ts, func() bool { return called() >= want }, func() string {
		return fmt.Sprintf("%d calls of %s, want %s", called(), args[0], args[1])
	})
	if n := called(); exact && n != want {
		ts.Fatalf("%d calls of %s, want %d\n%s", n, args[0], want, b.server.DumpState())
	}
}

// faultSettings set the fields of a fault, by name.
var faultSettings = map[string]func(ts *testscript.TestScript, f *telegramtest.Fault, value string){
	"method": func(_ *testscript.TestScript, f *telegramtest.Fault, v string) {
		f.Method = v
	},
	"chat": func(ts *testscript.TestScript, f *telegramtest.Fault, v string) {
		f.Chat = chatOf(ts, v).ID
	},
	"text": func(_ *testscript.TestScript, f *telegramtest.Fault, v string) {
		f.Text = v
	},
	"code": func(ts *testscript.TestScript, f *telegramtest.Fault, v string) {
		f.Code = wholeNumber(ts, v)
	},
	"times": func(ts *testscript.TestScript, f *telegramtest.Fault, v string) {
		f.Times = wholeNumber(ts, v)
	},
	"retry": func(ts *testscript.TestScript, f *telegramtest.Fault, v string) {
		f.RetryAfter = wholeNumber(ts, v)
	},
	"taken": func(_ *testscript.TestScript, f *telegramtest.Fault, v string) {
		f.After = v == "yes"
	},
}

func wholeNumber(ts *testscript.TestScript, text string) int {
	n, err := strconv.Atoi(text)
	ts.Check(err)
	return n
}

func (b *scriptBot) fault(ts *testscript.TestScript, args []string) {
	f := telegramtest.Fault{Kind: telegramtest.FaultKind(args[0])}
	for _, pair := range args[1:] {
		name, value, _ := strings.Cut(pair, "=")
		set := faultSettings[name]
		if set == nil {
			ts.Fatalf("a fault has no %q; it has %q", name, slices.Sorted(maps.Keys(faultSettings)))
		}
		set(ts, &f, value)
	}
	b.faults = append(b.faults, b.server.InjectFault(f))
}

func (b *scriptBot) mend(*testscript.TestScript, []string) {
	for _, end := range b.faults {
		end()
	}
	b.faults = nil
}

// botEvents are events that can happen to the bot.
var botEvents = map[string]func(ts *testscript.TestScript, s *telegramtest.Server, args []string){
	"blocked": func(ts *testscript.TestScript, s *telegramtest.Server, args []string) {
		s.BlockBot(chatOf(ts, args[0]).ID)
	},
	"unblocked": func(ts *testscript.TestScript, s *telegramtest.Server, args []string) {
		s.UnblockBot(chatOf(ts, args[0]).ID)
	},
	"no-voice": func(ts *testscript.TestScript, s *telegramtest.Server, args []string) {
		s.ForbidVoiceMessages(chatOf(ts, args[0]).ID)
	},
	"revoked": func(_ *testscript.TestScript, s *telegramtest.Server, _ []string) {
		s.RevokeToken()
	},
	"restored": func(_ *testscript.TestScript, s *telegramtest.Server, _ []string) {
		s.SetToken(testToken)
	},
	"upgraded": func(ts *testscript.TestScript, s *telegramtest.Server, args []string) {
		s.MigrateToSupergroup(chatOf(ts, args[0]).ID, chatOf(ts, args[1]).ID)
	},
	"renumbered": func(ts *testscript.TestScript, s *telegramtest.Server, args []string) {
		s.SetNextUpdateID(int64(wholeNumber(ts, args[0])))
	},
}

func (b *scriptBot) event(ts *testscript.TestScript, args []string) {
	do := botEvents[args[0]]
	if do == nil {
		ts.Fatalf("nothing %q can happen to the bot; %q can", args[0], slices.Sorted(maps.Keys(botEvents)))
	}
	do(ts, b.server, args[1:])
}

// post posts a file to the webhook with a secret, which may be wrong.
func (b *scriptBot) post(ts *testscript.TestScript, args []string) {
	req, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, "http://"+ts.Getenv("HOOK")+"/webhook/telegram",
		strings.NewReader(ts.ReadFile(args[1])))
	ts.Check(err)
	req.Header.Set("X-Telegram-Bot-Api-Secret-Token", args[0])
	resp, err := http.DefaultClient.Do(req)
	ts.Check(err)
	ts.Check(resp.Body.Close())
	if strconv.Itoa(resp.StatusCode) != args[2] {
		ts.Fatalf("the webhook answered %s, want %s", resp.Status, args[2])
	}
}
