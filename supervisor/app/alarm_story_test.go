package app_test

import (
	"slices"
	"strings"
	"testing"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/telegram/telegramtest"
)

// The admin gets one notice about the outage and one about the recovery, in their private chat.
// Other users get no notice.
func TestTelegramOutage_AlertsAdminOnce(t *testing.T) {
	t.Parallel()
	l := newGatedService(t, modeltest.EchoScript, "", "alice, role: admin", "bob")
	l.bot.AddChat(telegramtest.PrivateChat(l.telegramUser("alice")))
	l.bot.AddChat(telegramtest.PrivateChat(l.telegramUser("bob")))
	l.bot.InjectFault(telegramtest.Fault{Method: "getUpdates", Kind: telegramtest.HTMLFault, Times: 4})
	l.open()
	begins := func(text string) func(string) bool {
		return func(told string) bool { return strings.HasPrefix(told, text) }
	}
	l.WaitUntilTrue(2*apptest.DefaultTestTimeout, "alice to be told of the trouble and its end", func() bool {
		return slices.ContainsFunc(l.told("alice"), begins("Messages from Telegram get through again"))
	})
	if told := l.told("alice"); len(told) != 2 || !slices.ContainsFunc(told, func(text string) bool { return strings.Contains(text, " there is trouble with Telegram: ") }) {
		t.Errorf("alice was told %q", told)
	}
	if told := l.told("bob"); len(told) > 0 {
		t.Errorf("bob was told %q", told)
	}
}
