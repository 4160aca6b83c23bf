package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mews/supervisor"
	"mews/supervisor/recurrence"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// quietUntil is when alice's quiet hours end.
var quietUntil = firesStart.Add(20 * time.Minute)

// setQuiet creates two tasks that are due in alice's quiet hours: one reports something, and one
// asks.
func (l *fireRig) setQuiet() {
	l.Helper()
	if err := l.db.Settings().Put(l.Context(), "alice", sqlite.SettingQuietHours, "11:30-12:20"); err != nil {
		l.Fatal(err)
	}
	for i, text := range []string{fireRoses, fireShed} {
		l.set(text, supervisor.JobTask, recurrence.Rule{Kind: recurrence.Once,
			At: firesStart.Add(time.Duration(2+i) * time.Minute)}, supervisor.CheckCondition{})
	}
}

// checkQuiet checks that nothing is sent before the quiet hours end. After that the notices come
// first, and then the question.
func (l *fireRig) checkQuiet(life string) {
	l.Helper()
	fires := sqlitetest.QueryColumn(l, l.db, `SELECT j.text || ' ' || f.state FROM fire f JOIN job j ON j.id = f.job ORDER BY j.id`)
	l.checkEqual(life+": fires", fires, []string{"roses said", "shed said"})
	var told []string
	for _, text := range l.chat.texts() {
		line, again := strings.CutPrefix(text[strings.LastIndex(text, "\n")+1:], "(again) ")
		// the kill may have come after sending and before the receipt
		if !again || len(told) == 0 || told[len(told)-1] != line {
			told = append(told, line)
		}
	}
	l.checkEqual(life+": told", told, []string{"The roses are dry.", "Shall I shut it?", "asked Shall I shut it? ➜ Yes"})
	if early := sqlitetest.QueryColumn(l, l.db, "SELECT text FROM outbox WHERE created_at < ?",
		quietUntil.UnixMilli()); len(early) > 0 {
		l.Errorf("%s: in quiet hours she is told %q", life, early)
	}
	left := sqlitetest.QueryColumn(l, l.db, `SELECT id FROM turn WHERE ended_at IS NULL UNION ALL SELECT id FROM inbox WHERE state <> 'done' UNION ALL
		SELECT id FROM outbox WHERE outcome IS NULL UNION ALL SELECT id FROM held_notice UNION ALL SELECT id FROM question WHERE why IS NOT 'answered' OR held IS NOT NULL`)
	if len(left) > 0 {
		l.Errorf("%s: %d things are not done", life, len(left))
	}
}

// A task's question waits for the end of quiet hours, and the service is killed after a commit. The
// question is asked once, after the notices.
func TestHeldQuestion_KillAfterEachCommit_AsksOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir, chat := t.TempDir(), &fakeChannel{}
		behind := time.Since(firesStart)
		kills := &crashSnapshots{t: t, dir: dir, chat: chat, now: func() time.Time { return time.Now().Add(-behind) }}
		l := newFireRig(t, dir, chat, behind, kills.committed)
		l.setQuiet()
		taken := kills.during(l.runToEnd)
		l.checkQuiet("never killed")
		at := func(late bool) int {
			return len(slices.DeleteFunc(slices.Clone(taken), func(i crashSnapshot) bool { return i.at.Before(quietUntil) == late }))
		}
		if t.Failed() || at(false) == 0 || at(true) == 0 {
			t.Fatalf("%d commits in quiet hours, %d after", at(false), at(true))
		}
		for i, image := range taken {
			next := newFireRig(t, image.dir, &fakeChannel{sent: image.sent}, time.Since(image.at), nil)
			next.runToEnd()
			next.checkQuiet(fmt.Sprintf("killed after commit %d, at %s", i+1, image.at.Format(time.TimeOnly)))
		}
	})
}
