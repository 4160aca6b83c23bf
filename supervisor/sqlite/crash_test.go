package sqlite_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// crashPath is the environment variable that makes the test binary a process which writes to that database.
const crashPath = "MEWS_TEST_CRASH_PATH"

const (
	crashRuns    = 20
	crashWriters = 4
	crashMost    = 60 // promises in one run
)

// writeUntilKilled has writers do whole turns and says on standard output what each was promised to be kept.
func writeUntilKilled(path string) int {
	ctx := context.Background()
	db, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	go db.Run(ctx)
	fmt.Println("open")
	var lines sync.Mutex
	say := func(key string) {
		lines.Lock()
		defer lines.Unlock()
		fmt.Println("kept", key)
	}
	errs := make(chan error)
	for w := range crashWriters {
		go func() {
			for n := 0; ; n++ {
				key := fmt.Sprintf("%d-%d-%d", os.Getpid(), w, n)
				if err := wholeTurn(ctx, db, fmt.Sprintf("user%d", w), key, say); err != nil {
					errs <- err
				}
			}
		}()
	}
	fmt.Fprintln(os.Stderr, <-errs)
	return 1
}

// wholeTurn says after each commit what it has been promised.
func wholeTurn(ctx context.Context, db *sqlite.DB, user, key string, say func(string)) error {
	c := supervisor.Conversation{User: user, Channel: supervisor.ChannelTerminal, Chat: key}
	in, _, err := db.Inbox().Put(ctx, supervisor.Inbound{Conversation: c, Source: "terminal", Key: key,
		Kind: supervisor.KindText, Text: strings.Repeat(key, 50)})
	if err != nil {
		return err
	}
	say("inbox " + key)
	turn, err := db.Turns().Start(ctx, in.ID)
	if err != nil {
		return err
	}
	d, err := db.Turns().Finish(ctx, sqlite.FinishTurn{Turn: turn.ID, Why: protocol.WhyDone,
		State: supervisor.InboundAnswered, Text: key, Partial: key})
	if err != nil {
		return err
	}
	say("outbox " + key)
	return db.Outbox().Delivered(ctx, d.ID)
}

func TestWhatWasPromisedSurvivesKill9(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	path := filepath.Join(t.TempDir(), "mews.db")
	s := &story{T: t, path: path}
	promised := map[string]bool{}
	for range crashRuns {
		for _, line := range killedAfter(t, path, random.IntN(crashMost)) {
			promised[strings.TrimPrefix(line, "kept ")] = true
		}
		s.same("integrity", s.look("PRAGMA integrity_check"), "ok")
		s.same("foreign keys", s.look("PRAGMA foreign_key_check"), "")
	}
	kept := map[string]bool{}
	for _, key := range strings.Fields(s.look("SELECT key FROM inbox")) {
		kept["inbox "+key] = true
	}
	for _, key := range strings.Fields(s.look("SELECT text FROM outbox")) {
		kept["outbox "+key] = true
	}
	for key := range promised {
		if !kept[key] {
			t.Errorf("%s was promised and is lost", key)
		}
	}
	s.same("halves of a finish", s.look(`SELECT t.id FROM turn t LEFT JOIN outbox o ON o.turn = t.id
		WHERE (t.ended_at IS NULL) <> (o.id IS NULL)`), "")
	t.Logf("%d promises kept over %d kills", len(promised), crashRuns)
}

// killedAfter runs the writing process until it has promised that many things, kills it, and returns its promises.
func killedAfter(t *testing.T, path string, promises int) (lines []string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), crashPath+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	read := bufio.NewScanner(out)
	for read.Scan() {
		if strings.HasPrefix(read.Text(), "kept ") {
			lines = append(lines, read.Text())
		}
		if len(lines) == promises {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != -1 {
		t.Fatalf("the writing process ended by itself: %v", err)
	}
	return lines
}
