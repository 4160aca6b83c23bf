package telegram

import (
	"fmt"
	"testing"
)

func TestNew_InvalidToken_ErrorHidesToken(t *testing.T) {
	for name, token := range map[string]string{
		"nothing":             "",
		"the secret alone":    canarySecret,
		"the wrong way round": canarySecret + ":42",
		"a space in it":       "42: " + canarySecret,
		"a line's end":        canaryToken + "\n",
		"a slash in it":       "42:../" + canarySecret,
		"no such number":      "99999999999999999999:" + canarySecret,
		"a number too large":  "9999999999999999999:" + canarySecret,
		"no number":           "bot42:" + canarySecret,
	} {
		t.Run(name, func(t *testing.T) {
			c, err := New(Options{Token: token})
			if err == nil {
				t.Fatalf("%q made a client of %d", token, c.BotID())
			}
			hidden(t, err)
		})
	}
}

func TestNew_InvalidAPIRoot_ErrorHidesURL(t *testing.T) {
	for name, given := range map[string]string{
		"no scheme":      "api.telegram.org",
		"another scheme": "ftp://api.telegram.org",
		"no host":        "https:///bot",
		"a password":     "https://me:" + canarySecret + "@api.telegram.org",
		"an API call":    "https://api.telegram.org/bot" + canaryToken + "/getMe",
		"a query":        "https://api.telegram.org?token=" + canarySecret,
		"an odd port":    "https://api.telegram.org:" + canarySecret,
		"a control code": "https://api.telegram.org/\x7f" + canarySecret,
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := New(Options{Token: canaryToken, APIURL: given}); err == nil {
				t.Errorf("%q was taken", given)
			} else {
				hidden(t, err)
			}
		})
	}
}

func TestUpdateSource_NamesServerAndBot(t *testing.T) {
	for given, want := range map[string]string{
		"":                                  "telegram/https://api.telegram.org/42",
		"https://api.telegram.org":          "telegram/https://api.telegram.org/42",
		"https://API.telegram.org/":         "telegram/https://api.telegram.org/42",
		"http://127.0.0.1:8081/telegram//":  "telegram/http://127.0.0.1:8081/telegram/42",
		"http://bots.example.org/bot-api/v": "telegram/http://bots.example.org/bot-api/v/42",
	} {
		c, err := New(Options{Token: canaryToken, APIURL: given})
		if err != nil {
			t.Fatalf("%q: %v", given, err)
		}
		if c.UpdateSourceName() != want || c.BotID() != 42 {
			t.Errorf("%q: source %q and bot %d, want %q", given, c.UpdateSourceName(), c.BotID(), want)
		}
		hides(t, "a client", fmt.Sprintf("%v %+v %#v %+v", c, c, c, *c.bot))
		hides(t, "a client", fmt.Sprintf("%#v %+v %#v", *c.bot, c.bot.BotClient, c.bot.BotClient))
	}
}
