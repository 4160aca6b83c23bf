package main_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
)

// pythonSyscall is Python that makes a system call by its number and prints its error.
const pythonSyscall = "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\ndef call(*args):\n" +
	"    if libc.syscall(*args) < 0: print(os.strerror(ctypes.get_errno()))\n"

// shortages are programs of alice's model. Each exhausts a pool that the kernel counts for an
// account or for the machine.
var shortages = []harm{
	{
		name: "epoll watches",
		command: python("import select", "begun()", "files, all = [os.eventfd(0) for n in range(60)], []", "while len(all) < 60:",
			"    e = select.epoll(); all.append(e)", "    for number in range(180, 240):", "        for f in files:",
			"            os.dup2(f, number); e.register(number, select.EPOLLIN)", "wait()"),
		notice: "watched more files and connections than", result: "ended by a signal: killed",
	},
	{
		name: "pipes",
		command: python("begun()", "for n in range(4):", "    if os.fork() == 0:", "        all = [os.pipe() for n in range(100)]",
			"        time.sleep(1000)", "wait()"),
		notice: "more than the [0-9]+ pipes", result: "ended by a signal: killed",
	},
	{
		name: "terminals", isShort: true,
		command: python("begun()", "all = []", "try:", "    for n in range(100): all.append(os.openpty())",
			"except OSError as e: print('after', len(all), e)", "wait()"),
		result: "after 64 .*No space left on device|after 64 out of pty devices",
	},
	{
		name: "inotify", isShort: true,
		command: python(pythonSyscall+"begun()", "made = 0", "while libc.inotify_init() >= 0: made += 1",
			"print('after', made, os.strerror(ctypes.get_errno()))", "wait()"),
		result: "after [0-9]{1,2} Too many open files",
	},
	{
		name: "pending signals", isShort: true,
		command: python(pythonSyscall+"import signal", "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN + 3])", "begun()", "made = 0",
			"while libc.sigqueue(os.getpid(), signal.SIGRTMIN + 3, None) == 0: made += 1",
			"print('after', made, os.strerror(ctypes.get_errno()))", "wait()"),
		result: "after [0-9]{1,4} Resource temporarily unavailable",
	},
	{
		name: "System V queues",
		command: python(pythonSyscall+"begun()", "print(libc.msgget(0, 0o1600), os.strerror(ctypes.get_errno()))",
			"print(libc.semget(0, 1, 0o1600), os.strerror(ctypes.get_errno()))", "print(libc.shmget(0, 1, 0o1600), os.strerror(ctypes.get_errno()))", "wait()"),
		result: "(?s)(-1 Function not implemented.*){3}",
	},
	{
		name: "asynchronous I/O",
		command: python(pythonSyscall+"begun()", "number = {'x86_64': 206}.get(os.uname().machine, 0)",
			"call(number, 1, ctypes.byref(ctypes.c_ulong()))", "wait()"),
		result: "Function not implemented",
	},
}

// TestSharedPools_OneUserExhausts_OthersGoOn exhausts each shared pool of the kernel from alice's
// model, while eight other users talk. All of them are answered meanwhile and afterwards. No worker
// ends, and no user is suspended. If each user has a uid, only the time of an answer differs, which
// BenchmarkExhaust measures. MEWS_EXHAUST=1 tries all pools.
func TestSharedPools_OneUserExhausts_OthersGoOn(t *testing.T) {
	others := strings.Fields("ben cat dan eve fay gus hal ida")
	for name, own := range map[string]bool{"one uid": false, "a uid each": true} {
		t.Run(name, func(t *testing.T) {
			if own && os.Getuid() != 0 {
				t.Skip("only root can give each person a uid")
			}
			_, url := modeltest.NewServer(t, runCommandModel)
			h := apptest.NewService(t, url, append([]string{"alice"}, others...)...)
			if own {
				giveOwnUIDs(h, firstUID, lastUID, append([]string{"alice"}, others...)...)
			} else {
				h.AppendConfig("worker: {uids: \"\"}\n")
			}
			h.Start()
			defer h.Stop()
			alice := newNeighbour(h, "alice")
			var talking []*neighbourClient
			for _, name := range others {
				talking = append(talking, newNeighbour(h, name))
			}
			home := h.UserHome("alice")
			if own {
				home = filepath.Join(h.Dir, "state", "homes", "alice")
			}
			alice.ask("run true")
			askAll(talking) // now all users have a worker
			before, usual := statusOf(h), askAll(talking)
			for _, pool := range chosenHarms(shortages, "MEWS_EXHAUST") {
				t.Run(pool.name, func(t *testing.T) { pool.exhaust(t, home, alice, talking, usual) })
			}
			for i, now := range statusOf(h).Users {
				if was := before.Users[i]; now.Deaths != 0 || now.Refused != "" || now.PID != was.PID {
					t.Errorf("before: %+v; afterwards: %+v", was, now)
				}
			}
		})
	}
}

// exhaust makes alice's model exhaust a pool while other users talk. home is alice's home.
func (m harm) exhaust(t *testing.T, home string, alice *neighbourClient, talking []*neighbourClient,
	usual time.Duration) {
	heard := len(alice.notices())
	answer := m.startIn(home, alice)
	during := askAll(talking)
	t.Logf("eight answers took %v, and usually %v", during, usual)
	if m.notice != "" {
		alice.service.WaitUntilTrue(apptest.DefaultTestTimeout, "alice to be told", func() bool {
			return regexp.MustCompile(m.notice).MatchString(alice.notices()[heard:])
		})
	}
	if got := stopIn(home, alice, answer); !regexp.MustCompile(m.result).MatchString(got) {
		t.Errorf("the model was told %q, want %q", got, m.result)
	}
	askAll(talking)
}

// startIn starts the harm in the folder home, which is alice's home. The answer comes on the
// channel when the harm is over.
func (m harm) startIn(home string, alice *neighbourClient) <-chan string {
	alice.service.T.Helper()
	for _, name := range []string{"begun", "over"} { // removes files of an earlier harm
		if err := os.Remove(filepath.Join(home, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			alice.service.T.Fatal(err)
		}
	}
	answer := alice.say("run " + m.command)
	alice.service.WaitUntilTrue(apptest.DefaultTestTimeout, "the harm to begin", func() bool {
		_, err := os.Stat(filepath.Join(home, "begun"))
		return err == nil || len(answer) > 0
	})
	return answer
}

// stopIn stops the harm, and returns the result that the model got.
func stopIn(home string, alice *neighbourClient, answer <-chan string) string {
	alice.service.T.Helper()
	if err := os.WriteFile(filepath.Join(home, "over"), nil, 0o644); err != nil {
		alice.service.T.Fatal(err)
	}
	return alice.await(answer)
}

// BenchmarkExhaust compares the times of eight people's answers: while alice's model exhausts a
// pool, and while her program only waits. Each answer runs a command. x_alone is the ratio of the
// medians, measured in alternating blocks. If each user has a uid, the goal is 1.5 at most. The
// model is fast.
func BenchmarkExhaust(b *testing.B) {
	for _, m := range shortages {
		b.Run(m.name, func(b *testing.B) { benchmarkExhaust(b, m) })
	}
}

func benchmarkExhaust(b *testing.B, m harm) {
	_, url := modeltest.NewServer(b, modeltest.SlowScript(runCommandModel, 10, 15*time.Millisecond))
	people := strings.Fields("alice ben cat dan eve fay gus hal ida")
	h, home := apptest.NewService(b, url, people...), ""
	if home = h.UserHome("alice"); os.Getuid() == 0 {
		giveOwnUIDs(h, firstUID, lastUID, people...)
		home = filepath.Join(h.Dir, "state", "homes", "alice")
	}
	h.Start()
	defer h.Stop()
	var all []*neighbourClient
	for _, name := range people {
		all = append(all, newNeighbour(h, name))
	}
	alice, talking := all[0], all[1:]
	askAll(all) // now all users have a worker
	var alone, beside []time.Duration
	block := func(m harm, to *[]time.Duration) {
		answer := m.startIn(home, alice)
		for range 3 {
			*to = append(*to, askAll(talking))
		}
		stopIn(home, alice, answer)
	}
	idle := harm{command: python("begun()", "wait()")}
	for b.Loop() { // answers take longer in a longer conversation
		block(idle, &alone)
		block(m, &beside)
		block(m, &beside)
		block(idle, &alone)
	}
	b.ReportMetric(float64(median(beside))/float64(median(alone)), "x_alone")
	b.ReportMetric(float64(median(alone).Microseconds()), "µs-alone")
	b.ReportMetric(float64(median(beside).Microseconds()), "µs-beside")
	b.ReportMetric(0, "ns/op")
}

// askAll makes all users ask at once, and returns the time until all were answered.
func askAll(talking []*neighbourClient) time.Duration {
	began := time.Now()
	var all sync.WaitGroup
	for _, n := range talking {
		answer := n.say("run echo mine")
		all.Go(func() {
			if got := <-answer; !strings.Contains(got, "mine") {
				n.service.T.Errorf("somebody else's command: %q", got)
			}
		})
	}
	all.Wait()
	return time.Since(began)
}
