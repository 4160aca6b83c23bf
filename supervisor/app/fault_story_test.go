package app_test

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/telegram/telegramtest"
)

// If a model fails, the user reads only that the model is not available. An admin is told the
// reason once, and again only after the model has answered. If the failed turn is the admin's own,
// its chat shows the reason.
func TestModelFault_AlertsAdminOnce(t *testing.T) {
	t.Parallel()
	var mended atomic.Bool
	l := newGatedService(t, func(r modeltest.Request) modeltest.Answer {
		if mended.Load() {
			return modeltest.EchoScript(r)
		}
		return modeltest.FaultFromFailureClass(modeltest.FailureWrongKey)(modeltest.Answer{})
	}, "", "alice, role: admin", "bob")
	for _, name := range l.names {
		l.bot.AddChat(telegramtest.PrivateChat(l.telegramUser(name)))
	}
	l.open()
	const unavailable = "⚠ test/test is not available at the moment. An admin knows why."
	l.sayAndAwait("bob", "hello", unavailable)
	l.sayAndAwait("bob", "hello again", unavailable)
	l.bot.WaitUntil(t, "alice to be told", func() bool { return len(l.told("alice")) > 0 })
	l.sayAndAwait("alice", "hello", "⚠ \"test\" did not accept the API key, or got none.")
	mended.Store(true)
	l.sayAndAwait("bob", "and now", "echo: and now")
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "alice to be told that it is well",
		func() bool { return slices.Contains(l.told("alice"), "test/test answers again.") })
	var faults []string
	for _, text := range l.told("alice") {
		if strings.HasPrefix(text, "test/test cannot answer people.") {
			faults = append(faults, text)
		}
	}
	if want := "test/test cannot answer people. \"test\" did not accept the API key, or got none. Check its api_key in the configuration"; len(faults) != 1 ||
		!strings.HasPrefix(faults[0], want) {
		t.Errorf("alice was told %q", faults)
	}
	for _, text := range l.told("bob") {
		if strings.Contains(text, "key") || strings.Contains(text, "configuration") {
			t.Errorf("bob was told %q", text)
		}
	}
}
