package main_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mews/supervisor/api"
	"mews/supervisor/app/apptest"
	"mews/supervisor/control"
	"mews/supervisor/sqlite/sqlitetest"
)

// indexed returns the names and sections that the index has of a user's home. The service must not
// run.
func indexed(h *apptest.Service, user string) []string {
	return sqlitetest.QueryColumnInCopy(h.T, filepath.Join(h.Dir, "state", "private", "index.db"),
		`SELECT p.path || ':' || p.line || ' ' || s.heading || '|' || s.text
		FROM place p JOIN section s ON s.id = p.section WHERE p.user = ? ORDER BY p.path, p.position`, user)
}

// awaitIndexed waits until the index of a user's home fulfils a condition.
func awaitIndexed(h *apptest.Service, user string, there func(api.HomeIndexCounts) bool) {
	h.T.Helper()
	h.WaitUntilTrue(apptest.DefaultTestTimeout, "the home to be in the index", func() bool {
		var s api.Status
		err := control.CallOnce(h.T.Context(), h.Socket, api.MethodStatus, nil, &s)
		return err == nil && slices.ContainsFunc(s.Users, func(u api.UserStatus) bool { return u.Name == user && !u.Index.Unread && there(u.Index) })
	})
}

func hasFiles(n int) func(api.HomeIndexCounts) bool {
	return func(i api.HomeIndexCounts) bool { return i.Files == n }
}

// TestHomeIndex_ChangesAndKills_IsCurrent: the index follows a home's changes while its user's
// worker runs, and after a kill. Real processes run.
func TestHomeIndex_ChangesAndKills_IsCurrent(t *testing.T) {
	h := apptest.NewService(t, "", "ann", "bob")
	write := func(user, path, text string) {
		t.Helper()
		path = filepath.Join(h.UserHome(user), path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write("ann", "notes/garden.md", "# Garden\n## Tomatoes\nred\n")
	write("ann", "notes/new.txt", "plain")
	write("bob", "mine.md", "bob's")
	write("ann", "locked.md", "whoever may read it")
	apptest.ChownToWorkers(t, filepath.Join(h.Dir, "homes"))
	if err := os.Chmod(filepath.Join(h.UserHome("ann"), "locked.md"), 0); err != nil {
		t.Fatal(err)
	}
	h.Start()
	v := newClient(t, h, "ann")
	v.exchange(t, "hi")
	awaitIndexed(h, "ann", func(i api.HomeIndexCounts) bool {
		return i.Files == 2 && i.Sections == 2 && i.Bytes > 0 && i.Unreadable == 1
	})

	if err := errors.Join(os.Rename(filepath.Join(h.UserHome("ann"), "notes"), filepath.Join(h.UserHome("ann"), "old")),
		os.Remove(filepath.Join(h.UserHome("ann"), "old/new.txt"))); err != nil {
		t.Fatal(err)
	}
	write("ann", "old/program", "\x00")
	var want []string
	for i := range 100 {
		text := strings.Repeat(fmt.Sprintf("word%d ", i), 100)
		write("ann", fmt.Sprintf("many/%03d.md", i), text)
		want = append(want, fmt.Sprintf("many/%03d.md:1 |%s", i, strings.TrimSpace(text)))
	}
	want = append(want, "old/garden.md:2 Garden > Tomatoes|red")
	apptest.ChownToWorkers(t, h.UserHome("ann"))
	awaitIndexed(h, "ann", func(i api.HomeIndexCounts) bool { return i.Files > 2 })
	v.stop() // the kill may come while the worker is indexing
	h.Kill()
	h.Start()
	v = newClient(t, h, "ann")
	v.exchange(t, "hi")
	awaitIndexed(h, "ann", hasFiles(len(want)))
	if n := len(h.WorkerPIDs()); n != 1 {
		t.Errorf("%d workers run, of which one was asked for", n)
	}
	v.stop()
	h.Stop()
	if got := indexed(h, "ann"); !slices.Equal(got, want) {
		t.Errorf("the index has %q, want %q", got, want)
	}
	if list := indexed(h, "bob"); len(list) > 0 {
		t.Errorf("nobody has asked bob's worker: %q", list)
	}
}
