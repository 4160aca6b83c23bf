package main_test

import (
	"slices"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
)

// BenchmarkNeighbour_Four compares bob's turns with and without two fork bombs and two memory hogs
// of four other people. The goal of x_alone is 1.1 at most.
func BenchmarkNeighbour_Four(b *testing.B) {
	_, url := modeltest.NewServer(b, modeltest.SlowScript(answerSentence, 10, 15*time.Millisecond))
	names := []string{"alice", "carl", "dora", "ed"}
	h := apptest.NewService(b, url, append(slices.Clone(names), "bob")...)
	h.AppendConfig("worker: {" + neighbourLimits + "}\n")
	h.Start()
	defer h.Stop()
	b.Logf("%s", statusOf(h).Walls.Limits)
	bob := newClient(b, h, "bob")
	var others []*neighbourClient
	for _, name := range names {
		others = append(others, newNeighbour(h, name))
	}
	four := []string{"fork bomb", "fork bomb", "memory in several", "memory in several"}
	var alone, beside []time.Duration
	for b.Loop() {
		alone = append(alone, bob.timeTurns(b)...)
		var answers []<-chan string
		for i, other := range others {
			at := slices.IndexFunc(harms, func(m harm) bool { return m.name == four[i] })
			answers = append(answers, harms[at].start(h, other))
		}
		beside = append(beside, bob.timeTurns(b)...)
		for i, name := range names {
			stopHarm(h, name)
			others[i].await(answers[i])
		}
	}
	bob.stop()
	b.ReportMetric(float64(median(beside))/float64(median(alone)), "x_alone")
	b.ReportMetric(float64(median(beside).Microseconds()), "µs-beside")
	b.ReportMetric(0, "ns/op")
}
