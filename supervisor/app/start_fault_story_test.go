package app_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/telegram/telegramtest"
)

// If a home belongs to another account, its user reads only that an admin was told. The admin reads
// the reason once, and again only after the worker has started.
func TestWorkerStartFault_ReasonOnlyForAdmins(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root gives homes away")
	}
	l := newGatedService(t, modeltest.EchoScript, "", "alice, role: admin", "bob")
	for _, name := range l.names {
		l.bot.AddChat(telegramtest.PrivateChat(l.telegramUser(name)))
	}
	if err := os.Chown(l.UserHome("bob"), 54321, 54321); err != nil {
		t.Fatal(err)
	}
	l.open()
	await := func(name string, times int, words ...string) {
		l.WaitUntilTrue(apptest.DefaultTestTimeout, fmt.Sprintf("%s to be told %q", name, words), func() bool {
			return len(slices.DeleteFunc(l.told(name), func(text string) bool {
				return slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
			})) == times
		})
	}
	l.say("bob", "hello")
	await("bob", 1, "Your assistant can't be started: an admin was told why")
	l.say("bob", "/stop")
	await("bob", 1, "(Stopped, as you asked.)")
	l.say("bob", "hello again")
	await("bob", 2, "Your assistant can't be started: an admin was told why")
	const fault = "The assistant of bob can't be started: home "
	await("alice", 1, fault, l.UserHome("bob"), "54321")
	if n := strings.Count(l.LogTail(), fault); n != 1 {
		t.Errorf("the admins were told %d times", n)
	}
	for _, text := range l.told("bob") {
		if strings.Contains(text, "54321") || strings.Contains(text, l.Dir) {
			t.Errorf("bob was told %q", text)
		}
	}
}
