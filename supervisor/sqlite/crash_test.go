package sqlite_test

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/app/policies"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// crashPath is the environment variable with the path of the database to which a second process of
// the test binary writes.
const crashPath = "MEWS_TEST_CRASH_PATH"

const (
	crashRuns    = 20
	crashWriters = 4
	crashMost    = 90 // largest number of printed writes in one run
)

// writeUntilKilled runs whole turns in several writers, and prints each durable write.
func writeUntilKilled(path string) int {
	ctx := context.Background()
	db, err := sqlite.Open(ctx, path, sqlite.Options{Policies: policies.All()})
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
				if err := runTurn(ctx, db, fmt.Sprintf("user%d", w), key, say); err != nil {
					errs <- err
				}
			}
		}()
	}
	fmt.Fprintln(os.Stderr, <-errs)
	return 1
}

// runTurn runs a turn and calls say after each durable write.
func runTurn(ctx context.Context, db *sqlite.DB, user, key string, say func(string)) error {
	c := supervisor.Conversation{User: user, Channel: supervisor.ChannelTerminal, Chat: key}
	in, _, err := db.Inbox().StoreInbound(ctx, supervisor.Inbound{Conversation: c, Source: "terminal", Key: key,
		Kind: supervisor.KindText, Text: strings.Repeat(key, 50)})
	if err != nil {
		return err
	}
	say("inbox " + key)
	turn, _, err := db.Turns().Start(ctx, in.ID, nil)
	if err != nil {
		return err
	}
	d, err := db.Turns().Finish(ctx, sqlite.TurnEnding{Turn: turn.ID, Why: protocol.TurnEndDone,
		State: supervisor.InboundAnswered, Text: key, Partial: key})
	if err != nil {
		return err
	}
	say("outbox " + key)
	return runSend(ctx, db, d, say)
}

// runSend shows a delivery in a post, and then stores a batch.
func runSend(ctx context.Context, db *sqlite.DB, d supervisor.Delivery, say func(string)) error {
	posts, err := db.Posts().CreatePosts(ctx, d.ID, []supervisor.RichText{{Text: d.Text}})
	if err != nil {
		return err
	}
	p, err := db.Posts().MarkSending(ctx, d.Conversation.ID, posts[0])
	if err != nil {
		return err
	}
	say("post " + d.Text)
	p.State, p.Message = supervisor.PostSent, d.Text
	if err := db.Posts().StorePostResult(ctx, p); err != nil {
		return err
	}
	if err := db.Outbox().MarkDelivered(ctx, d.ID); err != nil {
		return err
	}
	batch := supervisor.InboundBatch{Source: "batch " + d.Text, Next: 2}
	for _, n := range []string{"1", "2"} {
		batch.Items = append(batch.Items, supervisor.BatchItem{Update: d.ID, Raw: "{}", Answer: "answer" + n + d.Text,
			Inbound: supervisor.Inbound{Conversation: d.Conversation, Key: n + d.Text, Kind: supervisor.KindText}})
	}
	if _, err := db.Inbox().StoreBatch(ctx, batch); err != nil {
		return err
	}
	say("inbox 2" + d.Text)
	return runGate(ctx, db, d, say)
}

// runGate sends a text to a closed gate, and then a code and another text in one batch.
func runGate(ctx context.Context, db *sqlite.DB, d supervisor.Delivery, say func(string)) error {
	user := "gate-" + d.Text
	held, opening := guardedItem(user, 1, "one"), []supervisor.BatchItem{codeItem(user, 2, 1), guardedItem(user, 3,
		"two")}
	// the batch in the variable opening is sent twice
	for n, items := range [][]supervisor.BatchItem{{held}, opening, opening} {
		for i := range items {
			items[i].Inbound.Key = fmt.Sprint("gate", items[i].Update, d.Text)
		}
		if _, err := db.Inbox().StoreBatch(ctx, supervisor.InboundBatch{Source: "gate", Items: items}); err != nil {
			return err
		}
		say(fmt.Sprint("inbox gate", n+1-n/2, d.Text))
	}
	return nil
}

func TestCommit_Kill9_IsDurable(t *testing.T) {
	seed, err := strconv.ParseUint(
		cmp.Or(os.Getenv("MEWS_CRASH_SEED"), strconv.FormatInt(time.Now().UnixNano(), 10)),
		10,
		64,
	)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("replay with MEWS_CRASH_SEED=%d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	path := filepath.Join(t.TempDir(), "mews.db")
	s := &story{T: t, path: path}
	promised := map[string]bool{}
	for range crashRuns {
		for _, line := range runAndKill(t, path, random.IntN(crashMost)) {
			promised[strings.TrimPrefix(line, "kept ")] = true
		}
		s.same("integrity", s.query("PRAGMA integrity_check"), "ok")
		s.same("foreign keys", s.query("PRAGMA foreign_key_check"), "")
	}
	kept := map[string]bool{}
	for _, key := range strings.Fields(s.query("SELECT key FROM inbox")) {
		kept["inbox "+key] = true
	}
	for _, key := range strings.Fields(s.query("SELECT text FROM outbox")) {
		kept["outbox "+key] = true
	}
	for _, key := range strings.Fields(s.query("SELECT json_extract(content, '$.text') FROM post")) {
		kept["post "+key] = true
	}
	for key := range promised {
		if !kept[key] {
			t.Errorf("%s was promised and is lost", key)
		}
	}
	s.same("halves of a finish", s.query(`SELECT t.id FROM turn t LEFT JOIN outbox o ON o.turn = t.id
		WHERE (t.ended_at IS NULL) <> (o.id IS NULL)`), "")
	s.same("halves of a batch", s.query(`SELECT s.name FROM source s WHERE 4 <>
		(SELECT count(*) FROM inbox i JOIN outbox o ON o.inbound = i.id AND i.state = 'answered'
		WHERE i.source = s.name) * 2`), "")
	s.same("batches without an offset", s.query(`SELECT source FROM inbox WHERE source LIKE 'batch %' AND source NOT IN
		(SELECT name FROM source)`), "")
	s.same("sent and not shown", s.query(`SELECT o.id FROM outbox o JOIN post p ON p.delivery = o.id
		WHERE o.outcome = 'sent' AND p.state <> 'sent'`), "")
	for what, query := range map[string]string{
		"a login":       "SELECT count(*) FROM login l WHERE l.user = i.user",
		"a factor":      "SELECT count(*) FROM totp f WHERE f.user = i.user AND f.last_step = 1",
		"a trial":       "SELECT count(*) FROM audit a WHERE a.user = i.user",
		"a cleaning":    "SELECT count(*) FROM cleaning k WHERE k.user = i.user",
		"released text": "SELECT count(*) FROM inbox p WHERE p.user = i.user AND p.text = 'two' AND p.held = 0",
		"a release":     "SELECT count(*) FROM inbox p WHERE p.user = i.user AND p.text = 'one' AND p.held = 0",
	} {
		s.same("a code without "+what+", or the reverse", s.query(`SELECT i.user FROM inbox i WHERE i.source = 'gate' AND
			i.text = 'one' AND (SELECT count(*) FROM inbox c WHERE c.user = i.user AND c.kind = 'code') <> (`+query+`)`), "")
	}
	s.same("what says one thing twice", s.query(`SELECT user FROM outbox WHERE user LIKE 'gate-%' GROUP BY user, text
		HAVING count(*) > 1`), "")
	s.same("the audit log", auditFault(t, path), "")
	t.Logf("%d promises kept over %d kills", len(promised), crashRuns)
}

// auditFault returns the fault of a database's audit log.
func auditFault(t *testing.T, path string) string {
	t.Helper()
	report, err := sqlitetest.OpenPath(t, path, sqlite.Options{Policies: policies.All()}).
		Audit().
		Verify(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	return string(report.Why)
}

// runAndKill runs the writing process. It kills the process after a number of printed writes, and
// returns the printed lines.
func runAndKill(t *testing.T, path string, promises int) (lines []string) {
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
