package app_test

import (
	"os"
	"strings"
	"testing"

	"mews/supervisor/admin"
	"mews/supervisor/control"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/telegram/telegramtest"
)

// A reload applies another token of the same bot, and another key of a model. Both apply at once,
// without a restart.
func TestReload_NewTokenAndKey_ApplyAtOnce(t *testing.T) {
	t.Parallel()
	l := newGatedService(t, modeltest.EchoScript, "models: {default: test/test, providers: "+
		"{test: {kind: openai, base_url: MODEL_URL, api_key: sk-first}}}\n", "bob")
	l.open()
	l.sayAndAwait("bob", "one", "echo: one")
	old := l.bot.Token()
	l.bot.SetToken(old + "-second")
	l.configureAgain(old, old+"-second", "sk-first", "sk-second")
	var changes admin.ConfigurationChanges
	if err := control.CallOnce(t.Context(), l.Socket, admin.MethodReload, struct{}{}, &changes); err != nil ||
		len(changes.Changes) != 2 {
		t.Fatalf("%+v, %v", changes, err)
	}
	l.sayAndAwait("bob", "two", "echo: two")
	requests := l.model.Requests()
	if first, last := requests[0].Header.Get("Authorization"),
		requests[len(requests)-1].Header.Get("Authorization"); first != "Bearer sk-first" ||
		last != "Bearer sk-second" {
		t.Errorf("the model was asked with %q and %q", first, last)
	}
	// Telegram refuses the token: the old one stays, and everything else applies at once
	l.configureAgain(old+"-second", old+"-mistyped", "sk-second", "sk-third")
	for n := range 2 {
		changes = admin.ConfigurationChanges{}
		if err := control.CallOnce(t.Context(), l.Socket, admin.MethodReload, struct{}{}, &changes); err != nil ||
			!strings.Contains(changes.Note, "Telegram refuses the new telegram.token") || len(changes.Changes) != 1-n {
			t.Errorf("a refused token: %v, %+v", err, changes)
		}
	}
	l.sayAndAwait("bob", "refused", "echo: refused")
	// Telegram does not answer about the token
	l.configureAgain(old+"-mistyped", old+"-third")
	end := l.bot.InjectFault(telegramtest.Fault{Kind: telegramtest.HTMLFault, Method: "getMe"})
	changes = admin.ConfigurationChanges{}
	if err := control.CallOnce(t.Context(), l.Socket, admin.MethodReload, struct{}{}, &changes); err != nil ||
		!strings.Contains(changes.Note, "did not say whether it accepts the new telegram.token") {
		t.Errorf("an unanswered check: %v, %+v", err, changes)
	}
	end()
	l.configureAgain(old+"-third", old+"-second", "sk-third", "sk-second")
	changes = admin.ConfigurationChanges{}
	if err := control.CallOnce(t.Context(), l.Socket, admin.MethodReload, struct{}{}, &changes); err != nil ||
		changes.Note != "" || len(changes.Changes) != 1 {
		t.Errorf("the good token again: %v, %+v", err, changes)
	}
	// another bot waits for a restart, and everything else applies at once
	l.configureAgain(old, "43"+old[strings.Index(old, ":"):], "sk-second", "sk-third")
	for range 2 {
		changes = admin.ConfigurationChanges{}
		if err := control.CallOnce(t.Context(), l.Socket, admin.MethodReload, struct{}{}, &changes); err != nil ||
			!strings.Contains(changes.Note, "The new telegram.token takes effect only at a restart") {
			t.Errorf("another bot: %v, %+v", err, changes)
		}
	}
	l.sayAndAwait("bob", "three", "echo: three")
	requests = l.model.Requests()
	if last := requests[len(requests)-1].Header.Get("Authorization"); last != "Bearer sk-third" {
		t.Errorf("the model was asked with %q", last)
	}
	l.configureAgain("43"+old[strings.Index(old, ":"):], old)
	changes = admin.ConfigurationChanges{}
	if err := control.CallOnce(t.Context(), l.Socket, admin.MethodReload, struct{}{}, &changes); err != nil ||
		changes.Note != "" || len(changes.Changes) != 0 {
		t.Errorf("the bot as before: %v, %+v", err, changes)
	}
	l.shut()
	for _, secret := range []string{"-second", "sk-first", "sk-second", "sk-third"} {
		if strings.Contains(l.LogTail(), secret) {
			t.Errorf("the log has %q", secret)
		}
	}
}

// configureAgain replaces texts in the configuration.
func (l *gatedService) configureAgain(pairs ...string) {
	l.T.Helper()
	text, err := os.ReadFile(l.Config)
	if err == nil {
		err = os.WriteFile(l.Config, []byte(strings.NewReplacer(pairs...).Replace(string(text))), 0o600)
	}
	if err != nil {
		l.T.Fatal(err)
	}
}
