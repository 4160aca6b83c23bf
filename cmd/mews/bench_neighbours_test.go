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

// BenchmarkNeighbour compares bob's turns with and without a harmful program of alice's model.
// x_alone is the ratio of the medians, measured in alternating blocks. With control groups the goal
// is 1.1 at most; the log names the control groups of this machine. The model is as fast as a fast
// real model. In the benchmark "instant" the model answers at once, so only Mews's own work shares
// the processors.
func BenchmarkNeighbour(b *testing.B) {
	burn := harm{name: "burn", command: burnCPU(4 * runtime.NumCPU())}
	usual := modeltest.SlowScript(answerSentence, 10, 15*time.Millisecond)
	for _, m := range append([]harm{burn}, harms...) {
		b.Run(m.name, func(b *testing.B) { benchmarkNeighbour(b, m, usual) })
	}
	b.Run("instant", func(b *testing.B) { benchmarkNeighbour(b, burn, answerSentence) })
	b.Run("transcription",
		func(b *testing.B) { benchmarkNeighbour(b, harm{command: burningRecogniser, byRecogniser: true}, usual) })
}

// burningRecogniser is a recogniser that computes with as many threads as whisper-cli has, until
// the file "over" is there.
const burningRecogniser = "cd; for i in $(seq {threads}); do while [ ! -e over ]; do :; done & done; : >begun; wait; echo milk"

// sendRecording sends a recording as alice.
func (n *neighbourClient) sendRecording() <-chan string {
	n.service.T.Helper()
	ref, err := n.chat.UploadFile(n.service.T.Context(), bytes.NewReader(fileHead("voice")))
	if err != nil {
		n.service.T.Fatal(err)
	}
	return n.say("", control.UploadedFile{Blob: ref, Name: "note.wav"})
}

// answerSentence is a model that answers with 200 characters. A paced model takes 300 ms for them:
// about 160 tokens a second.
func answerSentence(r modeltest.Request) modeltest.Answer {
	if strings.HasPrefix(r.NewestUserMessage(), "run ") {
		return runCommandModel(r)
	}
	return modeltest.Answer{Text: strings.Repeat("All is well. ", 16)[:200]}
}

func benchmarkNeighbour(b *testing.B, m harm, script modeltest.Script) {
	_, url := modeltest.NewServer(b, script)
	h := apptest.NewService(b, url, "alice", "bob")
	h.AppendConfig("worker: {" + neighbourLimits + "}\n")
	if m.byRecogniser {
		h.AppendConfig(fmt.Sprintf("speech: {in: {engine: command, command: [/bin/sh, -c, %q, \"{wav}\"], echo: false}}\n", m.command))
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

// keptFiles writes 128 MiB, which a worker keeps in 6 s or more, and waits for what was left
// before.
const keptFiles = "sleep 8; rm -f kept*; for i in $(seq 128); do head -c 1M /dev/urandom >kept$i; done"

// BenchmarkNeighbour_KeepsFiles compares bob's turns with and without alice's worker keeping new
// files in its file history.
func BenchmarkNeighbour_KeepsFiles(b *testing.B) {
	_, url := modeltest.NewServer(b, modeltest.SlowScript(answerSentence, 10, 15*time.Millisecond))
	h := apptest.NewService(b, url, "alice", "bob")
	h.Start()
	defer h.Stop()
	alice, bob := newNeighbour(h, "alice"), newClient(b, h, "bob")
	var alone, beside []time.Duration
	for b.Loop() {
		alone = append(alone, bob.timeTurns(b)...)
		alice.ask("run " + keptFiles)
		beside = append(beside, bob.timeTurns(b)...)
		alice.ask("run sleep 8")
	}
	bob.stop()
	b.ReportMetric(float64(median(beside))/float64(median(alone)), "x_alone")
	b.ReportMetric(float64(median(beside).Microseconds()), "µs-beside")
	b.ReportMetric(0, "ns/op")
}

// timeTurns times a few turns in a new conversation. In a long conversation turns take longer.
func (v *benchClient) timeTurns(b *testing.B) (took []time.Duration) {
	b.Helper()
	v.exchange(b, "/new")
	for range 6 {
		said := time.Now()
		took = append(took, v.exchange(b, "hi").Sub(said))
	}
	return took
}

// burnCPU returns a shell command with n processes that compute until the file "over" is there.
func burnCPU(n int) string {
	return fmt.Sprintf("for i in $(seq %d); do while [ ! -e over ]; do :; done & done; : >begun; wait", n)
}

func median(all []time.Duration) time.Duration {
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2]
}
