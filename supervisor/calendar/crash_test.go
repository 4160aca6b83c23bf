package calendar

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/app/policies"
	"mews/supervisor/egress"
	"mews/supervisor/egress/egresstest"
	"mews/supervisor/external"
	"mews/supervisor/feature"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// crashFolder and crashEdge are environment variables of a process that makes one call. They hold
// its folder, and the edge at which it ends itself.
const (
	crashFolder = "MEWS_TEST_CALENDAR_FOLDER"
	crashEdge   = "MEWS_TEST_CALENDAR_EDGE"
)

// killer ends this process at one edge.
type killer struct{ edge string }

func (k killer) at(edge string) {
	if k.edge == edge {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // the signal may take a moment
	}
}

// edgeCalls ends the process at the commits of a call.
type edgeCalls struct {
	sqlite.ExternalCalls
	killer
}

func (s edgeCalls) Begin(ctx context.Context, turn int64, call string, again bool) (sqlite.ExternalCallState, error) {
	state, err := s.ExternalCalls.Begin(ctx, turn, call, again)
	s.at("begun")
	return state, err
}

func (s edgeCalls) KeepAnswer(ctx context.Context, turn int64, call string, a sqlite.ExternalAnswer) error {
	s.at("stored") // the copy of the calendar is stored
	err := s.ExternalCalls.KeepAnswer(ctx, turn, call, a)
	s.at("kept")
	return err
}

const smallCalendar = "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n"

// TestCallUntilKilled is the process that TestSubscribed_SIGKILLAtEachEdge_GoesOn starts.
func TestCallUntilKilled(t *testing.T) {
	folder := os.Getenv(crashFolder)
	if folder == "" {
		return // it is a part of another test
	}
	kill := killer{os.Getenv(crashEdge)}
	db := sqlitetest.OpenPath(t, filepath.Join(folder, "mews.db"), sqlite.Options{Policies: policies.All()})
	files, err := spool.Open(filepath.Join(folder, "spool"))
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	web := egresstest.New(t)
	web.Serve("example.org", func(w http.ResponseWriter, _ *http.Request) {
		made, err := os.OpenFile(filepath.Join(folder, "made"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = made.WriteString("x")
		}
		if err != nil {
			t.Error(err)
		}
		kill.at("asked")
		fmt.Fprint(w, smallCalendar)
	})
	c := New(Options{Subscriptions: db.CalendarSubscriptions(), Client: egress.New(web.Options()), Spool: files,
		Blobs: db.Blobs(), Now: time.Now, Calls: external.New(external.Options{Spool: files, Blobs: db.Blobs(),
			Store: edgeCalls{db.ExternalCalls(), kill}, Now: time.Now})})
	if err := c.SetCalendars([]Configured{{Name: "work", URL: "http://example.org/work.ics"}}); err != nil {
		t.Fatal(err)
	}
	turn, call := turnWithCall(t, db)
	got, err := c.answerSubscribed(t.Context(), feature.Turn{User: "ann", ID: turn, Kept: new(sync.Map),
		Committed: func(string) (protocol.ToolCall, bool) { return call, true },
		Commit:    func(_ context.Context, do func() error) error { return do() }},
		&protocol.CalendarSubscribedParams{Turn: turn, Call: call.ID})
	if err != nil {
		t.Fatal(err)
	}
	kill.at("given")
	if len(got.Calendars) != 1 || got.Calendars[0].Body == nil || !got.World {
		t.Fatalf("the answer is %+v", got)
	}
	body, _, err := files.OpenBlob(got.Calendars[0].Body.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(body)
	if err = errors.Join(err, body.Close()); err != nil || string(text) != smallCalendar {
		t.Errorf("the calendar is %q, error %v", text, err)
	}
	if _, err := db.Turns().CommitResult(t.Context(), turn, protocol.ToolResult{Call: call.ID,
		Name: call.Name}); err != nil {
		t.Fatal(err)
	}
}

// turnWithCall returns the turn of a database in which the model lists events. It starts the turn
// if there is none.
func turnWithCall(t *testing.T, db *sqlite.DB) (int64, protocol.ToolCall) {
	t.Helper()
	call := protocol.ToolCall{ID: "c1", Name: "calendar_upcoming", Arguments: json.RawMessage(`{}`)}
	in, isNew, err := db.Inbox().StoreInbound(t.Context(), supervisor.Inbound{Kind: supervisor.KindText, Text: "look",
		Conversation: supervisor.Conversation{User: "ann", Channel: supervisor.ChannelTerminal}, Source: "terminal",
		Key: "1"})
	if err != nil {
		t.Fatal(err)
	}
	if !isNew {
		return 1, call
	}
	turn, _, err := db.Turns().Start(t.Context(), in.ID, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := protocol.Message{Role: protocol.RoleAssistant, Parts: []protocol.ContentPart{{Call: &call}}}
	if _, err := db.Turns().CommitStep(t.Context(), sqlite.Step{Turn: turn.ID, Message: m,
		Model: "offline"}); err != nil {
		t.Fatal(err)
	}
	return turn.ID, call
}

// After a kill at any edge, the same call gets the calendar, and its result has words of others.
// The server is asked again only if no copy was stored.
func TestSubscribed_SIGKILLAtEachEdge_GoesOn(t *testing.T) {
	for edge, requests := range map[string]string{"begun": "x", "asked": "xx", "stored": "x", "kept": "x",
		"given": "x"} {
		folder := t.TempDir()
		run := func(edge string) ([]byte, error) {
			cmd := exec.Command(os.Args[0], "-test.run", "^TestCallUntilKilled$")
			cmd.Env = append(os.Environ(), crashFolder+"="+folder, crashEdge+"="+edge)
			return cmd.CombinedOutput()
		}
		var ended *exec.ExitError
		out, err := run(edge)
		if !errors.As(err, &ended) || ended.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			t.Fatalf("%s: the process was not killed: %v\n%s", edge, err, out)
		}
		if out, err := run(""); err != nil {
			t.Errorf("%s: %v\n%s", edge, err, out)
		}
		if made, _ := os.ReadFile(filepath.Join(folder, "made")); string(made) != requests {
			t.Errorf("%s: %d requests, want %d", edge, len(made), len(requests))
		}
		results := sqlitetest.QueryColumnInCopy(t, filepath.Join(folder, "mews.db"),
			`SELECT source || ' ' || json_extract(parts, '$[0].result.origins[0]') FROM message WHERE role = 'tool'
				UNION ALL SELECT 'row ' || call FROM external_call`)
		if !slices.Equal(results, []string{"world calendar:work"}) {
			t.Errorf("%s: committed are %q", edge, results)
		}
	}
}
