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

// TestAnApprovalOutlivesWhoeverWaits: the service is killed while somebody is asked, and again.
// Nobody is asked twice, the model is not told of any of it, and the press in the last life of all
// sends the file, once.
func TestAnApprovalOutlivesWhoeverWaits(t *testing.T) {
	t.Parallel()
	l := approving(t, "ask", "")
	l.lay("a.txt", "hello\n")
	l.Start()
	l.wants("a.txt")
	for range 2 {
		l.die()
		l.Start()
	}
	l.chooses("bob", "Once")
	l.settle()
	l.arrived("a.txt")
	l.ends(saidOf("a.txt", 6))
	if people, models := l.asked(), len(l.model.Requests()); people != 1 || models != 2 {
		t.Errorf("bob was asked %d times, and the model %d times, want before the file and after it", people, models)
	}
}

// TestAPressWhileNobodyRunsCounts: what was pressed while the service was dead sends the file in
// its next life.
func TestAPressWhileNobodyRunsCounts(t *testing.T) {
	t.Parallel()
	l := approving(t, "ask", "")
	l.lay("a.txt", "hello\n")
	l.lay("b.txt", "hello b\n")
	l.Start()
	for i, c := range []struct{ file, button, end string }{
		{"a.txt", "Once", saidOf("a.txt", 6)},
		{"b.txt", "Deny", "error: send b.txt: not sent: bob was asked and said no."},
	} {
		l.wants(c.file)
		l.die()
		l.chooses("bob", c.button)
		l.Start()
		l.settle()
		l.arrived("a.txt")
		l.ends(c.end)
		if n := l.asked(); n != i+1 {
			t.Errorf("bob was asked %d times", n)
		}
	}
}

// TestAFileThatChangesWhileItIsAskedAbout: what leaves is what was asked about, so other bytes are
// another question.
func TestAFileThatChangesWhileItIsAskedAbout(t *testing.T) {
	t.Parallel()
	l := approving(t, "ask", "")
	l.lay("a.txt", "hello\n")
	l.Start()
	l.wants("a.txt")
	l.die()
	l.lay("a.txt", "something else\n")
	l.Start()
	l.chooses("bob", "Once")
	l.bot.Await(t, "bob to be asked about what it holds now", func() bool {
		return slices.Contains(l.told("bob"), mayI+"a.txt here (text/plain, 15 bytes)?")
	})
	l.WaitFor(apptest.Patience, "the question to be delivered", l.delivered)
	l.chooses("bob", "Once")
	l.settle()
	l.arrived("a.txt")
}

// pressKills is how often the service is killed right after a press was kept. MEWS_PRESS_KILLS says
// another number.
const pressKills = 3

// TestAKillBetweenAPressAndItsFile: whenever the service is killed after a press was kept, the file
// leaves once. Where nobody can know any more what the press was used for, the person is asked
// again, and never are there two files.
func TestAKillBetweenAPressAndItsFile(t *testing.T) {
	t.Parallel()
	seed := uint64(apptest.Number(t, "MEWS_KILL_SEED", int(time.Now().UnixNano()>>10)))
	t.Logf("replay with MEWS_KILL_SEED=%d", seed)
	rng := rand.New(rand.NewPCG(seed, 3))
	l := approving(t, "ask", "")
	l.Start()
	var files []string
	for round := range apptest.Number(t, "MEWS_PRESS_KILLS", pressKills) {
		name := fmt.Sprintf("%d.txt", round)
		files = append(files, name)
		l.lay(name, strings.Repeat("x", round+2))
		l.wants(name)
		before, kept := l.asked(), l.Count("SELECT count(*) FROM question WHERE answer ->> 'say' = 'once'")
		l.chooses("bob", "Once")
		l.WaitFor(apptest.Patience, "the press to be kept", func() bool {
			return l.Count("SELECT count(*) FROM question WHERE answer ->> 'say' = 'once'") > kept
		})
		<-time.After(time.Duration(rng.IntN(12)) * time.Millisecond)
		l.die()
		l.Start()
		l.WaitFor(apptest.Patience, "all to be done, or a question", func() bool { return l.waits() || l.done() })
		if l.waits() {
			t.Logf("round %d: bob is asked again", round)
			l.bot.Await(t, "the question to arrive", func() bool { return strings.HasPrefix(last(l.told("bob")), mayI) })
			l.chooses("bob", "Once")
		}
		l.settle()
		l.arrived(files...)
		l.ends(saidOf(name, round+2))
		if n := l.asked() - before; n > 1 {
			t.Errorf("round %d: asked %d times more", round, n)
		}
	}
}

// TestACodeIsAskedForOnce, whatever is killed: the service while it waits, and again when a code
// was right already. The file leaves once.
func TestACodeIsAskedForOnce(t *testing.T) {
	t.Parallel()
	// a SecondFactor that no gate asks for, so that no code is used up before
	l := approving(t, byCode, ", totp: 'off'")
	recovery := l.enrol("bob")
	l.lay("a.txt", "hello\n")
	l.Start()
	l.wants("a.txt")
	l.codeAsked("bob")
	l.die()
	l.Start()
	l.say("bob", recovery[0])
	l.WaitFor(apptest.Patience, "the code to be kept", func() bool {
		return l.Count("SELECT count(*) FROM audit WHERE action = 'stepup.recovery'") == 1
	})
	l.die()
	l.Start()
	l.settle()
	l.arrived("a.txt")
	if n := l.asked(); n != 1 {
		t.Errorf("bob was asked %d times", n)
	}
}
