package main_test

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
	"mews/supervisor/control"
	"mews/supervisor/model/modeltest"
)

// BenchmarkNeighbour is how much longer bob's turn takes while what alice's model runs does harm:
// x_alone, of medians, measured block by block in turns. Where control groups hold it is to be 1.1
// at most; the log says which do here. The model takes as long as a fast one does. With one that
// answers at once it is Mews's own part alone that shares the processors, which "instant" shows.
func BenchmarkNeighbour(b *testing.B) {
	burn := harm{name: "burn", command: burnCPU(4 * runtime.NumCPU())}
	usual := modeltest.Paced(answerSentence, 10, 15*time.Millisecond)
	for _, m := range append([]harm{burn}, harms...) {
		b.Run(m.name, func(b *testing.B) { benchmarkNeighbour(b, m, usual) })
	}
	b.Run("instant", func(b *testing.B) { benchmarkNeighbour(b, burn, answerSentence) })
	b.Run("transcription", func(b *testing.B) { benchmarkNeighbour(b, harm{command: burningRecogniser, byRecogniser: true}, usual) })
}

// burningRecogniser is a recogniser that calculates with as many threads as whisper-cli has, until there
// is a file called over.
const burningRecogniser = "cd; for i in $(seq {threads}); do while [ ! -e over ]; do :; done & done; : >begun; wait; echo milk"

// sendRecording has alice send a recording.
func (n *neighbour) sendRecording() <-chan string {
	n.service.T.Helper()
	ref, err := n.chat.Upload(n.service.T.Context(), bytes.NewReader(fileHead("voice")))
	if err != nil {
		n.service.T.Fatal(err)
	}
	return n.say("", control.UploadedFile{Blob: ref, Name: "note.wav"})
}

// answerSentence is a model that says one of 200 characters, which Paced makes one of 300 ms: about 160
// tokens a second.
func answerSentence(r modeltest.Request) modeltest.Answer {
	if strings.HasPrefix(r.Asked(), "run ") {
		return runCommandModel(r)
	}
	return modeltest.Answer{Text: strings.Repeat("All is well. ", 16)[:200]}
}

func benchmarkNeighbour(b *testing.B, m harm, script modeltest.Script) {
	_, url := modeltest.NewServer(b, script)
	h := apptest.NewService(b, url, "alice", "bob")
	h.Configure("worker: {" + neighbourLimits + "}\n")
	if m.byRecogniser {
		h.Configure(fmt.Sprintf("speech: {in: {engine: command, command: [/bin/sh, -c, %q, \"{wav}\"], echo: false}}\n", m.command))
	}
	if small := smallHomes(h, "alice", "bob"); m.needsMount && !small {
		b.Skip("it takes a small disk, and only root may mount one")
	}
	h.Start()
	defer h.Stop()
	b.Logf("%s", statusOf(h).Walls.Limits)
	alice, bob := newNeighbour(h, "alice"), newClient(b, h, "bob")
	var alone, beside []time.Duration
	for b.Loop() {
		alone = append(alone, bob.timeTurns(b)...)
		begin := func() <-chan string { return m.start(h, alice) }
		if m.byRecogniser {
			begin = func() <-chan string { return alice.awaitStart(alice.sendRecording) }
		}
		answer := begin()
		beside = append(beside, bob.timeTurns(b)...)
		stopHarm(h, "alice")
		alice.await(answer)
	}
	bob.stop()
	b.ReportMetric(float64(median(beside))/float64(median(alone)), "x_alone")
	b.ReportMetric(float64(median(alone).Microseconds()), "µs-alone")
	b.ReportMetric(float64(median(beside).Microseconds()), "µs-beside")
	b.ReportMetric(0, "ns/op")
}

// timeTurns is how long each of a few turns of a new conversation takes: in a longer one they take
// longer.
func (v *client) timeTurns(b *testing.B) (took []time.Duration) {
	b.Helper()
	v.exchange(b, "/new")
	for range 6 {
		said := time.Now()
		took = append(took, v.exchange(b, "hi").Sub(said))
	}
	return took
}

// burnCPU is shell for so many processes that calculate until there is a file called over.
func burnCPU(n int) string {
	return fmt.Sprintf("for i in $(seq %d); do while [ ! -e over ]; do :; done & done; : >begun; wait", n)
}

func median(all []time.Duration) time.Duration {
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2]
}
