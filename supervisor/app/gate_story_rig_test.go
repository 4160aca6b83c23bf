package app_test

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/app"
	"mews/supervisor/app/apptest"
	"mews/supervisor/app/policies"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/sqlite"
	"mews/supervisor/telegram/telegramtest"
)

// gatedService is a service on Telegram with its users. It runs inside the test with the test's
// clock (open, shut), or as the real programs with the machine's clock (Start, Kill, Stop).
type gatedService struct {
	*apptest.Service
	bot   *telegramtest.Server
	model *modeltest.Server
	seal  *access.Sealer
	key   string            // the key of the seal, in hexadecimal
	names []string          // names of the users; their Telegram ids begin at FirstTelegramID
	keys  map[string]string // secrets of second factors by user, in base32

	testClock
	committed func()             // called after each commit of the service in the test's process; may be nil
	differs   bool               // the test has changed the database's schema
	cancel    context.CancelFunc // stops the service in the test's process
	end       func()             // waits until the service in the test's process has ended
}

// testClock is a clock that a test may move. The zero value is the machine's clock.
type testClock struct {
	mu sync.Mutex // guards the field named at
	at time.Time  // the clock's time; zero until the clock is moved
}

// newGatedService configures a gatedService. more are further lines of the configuration. In them,
// MODEL_URL stands for the model's base URL, and MODEL_ROOT for that of Anthropic's API. Each of
// people has the fields of a user, the name first.
func newGatedService(t testing.TB, script modeltest.Script, more string, people ...string) *gatedService {
	t.Helper()
	server, url := modeltest.NewServer(t, script)
	l := &gatedService{model: server, keys: map[string]string{}}
	for _, fields := range people {
		name, _, _ := strings.Cut(fields, ",")
		l.names = append(l.names, name)
	}
	l.Service = apptest.NewService(t, url, l.names...)
	l.bot = telegramtest.New(t, telegramtest.Options{Token: "42:" + rand.Text() + "-canary", Strict: true})
	var key [access.SealingKeySize]byte
	rand.Read(key[:])
	l.seal, l.key = access.NewSealer(key), hex.EncodeToString(key[:])
	l.write("seal.key", l.key+"\n")
	var users strings.Builder
	for i, fields := range people {
		fmt.Fprintf(&users, "  - {telegram: %d, home: %q, name: %s}\n", apptest.FirstTelegramID+i,
			l.UserHome(l.names[i]), fields)
	}
	if !strings.Contains(more, "models:") {
		more += "models: {default: test/test, providers: {test: {kind: openai, base_url: MODEL_URL}}}\n"
	}
	l.write("mews.yaml", fmt.Sprintf(
		"state: %s/state\nlog: {level: trace, format: text}\n%saccess: {key_file: "+
			"seal.key, session_max: 2h, "+
			"rate: {burst: 1000}}\n%susers:\n%s",
		l.Dir,
		apptest.TelegramConfig(l.bot, "rate: {chat: 30, all: 1000}")+"chat: {busy: queue, question: 5m}\n",
		strings.NewReplacer("MODEL_URL", url, "MODEL_ROOT", strings.TrimSuffix(url, "/v1")).
			Replace(more),
		users.String(),
	))
	t.Cleanup(l.shut)
	return l
}

// write writes a private file next to the configuration.
func (l *gatedService) write(name, text string) {
	l.T.Helper()
	if err := os.WriteFile(filepath.Join(l.Dir, name), []byte(text), 0o600); err != nil {
		l.T.Fatal(err)
	}
}

// now returns the clock's time.
func (h *testClock) now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.at.IsZero() {
		return time.Now()
	}
	return h.at
}

// clockLag is how far a test's clock starts behind the machine's clock. So the test's time is never
// in the future for parts with the machine's clock.
const clockLag = 72 * time.Hour

// move moves the clock forward. After the first call, the clock moves only by move.
func (h *testClock) move(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.at.IsZero() {
		h.at = time.Now().Add(-clockLag).Truncate(time.Minute)
	}
	h.at = h.at.Add(d)
}

// open runs the service in the test's own process.
func (l *gatedService) open() {
	l.T.Helper()
	apptest.LinkProgramsBesideTest(l.T)
	l.move(0)
	log, err := os.OpenFile(filepath.Join(l.Dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		l.T.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(l.T.Context()))
	started, ended := make(chan struct{}), make(chan error, 1)
	// the function end waits for this goroutine
	go func() {
		ended <- app.RunServiceInTest(ctx, l.Config, log, l.now, func() { close(started) }, l.committed, l.differs)
	}()
	l.cancel, l.end = cancel, func() {
		cancel()
		if err := errors.Join(<-ended, log.Close()); err != nil {
			l.T.Errorf("the service inside: %v", err)
		}
	}
	select {
	case <-started:
	case err := <-ended:
		ended <- nil
		l.T.Fatalf("the service inside: %v", err)
	}
}

// shut stops the service in the test's process, if it runs.
func (l *gatedService) shut() {
	if l.end != nil {
		l.end()
		l.end = nil
	}
}

// withDatabase calls work with the open database. The service must not run meanwhile.
func (l *gatedService) withDatabase(work func(*sqlite.DB)) {
	l.T.Helper()
	private := filepath.Join(l.Dir, "state", "private")
	if err := os.MkdirAll(private, 0o700); err != nil {
		l.T.Fatal(err)
	}
	db, err := sqlite.Open(
		l.T.Context(),
		filepath.Join(private, "mews.db"),
		sqlite.Options{Now: l.now, Policies: policies.All(), AllowDifferences: l.differs},
	)
	if err != nil {
		l.T.Fatal(err)
	}
	ctx, cancel := context.WithCancel(l.T.Context())
	ran := make(chan error, 1)
	go func() { ran <- db.Run(ctx) }()
	work(db)
	cancel()
	if err := errors.Join(<-ran, db.Close()); err != nil {
		l.T.Fatal(err)
	}
}

// enrol gives a user a confirmed second factor, and returns its recovery codes. The service must
// not run.
func (l *gatedService) enrol(name string) (recovery []string) {
	l.T.Helper()
	made, err := l.seal.NewEnrolment(name)
	if err != nil {
		l.T.Fatal(err)
	}
	l.keys[name] = made.Secret.Reveal()
	codes, digests := access.NewRecoveryCodes()
	for _, c := range codes {
		recovery = append(recovery, c.Reveal())
	}
	l.withDatabase(func(db *sqlite.DB) {
		factors := db.UserAccessStores().Factors
		if err := factors.Put(l.T.Context(), name, made.Sealed, digests); err != nil {
			l.T.Fatal(err)
		}
		_, err := factors.TryCode(
			l.T.Context(),
			name,
			func(f supervisor.SecondFactor, _ time.Time) (supervisor.SecondFactor, supervisor.LoginCodeResult) {
				f.Confirmed = true
				return f, supervisor.LoginCodeResult{Right: true, Action: "totp.enrolled"}
			},
			"by the test",
		)
		if err != nil {
			l.T.Fatal(err)
		}
	})
	return recovery
}

// code returns the code that is valid for a user after a time from now.
func (l *gatedService) code(name string, later time.Duration) string {
	l.T.Helper()
	code, err := totp.GenerateCode(l.keys[name], l.now().Add(later))
	if err != nil {
		l.T.Fatal(err)
	}
	return code
}

// wrongCode returns a code that is not valid for a user now, nor for some time.
func (l *gatedService) wrongCode(name string) string {
	l.T.Helper()
	var right []string
	for step := -2; step < 4; step++ {
		right = append(right, l.code(name, time.Duration(step)*30*time.Second))
	}
	for n := 100_000; ; n++ {
		if code := fmt.Sprint(n); !slices.Contains(right, code) {
			return code
		}
	}
}

// telegramUser returns the Telegram account of a user.
func (l *gatedService) telegramUser(name string) telegramtest.User {
	i := slices.Index(l.names, name)
	if i < 0 {
		l.T.Fatalf("there is nobody %q", name)
	}
	return telegramtest.User{ID: apptest.FirstTelegramID + int64(i), First: name}
}

// say sends a user's message in their private chat, and returns the message's id.
func (l *gatedService) say(name, text string, more ...telegramtest.MessageOption) int64 {
	u := l.telegramUser(name)
	_, id := l.bot.Say(telegramtest.PrivateChat(u), u, text, more...)
	return id
}

// told returns the texts of the bot's messages in a user's chat.
func (l *gatedService) told(name string) (texts []string) {
	for _, m := range l.bot.BotMessages(l.telegramUser(name).ID) {
		texts = append(texts, m.Text)
	}
	return texts
}

// awaitTold waits for messages in a user's chat, beginning with index from. The messages must begin
// with the given texts, in order.
func (l *gatedService) awaitTold(name string, from int, begin ...string) {
	l.T.Helper()
	l.bot.WaitUntil(l.T, fmt.Sprintf("%s to be told %q", name, begin), func() bool {
		return len(l.told(name)) >= from+len(begin)
	})
	got := l.told(name)[from:]
	same := len(got) == len(begin)
	for i := range min(len(got), len(begin)) {
		same = same && strings.HasPrefix(got[i], begin[i])
	}
	if !same {
		l.T.Fatalf("%s was told %q, want %q\n%s", name, got, begin, l.LogTail())
	}
}

// sayAndAwait sends a user's message, and waits for the only answer, which begins with begin.
func (l *gatedService) sayAndAwait(name, text, begin string) (message int64) {
	l.T.Helper()
	from := len(l.told(name))
	message = l.say(name, text)
	l.awaitTold(name, from, begin)
	return message
}

// awaitDeleted waits until a message is deleted from a user's chat.
func (l *gatedService) awaitDeleted(name string, message int64) {
	l.T.Helper()
	l.bot.WaitUntil(l.T, fmt.Sprintf("message %d to be gone from %s's chat", message, name), func() bool {
		return !slices.ContainsFunc(
			l.bot.Messages(l.telegramUser(name).ID),
			func(m telegramtest.Message) bool { return m.ID == message },
		)
	})
}

// askedTexts returns the user's newest message in each request to the model, in order.
func (l *gatedService) askedTexts() (asked []string) {
	for _, r := range l.model.Requests() {
		asked = append(asked, r.NewestUserMessage())
	}
	return asked
}

// checkNowhere fails if the database contains a word.
func (l *gatedService) checkNowhere(word string) {
	l.T.Helper()
	alone := regexp.MustCompile(`(^|[^0-9A-Za-z])` + regexp.QuoteMeta(word) + `($|[^0-9A-Za-z])`)
	for where, value := range l.databaseValues() {
		if alone.MatchString(value) {
			l.T.Errorf("%s has %q", where, word)
		}
	}
}

// databaseValues returns all values in the database as text, by table and column.
func (l *gatedService) databaseValues() map[string]string {
	l.T.Helper()
	db := l.OpenDatabaseCopy()
	defer db.Close()
	tables, err := db.QueryContext(l.T.Context(), "SELECT name FROM sqlite_schema WHERE type = 'table'")
	if err != nil {
		l.T.Fatal(err)
	}
	defer tables.Close()
	all := map[string]string{}
	for tables.Next() {
		var table string
		if err := tables.Scan(&table); err != nil {
			l.T.Fatal(err)
		}
		rows, err := db.QueryContext(l.T.Context(), "SELECT * FROM "+table)
		if err != nil {
			l.T.Fatal(err)
		}
		columns, err := rows.Columns()
		if err != nil {
			l.T.Fatal(err)
		}
		for n := 0; rows.Next(); n++ {
			values, into := make([]any, len(columns)), make([]any, len(columns))
			for i := range values {
				into[i] = &values[i]
			}
			if err := rows.Scan(into...); err != nil {
				l.T.Fatal(err)
			}
			for i, v := range values {
				if b, ok := v.([]byte); ok {
					v = string(b)
				}
				all[fmt.Sprintf("%s[%d].%s", table, n, columns[i])] = fmt.Sprint(v)
			}
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			l.T.Fatal(err)
		}
	}
	if err := tables.Err(); err != nil {
		l.T.Fatal(err)
	}
	return all
}
