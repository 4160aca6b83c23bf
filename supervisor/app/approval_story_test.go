package app_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
)

// The service is killed twice while a user is asked for approval. The user is not asked again, and
// the model does not notice. A press after the last restart sends the file once.
func TestApproval_ServiceDies_AsksOnce(t *testing.T) {
	t.Parallel()
	l := newApprovalService(t, "ask", "")
	l.writeHomeFile("a.txt", "hello\n")
	l.Start()
	l.requestFile("a.txt")
	for range 2 {
		l.kill()
		l.Start()
	}
	l.pressLabel("bob", "Once")
	l.awaitDone()
	l.checkArrived("a.txt")
	l.checkAnswer(sentAnswer("a.txt", 6))
	if people, models := l.questionCount(), len(l.model.Requests()); people != 1 || models != 2 {
		t.Errorf("bob was asked %d times, and the model %d times, want before the file and after it", people, models)
	}
}

// A press while the service is down sends the file after the restart.
func TestPress_ServiceDown_SendsFileLater(t *testing.T) {
	t.Parallel()
	l := newApprovalService(t, "ask", "")
	l.writeHomeFile("a.txt", "hello\n")
	l.writeHomeFile("b.txt", "hello b\n")
	l.Start()
	for i, c := range []struct{ file, button, end string }{
		{"a.txt", "Once", sentAnswer("a.txt", 6)},
		{"b.txt", "Deny", "error: send b.txt: not sent: bob was asked and said no."},
	} {
		l.requestFile(c.file)
		l.kill()
		l.pressLabel("bob", c.button)
		l.Start()
		l.awaitDone()
		l.checkArrived("a.txt")
		l.checkAnswer(c.end)
		if n := l.questionCount(); n != i+1 {
			t.Errorf("bob was asked %d times", n)
		}
	}
}

// Only the approved bytes are sent. If the file changes, the user is asked again.
func TestApproval_FileChanged_AsksAgain(t *testing.T) {
	t.Parallel()
	l := newApprovalService(t, "ask", "")
	l.writeHomeFile("a.txt", "hello\n")
	l.Start()
	l.requestFile("a.txt")
	l.kill()
	l.writeHomeFile("a.txt", "something else\n")
	l.Start()
	l.pressLabel("bob", "Once")
	l.bot.WaitUntil(t, "bob to be asked about what it holds now", func() bool {
		return slices.Contains(l.told("bob"), fileQuestion+"a.txt here (text/plain, 15 bytes)?")
	})
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the question to be delivered", l.allDelivered)
	l.pressLabel("bob", "Once")
	l.awaitDone()
	l.checkArrived("a.txt")
}

// pressKills is how often the service is killed right after a press was stored. MEWS_PRESS_KILLS
// overrides it.
const pressKills = 3

// The service is killed after a press was stored, and the file is still sent once. If it is unknown
// whether the press was used, the user is asked again. The file is never sent twice.
func TestKillAfterPress_FileIsSentOnce(t *testing.T) {
	t.Parallel()
	seed := uint64(apptest.NumberFromEnv(t, "MEWS_KILL_SEED", int(time.Now().UnixNano()>>10)))
	t.Logf("replay with MEWS_KILL_SEED=%d", seed)
	rng := rand.New(rand.NewPCG(seed, 3))
	l := newApprovalService(t, "ask", "")
	l.Start()
	var files []string
	for round := range apptest.NumberFromEnv(t, "MEWS_PRESS_KILLS", pressKills) {
		name := fmt.Sprintf("%d.txt", round)
		files = append(files, name)
		l.writeHomeFile(name, strings.Repeat("x", round+2))
		l.requestFile(name)
		before, kept := l.questionCount(), l.QueryCount("SELECT count(*) FROM question WHERE answer ->> 'say' = 'once'")
		l.pressLabel("bob", "Once")
		l.WaitUntilTrue(apptest.DefaultTestTimeout, "the press to be kept", func() bool {
			return l.QueryCount("SELECT count(*) FROM question WHERE answer ->> 'say' = 'once'") > kept
		})
		<-time.After(time.Duration(rng.IntN(12)) * time.Millisecond)
		l.kill()
		l.Start()
		l.WaitUntilTrue(apptest.DefaultTestTimeout, "all to be done, or a question",
			func() bool { return l.isWaiting() || l.isDone() })
		if l.isWaiting() {
			t.Logf("round %d: bob is asked again", round)
			l.bot.WaitUntil(t, "the question to arrive", func() bool {
				return strings.HasPrefix(lastOf(l.told("bob")),
					fileQuestion)
			})
			l.pressLabel("bob", "Once")
		}
		l.awaitDone()
		l.checkArrived(files...)
		l.checkAnswer(sentAnswer(name, round+2))
		if n := l.questionCount() - before; n > 1 {
			t.Errorf("round %d: asked %d times more", round, n)
		}
	}
}

// The service is killed while it waits for a code, and again after a right code. The user is asked
// once, and the file is sent once.
func TestStepUp_ServiceDies_AsksOnce(t *testing.T) {
	t.Parallel()
	// the gate needs no code, because a code can be used only once
	l := newApprovalService(t, byCode, ", totp: 'off'")
	recovery := l.enrol("bob")
	l.writeHomeFile("a.txt", "hello\n")
	l.Start()
	l.requestFile("a.txt")
	l.checkCodeAsked("bob")
	l.kill()
	l.Start()
	l.say("bob", recovery[0])
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the code to be kept", func() bool {
		return l.QueryCount("SELECT count(*) FROM audit WHERE action = 'stepup.recovery'") == 1
	})
	l.kill()
	l.Start()
	l.awaitDone()
	l.checkArrived("a.txt")
	if n := l.questionCount(); n != 1 {
		t.Errorf("bob was asked %d times", n)
	}
}
