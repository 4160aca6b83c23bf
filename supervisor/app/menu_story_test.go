package app_test

import (
	"slices"
	"strings"
	"testing"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/telegram/telegramtest"
)

// Commands for admins are only in the menus of admins' private chats. Text after /new becomes the
// first message of the topic.
func TestMenu_AdminChat_HasAdminCommands(t *testing.T) {
	t.Parallel()
	l := newGatedService(t, modeltest.EchoScript, "", "alice, role: admin", "bob")
	for _, name := range l.names {
		l.bot.AddChat(telegramtest.PrivateChat(l.telegramUser(name)))
	}
	l.open()
	offers := func(scope string) bool {
		return slices.ContainsFunc(l.bot.Menu(scope, ""),
			func(c telegramtest.MenuCommand) bool { return c.Command == "invite" })
	}
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "alice to have a menu of her own",
		func() bool { return offers("chat:101") })
	if offers("") || offers("chat:102") {
		t.Error("everybody is offered what is for admins")
	}
	// all lines are short, and only admins see the lines about the machine
	for name, admin := range map[string]bool{"alice": true, "bob": false} {
		l.sayAndAwait(name, "/status", "• mews: ")
		if status := lastOf(l.told(name)); strings.Contains(status, "\n• limits: ") != admin || !strings.Contains(status, "\n• gate: open") ||
			strings.Contains(status, "process") != admin || strings.Contains(status, l.UserHome(name)) != admin {
			t.Errorf("%s is told %q", name, status)
		}
	}
	from := len(l.told("bob"))
	l.say("bob", "/new buy milk")
	l.bot.WaitUntil(t, "bob to be answered", func() bool { return len(l.told("bob")) >= from+2 })
	if told := l.told("bob"); !slices.Contains(told, "echo: buy milk") {
		t.Errorf("bob was told %q", told)
	}
}
