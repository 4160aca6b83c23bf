package services_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/app/policies"
	"mews/supervisor/approval"
	"mews/supervisor/egress"
	"mews/supervisor/external"
	"mews/supervisor/feature"
	"mews/supervisor/problem"
	"mews/supervisor/services"
	"mews/supervisor/services/servicestest"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// crashVariable is the environment variable of a process that makes one call: its folder, the base
// URL of the service, the tool, the idempotency header, and the edge at which it ends itself.
const crashVariable = "MEWS_TEST_SERVICE_CALL"

func TestMain(m *testing.M) {
	if fields := strings.Split(os.Getenv(crashVariable), "\n"); len(fields) == 5 {
		if err := callUntilKilled(fields[0], fields[1], fields[2], fields[3], killer(fields[4])); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// killer is the edge at which this process ends itself; "" means none.
type killer string

func (k killer) at(edge string) {
	if string(k) == edge {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // the signal may take a moment
	}
}

// Allow allows everything.
func (k killer) Allow(context.Context, approval.Request) error {
	k.at("allowed")
	return nil
}

// Dial connects, as the client does by itself.
func (k killer) Dial(ctx context.Context, network, address string, control egress.Control) (net.Conn, error) {
	dialer := net.Dialer{Control: control}
	conn, err := dialer.DialContext(ctx, network, address)
	k.at("dialled")
	return conn, err
}

// edgeStore ends the process at the commits of a call.
type edgeStore struct {
	sqlite.ExternalCalls
	killer
}

func (s edgeStore) Begin(ctx context.Context, turn int64, call string, repeatable bool) (sqlite.ExternalCallState,
	error) {
	state, err := s.ExternalCalls.Begin(ctx, turn, call, repeatable)
	s.at("begun")
	return state, err
}

func (s edgeStore) KeepAnswer(ctx context.Context, turn int64, call string, a sqlite.ExternalAnswer) error {
	s.at("answered")
	err := s.ExternalCalls.KeepAnswer(ctx, turn, call, a)
	s.at("kept")
	return err
}

// callUntilKilled makes a call in a turn of a folder, and commits its result.
func callUntilKilled(folder, baseURL, tool, header string, kill killer) error {
	ctx := context.Background()
	db, err := sqlite.Open(ctx, filepath.Join(folder, "mews.db"), sqlite.Options{Policies: policies.All()})
	if err != nil {
		return err
	}
	go db.Run(ctx)
	store, err := spool.Open(filepath.Join(folder, "spool"))
	if err != nil {
		return err
	}
	turn, err := findOrStartTurn(ctx, db, filepath.Join(folder, "turn"))
	if err != nil {
		return err
	}
	s := services.New(services.Options{Client: egress.New(egress.Options{Dial: kill.Dial}), Approver: kill,
		Calls: external.New(external.Options{Store: edgeStore{db.ExternalCalls(), kill}, Spool: store,
			Blobs: db.Blobs(), Now: time.Now}),
		Effects: db.Effects(), Turns: db.Turns(), Audit: func(string, string, string) {}})
	err = s.SetServices([]services.Service{{Name: "home", BaseURL: baseURL, IdempotencyHeader: header,
		Methods: map[string]services.Access{"GET": "read", "POST": "write"}}})
	if err != nil {
		return err
	}
	call := protocol.ToolCall{ID: "c1", Name: tool, Arguments: []byte(`{"name":"home"}`)}
	result := protocol.ToolResult{Call: call.ID, Name: "call_service"}
	for _, c := range s.Feature().HostCalls {
		if c.Method != map[string]string{"read_service": protocol.MethodServiceRead,
			"call_service": protocol.MethodServiceCall}[tool] {
			continue
		}
		answer, err := c.Answer(ctx, feature.Turn{User: "ann", ID: turn, Destination: 1, Kind: supervisor.TurnChat,
			Kept:      new(sync.Map),
			Commit:    func(_ context.Context, do func() error) error { return do() },
			Committed: func(id string) (protocol.ToolCall, bool) { return call, id == call.ID },
		}, &protocol.ServiceCallParams{Turn: turn, Call: call.ID})
		if refused := new(protocol.Error); errors.As(err, &refused) {
			result.Text, result.Failed = refused.Message, true
		} else if err != nil {
			return errors.New(problem.UserText(err))
		} else {
			result.Text = strconv.Itoa(answer.(protocol.ServiceCallResult).Status)
		}
	}
	kill.at("given")
	if _, err := db.Turns().CommitResult(ctx, turn, result); err != nil {
		return err
	}
	kill.at("committed")
	return nil
}

// findOrStartTurn starts a turn, and writes its id to a file. A second process reads the id.
func findOrStartTurn(ctx context.Context, db *sqlite.DB, path string) (id int64, err error) {
	if text, err := os.ReadFile(path); err == nil {
		return strconv.ParseInt(string(text), 10, 64)
	}
	if id, err = startTurn(ctx, db); err != nil {
		return 0, err
	}
	return id, os.WriteFile(path, strconv.AppendInt(nil, id, 10), 0o600)
}

// A write is done at most once, wherever the process is killed. If nobody can know whether it was
// done, the result says so. A read, and a write to a service with an idempotency header, is made
// again.
func TestCall_SIGKILLAtEachEdge_IsNeverTwice(t *testing.T) {
	for _, c := range []struct {
		edge          string
		done          int // of a write
		unknown       bool
		called, again int // calls of a read, and of a repeatable write; 0 means that they are not tested
	}{
		{"allowed", 1, false, 0, 0},
		{"begun", 0, true, 0, 0},
		{"dialled", 0, true, 1, 1},
		{"handled", 1, true, 2, 2}, // the service kills the process
		{"answered", 1, true, 2, 2},
		{"kept", 1, false, 1, 1},
		{"given", 1, false, 0, 0},
		{"committed", 1, false, 0, 0},
	} {
		t.Run(c.edge, func(t *testing.T) {
			t.Parallel()
			write := crash(t, c.edge, "call_service", "")
			if write.Done() != c.done || len(write.Calls()) != c.done || write.unknown != c.unknown {
				t.Errorf("write: done %d times, unknown %v", write.Done(), write.unknown)
			}
			if c.called == 0 {
				return
			}
			if read := crash(t, c.edge, "read_service", ""); len(read.Calls()) != c.called || read.unknown {
				t.Errorf("read: made %d times, unknown %v", len(read.Calls()), read.unknown)
			}
			repeatable := crash(t, c.edge, "call_service", servicestest.IdempotencyHeader)
			if repeatable.Done() != 1 || len(repeatable.Calls()) != c.again || repeatable.unknown {
				t.Errorf("repeatable write: made %d times, done %d times, unknown %v", len(repeatable.Calls()),
					repeatable.Done(), repeatable.unknown)
			}
		})
	}
}

// crashed is a service after a crash of its caller.
type crashed struct {
	*servicestest.Service
	unknown bool // the result says that the outcome is unknown
}

// crash kills a process that makes a call at an edge, and lets another process continue.
func crash(t *testing.T, edge, tool, header string) crashed {
	t.Helper()
	folder, service := t.TempDir(), &servicestest.Service{}
	callers := make(chan *os.Process, 2) // one for each process; nil means that the service lets it live
	service.Answer = func(http.ResponseWriter, *http.Request) {
		if caller := <-callers; caller != nil {
			_ = caller.Kill() // Wait reports whether it was killed
		}
	}
	server := httptest.NewServer(service)
	defer server.Close()
	run := func(edge string) error {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(),
			crashVariable+"="+strings.Join([]string{folder, server.URL, tool, header, edge}, "\n"))
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			return err
		}
		if edge == "handled" {
			callers <- cmd.Process
		} else {
			callers <- nil
		}
		return cmd.Wait()
	}
	var ended *exec.ExitError
	if err := run(edge); !errors.As(err, &ended) || ended.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("%s %s: the process was not killed: %v", edge, tool, err)
	}
	if edge != "committed" {
		if err := run(""); err != nil {
			t.Fatalf("%s %s: %v", edge, tool, err)
		}
	}
	results := sqlitetest.QueryColumnInCopy(t, filepath.Join(folder, "mews.db"),
		`SELECT json_extract(parts, '$[0].result.text') FROM message WHERE role = 'tool'`)
	if len(results) != 1 || results[0] != "200" && !strings.HasPrefix(results[0], "outcome unknown") {
		t.Fatalf("%s %s: the results are %q", edge, tool, results)
	}
	return crashed{service, results[0] != "200"}
}
