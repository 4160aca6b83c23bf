package external_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mews/protocol"
	"mews/supervisor/app/policies"
	"mews/supervisor/external"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
)

// noTime is before everything.
var noTime time.Time

// crashFolder, crashEdge and crashOnce are environment variables of a process that makes one call.
// They hold its folder, the edge at which it ends itself, and whether the call is not repeatable.
const (
	crashFolder = "MEWS_TEST_EXTERNAL_FOLDER"
	crashEdge   = "MEWS_TEST_EXTERNAL_EDGE"
	crashOnce   = "MEWS_TEST_EXTERNAL_ONCE"
)

func TestMain(m *testing.M) {
	if folder := os.Getenv(crashFolder); folder != "" {
		if err := callUntilKilled(folder, os.Getenv(crashEdge), os.Getenv(crashOnce) == ""); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// killer ends this process at one edge.
type killer struct{ edge string }

func (k killer) at(edge string) {
	if k.edge == edge {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // the signal may take a moment
	}
}

// edgeStore ends the process after a commit, before the caller learns of it.
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
	err := s.ExternalCalls.KeepAnswer(ctx, turn, call, a)
	s.at("kept")
	return err
}

// callUntilKilled makes the call c1 of a folder's turn, and commits its result. Each time that the
// call is made, the file "made" gets a letter, which is the answer.
func callUntilKilled(folder, edge string, repeatable bool) error {
	ctx, kill := context.Background(), killer{edge}
	db, err := sqlite.Open(ctx, filepath.Join(folder, "mews.db"), sqlite.Options{Policies: policies.All()})
	if err != nil {
		return err
	}
	go db.Run(ctx)
	s, err := spool.Open(filepath.Join(folder, "spool"))
	if err != nil {
		return err
	}
	turn, err := findOrStartTurn(ctx, db, filepath.Join(folder, "turn"))
	if err != nil {
		return err
	}
	calls := external.New(external.Options{Store: edgeStore{db.ExternalCalls(), kill}, Spool: s, Blobs: db.Blobs(),
		Now: time.Now})
	call := newCall(turn, "c1", repeatable)
	result := newResult("c1", "")
	got, err := external.Do(ctx, calls, call, func(ctx context.Context) (external.Answer[page], error) {
		made, err := makeCall(filepath.Join(folder, "made"))
		if err != nil {
			return external.Answer[page]{}, err
		}
		kill.at("made")
		ref, err := calls.Keep(ctx, call.Turn, strings.NewReader("body "+made))
		return external.Answer[page]{Result: page{made, ref.SHA256}, Origins: []string{"web:example.org"},
			Blobs: []protocol.BlobRef{ref}}, err
	})
	kill.at("given")
	result.Text = got.Text
	if refused := new(protocol.Error); errors.As(err, &refused) {
		result.Text, result.Failed, err = refused.Message, true, nil
	}
	if err == nil && !result.Failed {
		err = checkBody(ctx, db, s, got)
	}
	if err != nil {
		return err
	}
	if _, err := db.Turns().CommitResult(ctx, turn, result); err != nil {
		return err
	}
	kill.at("committed")
	return nil
}

// findOrStartTurn starts a turn, and writes its id to a file. A second process reads the id.
func findOrStartTurn(ctx context.Context, db *sqlite.DB, path string) (id int64, err error) {
	text, err := os.ReadFile(path)
	if err == nil {
		return strconv.ParseInt(string(text), 10, 64)
	}
	turn, err := startTurn(ctx, db, "c1")
	if err != nil {
		return 0, err
	}
	return turn.ID, os.WriteFile(path, strconv.AppendInt(nil, turn.ID, 10), 0o600)
}

// makeCall adds a letter to a file, and returns it.
func makeCall(path string) (letter string, err error) {
	before, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	letter = string(rune('a' + len(before)))
	return letter, os.WriteFile(path, append(before, letter...), 0o600)
}

// checkBody checks that the worker can read the body of an answer, even after a sweep.
func checkBody(ctx context.Context, db *sqlite.DB, s *spool.Spool, p page) error {
	needed, err := db.Blobs().ListNeeded(ctx)
	if err != nil {
		return err
	}
	if _, err := s.RemoveUnwantedBlobs(time.Now().Add(time.Hour), needed); err != nil {
		return err
	}
	_, owns, err := db.Blobs().IsOwner(ctx, "ann", p.Blob)
	if err != nil || !owns {
		return fmt.Errorf("the body may not be read: %w", err)
	}
	body := make([]byte, 10)
	n, _, err := s.ReadAt(p.Blob, body, 0)
	if err == nil && string(body[:n]) != "body "+p.Text {
		err = fmt.Errorf("the body is %q", body[:n])
	}
	return err
}

// A call that is not repeatable is never made twice, and a kept answer is never lost.
func TestDo_SIGKILLAtEachEdge_ContinuesSafely(t *testing.T) {
	unknown := "outcome unknown"
	for _, test := range []struct {
		edge, made, result         string // of a call that is repeatable
		madeOnce, resultOfOnceCall string
	}{
		{"begun", "a", "a", "", unknown},
		{"made", "ab", "b", "a", unknown},
		{"kept", "a", "a", "a", "a"},
		{"given", "a", "a", "a", "a"},
		{"committed", "a", "a", "a", "a"},
	} {
		checkCrash(t, test.edge, "", test.made, test.result)
		checkCrash(t, test.edge, "once", test.madeOnce, test.resultOfOnceCall)
	}
}

// checkCrash ends a process at an edge, and checks the result that a second process commits.
func checkCrash(t *testing.T, edge, once, made, result string) {
	t.Helper()
	folder := t.TempDir()
	run := func(edge string) error {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), crashFolder+"="+folder, crashEdge+"="+edge, crashOnce+"="+once)
		cmd.Stderr = os.Stderr
		return cmd.Run()
	}
	var ended *exec.ExitError
	if err := run(edge); !errors.As(err, &ended) || ended.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("%s %s: the process was not killed: %v", edge, once, err)
	}
	if edge != "committed" {
		if err := run(""); err != nil {
			t.Fatalf("%s %s: %v", edge, once, err)
		}
	}
	got, _ := os.ReadFile(filepath.Join(folder, "made")) // no file means that it was never made
	if string(got) != made {
		t.Errorf("%s %s: made %q, want %q", edge, once, got, made)
	}
	committed := queryFile(t, filepath.Join(folder, "mews.db"),
		`SELECT coalesce(json_extract(parts, '$[0].result.world'), 0) || ' ' || json_extract(parts, '$[0].result.text')
			FROM message WHERE role = 'tool' UNION ALL SELECT 'row ' || call FROM external_call
			UNION ALL SELECT 'blob ' || sha256 FROM external_blob`)
	want := "1 " + result // the words of web_search are always those of others
	if len(committed) != 1 || !strings.HasPrefix(committed[0], want) {
		t.Errorf("%s %s: committed %q, want %q", edge, once, committed, want)
	}
}
