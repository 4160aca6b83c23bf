package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
	"mews/supervisor/telegram/telegramtest"
)

// cost holds the resources that supervisor, spawner and workers have used since they started. The
// benchmark's own process plays the model and Telegram, and is counted separately.
type cost struct {
	cpu      map[string]time.Duration // processor time of each program
	fakes    time.Duration            // processor time of the benchmark's own process
	switches float64                  // voluntary context switches of all threads
	bytes    int                      // size of the database without its free pages
}

// programs are the three programs of a service.
var programs = []string{"mews", "mews-spawner", "mews-worker"}

// measureCost returns the cost of a service so far.
func measureCost(b *testing.B, h *apptest.Service) (c cost) {
	b.Helper()
	c.cpu = map[string]time.Duration{}
	for _, program := range programs {
		for _, pid := range h.ProcessIDs(program) {
			c.cpu[program] += processorTime(b, pid)
			for _, thread := range threads(b, pid, "status") {
				c.switches += procField(thread, "voluntary_ctxt_switches:")
			}
		}
	}
	c.bytes = h.QueryCount(`SELECT (page_count - freelist_count) * page_size
		FROM pragma_page_count, pragma_freelist_count, pragma_page_size`)
	c.fakes = processorTime(b, os.Getpid())
	return c
}

// processorTime sums the processor time of a process's threads. A thread's time is the first number
// in its file schedstat, in nanoseconds (see the kernel's Documentation/scheduler/sched-stats.rst).
// The threads of a Go program live as long as the process.
func processorTime(b *testing.B, pid int) (sum time.Duration) {
	b.Helper()
	for _, thread := range threads(b, pid, "schedstat") {
		text, err := os.ReadFile(thread)
		if err != nil {
			b.Fatal(err)
		}
		first, _, _ := strings.Cut(string(text), " ")
		ran, err := time.ParseDuration(first + "ns")
		if err != nil {
			b.Fatal(err)
		}
		sum += ran
	}
	return sum
}

// threads returns the path of a file in /proc for each thread of a process.
func threads(b *testing.B, pid int, file string) []string {
	b.Helper()
	paths, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/%s", pid, file))
	if err != nil {
		b.Fatal(err)
	}
	return paths
}

// report reports the cost of a turn: the mean of the turns since c was measured.
func (c cost) report(b *testing.B, h *apptest.Service, turns int) {
	b.Helper()
	n := float64(turns)
	b.ReportMetric(float64((processorTime(b, os.Getpid())-c.fakes).Microseconds())/n, "µs-cpu-fakes")
	now := measureCost(b, h)
	var all float64
	for _, program := range programs {
		own := float64((now.cpu[program] - c.cpu[program]).Microseconds()) / n
		b.ReportMetric(own, "µs-cpu-"+program)
		all += own
	}
	b.ReportMetric(all, "µs-cpu")
	b.ReportMetric((now.switches-c.switches)/n, "switches/turn")
	b.ReportMetric(float64(now.bytes-c.bytes)/n, "database-bytes/turn")
}

// BenchmarkTelegramCrowd measures turns per second while 50 people talk at once. Each person writes
// again after an answer. The benchmark also plays the model and Telegram, on the same processors.
func BenchmarkTelegramCrowd(b *testing.B) {
	const people = 50
	m := newTelegramService(b, people, fastRate)
	m.Start()
	m.warm(people)
	before := measureCost(b, m.Service)
	say := func(u telegramtest.User) { m.server.Say(telegramtest.PrivateChat(u), u, "hi") }
	for _, u := range m.people {
		say(u)
	}
	began, turns := time.Now(), 0
	for b.Loop() {
		say(m.nextAnsweredUser())
		turns++
	}
	b.ReportMetric(float64(turns)/time.Since(began).Seconds(), "turns/s")
	for range people {
		m.nextAnsweredUser()
	}
	before.report(b, m.Service, turns+people)
}

// nextAnsweredUser waits for the next answer and returns its user.
func (m *telegramService) nextAnsweredUser() telegramtest.User {
	m.b.Helper()
	for {
		select {
		case <-m.model.calls:
		case c := <-m.answers:
			id, err := strconv.ParseInt(fmt.Sprint(c.Params["chat_id"]), 10, 64)
			if err != nil {
				m.b.Fatal(err)
			}
			return m.people[id-apptest.FirstTelegramID]
		case <-time.After(time.Minute):
			m.b.Fatalf("waited a minute for an answer\n%s", m.LogTail())
		}
	}
}

// countedCalls are the system calls that BenchmarkTelegramCalls counts.
var countedCalls = []string{"fdatasync", "pwrite64", "pread64", "fcntl", "futex"}

// BenchmarkTelegramCalls counts the supervisor's system calls per turn. Without strace the
// benchmark is skipped. Its times mean nothing, because strace slows a turn down.
func BenchmarkTelegramCalls(b *testing.B) {
	if _, err := exec.LookPath("strace"); err != nil {
		b.Skip("strace counts the calls: ", err)
	}
	m := newTelegramService(b, 1, fastRate)
	m.Start()
	m.warm(1)
	count := countCalls(m.Service)
	turns := 0
	for b.Loop() {
		m.timeTurn(0)
		m.pause()
		turns++
	}
	calls := count()
	for _, name := range countedCalls {
		b.ReportMetric(float64(calls[name])/float64(turns), name+"/turn")
	}
	b.ReportMetric(0, "ns/op")
}

// countCalls starts counting the supervisor's system calls. The returned function stops and returns
// the counts.
func countCalls(h *apptest.Service) (counts func() map[string]int) {
	h.T.Helper()
	supervisor := h.ProcessIDs("mews")[0]
	var table strings.Builder
	cmd := exec.Command("strace", "-f", "-c", "-U", "calls,name", "-e", "trace="+strings.Join(countedCalls, ","), "-p",
		strconv.Itoa(supervisor))
	cmd.Stderr = &table
	if err := cmd.Start(); err != nil {
		h.T.Fatal(err)
	}
	h.WaitUntilTrue(apptest.DefaultTestTimeout, "strace to attach", func() bool {
		return procField(fmt.Sprintf("/proc/%d/status", supervisor), "TracerPid:") == float64(cmd.Process.Pid)
	})
	return func() map[string]int {
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			h.T.Fatal(err)
		}
		_ = cmd.Wait() // the error only tells that the signal ended strace
		found := map[string]int{}
		for line := range strings.Lines(table.String()) {
			if words := strings.Fields(line); len(words) == 2 {
				found[words[1]], _ = strconv.Atoi(words[0])
			}
		}
		return found
	}
}
