package app_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mews/supervisor/api"
	"mews/supervisor/app/apptest"
	"mews/supervisor/control"
	"mews/supervisor/model/modeltest"
)

// Deleting a user first stops the user's turn and worker, and leaves nothing of them.
func TestUserDelete_RunningTurn_LeavesNothing(t *testing.T) {
	t.Parallel()
	server, url := modeltest.NewServer(t, func(modeltest.Request) modeltest.Answer {
		return modeltest.Answer{Text: "This is never said to its end.", Chunk: 4, CutAfter: 300, Hang: true}
	})
	h := apptest.NewService(t, url, "ann")
	h.Start()
	verb := func(args ...string) *exec.Cmd {
		return exec.CommandContext(t.Context(), filepath.Join(h.Bin, "mews"), append(args, "--config", h.Config)...)
	}
	if out, err := verb("user", "add", "dan").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	note := filepath.Join(h.Dir, "state", "homes", "dan", "zyzzyva.md")
	if err := errors.Join(os.MkdirAll(filepath.Dir(note), 0o700), os.WriteFile(note, []byte("zyzzyvatext"), 0o600)); err != nil {
		t.Fatal(err)
	}
	apptest.ChownToWorkers(t, filepath.Dir(note))
	talk, heard := verb("chat", "--user", "dan"), new(bytes.Buffer)
	talk.Stdin, talk.Stdout, talk.Stderr = strings.NewReader("hello\n"), heard, heard
	if err := talk.Start(); err != nil {
		t.Fatal(err)
	}
	h.WaitUntilTrue(apptest.DefaultTestTimeout, "the model to be asked",
		func() bool { return len(server.Requests()) > 0 })
	h.WaitUntilTrue(apptest.DefaultTestTimeout, "the home to be in the index", func() bool {
		var s api.Status
		err := control.CallOnce(t.Context(), h.Socket, api.MethodStatus, nil, &s)
		return err == nil && slices.ContainsFunc(s.Users, func(u api.UserStatus) bool { return u.Name == "dan" && u.Index.Files > 0 })
	})

	copied := filepath.Join(h.Dir, "state", "private", "mews.db.schema42")
	if err := os.WriteFile(copied, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := verb("user", "remove", "dan").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := verb("user", "delete", "dan", "--yes").CombinedOutput()
	if _, left := os.Stat(copied); left == nil {
		t.Error("the copy of the database is left")
	}
	for _, want := range []string{"  1 copy of the database, made before an update",
		"\nCopies of the database that were made before an update were deleted first.\n"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%s lacks %q", out, want)
		}
	}
	if err != nil || !strings.Contains(string(out), "dan is deleted.") {
		t.Fatalf("%v: %s\n%s", err, out, h.LogTail())
	}
	if pid, runs := h.WorkerPIDs()["dan"]; runs {
		t.Errorf("their worker runs on as process %d", pid)
	}
	for _, table := range []string{"inbox", "turn", "message", "outbox", "conversation"} {
		if n := h.QueryCount("SELECT count(*) FROM " + table + " WHERE user = 'dan'"); n != 0 {
			t.Errorf("%d rows of theirs are left in %s", n, table)
		}
	}
	if strings.Contains(h.LogTail(), "worker ended in a turn") {
		t.Error("the end of the worker was taken for a death")
	}
	_ = talk.Process.Kill() // the client may still wait for an answer
	_ = talk.Wait()
	h.Stop()
	index, err := filepath.Glob(filepath.Join(h.Dir, "state", "private", "index.db*"))
	if err != nil || len(index) == 0 {
		t.Fatal("no index", err)
	}
	for _, name := range index {
		if data, err := os.ReadFile(name); err != nil || bytes.Contains(data, []byte("zyzzyva")) {
			t.Errorf("%s has words of a file of theirs: %v", name, err)
		}
	}
}
