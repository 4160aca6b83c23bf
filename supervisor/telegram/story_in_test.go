package telegram_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/telegram"
	"mews/supervisor/telegram/telegramtest"
)

var anna = telegramtest.User{ID: 42, First: "Anna", Username: "anna"}

// scene is a store and a fake Bot API server, which checks that only stored updates are confirmed.
type scene struct {
	*telegramtest.Server
	*store
	t *testing.T
}

func newScene(t *testing.T, o telegramtest.Options) *scene {
	t.Helper()
	t.Parallel()
	s := &scene{store: newStore(0), t: t}
	o.BeforeConfirm = func(updates []int64) {
		for _, id := range updates {
			if !s.has(id) {
				t.Errorf("update %d was confirmed and is not kept", id)
			}
		}
	}
	s.Server = telegramtest.New(t, o)
	return s
}

func (s *store) has(update int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.kept {
		if l.Update == update {
			return true
		}
	}
	return false
}

func (s *scene) client() *telegram.Client {
	s.t.Helper()
	c, err := telegram.New(telegram.Options{Token: s.Token(), APIURL: s.URL()})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(c.Close)
	return c
}

// poll starts a poller.
func (s *scene) poll() (end func()) {
	s.t.Helper()
	return run(s.t, telegram.NewPoller(s.client(), s.store, telegram.PollOptions{}).Run)
}

func (s *scene) say(words string) { s.Say(telegramtest.PrivateChat(anna), anna, words) }

// raw calls the API as another program would.
func (s *scene) raw(method string, params url.Values) {
	s.t.Helper()
	resp, err := http.PostForm(s.URL()+"/bot"+s.Token()+"/"+method, params)
	if err != nil {
		s.t.Error(err)
		return
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
}

// waiting waits until the server has had n polls, and a further poll waits there.
func (s *scene) waiting(n int) {
	s.t.Helper()
	s.WaitUntil(s.t, "a poll", func() bool { return s.CountCalls("getUpdates") > n })
}

func TestPoll_StoresMessages(t *testing.T) {
	s := newScene(t, telegramtest.Options{Strict: true})
	s.say("before it began")
	s.poll()
	s.hears(t, "before it began")
	s.say("while it polls")
	s.hears(t, "before it began", "while it polls")
	s.WaitUntil(t, "both to be confirmed", func() bool { return s.CountPendingUpdates() == 0 })
	if s.CountCalls("getMe")+s.CountCalls("deleteWebhook") != 0 {
		t.Errorf("something was asked besides:\n%s", s.DumpState())
	}
}

// TestPoll_AnyFault_LosesNothing checks that the next poll after a fault brings the message once.
func TestPoll_AnyFault_LosesNothing(t *testing.T) {
	for name, fault := range map[string]telegramtest.Fault{
		"a refusal":           {Kind: telegramtest.ErrorFault, Code: 500},
		"a refusal, too late": {Kind: telegramtest.ErrorFault, Code: 500, After: true},
		"a flood":             {Kind: telegramtest.FloodFault, RetryAfter: 1},
		"a page":              {Kind: telegramtest.HTMLFault, Code: 502},
		"another page":        {Kind: telegramtest.HTMLFault, Code: 504, After: true},
		"a reset":             {Kind: telegramtest.ResetFault},
		"a reset, too late":   {Kind: telegramtest.ResetFault, After: true},
		"half an answer":      {Kind: telegramtest.TruncatedFault},
		"what is no JSON":     {Kind: telegramtest.BadJSONFault, After: true},
		"JSON of another shape": {Kind: telegramtest.BadJSONFault, Text: `{"ok":true,"result":{"update_id":1}}`,
			After: true},
		"a slow answer": {Kind: telegramtest.SlowFault},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, telegramtest.Options{Strict: true})
			fault.Method = "getUpdates"
			s.InjectFault(fault)
			s.say("one")
			s.say("two")
			s.poll()
			s.hears(t, "one", "two")
			s.say("three")
			s.hears(t, "one", "two", "three")
		})
	}
}

func TestPoll_Hanging_LosesNothing(t *testing.T) {
	s := newScene(t, telegramtest.Options{})
	s.InjectFault(telegramtest.Fault{Kind: telegramtest.HangFault, Method: "getUpdates"})
	s.say("hello")
	health := new(telegram.Health)
	run(
		t,
		telegram.NewPoller(
			s.client(),
			s.store,
			telegram.PollOptions{Timeout: time.Second, Margin: 3 * time.Second, Health: health},
		).Run,
	)
	s.hears(t, "hello")
	if n := health.Status().Stalls; n != 1 {
		t.Errorf("%d stalls", n)
	}
}

func TestPoll_RepairedToken_Continues(t *testing.T) {
	s := newScene(t, telegramtest.Options{})
	s.RevokeToken()
	s.say("hello")
	s.poll()
	s.waiting(0)
	s.SetToken(s.Token())
	s.hears(t, "hello")
}

func TestPoll_OtherPoller_LosesNothing(t *testing.T) {
	s := newScene(t, telegramtest.Options{})
	s.poll()
	s.waiting(0)
	s.raw("getUpdates", url.Values{"timeout": {"1"}})
	s.say("hello")
	s.hears(t, "hello")
}

func TestPoll_OldWebhook_IsRemoved(t *testing.T) {
	nobody := httptest.NewServer(http.NotFoundHandler())
	defer nobody.Close()
	s := newScene(t, telegramtest.Options{})
	s.raw("setWebhook", url.Values{"url": {nobody.URL}})
	s.say("hello")
	s.poll()
	s.hears(t, "hello")
	if n := s.CountCalls("deleteWebhook"); n != 1 {
		t.Errorf("%d times deleted", n)
	}
}

func TestPoll_LowerUpdateIDs_AreAccepted(t *testing.T) {
	s := newScene(t, telegramtest.Options{Strict: true})
	s.poll()
	s.say("before the quiet week")
	s.hears(t, "before the quiet week")
	s.WaitUntil(t, "it to be confirmed", func() bool { return s.CountPendingUpdates() == 0 })
	s.SetNextUpdateID(7)
	s.say("after it")
	s.hears(t, "before the quiet week", "after it")
	s.say("and on")
	s.hears(t, "before the quiet week", "after it", "and on")
	s.WaitUntil(t, "all to be confirmed", func() bool { return s.CountPendingUpdates() == 0 })
	if s.offset() != 9 {
		t.Errorf("the offset is %d, want 9", s.offset())
	}
}

func TestPoll_OffsetBeyondQueue_IsCorrected(t *testing.T) {
	s := newScene(t, telegramtest.Options{Strict: true})
	s.next = 900_000_000 // an offset, for example of another server
	s.say("one")
	s.say("two")
	s.poll()
	s.hears(t, "one", "two")
	s.WaitUntil(t, "both to be confirmed", func() bool { return s.CountPendingUpdates() == 0 })
}

func TestPoll_FailingStore_LosesNothing(t *testing.T) {
	s := newScene(t, telegramtest.Options{Strict: true})
	var failures int
	s.refuse = func() error {
		if failures++; failures <= 2 {
			return errors.New("disk is full")
		}
		return nil
	}
	s.say("hello")
	s.poll()
	s.hears(t, "hello")
	if failures != 3 {
		t.Errorf("%d attempts", failures)
	}
}

// TestGroups_RealUpdates_AreRead uses updates from groups of the real Telegram server.
func TestGroups_RealUpdates_AreRead(t *testing.T) {
	s := newScene(t, telegramtest.Options{Strict: true})
	flat := telegramtest.Chat{ID: -777, Type: "group", Title: "The flat"}
	forum := telegramtest.Chat{ID: -100888, Type: "supergroup", Title: "The house", Forum: true}
	s.CreateTopic(forum, 5)
	s.Say(flat, anna, "/help@other_bot")
	s.Say(flat, anna, "@mews_bot what is new?")
	s.Say(forum, anna, "/help", telegramtest.WithThread(5))
	s.Say(forum, anna, "/stop", telegramtest.WithChatAsSender(forum))
	s.Say(flat, anna, "look", telegramtest.WithPhoto(telegramtest.File{Name: "a.jpg", Size: 9}))
	s.MigrateToSupergroup(-777, -100777)
	s.poll()
	// the first chat's messages wait for the bot's name
	s.hears(t, "/help", "", "/help@other_bot", "what is new?", "look", "", "")
	var told []string
	for _, l := range s.incoming() {
		told = append(
			told,
			fmt.Sprintf(
				"%s %s in %q, to us: %v, moved: %s",
				l.Kind,
				l.Chat,
				l.Thread,
				l.Addressed,
				cmp.Or(l.MovedTo, "0"),
			),
		)
	}
	want := []string{
		`message -777 in "", to us: false, moved: 0`,
		`message -777 in "", to us: true, moved: 0`,
		`message -100888 in "5", to us: true, moved: 0`,
		`other -100888 in "", to us: false, moved: 0`,
		`message -777 in "", to us: false, moved: 0`,
		`moved -777 in "", to us: false, moved: -100777`,
		`moved -777 in "", to us: false, moved: -100777`,
	}
	if !slices.Equal(told, want) {
		t.Errorf("got  %q\nwant %q", told, want)
	}
}

// incoming returns the stored messages, by update.
func (s *store) incoming() []supervisor.Incoming {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []supervisor.Incoming
	for _, l := range s.kept {
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b supervisor.Incoming) int { return int(a.Update - b.Update) })
	return all
}

// crashingStore is a store whose poller may die with any batch: before the batch is stored, or
// after the batch is stored and before the poller knows.
type crashingStore struct {
	*store
	rng  *rand.Rand
	kept func() (all bool) // called after a batch was stored
	kill context.CancelFunc
}

func (m *crashingStore) StoreBatch(ctx context.Context, batch []supervisor.Incoming, next int64) error {
	fate := m.rng.IntN(4)
	if fate == 0 {
		m.kill()
		return ctx.Err()
	}
	err := m.store.StoreBatch(ctx, batch, next)
	if m.kept() || fate == 1 {
		m.kill()
	}
	return err
}

// TestPoll_Killed_StoresEachUpdateOnce sends 500 messages, ten at a time. Each poller lives for
// some two batches. All messages must be stored once, in order.
func TestPoll_Killed_StoresEachUpdateOnce(t *testing.T) {
	const seed, total = 7, 500
	s := newScene(t, telegramtest.Options{})
	var want []string
	say := func() bool {
		if len(s.texts()) < len(want) || len(want) == total {
			return len(s.texts()) == total
		}
		for range 10 {
			want = append(want, fmt.Sprint("message ", len(want)))
			s.say(want[len(want)-1])
		}
		return false
	}
	say()
	rng := rand.New(rand.NewPCG(seed, 0))
	lives := 0
	for ; len(s.texts()) < total && lives < total; lives++ {
		ctx, kill := context.WithCancel(t.Context())
		c := s.client()
		_ = telegram.NewPoller(c, &crashingStore{s.store, rng, say, kill}, telegram.PollOptions{}).Run(ctx)
		kill()
		c.Close()
	}
	if got := s.texts(); !slices.Equal(got, want) || lives < 10 {
		t.Errorf("seed %d: kept %d of %d after %d lives, or in another order", seed, len(got), total, lives)
	}
}

// TestWebhook_EndToEnd_StoresAllInOrder checks a webhook that the registrar sets. The server
// delivers for many chats at once, and the store sometimes fails. All updates must be stored, and
// updates of one chat in order.
func TestWebhook_EndToEnd_StoresAllInOrder(t *testing.T) {
	s := newScene(t, telegramtest.Options{Speed: 1000})
	calls := 0
	s.refuse = func() error {
		if calls++; calls%7 == 1 {
			return errors.New("database is locked")
		}
		return nil
	}
	c := s.client()
	health := new(telegram.Health)
	handler, err := telegram.NewWebhook(c, s.store, telegram.WebhookOptions{
		Secret: telegram.NewWebhookSecret(secret), Health: health})
	if err != nil {
		t.Fatal(err)
	}
	public := httptest.NewServer(handler)
	defer public.Close()
	end := run(
		t,
		telegram.NewWebhookRegistrar(
			c,
			telegram.WebhookRegistrarOptions{URL: public.URL, Secret: telegram.NewWebhookSecret(secret),
				Health: health},
		).Run,
	)
	const chats, each = 12, 10
	for n := range each {
		for i := range chats {
			who := telegramtest.User{ID: int64(100 + i), First: "P"}
			s.Say(telegramtest.PrivateChat(who), who, fmt.Sprint(n))
		}
	}
	s.WaitUntil(t, "all to be delivered", func() bool { return s.CountPendingUpdates() == 0 })
	order := map[string]string{}
	for _, l := range s.incoming() {
		order[l.Chat] += l.Text
	}
	for chat, got := range order {
		if got != "0123456789" {
			t.Errorf("in chat %s came %s", chat, got)
		}
	}
	s.mu.Lock()
	n := len(s.kept)
	s.mu.Unlock()
	if n != chats*each || health.Status().Completed.IsZero() {
		t.Errorf("%d kept, want %d; status %+v", n, chats*each, health.Status())
	}
	end()
}

// TestWebhook_WrongSecret_IsRefused checks a server whose secret differs from the handler's.
func TestWebhook_WrongSecret_IsRefused(t *testing.T) {
	s := newScene(t, telegramtest.Options{Speed: 1000})
	handler, err := telegram.NewWebhook(s.client(), s.store, telegram.WebhookOptions{
		Secret: telegram.NewWebhookSecret(secret)})
	if err != nil {
		t.Fatal(err)
	}
	public := httptest.NewServer(handler)
	defer public.Close()
	s.raw("setWebhook", url.Values{"url": {public.URL}, "secret_token": {"another-secret"}})
	s.say("forged")
	s.WaitUntil(t, "a delivery that is refused", func() bool {
		d := s.WebhookDeliveries()
		return len(d) > 0 && d[0].Code == http.StatusUnauthorized
	})
	if got := s.texts(); len(got) != 0 {
		t.Errorf("kept %q", got)
	}
}
