package app

import (
	"context"
	"io"
	"net/http"
	"path"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor/access"
	"mews/supervisor/command"
	"mews/supervisor/telegram"
)

// botAPI answers a bot's calls from memory, and records the times of the calls.
type botAPI struct {
	began  time.Time
	answer func(method string, after time.Duration) string // returns an answer; "" means an error page of a gateway

	mu   sync.Mutex
	made map[string][]time.Duration // times of the bot's calls, by method
}

func (b *botAPI) RoundTrip(r *http.Request) (*http.Response, error) {
	method, after := path.Base(r.URL.Path), time.Since(b.began)
	b.mu.Lock()
	b.made[method] = append(b.made[method], after)
	b.mu.Unlock()
	code, body := http.StatusOK, b.answer(method, after)
	if body == "" {
		code, body = http.StatusBadGateway, "<html>"
	}
	return &http.Response{StatusCode: code, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}, nil
}

// presentFor runs a channel's method present for some time. It returns the calls, and the bot's
// name at the end.
func presentFor(t *testing.T, while time.Duration, answer func(string, time.Duration) string) (
	made map[string][]time.Duration, name string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &botAPI{began: time.Now(), answer: answer, made: map[string][]time.Duration{}}
		client, err := telegram.New(telegram.Options{Token: "42:TEST-token", Transport: b})
		if err != nil {
			t.Fatal(err)
		}
		nobody, err := access.NewPeople(nil, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := &service{}
		s.people = nobody
		if s.commands, err = command.New(command.Options{}); err != nil {
			t.Fatal(err)
		}
		c := &telegramChannel{service: s, client: client, log: hclog.NewNullLogger()}
		ctx, cancel := context.WithTimeout(t.Context(), while)
		defer cancel()
		if err := c.present(ctx); err != nil {
			t.Error(err)
		}
		made, name = b.made, c.health.Status().Username
	})
	return made, name
}

// getMeAnswer returns Telegram's answer to getMe for a bot with a name.
func getMeAnswer(name string) string {
	return `{"ok":true,"result":{"id":42,"is_bot":true,"first_name":"Mews","username":"` + name + `"}}`
}

const (
	apiYes   = `{"ok":true,"result":true}`
	apiFlood = `{"ok":false,"error_code":429,"description":"Too Many Requests","parameters":{"retry_after":137}}`
)

// menuAnswer returns the answers to the calls that set the menu.
func menuAnswer(method string) string {
	return map[string]string{"getMyCommands": `{"ok":true,"result":[]}`, "setMyCommands": apiYes}[method]
}

// After a flood wait, the name and the menu are requested again exactly when the wait is over.
func TestBotProfile_FloodWait_SendsNoRequest(t *testing.T) {
	flood := 137 * time.Second
	made, name := presentFor(t, time.Hour, func(method string, after time.Duration) string {
		switch {
		case method == "getMe" && after < flood, method == "setMyCommands" && after < 3*flood:
			return apiFlood
		case method == "getMe":
			return getMeAnswer("mews_bot")
		}
		return menuAnswer(method)
	})
	if asked := made["getMe"]; len(asked) != 2 || asked[1] != flood || name != "mews_bot" {
		t.Errorf("the name was asked for after %v, and is %q", asked, name)
	}
	if set := made["setMyCommands"]; len(set) < 3 || set[0] != flood || set[1] != 2*flood || set[2] != 3*flood {
		t.Errorf("the menu was set after %v", set)
	}
}

// A new name of the bot is known within a day. This holds while the menu can't be set, and after a
// day on which all requests failed.
func TestBotProfile_Renamed_IsReadWithinADay(t *testing.T) {
	for name, menu := range map[string]bool{"with its menu": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			day := 24 * time.Hour
			made, name := presentFor(t, 3*day+time.Hour, func(method string, after time.Duration) string {
				switch {
				case method == "getMe" && after > day-time.Hour && after < day+time.Hour:
					return ""
				case method == "getMe" && after < 2*day:
					return getMeAnswer("mews_bot")
				case method == "getMe":
					return getMeAnswer("hawk_bot")
				case !menu:
					return ""
				}
				return menuAnswer(method)
			})
			if n := len(made["getMe"]); name != "hawk_bot" || n < 4 || n > 60 {
				t.Errorf("the bot is called %q; asked %d times", name, n)
			}
		})
	}
}
