package main_test

import (
	"testing"

	"mews/supervisor/app/apptest"
	"mews/supervisor/telegram/telegramtest"
)

// mostIdle is the private memory that supervisor and spawner may have together while nobody speaks,
// in KB, with Telegram on. They have some 11,700, and up to 400 more or less by when garbage was
// collected last. What is built grows it to 20,000 at most.
const mostIdle = 14_000

func TestIdleMemory(t *testing.T) {
	h := apptest.NewService(t, "", "ann")
	// the race detector's memory is not what is promised
	h.Bin = apptest.OwnPrograms(t, apptest.PlainPrograms(t))
	server := telegramtest.New(t, telegramtest.Options{Token: testToken, Strict: true})
	h.Configure(apptest.OnTelegram(server, "") + gateConfig)
	h.Start()
	supervisor, spawner := idle(t, h, server)
	own, all := privateMemory(t, supervisor)+privateMemory(t, spawner), residentMemory(t, supervisor)+residentMemory(t, spawner)
	t.Logf("supervisor and spawner have %.0f KB of their own, %.0f KB resident", own, all)
	if own > mostIdle {
		t.Errorf("supervisor and spawner have %.0f KB of their own, at most %d", own, mostIdle)
	}
}

// idle waits until a service polls and has done what follows its start, and returns its processes.
func idle(t testing.TB, h *apptest.Service, server *telegramtest.Server) (supervisor, spawner int) {
	t.Helper()
	server.Await(t, "a poll that waits, and a menu", func() bool {
		return server.Polling() && server.Count("setMyCommands") > 0
	})
	settle()
	return h.Processes("mews")[0], h.Processes("mews-spawner")[0]
}
