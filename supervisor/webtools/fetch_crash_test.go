package webtools

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
	"sync"
	"syscall"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/app/policies"
	"mews/supervisor/approval"
	"mews/supervisor/egress"
	"mews/supervisor/egress/egresstest"
	"mews/supervisor/external"
	"mews/supervisor/feature"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// fetchFolder and fetchEdge are environment variables of a process that fetches one page. They hold
// its folder, and the edge at which it ends itself.
const (
	fetchFolder = "MEWS_TEST_FETCH_FOLDER"
	fetchEdge   = "MEWS_TEST_FETCH_EDGE"
)

// edgeKiller ends this process at one edge.
type edgeKiller struct{ edge string }

func (k edgeKiller) at(edge string) {
	if k.edge == edge {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // the signal may take a moment
	}
}

// Allow allows everything.
func (k edgeKiller) Allow(context.Context, approval.Request) error {
	k.at("allowed")
	return nil
}

// edgeAddresses ends the process after a commit, before the caller learns of it.
type edgeAddresses struct {
	sqlite.WebAddresses
	edgeKiller
}

func (s edgeAddresses) PutWebAddresses(ctx context.Context, turn int64, source sqlite.WebAddressSource,
	digests []string) error {
	err := s.WebAddresses.PutWebAddresses(ctx, turn, source, digests)
	s.at("links")
	return err
}

// edgeCalls ends the process after a commit, before the caller learns of it.
type edgeCalls struct {
	sqlite.ExternalCalls
	edgeKiller
}

func (s edgeCalls) Begin(ctx context.Context, turn int64, call string, again bool) (sqlite.ExternalCallState, error) {
	state, err := s.ExternalCalls.Begin(ctx, turn, call, again)
	s.at("begun")
	return state, err
}

func (s edgeCalls) KeepAnswer(ctx context.Context, turn int64, call string, a sqlite.ExternalAnswer) error {
	err := s.ExternalCalls.KeepAnswer(ctx, turn, call, a)
	s.at("kept")
	return err
}

// TestFetchUntilKilled is the process that TestFetch_SIGKILLAtEachEdge_ContinuesSafely starts.
func TestFetchUntilKilled(t *testing.T) {
	folder := os.Getenv(fetchFolder)
	if folder == "" {
		return // it is a part of another test
	}
	killer := edgeKiller{os.Getenv(fetchEdge)}
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
		killer.at("asked")
		fmt.Fprint(w, "see http://example.org/next")
	})
	f := NewFetcher(FetcherOptions{Client: egress.New(web.Options()), Spool: files, Approver: killer, Now: time.Now,
		Addresses: edgeAddresses{db.WebAddresses(), killer},
		Calls: external.New(external.Options{Store: edgeCalls{db.ExternalCalls(), killer}, Spool: files,
			Blobs: db.Blobs(),
			Now:   time.Now})})
	turn, call := turnWithCall(t, db)
	got, err := f.answer(t.Context(), feature.Turn{User: "ann", ID: turn, Kept: new(sync.Map),
		Committed: func(string) (protocol.ToolCall, bool) { return call, true },
		Commit:    func(_ context.Context, do func() error) error { return do() }},
		&protocol.WebFetchParams{Turn: turn, Call: call.ID})
	if err != nil {
		t.Fatal(err)
	}
	killer.at("given")
	body, _, err := files.OpenBlob(got.Body.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(body)
	if err = errors.Join(err, body.Close()); err != nil || string(text) != "see http://example.org/next" {
		t.Errorf("the body is %q, error %v", text, err)
	}
	next, err := egress.ParseAddress("http://example.org/next")
	if err != nil {
		t.Fatal(err)
	}
	if sources, err := db.WebAddresses().ListWebSources(t.Context(), turn, digestOf(next)); err != nil ||
		len(sources) != 1 {
		t.Errorf("the link is named by %v, error %v", sources, err)
	}
	if _, err := db.Turns().CommitResult(t.Context(), turn, protocol.ToolResult{Call: call.ID,
		Name: toolFetch}); err != nil {
		t.Fatal(err)
	}
}

// turnWithCall returns the turn of a database in which the model fetches a page. It starts the turn
// if there is none.
func turnWithCall(t *testing.T, db *sqlite.DB) (int64, protocol.ToolCall) {
	t.Helper()
	call := protocol.ToolCall{ID: "c1", Name: toolFetch, Arguments: json.RawMessage(`{"url":"http://example.org/"}`)}
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

// TestFetch_SIGKILLAtEachEdge_ContinuesSafely: after a kill at any edge, the same call gets the
// page and its links, and the site is asked again only if no answer was kept.
func TestFetch_SIGKILLAtEachEdge_ContinuesSafely(t *testing.T) {
	for edge, requests := range map[string]string{"allowed": "x", "begun": "x", "asked": "xx", "links": "xx",
		"kept":  "x",
		"given": "x"} {
		folder := t.TempDir()
		run := func(edge string) ([]byte, error) {
			cmd := exec.Command(os.Args[0], "-test.run", "^TestFetchUntilKilled$")
			cmd.Env = append(os.Environ(), fetchFolder+"="+folder, fetchEdge+"="+edge)
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
	}
}
