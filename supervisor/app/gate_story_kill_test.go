package app_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/sqlite"
)

// codeKills is how often the service is killed while a code opens a gate. MEWS_CODE_KILLS overrides
// it.
const codeKills = 3

// The service is killed after a user has sent a code. Held messages are answered once, and the code
// is used once.
func TestKillAfterCode_AnswersHeldOnce(t *testing.T) {
	t.Parallel()
	seed := uint64(apptest.NumberFromEnv(t, "MEWS_KILL_SEED", int(time.Now().UnixNano()>>10)))
	t.Logf("replay with MEWS_KILL_SEED=%d", seed)
	rng := rand.New(rand.NewPCG(seed, 2))
	l := newGatedService(t, modeltest.EchoScript, "", "bob, totp: required")
	l.Bin = apptest.LinkProgramsInTestFolder(t, apptest.BuildPrograms(t))
	for round := range apptest.NumberFromEnv(t, "MEWS_CODE_KILLS", codeKills) {
		l.withDatabase(func(db *sqlite.DB) {
			if _, _, err := db.UserAccessStores().Factors.Reset(t.Context(), "bob"); err != nil {
				t.Fatal(err)
			}
		})
		l.enrol("bob")
		l.Start()
		from := len(l.told("bob"))
		for i := range 2 {
			l.say("bob", fmt.Sprintf("held %d.%d", round, i))
		}
		l.awaitTold("bob", from, locked)
		code := l.code("bob", 0)
		l.say("bob", code)
		<-time.After(time.Duration(rng.IntN(60)) * time.Millisecond)
		at := time.Now()
		l.Kill()
		l.bot.RecordClientKill(at)
		l.CheckIntegrity()
		l.Start()
		l.WaitUntilTrue(apptest.DefaultTestTimeout, "all to be answered", func() bool {
			return l.bot.CountPendingUpdates() == 0 &&
				l.QueryCount("SELECT count(*) FROM inbox WHERE state IN ('new', 'running')") == 0 &&
				l.QueryCount("SELECT count(*) FROM outbox WHERE outcome IS NULL") == 0
		})
		for i := range 2 {
			checkToldOnce(l, fmt.Sprintf("echo: held %d.%d", round, i))
		}
		if n := l.QueryCount("SELECT count(*) FROM audit WHERE action = 'login'"); n != round+1 {
			t.Errorf("round %d: %d codes were taken", round, n)
		}
		l.checkNowhere(code)
		l.Stop()
	}
}

// checkToldOnce fails unless bob got a text once. A second copy is allowed if it is marked as a
// repeat.
func checkToldOnce(l *gatedService, text string) {
	l.T.Helper()
	plain, marked := 0, 0
	for _, told := range l.told("bob") {
		switch {
		case told == text:
			plain++
		case strings.HasPrefix(told, apptest.RepeatedMessageMark) && strings.Contains(told, text):
			marked++
		}
	}
	if plain != 1 || marked > 1 {
		l.T.Errorf("bob was told %q %d times, and %d times as a repeat: %q", text, plain, marked, l.told("bob"))
	}
}
