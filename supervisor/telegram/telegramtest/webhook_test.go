package telegramtest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/supervisor/telegram/telegramtest"
)

// webhookBot is a webhook server that records updates and answers as the test decides.
type webhookBot struct {
	*httptest.Server
	answer func(u update, attempt int) int // returns the status for an attempt; nil means 200

	mu      sync.Mutex
	came    []update
	secrets []string
}

func listen(t *testing.T, answer func(u update, attempt int) int) *webhookBot {
	b := &webhookBot{answer: answer}
	b.Server = httptest.NewServer(b)
	t.Cleanup(b.Close)
	return b
}

func (b *webhookBot) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	var u update
	if err := json.Unmarshal(raw, &u); err != nil {
		rw.WriteHeader(http.StatusBadRequest)
		return
	}
	attempt := b.record(u, r.Header.Get("X-Telegram-Bot-Api-Secret-Token"))
	if b.answer != nil {
		code := b.answer(u, attempt)
		if code == http.StatusServiceUnavailable {
			rw.Header().Set("Retry-After", "5")
		}
		rw.WriteHeader(code)
	}
}

// record records an update, and returns the number of this attempt, from 1.
func (b *webhookBot) record(u update, secret string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.came = append(b.came, u)
	b.secrets = append(b.secrets, secret)
	n := 0
	for _, c := range b.came {
		if c.ID == u.ID {
			n++
		}
	}
	return n
}

func (b *webhookBot) ids() []int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return ids(b.came)
}

// setWebhook sets b as the server's webhook, and returns a client.
func setWebhook(t *testing.T, s *telegramtest.Server, b *webhookBot, more m) *client {
	t.Helper()
	c := dial(t, s)
	params := m{"url": b.URL + "/webhook/telegram", "secret_token": "s3cret-Token_"}
	for name, v := range more {
		params[name] = v
	}
	c.mustCall("setWebhook", params, nil)
	return c
}

func TestWebhook_SendsSecret(t *testing.T) {
	b := listen(t, nil)
	var checked []int64
	s := telegramtest.New(t,
		telegramtest.Options{BeforeConfirm: func(ids []int64) { checked = append(checked, ids...) }})
	first, _ := s.Say(home, alice, "before")
	setWebhook(t, s, b, nil)
	second, _ := s.Say(home, alice, "after")
	s.WaitUntil(t, "both updates", func() bool { return s.CountPendingUpdates() == 0 })
	if diff := cmp.Diff([]int64{first, second}, b.ids()); diff != "" {
		t.Errorf("came (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(b.ids(), checked); diff != "" {
		t.Errorf("checked (-want +got):\n%s", diff)
	}
	if b.secrets[0] != "s3cret-Token_" {
		t.Errorf("the secret was %q", b.secrets[0])
	}
	if d := s.WebhookDeliveries(); len(d) != 2 || d[0].Code != 200 || d[0].Error != "" {
		t.Errorf("deliveries: %+v", d)
	}
}

func TestWebhook_RetriesUntilAccepted(t *testing.T) {
	b := listen(t, func(_ update, attempt int) int { return map[bool]int{true: 204, false: 500}[attempt == 5] })
	s := telegramtest.New(t, telegramtest.Options{Speed: 1000})
	c := setWebhook(t, s, b, nil)
	id, _ := s.Say(home, alice, "x")
	s.WaitUntil(t, "the update", func() bool { return s.CountPendingUpdates() == 0 })
	if diff := cmp.Diff([]int64{id, id, id, id, id}, b.ids()); diff != "" {
		t.Errorf("came (-want +got):\n%s", diff)
	}
	d := s.WebhookDeliveries()
	for i, least := range []time.Duration{0, 2, 4, 8} { // the waits in seconds; the server runs a thousand times faster
		if gap := d[i+1].At.Sub(d[i].At); gap < least*time.Millisecond {
			t.Errorf("attempt %d came after %v, want %d ms or more", i+2, gap, least)
		}
	}
	var hook struct {
		Pending int    `json:"pending_update_count"`
		Text    string `json:"last_error_message"`
		At      int64  `json:"last_error_date"`
	}
	c.mustCall("getWebhookInfo", nil, &hook)
	if hook.Pending != 0 || hook.Text != "Wrong response from the webhook: 500 Internal Server Error" || hook.At == 0 {
		t.Errorf("getWebhookInfo: %+v", hook)
	}
}

func TestWebhook_RetryAfter_IsObeyed(t *testing.T) {
	b := listen(t, func(_ update, attempt int) int { return map[bool]int{true: 503, false: 200}[attempt < 3] })
	s := telegramtest.New(t, telegramtest.Options{Speed: 100})
	setWebhook(t, s, b, nil)
	s.Say(home, alice, "x")
	s.WaitUntil(t, "the update", func() bool { return s.CountPendingUpdates() == 0 })
	for i, d := range s.WebhookDeliveries()[1:] {
		if gap := d.At.Sub(s.WebhookDeliveries()[i].At); gap < 50*time.Millisecond {
			t.Errorf("attempt %d came after %v, want 5 s at a hundred times the speed", i+2, gap)
		}
	}
}

func TestWebhook_FailedUpdate_DelaysOnlyItsChat(t *testing.T) {
	var mu sync.Mutex
	ready := false
	b := listen(t, func(u update, _ int) int {
		mu.Lock()
		defer mu.Unlock()
		if u.Message.Chat.ID == home.ID && !ready {
			return 500
		}
		return 200
	})
	s := telegramtest.New(t, telegramtest.Options{Speed: 1000})
	setWebhook(t, s, b, nil)
	first, _ := s.Say(home, alice, "1")
	second, _ := s.Say(home, alice, "2")
	other, _ := s.Say(team, alice, "3")
	s.WaitUntil(t, "the other chat's", func() bool { return s.CountPendingUpdates() == 2 })
	for _, id := range b.ids() {
		if id == second {
			t.Error("the second came before the first was taken")
		}
	}
	mu.Lock()
	ready = true
	mu.Unlock()
	s.WaitUntil(t, "all", func() bool { return s.CountPendingUpdates() == 0 })
	all := b.ids()
	if all[len(all)-1] != second || all[len(all)-2] != first {
		t.Errorf("came %v; the first is %d, the second %d, the other %d", all, first, second, other)
	}
}

func TestWebhook_MaxConnections_LimitsDeliveries(t *testing.T) {
	var mu sync.Mutex
	var open, most int
	gate := make(chan struct{})
	b := listen(t, func(update, int) int {
		mu.Lock()
		open++
		most = max(most, open)
		mu.Unlock()
		<-gate
		mu.Lock()
		defer mu.Unlock()
		open--
		return 200
	})
	s := telegramtest.New(t, telegramtest.Options{})
	setWebhook(t, s, b, m{"max_connections": 3})
	for i := range int64(10) {
		s.Say(telegramtest.Chat{ID: 2000 + i}, alice, "x")
	}
	for range 10 {
		gate <- struct{}{}
	}
	s.WaitUntil(t, "all", func() bool { return s.CountPendingUpdates() == 0 })
	if most > 3 {
		t.Errorf("%d connections at once, want 3", most)
	}
}

func TestWebhook_Status410ForADay_IsRemoved(t *testing.T) {
	b := listen(t, func(update, int) int { return http.StatusGone })
	s := telegramtest.New(t, telegramtest.Options{Speed: 1000})
	c := setWebhook(t, s, b, nil)
	s.Say(home, alice, "x")
	s.WaitUntil(t, "a refusal", func() bool { return len(s.WebhookDeliveries()) > 0 })
	s.AdvanceClock(23*time.Hour + time.Minute)
	c.mustCall("getMe", nil, nil)
	url := func() string {
		var hook struct{ URL string }
		c.mustCall("getWebhookInfo", nil, &hook)
		return hook.URL
	}
	s.WaitUntil(t, "the webhook to be closed", func() bool { return url() == "" })
	if got := c.poll(nil); len(got) != 1 {
		t.Errorf("polled %+v", got)
	}
}

func TestWebhook_UnacceptedUpdate_Expires(t *testing.T) {
	b := listen(t, func(update, int) int { return 500 })
	s := telegramtest.New(t, telegramtest.Options{Speed: 1000})
	setWebhook(t, s, b, nil)
	id, _ := s.Say(home, alice, "x", telegramtest.WithDate(time.Now().Add(-24*time.Hour+3*time.Second)))
	s.WaitUntil(t, "the end", func() bool { return len(s.ExpiredUpdates()) == 1 })
	if s.ExpiredUpdates()[0] != id || s.CountPendingUpdates() != 0 {
		t.Errorf("expired %v, %d wait", s.ExpiredUpdates(), s.CountPendingUpdates())
	}
}

func TestWebhookSet_GetUpdates_IsRefused(t *testing.T) {
	b := listen(t, nil)
	s, c := startServer(t, telegramtest.Options{Speed: 1000})
	poll := make(chan reply)
	go func() { poll <- c.call("getUpdates", m{"timeout": 50}) }()
	s.WaitUntil(t, "the poll", func() bool { return s.CountCalls("getUpdates") == 1 })
	setWebhook(t, s, b, nil)
	if r := <-poll; r.Code != 409 || r.Description != "Conflict: terminated by setWebhook request" {
		t.Errorf("the poll ended with %s", r.Raw)
	}
	c.wantRefusal(409, "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
		"getUpdates", nil)
	if r := c.call("deleteWebhook", nil); !r.OK || r.Description != "Webhook was deleted" {
		t.Errorf("deleted: %s", r.Raw)
	}
	if r := c.call("deleteWebhook", nil); !r.OK || r.Description != "Webhook is already deleted" {
		t.Errorf("deleted again: %s", r.Raw)
	}
	c.poll(nil)
}

func TestSetWebhook_Invalid_IsRefused(t *testing.T) {
	for name, test := range map[string]struct {
		params m
		words  string
	}{
		"no TLS":                {m{"url": "http://example.org/x"}, "bad webhook: An HTTPS URL must be provided for webhook"},
		"no address":            {m{"url": "nowhere"}, "bad webhook: invalid webhook URL specified"},
		"a secret too long":     {m{"url": "https://example.org", "secret_token": strings.Repeat("x", 257)}, "secret token is too long"},
		"a secret out of range": {m{"url": "https://example.org", "secret_token": "a b"}, "secret token contains unallowed characters"},
	} {
		t.Run(name, func(t *testing.T) {
			_, c := startServer(t, telegramtest.Options{})
			c.wantRefusal(400, "Bad Request: "+test.words, "setWebhook", test.params)
		})
	}
	s, c := startServer(t, telegramtest.Options{})
	b := listen(t, nil)
	setWebhook(t, s, b, nil)
	c.wantRefusal(429, "Too Many Requests: retry after 1", "setWebhook", m{"url": b.URL})
	s.AdvanceClock(time.Second)
	s.AddChat(home)
	if r := c.call("setWebhook", m{"url": b.URL, "max_connections": 7, "allowed_updates": []string{"message"}, "drop_pending_updates": true}); !r.OK {
		t.Errorf("a second later: %s", r.Raw)
	}
	var hook struct {
		URL     string
		Most    int      `json:"max_connections"`
		Allowed []string `json:"allowed_updates"`
	}
	c.mustCall("getWebhookInfo", nil, &hook)
	if hook.URL != b.URL || hook.Most != 7 || !cmp.Equal(hook.Allowed, []string{"message"}) {
		t.Errorf("getWebhookInfo: %+v", hook)
	}
}

func TestWebhook_Unreachable_StoresError(t *testing.T) {
	b := listen(t, nil)
	b.Close()
	s := telegramtest.New(t, telegramtest.Options{Speed: 1000})
	setWebhook(t, s, b, nil)
	s.Say(home, alice, "x")
	s.WaitUntil(t, "an attempt", func() bool { return len(s.WebhookDeliveries()) > 0 })
	if d := s.WebhookDeliveries()[0]; d.Code != 0 || d.Error != "Connection refused" {
		t.Errorf("kept %+v", d)
	}
}

func TestWebhook_SlowBot_TimesOut(t *testing.T) {
	wait := make(chan struct{})
	b := listen(t, func(_ update, attempt int) int {
		if attempt == 1 {
			<-wait
		}
		return 200
	})
	s := telegramtest.New(t, telegramtest.Options{Speed: 1000, HookTimeout: 50 * time.Millisecond})
	setWebhook(t, s, b, nil)
	s.Say(home, alice, "x")
	s.WaitUntil(t, "the second attempt", func() bool { return s.CountPendingUpdates() == 0 })
	close(wait)
	if d := s.WebhookDeliveries()[0]; d.Error != "Read timeout expired" {
		t.Errorf("kept %+v", d)
	}
}
