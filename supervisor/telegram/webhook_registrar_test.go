package telegram_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mews/supervisor/telegram"
)

const hookURL = "https://bot.example.org/webhook/telegram"

// hook is Telegram's state of a webhook.
type hook struct {
	URL     string `json:"url"`
	Pending int    `json:"pending_update_count"`
	Failed  int64  `json:"last_error_date,omitempty"`
	Why     string `json:"last_error_message,omitempty"`
}

// keeping runs a registrar for a while, with a webhook that the test changes over time.
func keeping(t *testing.T, while time.Duration, h *hook, change func(after time.Duration, method string) *http.Response) *polling {
	t.Helper()
	p := new(polling)
	synctest.Test(t, func(t *testing.T) {
		p.fakeTransport = newWire(t, func(a asked, _ context.Context) (*http.Response, error) {
			if refused := change(a.after, a.method); refused != nil {
				return refused, nil
			}
			if a.method == "setWebhook" {
				h.URL, _ = a.params["url"].(string)
				return result(`true`)
			}
			return result(string(mustJSON(h)))
		})
		health := p.health()
		end := run(t, telegram.NewWebhookRegistrar(p.client(), telegram.WebhookRegistrarOptions{URL: hookURL, Secret: telegram.NewWebhookSecret(secret), Health: health}).Run)
		time.Sleep(while)
		synctest.Wait()
		p.status = health.Status()
		end()
	})
	return p
}

func nothing(time.Duration, string) *http.Response { return nil }

func TestRegistrar_SetsOnceThenChecksEachMinute(t *testing.T) {
	p := keeping(t, 10*time.Minute+time.Second, &hook{Pending: 3, Failed: 5, Why: "of yesterday"}, nothing)
	sets := p.requests("setWebhook")
	if len(sets) != 1 || len(p.requests("getWebhookInfo")) != 11 || p.requests("")[0].method != "setWebhook" {
		t.Fatalf("%d times set, %d looks", len(sets), len(p.requests("getWebhookInfo")))
	}
	got := sets[0].params
	kinds, _ := got["allowed_updates"].([]any)
	if got["url"] != hookURL || got["secret_token"] != secret || fmt.Sprint(got["max_connections"]) != "10" ||
		!slices.Equal(kinds, []any{"message", "edited_message", "callback_query", "message_reaction",
			"my_chat_member"}) || got["drop_pending_updates"] != false {
		t.Errorf("it was set with %v", got)
	}
	if s := p.status; s.Mode != telegram.ModeWebhook || s.State != telegram.HealthOK || s.Pending != 3 || len(p.heard.all()) != 0 {
		t.Errorf("status %+v, told %q", s, p.heard.all())
	}
}

func TestRegistrar_SetWebhookFails_IsRetried(t *testing.T) {
	p := keeping(t, time.Hour, new(hook), func(after time.Duration, method string) *http.Response {
		if method != "setWebhook" || after > 10*time.Minute {
			return nil
		}
		r, _ := refusal(400, "Bad Request: bad webhook: IP address 10.0.0.1 is reserved", "")
		return r
	})
	for i, gap := range gaps(p.requests("setWebhook")) {
		if gap < time.Second {
			t.Errorf("set again after %s, the %d. time", gap, i+1)
		}
	}
	if told := p.heard.all(); len(told) != 2 || !strings.Contains(told[0], "IP address 10.0.0.1 is reserved") {
		t.Errorf("told %q", told)
	}
	if p.status.State != telegram.HealthOK {
		t.Errorf("status %+v", p.status)
	}
}

func TestRegistrar_RemovedWebhook_IsSetAgain(t *testing.T) {
	h := new(hook)
	taken := false
	p := keeping(t, 10*time.Minute, h, func(after time.Duration, _ string) *http.Response {
		if !taken && after > 5*time.Minute {
			taken, h.URL = true, ""
		}
		return nil
	})
	if n := len(p.requests("setWebhook")); n != 2 || h.URL != hookURL || p.status.State != telegram.HealthOK {
		t.Errorf("set %d times, to %q at last; status %+v", n, h.URL, p.status)
	}
}

// TestWebhook_SetByOthers_RetriesSlowly also checks that the admin gets an alarm.
func TestWebhook_SetByOthers_RetriesSlowly(t *testing.T) {
	h := new(hook)
	p := keeping(t, time.Hour, h, func(_ time.Duration, method string) *http.Response {
		if method == "getWebhookInfo" {
			h.URL = "https://other.example.org/"
		}
		return nil
	})
	if n := len(p.requests("setWebhook")); n > 100 {
		t.Errorf("set %d times in an hour", n)
	}
	if told := p.heard.all(); len(told) != 1 || !strings.Contains(told[0], "another program takes this bot's webhook away") {
		t.Errorf("told %q", told)
	}
}

// TestWebhook_FailedDelivery_IsShownInStatus checks that Telegram's error text is shown until the
// waiting updates have come. The text stays while Telegram does not try again for minutes.
func TestWebhook_FailedDelivery_IsShownInStatus(t *testing.T) {
	h := new(hook)
	p := keeping(t, time.Hour, h, func(after time.Duration, _ string) *http.Response {
		switch {
		case after > 30*time.Minute:
			h.Pending = 0
		case after > 10*time.Minute:
			h.Pending, h.Failed, h.Why = 2, 1000+int64(after/(2*time.Minute)), "Connection refused"
		}
		return nil
	})
	told := p.heard.all()
	if len(told) != 2 || !strings.Contains(told[0], "cannot deliver to the webhook (Connection refused)") ||
		!strings.Contains(told[0], "X-Telegram-Bot-Api-Secret-Token") || !strings.Contains(told[1], "lasted 2") {
		t.Errorf("told %q", told)
	}
	if n := len(p.requests("setWebhook")); n != 1 || p.status.State != telegram.HealthOK {
		t.Errorf("set %d times; status %+v", n, p.status)
	}
}

func TestRegistrar_ShownError_IsPlainText(t *testing.T) {
	h := new(hook)
	p := keeping(t, 90*time.Second, h, func(after time.Duration, _ string) *http.Response {
		if after > 0 {
			h.Pending, h.Failed, h.Why = 1, 1000, "Wrong response from the webhook: 503 Service Unavailable"
		}
		return nil
	})
	want := "Telegram cannot deliver to the webhook (Wrong response from the webhook: 503 Service Unavailable)"
	if p.status.State != telegram.HealthFailing || p.status.Error != want || p.status.Pending != 1 {
		t.Errorf("status %s", mustIndent(p.status))
	}
}

func mustIndent(v any) string {
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		panic(err)
	}
	return string(b)
}

// A new secret is registered at once. Until then updates with the old secret are accepted.
func TestRegistrar_NewSecret_IsRegisteredAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const next = "the-next-secret"
		shared := telegram.NewWebhookSecret(secret)
		receiver := webhookWith(t, newStore(0), shared)
		accepts := func(given string) bool {
			answer := httptest.NewRecorder()
			receiver.ServeHTTP(answer, post(strings.NewReader(`{"update_id":1}`), given))
			return answer.Code != http.StatusUnauthorized
		}
		var sent []any
		var whileSet []bool
		h := new(hook)
		p := new(polling)
		p.fakeTransport = newWire(t, func(a asked, _ context.Context) (*http.Response, error) {
			if a.method == "setWebhook" {
				h.URL, _ = a.params["url"].(string)
				sent = append(sent, a.params["secret_token"])
				whileSet = append(whileSet, accepts(secret), accepts(next))
				return result(`true`)
			}
			return result(string(mustJSON(h)))
		})
		end := run(t, telegram.NewWebhookRegistrar(p.client(), telegram.WebhookRegistrarOptions{URL: hookURL,
			Secret: shared, Health: p.health()}).Run)
		time.Sleep(90 * time.Second)
		shared.Set(next)
		synctest.Wait()
		if !slices.Equal(sent, []any{secret, next}) || !slices.Equal(whileSet, []bool{true, false, true, true}) {
			t.Errorf("registered %q, accepted %v", sent, whileSet)
		}
		if accepts(secret) || !accepts(next) || accepts("") {
			t.Error("the old secret still counts, or the new one does not")
		}
		end()
	})
}
