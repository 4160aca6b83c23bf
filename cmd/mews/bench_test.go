package main_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
	"mews/supervisor/control"
	"mews/supervisor/model/modeltest"
)

// stopwatch is a model that records the time of its call and answers after a set time.
type stopwatch struct {
	mu     sync.Mutex
	called time.Time
	takes  time.Duration
}

func (s *stopwatch) script(r modeltest.Request) modeltest.Answer {
	s.mu.Lock()
	s.called = time.Now()
	s.mu.Unlock()
	if s.takes > 0 {
		<-time.After(s.takes)
	}
	return modeltest.AnswerOKScript(r)
}

func (s *stopwatch) calledAt() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.called
}

// benchClient sends lines to a service and waits for each answer.
type benchClient struct {
	chat *control.Chat
	got  chan time.Time
	stop func()
}

func newClient(b testing.TB, h *apptest.Service, user string) *benchClient {
	v := &benchClient{got: make(chan time.Time, 1)}
	v.chat = control.NewChat(h.Socket, control.JoinChatRequest{User: user, After: control.StartFromNow}, v)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); v.chat.Run(ctx, time.Minute) }()
	v.stop = func() { cancel(); <-ended }
	b.Cleanup(v.stop)
	return v
}

func (v *benchClient) exchange(b testing.TB, text string) time.Time {
	b.Helper()
	if _, err := v.chat.SendMessage(b.Context(), control.NewMessageKey(), text); err != nil {
		b.Fatal(err)
	}
	select {
	case at := <-v.got:
		return at
	case <-time.After(time.Minute):
		b.Fatal("no answer within a minute")
		return time.Time{}
	}
}

func (v *benchClient) ShowDelivery(control.Delivery) bool {
	v.got <- time.Now()
	return true
}

func (*benchClient) ShowConnected(control.JoinChatResult, bool) {}
func (*benchClient) ShowProgress(control.Progress)              {}
func (*benchClient) ShowConnectionLost(error)                   {}

// BenchmarkTurn measures what Mews adds to a turn before the model's call and after its answer. It
// uses the real programs, a warm worker, and a model that answers at once.
func BenchmarkTurn(b *testing.B) {
	watch := &stopwatch{}
	_, url := modeltest.NewServer(b, watch.script)
	h := apptest.NewService(b, url, "ann")
	h.Start()
	v := newClient(b, h, "ann")
	v.exchange(b, "warm up")
	var before, after time.Duration
	n := 0
	for b.Loop() {
		said := time.Now()
		answered := v.exchange(b, "hi")
		before += watch.calledAt().Sub(said)
		after += answered.Sub(watch.calledAt())
		n++
	}
	b.ReportMetric(float64(before.Microseconds())/float64(n), "µs-to-model")
	b.ReportMetric(float64(after.Microseconds())/float64(n), "µs-from-model")
}

// BenchmarkEightAtOnce measures how long the last of eight people waits for an answer of a model
// that takes a second.
func BenchmarkEightAtOnce(b *testing.B) {
	watch := &stopwatch{}
	_, url := modeltest.NewServer(b, watch.script)
	var people []string
	for i := range 8 {
		people = append(people, fmt.Sprint("p", i))
	}
	h := apptest.NewService(b, url, people...)
	h.Start()
	var clients []*benchClient
	for _, p := range people {
		v := newClient(b, h, p)
		v.exchange(b, "warm up")
		clients = append(clients, v)
	}
	watch.takes = time.Second
	for b.Loop() {
		var waiting sync.WaitGroup
		for _, v := range clients {
			waiting.Go(func() { v.exchange(b, "hi") })
		}
		waiting.Wait()
	}
}

// BenchmarkStart measures from the supervisor's start until it answers on its socket.
func BenchmarkStart(b *testing.B) {
	h := apptest.NewService(b, "", "ann")
	for b.Loop() {
		h.Start()
		b.StopTimer()
		h.Stop()
		b.StartTimer()
	}
}

// BenchmarkColdTurn measures from a user's first message, with no worker yet, to its answer.
func BenchmarkColdTurn(b *testing.B) {
	_, url := modeltest.NewServer(b, modeltest.AnswerOKScript)
	h := apptest.NewService(b, url, "ann")
	for b.Loop() {
		b.StopTimer()
		h.Start()
		v := newClient(b, h, "ann")
		b.StartTimer()
		v.exchange(b, "hi")
		b.StopTimer()
		v.stop()
		h.Stop()
		b.StartTimer()
	}
}

// BenchmarkMemory measures the private memory of the processes at the start, after a hundred turns,
// and after a thousand more. The supervisor's resident memory is reported too.
func BenchmarkMemory(b *testing.B) {
	_, url := modeltest.NewServer(b, modeltest.FileWriterScript)
	for b.Loop() {
		h := apptest.NewService(b, url, "ann", "bob")
		h.Start()
		settle()
		supervisor, spawner := h.ProcessIDs("mews")[0], h.ProcessIDs("mews-spawner")[0]
		b.ReportMetric(privateMemory(b, supervisor), "KB-supervisor-idle")
		b.ReportMetric(residentMemory(b, supervisor), "KB-supervisor-resident")
		b.ReportMetric(privateMemory(b, spawner), "KB-spawner")
		bob, v := newClient(b, h, "bob"), newClient(b, h, "ann")
		runTurns(b, bob, 1, "say hi")
		runTurns(b, v, 1, "say hi")
		b.ReportMetric(privateMemory(b, workerOf(h, "ann")), "KB-worker-one-turn")
		runTurns(b, v, 1, "steps 9")
		b.ReportMetric(privateMemory(b, workerOf(h, "ann")), "KB-worker-ten-steps")
		runTurns(b, v, 98, "say hi")
		at100 := privateMemory(b, supervisor)
		runTurns(b, v, 1000, "say hi")
		b.ReportMetric(privateMemory(b, supervisor)-at100, "KB-growth-1000-turns")
		v.stop()
		bob.stop()
		h.Stop()
	}
	b.ReportMetric(0, "ns/op")
}

// workerOf returns the pid of a user's worker.
func workerOf(h *apptest.Service, name string) int {
	pid := h.WorkerPIDs()[name]
	if pid == 0 {
		h.T.Fatalf("%s has no worker", name)
	}
	return pid
}

func runTurns(b *testing.B, v *benchClient, n int, text string) {
	b.Helper()
	for range n {
		v.exchange(b, text)
	}
}

// settle waits for the work that follows a service's start.
func settle() { <-time.After(2 * time.Second) }

// privateMemory returns the memory in KB that a process shares with no other process: heap, stacks,
// and changed data. Mews promises a limit on it. The rest of the resident memory is pages of files.
// The kernel keeps such pages once for all processes, and frees them when memory is short. All
// accounts may read RssAnon (proc_pid_status(5)).
func privateMemory(t testing.TB, pid int) float64 { return memory(t, pid, "RssAnon:") }

// residentMemory returns all memory of a process in KB, with the pages of its program.
func residentMemory(t testing.TB, pid int) float64 { return memory(t, pid, "VmRSS:") }

func memory(t testing.TB, pid int, name string) float64 {
	t.Helper()
	kb := procField(fmt.Sprintf("/proc/%d/status", pid), name)
	if kb == 0 {
		t.Fatalf("process %d has no %s", pid, name)
	}
	return kb
}

func procField(path, name string) float64 {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if words := strings.Fields(lines.Text()); len(words) > 1 && words[0] == name {
			kb, err := strconv.ParseFloat(words[1], 64)
			if err != nil {
				return 0
			}
			return kb
		}
	}
	return 0
}
