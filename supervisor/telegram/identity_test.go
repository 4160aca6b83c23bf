package telegram_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mews/supervisor/telegram"
)

const ourselves = `{"id":7,"is_bot":true,"first_name":"Mews","username":"mews_bot"}`

// script answers each request with the next answer, and then repeats the last answer.
func script(answers ...func(context.Context) (*http.Response, error)) func(asked, context.Context) (*http.Response, error) {
	var mu sync.Mutex
	return func(_ asked, ctx context.Context) (*http.Response, error) {
		mu.Lock()
		next := answers[0]
		if len(answers) > 1 {
			answers = answers[1:]
		}
		mu.Unlock()
		return next(ctx)
	}
}

func as(user string) func(context.Context) (*http.Response, error) {
	return func(context.Context) (*http.Response, error) { return result(user) }
}

func TestGetMe_RepeatsUntilKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(t, script(always(refusal(500, "Internal Server Error", "")), as(`{"id":43,"is_bot":true}`), as(ourselves)))
		c := w.client()
		for _, want := range []string{"Internal Server Error", "about 43"} {
			if _, err := c.GetMe(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
				t.Fatalf("got %v, want %q", err, want)
			}
			time.Sleep(time.Minute) // waits in the bubble's fake time
		}
		var callers sync.WaitGroup
		for range 8 {
			callers.Go(func() {
				if user, err := c.GetMe(t.Context()); err != nil || user.Username != "mews_bot" {
					t.Errorf("got %v, %v", user, err)
				}
			})
		}
		callers.Wait()
		if user, err := c.GetMe(t.Context()); err != nil || user.Id != 7 || len(w.requests("getMe")) != 3 {
			t.Errorf("got %v, %v; asked %d times, want 3", user, err, len(w.requests("getMe")))
		}
	})
}

// TestGetMe_AfterFailure_DelaysNextRequest checks the pause after a failure. If Telegram gave a
// time, no request comes earlier.
func TestGetMe_AfterFailure_DelaysNextRequest(t *testing.T) {
	for name, test := range map[string]struct {
		fail  func(context.Context) (*http.Response, error)
		least time.Duration // the shortest time between two requests
		most  int           // the most requests in ten minutes
		says  string
	}{
		"trouble": {always(respond(502, "")), time.Second, 20, "502"},
		"a flood": {always(refusal(429, "Too Many Requests: retry after 137", `,"parameters":{"retry_after":137}`)),
			137 * time.Second, 5, "retry after 137"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWire(t, script(test.fail))
				c := w.client()
				for range 1200 {
					for _, ask := range []func(context.Context) (any, error){meOf(c), meetOf(c)} {
						if _, err := ask(t.Context()); err == nil || !strings.Contains(err.Error(), test.says) {
							t.Fatalf("got %v, want %q", err, test.says)
						}
					}
					time.Sleep(time.Second / 2)
				}
				made := w.requests("getMe")
				if least := slices.Min(gaps(made)); least < test.least || len(made) > test.most {
					t.Errorf("asked %d times, once after %s; want %d at most, %s apart", len(made), least, test.most, test.least)
				}
			})
		})
	}
}

func meOf(c *telegram.Client) func(context.Context) (any, error) {
	return func(ctx context.Context) (any, error) { return c.GetMe(ctx) }
}

func meetOf(c *telegram.Client) func(context.Context) (any, error) {
	return func(ctx context.Context) (any, error) { return c.RefreshMe(ctx) }
}

// TestGetMe_CancelledCaller_CountsNoFailure checks that the next caller asks Telegram at once.
func TestGetMe_CancelledCaller_CountsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(t, script(silence, as(ourselves)))
		c := w.client()
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan error, 2)
		go func() { _, err := c.GetMe(ctx); gone <- err }()
		go func() { _, err := c.GetMe(ctx); gone <- err }() // this caller waits for the first caller's request
		synctest.Wait()
		cancel()
		for range 2 {
			if <-gone == nil {
				t.Error("who went away was answered")
			}
		}
		if user, err := c.GetMe(t.Context()); err != nil || user.Username != "mews_bot" {
			t.Errorf("got %v, %v", user, err)
		}
	})
}

func TestRefreshMe_LearnsNewName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		renamed := strings.Replace(ourselves, "mews_bot", "hawk_bot", 1)
		c := newWire(t, script(as(ourselves), as(renamed), always(respond(502, "")))).client()
		if me, err := c.GetMe(t.Context()); err != nil || me.Username != "mews_bot" {
			t.Fatalf("at first: %v, %v", me, err)
		}
		if me, err := c.RefreshMe(t.Context()); err != nil || me.Username != "hawk_bot" {
			t.Errorf("asked anew: %v, %v", me, err)
		}
		if _, err := c.RefreshMe(t.Context()); err == nil {
			t.Error("a failure is none")
		}
		if me, err := c.GetMe(t.Context()); err != nil || me.Username != "hawk_bot" {
			t.Errorf("after that: %v, %v", me, err)
		}
	})
}

// TestWebhook_UnknownBotName_AsksRarely checks a webhook while Telegram does not answer. An update
// that needs the bot's name is refused, and Telegram sends it again.
func TestWebhook_UnknownBotName_AsksRarely(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(t, script(always(refusal(429, "Too Many Requests", `,"parameters":{"retry_after":30}`)), as(ourselves)))
		s := newStore(0)
		h, err := telegram.NewWebhook(w.client(), s, telegram.WebhookOptions{Secret: telegram.NewWebhookSecret(secret)})
		if err != nil {
			t.Fatal(err)
		}
		update := message(ann, group, text("@mews_bot hi"), entity("mention", 0, 9))
		for n := range 8 {
			answer := deliver(h, update)
			if want := map[bool]int{true: 503, false: 200}[n < 6]; answer != want {
				t.Errorf("delivery %d is answered %d, want %d", n, answer, want)
			}
			time.Sleep(5 * time.Second)
		}
		if made := w.requests("getMe"); len(made) != 2 || made[1].after != 30*time.Second {
			t.Errorf("asked %v", made)
		}
		s.hears(t, "hi")
	})
}
