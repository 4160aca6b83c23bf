package pool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"mews/protocol"
	"mews/protocol/spawnwire"
)

// behaviours maps the name of a worker's home, up to a dash, to the worker's behaviour. Each
// function gets the descriptor of the connection.
var behaviours = map[string]func(*os.File){
	// The next workers never shake hands.
	"silent":     func(*os.File) { idle() },
	"quits":      func(*os.File) { quit(1, "I quit") },
	"dies":       func(f *os.File) { f.Read(make([]byte, 1)); quit(3, "hello killed me") },
	"oldversion": func(f *os.File) { serve(f, protocol.Version+2, nil) },
	"stranger": func(f *os.File) {
		serveOn(f, &goodWorker{file: f, refusal: &protocol.Error{Code: protocol.CodeInvalidRequest, Message: "hello: protocol 2, want 1"}})
	},
	"unknowing": func(f *os.File) {
		serveOn(f, &goodWorker{file: f, refusal: &protocol.Error{Code: protocol.CodeInvalidParams, Message: "hello: unknown field"}})
	},
	"refuses": func(f *os.File) {
		serveOn(f, &goodWorker{file: f, refusal: &protocol.Error{Code: protocol.CodeFailed, Message: "not today"}})
	},
	"babbles":     func(f *os.File) { f.WriteString("\x00\xffHTTP/1.1 400 Bad Request\r\n\r\n"); idle() },
	"killsitself": func(*os.File) { syscall.Kill(os.Getpid(), syscall.SIGKILL); idle() },

	// The next workers shake hands, and misbehave when they get the message "now".
	"good":     func(f *os.File) { serve(f, protocol.Version, nil) },
	"chatty":   after(func(f *os.File) { forever(f, []byte(`{"jsonrpc":"2.0","method":"noise"}`+"\n")) }),
	"hugeline": alone(func(f *os.File) { forever(f, bytes.Repeat([]byte("x"), 1<<16)) }),
	"halfline": alone(func(f *os.File) { f.WriteString(`{"jsonrpc":"2.0",`); idle() }),
	"garbage":  after(func(f *os.File) { f.WriteString("{]\n"); idle() }),
	"forger":   after(func(f *os.File) { f.WriteString(`{"jsonrpc":"2.0","id":999,"result":1}` + "\n"); idle() }),
	"deaf":     after(func(*os.File) { idle() }),
	"hangs":    after(func(*os.File) { syscall.Kill(os.Getpid(), syscall.SIGSTOP) }),
	"leaves":   after(func(f *os.File) { f.Close(); syscall.Close(1); idle() }),
	"stubborn": func(f *os.File) { signal.Ignore(syscall.SIGTERM); serve(f, protocol.Version, nil); idle() },
	"floods": func(f *os.File) {
		go forever(os.Stderr, []byte("\x1b[31mlook!\x1b[0m\n"))
		serve(f, protocol.Version, nil)
	},

	// The first three starts of this worker find no room on the machine. Go's runtime prints that
	// report before all stacks.
	"short": func(f *os.File) {
		unlessStarted(3, func() { quit(spawnwire.ShortageExitStatus, "no room") })
		serve(f, protocol.Version, nil)
	},
	"crashes": func(f *os.File) {
		unlessStarted(3, func() {
			quit(2, "runtime: epollctl failed with 28\nfatal error: runtime: netpollinit failed\n"+strings.Repeat("main.main()\n", 2*keptLines))
		})
		serve(f, protocol.Version, nil)
	},

	// This worker quits at its first three starts.
	"flaky": func(f *os.File) {
		unlessStarted(3, func() { quit(1, "not yet") })
		serve(f, protocol.Version, nil)
	},
}

// unlessStarted calls f, unless this worker was already started the given number of times.
func unlessStarted(times int, f func()) {
	starts, _ := os.ReadFile("starts")
	must(os.WriteFile("starts", append(starts, '.'), 0o600))
	if len(starts) < times {
		f()
	}
}

// beWorker is the main function of a worker process.
func beWorker() {
	home, err := os.Getwd()
	must(err)
	must(syscall.SetNonblock(0, true))
	name, _, _ := strings.Cut(filepath.Base(home), "-")
	if home == "/home" { // in a sandbox every home is named /home
		name = "good"
	}
	behaviours[name](os.NewFile(0, "socket"))
	syscall.Exit(0)
}

// idle never returns. (With an empty select, Go's runtime would report a deadlock.)
func idle() {
	for {
		time.Sleep(time.Hour)
	}
}

// quit ends the process at once. (With the race detector, os.Exit waits for a second.)
func quit(status int, words string) {
	fmt.Fprintln(os.Stderr, words)
	syscall.Exit(status)
}

func forever(f *os.File, b []byte) {
	for {
		if _, err := f.Write(b); err != nil {
			syscall.Exit(0)
		}
	}
}

// after is the behaviour of a worker that behaves well until it gets the message "now", and then
// calls turn.
func after(turn func(*os.File)) func(*os.File) {
	return func(f *os.File) { serve(f, protocol.Version, turn) }
}

// alone does the same as the function after, for a turn that does not return. During the turn
// nothing else is written, so earlier calls get no answer.
func alone(turn func(*os.File)) func(*os.File) {
	return func(f *os.File) {
		m := &blockingConn{File: f}
		serveOn(m, &goodWorker{version: protocol.Version, file: f, now: func(f *os.File) {
			m.mu.Lock() // this mutex is never unlocked
			turn(f)
		}})
	}
}

// blockingConn is a worker's end of its connection. While mu is held, nothing is written to the
// connection.
type blockingConn struct {
	*os.File
	mu sync.Mutex
}

func (m *blockingConn) Write(b []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.File.Write(b)
}

// serve runs a worker with a few methods, until its connection ends.
func serve(f *os.File, version int, now func(*os.File)) {
	serveOn(f, &goodWorker{version: version, now: now, file: f})
}

func serveOn(rwc io.ReadWriteCloser, w *goodWorker) {
	w.conn = protocol.NewConn(rwc, w, protocol.Options{})
	_ = w.conn.Run(context.Background())
}

type goodWorker struct {
	version int
	refusal *protocol.Error // how the worker refuses a hello; nil accepts it
	now     func(*os.File)
	file    *os.File
	conn    *protocol.Conn
}

func (w *goodWorker) HandleCall(ctx context.Context, req *protocol.Request) (any, error) {
	switch req.Method {
	case protocol.MethodHello:
		if w.refusal != nil {
			return nil, w.refusal
		}
		return protocol.HelloResult{Version: w.version, Build: "test", Tools: []protocol.Tool{}}, nil
	case protocol.MethodTurnStart:
		return protocol.TurnEnd{Why: protocol.TurnEndDone, Steps: 1}, nil
	case "echo":
		return json.RawMessage(req.Params), nil
	case "wait":
		<-ctx.Done()
		return nil, ctx.Err()
	case "daemons":
		return daemons()
	case "whoami":
		var user string
		return &user, w.conn.Call(ctx, "whoami", nil, &user)
	case "crash":
		quit(2, "panic: I crashed")
	}
	return nil, protocol.MethodNotFoundError(req.Method)
}

// HandleNotification handles "now" on the goroutine that reads. If the behaviour does not return,
// the worker stops reading.
func (w *goodWorker) HandleNotification(req *protocol.Request) {
	if req.Method == "now" && w.now != nil {
		w.now(w.file)
	}
}

// daemons starts a child, and a process that leaves its session and its parent. It returns both
// pids.
func daemons() ([]int, error) {
	out, err := exec.Command("/bin/sh", "-c",
		`sleep 1000 <&- >&- 2>&- & echo "[$!,"; setsid sh -c 'trap "" TERM HUP; sleep 1000; :' <&- >&- 2>&- & echo "$!]"`,
	).Output()
	if err != nil {
		return nil, err
	}
	var pids []int
	return pids, json.Unmarshal(out, &pids)
}
