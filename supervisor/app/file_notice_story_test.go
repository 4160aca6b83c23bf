package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
)

// fileNotices returns the notices to alice about changed files, without their headings.
func (l *aliceService) fileNotices() (list []string) {
	for _, text := range l.told("alice") {
		if _, names, found := strings.Cut(text, "Changed in your folder by others:\n"); found {
			list = append(list, strings.TrimSpace(names))
		}
	}
	return list
}

// awaitFileNotices moves the clock in steps of a quarter of an hour, until alice has got n notices
// about files. Such steps are too long for tests with jobs that are due at an exact time.
func (l *aliceService) awaitFileNotices(n int) string {
	l.T.Helper()
	looks := 0
	l.WaitUntilTrue(apptest.DefaultTestTimeout, fmt.Sprintf("message %d about files", n), func() bool {
		if looks++; looks%100 == 0 {
			l.moveTo(l.now().Add(15 * time.Minute))
		}
		return len(l.fileNotices()) >= n
	})
	list := l.fileNotices()
	if len(list) != n {
		l.T.Fatalf("alice was told of files %d times: %q", len(list), list)
	}
	return list[n-1]
}

// Changes by other programs are reported, with and without a running worker. Changes by a turn are
// not reported.
func TestFileNotices_ListOtherProgramsChanges(t *testing.T) {
	t.Parallel()
	m := &taskModel{chat: scriptedModel{
		{words: "write it", calls: calls("write_file", `{"path":"own.md","content":"mine\n"}`, "edit_file", `{"path":"there.md","old_text":"it was","new_text":"it is"}`), answer: "Written."},
	}}
	l := newTaskService(t, m, "")
	l.writeHomeFile("there.md", "it was there\n")
	l.writeHomeFile("later.md", "as well\n")
	l.say("alice", "/notifications on")
	l.awaitLastTold("alice", "File watch is on. It comes every 15 minutes")
	l.awaitFires("1")
	l.moveTo(l.now().Add(5 * time.Minute))

	l.say("alice", "write it")
	l.awaitLastTold("alice", "Written.")
	if done := l.query("SELECT group_concat(kind || ' ' || target) FROM effect"); done != "write own.md,edit there.md" {
		t.Fatalf("it has done %q", done)
	}
	l.writeHomeFile("theirs.md", "somebody else's\n")
	l.writeHomeFile("later.md", "changed\n")
	if told := l.awaitFileNotices(1); told != "new: theirs.md\nchanged: later.md" {
		t.Errorf("told is %q", told)
	}

	l.writeHomeFile("own.md", "not mine any more\n")
	for i := range 29 {
		l.writeHomeFile(fmt.Sprintf("sync/%02d.md", i), "x\n")
	}
	if err := os.Remove(filepath.Join(l.UserHome("alice"), "theirs.md")); err != nil {
		t.Fatal(err)
	}
	l.say("alice", "hello")
	l.awaitLastTold("alice", "Noted.")
	want := ""
	for i := range 20 { // the newest file is listed first
		want += fmt.Sprintf("new: sync/%02d.md\n", i)
	}
	if told := l.awaitFileNotices(2); told != want+"and 11 more" {
		t.Errorf("told is %q", told)
	}

	l.shut() // stops the service and alice's worker
	l.open()
	l.writeHomeFile("unseen.md", "x\n")
	l.moveTo(nextQuarterHour(l))
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the look of its own time",
		func() bool { return len(l.fileNotices()) >= 3 })
	if list := l.fileNotices(); !slices.Equal(list[2:], []string{"new: unseen.md"}) {
		t.Errorf("without a worker told is %q", list[2:])
	}
	if n, _ := m.countRequests(); n != 0 {
		t.Errorf("a model was asked %d times", n)
	}
	l.say("alice", "/notifications off")
	l.awaitLastTold("alice", "File watch is off.")
}

// nextQuarterHour returns the time of the next check of the folder.
func nextQuarterHour(l *aliceService) time.Time {
	l.T.Helper()
	var next int64
	if _, err := fmt.Sscan(l.query("SELECT next FROM job WHERE kind = 'routine'"), &next); err != nil {
		l.T.Fatal(err)
	}
	return time.UnixMilli(next)
}
