package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"mews/supervisor/model/modeltest"
)

// aloneTurns is how many turns tell how long bob's take when nobody else is there.
const aloneTurns = 40

// BenchmarkNeighbour is how much longer bob's turn takes while what alice's model runs keeps every processor busy four
// times over: x_alone, of medians. Where control groups share the processors out between people it is to be 1.1 at most;
// the log says whether they do here.
func BenchmarkNeighbour(b *testing.B) {
	_, url := modeltest.NewServer(b, runner)
	h := newHouse(b, url, "alice", "bob")
	h.start()
	defer h.stop()
	b.Logf("%s", h.now().Walls.Limits)
	alice, bob := newNeighbour(h, "alice"), newVisitor(b, h, "bob")
	bob.exchange(b, "warm up")
	var alone, beside []time.Duration
	for range aloneTurns {
		alone = append(alone, bob.turn(b))
	}
	answer := alice.say("run " + burn(4*runtime.NumCPU()))
	h.until(patience, "alice to keep the processors busy", func() bool {
		_, err := os.Stat(filepath.Join(h.home("alice"), "begun"))
		return err == nil
	})
	for b.Loop() {
		beside = append(beside, bob.turn(b))
	}
	if err := os.WriteFile(filepath.Join(h.home("alice"), "over"), nil, 0o644); err != nil {
		b.Fatal(err)
	}
	alice.hear(answer)
	bob.stop()
	b.ReportMetric(float64(median(beside))/float64(median(alone)), "x_alone")
	b.ReportMetric(float64(median(alone).Microseconds()), "µs-alone")
}

// burn is shell for so many processes that calculate until there is a file called over.
func burn(n int) string {
	return fmt.Sprintf("for i in $(seq %d); do while [ ! -e over ]; do :; done & done; : >begun; wait", n)
}

// turn is how long a short one takes.
func (v *visitor) turn(b *testing.B) time.Duration {
	b.Helper()
	said := time.Now()
	return v.exchange(b, "hi").Sub(said)
}

func median(all []time.Duration) time.Duration {
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2]
}
