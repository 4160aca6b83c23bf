package main_test

import (
	"fmt"
	"testing"

	"mews/supervisor/app/apptest"
	"mews/supervisor/telegram/telegramtest"
)

// mostIdle limits the private memory of supervisor and spawner together, in KB, while no user
// writes and Telegram is on. The service returns the memory of its start after some seconds. The
// measured value is about 13,000 then. New features may raise the limit to at most 20,000.
const mostIdle = 14_000

func TestIdleService_Memory_StaysBelowLimit(t *testing.T) {
	h := apptest.NewService(t, "", "ann")
	// the race detector takes memory too
	h.Bin = apptest.LinkProgramsInTestFolder(t, apptest.BuildPrograms(t))
	server := telegramtest.New(t, telegramtest.Options{Token: testToken, Strict: true})
	h.AppendConfig(apptest.TelegramConfig(server, "") + gateConfig)
	h.Start()
	supervisor, spawner := idle(t, h, server)
	own := 0.0
	h.WaitUntilTrue(apptest.DefaultTestTimeout, fmt.Sprintf("at most %d KB of private memory", mostIdle), func() bool {
		own = privateMemory(t, supervisor) + privateMemory(t, spawner)
		return own <= mostIdle
	})
	t.Logf("supervisor and spawner have %.0f KB of their own, %.0f KB resident", own,
		residentMemory(t, supervisor)+residentMemory(t, spawner))
}

// idle waits until a service polls and has settled, and returns its processes.
func idle(t testing.TB, h *apptest.Service, server *telegramtest.Server) (supervisor, spawner int) {
	t.Helper()
	server.WaitUntil(t, "a poll that waits, and a menu", func() bool {
		return server.IsPolling() && server.CountCalls("setMyCommands") > 0
	})
	settle()
	return h.ProcessIDs("mews")[0], h.ProcessIDs("mews-spawner")[0]
}
