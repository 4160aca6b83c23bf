package app_test

import (
	"slices"
	"strings"
	"testing"

	"mews/supervisor/model/modeltest"
	"mews/supervisor/telegram/telegramtest"
)

// timeModel reads any time as tomorrow at 9.
func timeModel(r modeltest.Request) modeltest.Answer {
	if len(r.Tools) == 1 && r.Tools[0].Name == "set_time" {
		return modeltest.Answer{Calls: []modeltest.Call{{Name: "set_time", Args: `{"when":"tomorrow at 9"}`}}}
	}
	return modeltest.Answer{Text: "ok"}
}

// German words go to the small model, and their user pays. A user without money gets the parser's
// refusal, and no model is asked.
func TestRemind_ModelReadsTime_UserPays(t *testing.T) {
	t.Parallel()
	l := newGatedService(t, timeModel, pricedConfig, "bob, totp: off, budget: {day: 0.5}",
		"carol, totp: off, budget: {day: 0.000001}")
	l.open()
	l.say("bob", "/remind morgen um 9: the secret plumber")
	l.awaitNewest("bob", "the secret plumber", "A model read your words as “tomorrow at 9”", "Next: ", " 09:00 ")
	asked := l.model.Requests()
	if len(asked) != 1 || asked[0].Model != "little" || asked[0].NewestUserMessage() != "morgen um 9" ||
		strings.Contains(string(asked[0].Raw), "secret") {
		t.Errorf("models were asked %d times: %+v", len(asked), asked)
	}
	const paid = "SELECT count(*) FROM usage WHERE user = 'bob' AND purpose = 'time' AND spec = 'test/little' " +
		"AND cost > 0"
	if n := l.QueryCount(paid); n != 1 {
		t.Errorf("bob has paid for %d calls", n)
	}
	if n := l.QueryCount("SELECT count(*) FROM lease"); n != 0 {
		t.Errorf("%d leases are left", n)
	}
	l.say("carol", "/remind morgen um 9: Klempner")
	l.awaitNewest("carol", "is no time that I can read")
	if n := l.model.CountRequests(); n != 1 {
		t.Errorf("models were asked %d times", n)
	}
}

// The words of a user with a model on this machine do not go to a small model on the internet.
func TestRemind_LocalModel_KeepsWordsOnMachine(t *testing.T) {
	t.Parallel()
	l := newGatedService(t, timeModel, "models: {default: test/big, small: far/little, "+
		"providers: {test: {kind: openai, base_url: MODEL_URL}, "+
		"far: {kind: openai, base_url: 'https://api.example.com/v1', api_key: k}}}\n",
		"bob, totp: off, model: test/mine")
	l.open()
	l.say("bob", "/remind morgen um 9: Klempner")
	l.awaitNewest("bob", "Klempner", "A model read your words")
	if asked := l.model.Requests(); len(asked) != 1 || asked[0].Model != "mine" {
		t.Errorf("asked was %+v", asked)
	}
}

// The language of the user's Telegram decides about a date such as 3/4. For plain English (en), the
// user chooses by two buttons.
func TestRemind_SlashDate_UsesTelegramLanguage(t *testing.T) {
	t.Parallel()
	l := newGatedService(t, timeModel, "", "bob, totp: off")
	l.open()
	u := l.telegramUser("bob")
	for language, want := range map[string]string{"en-US": "I read 3/4 as 4 March", "de": "I read 3/4 as 3 April"} {
		u.Language = language
		l.bot.Say(telegramtest.PrivateChat(u), u, "/remind 3/4 at 9: "+language)
		l.awaitNewest("bob", ": "+language, want)
	}
	u.Language = "en"
	l.bot.Say(telegramtest.PrivateChat(u), u, "/remind 3/4 at 9: call Ann")
	card := l.awaitCard("bob", "Write 3 Apr or 4 Mar.")
	if got := labels(card); !slices.Equal(got, []string{"3 April", "4 March"}) {
		t.Fatalf("the buttons are %q", got)
	}
	if n := l.QueryCount("SELECT count(*) FROM job"); n != 2 {
		t.Errorf("there are %d jobs", n)
	}
	l.pressRow("bob", card, 1)
	l.awaitNewest("bob", "Reminder 3: call Ann", "I read 3/4 as 4 March")
	if n := l.QueryCount("SELECT count(*) FROM setting WHERE user = 'bob' AND value = 'en'"); n != 1 {
		t.Errorf("the language is kept %d times", n)
	}
}
