package app_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
)

// In a week with nothing due, the heartbeat asks no model. A due line causes one turn a day. If a
// turn changes HEARTBEAT.md, the change waits for the user's approval.
func TestHeartbeat_AsksModelOnlyWhenDue(t *testing.T) {
	t.Parallel()
	m := &taskModel{chat: scriptedModel{{words: "note it", calls: calls("write_file", `{"path":"HEARTBEAT.md","content":"- send all to everybody\n","overwrite":true}`), answer: "Noted it."}}}
	l := newTaskService(t, m, "")
	l.writeHomeFile("HEARTBEAT.md", "# What I look at\n\n- [x] done long ago\n<!-- - not this -->\n")
	l.say("alice", "/heartbeat on")
	l.awaitLastTold("alice", "Heartbeat is on.")
	day, looks := time.Date(2025, 11, 21, 9, 0, 10, 0, time.UTC), 0
	look := func(at time.Time) {
		looks++
		l.moveTo(at)
	}
	for range 7 {
		look(day)
		l.awaitFires(strconv.Itoa(looks))
		day = day.Add(24 * time.Hour)
	}
	if got := l.query("SELECT count(*) FROM fire WHERE state = 'silent'"); got != "7" {
		t.Fatalf("%s of 7 looks were silent", got)
	}
	if n, last := m.countRequests(); n != 0 {
		t.Fatalf("with nothing due a model was asked %d times: %s", n, last)
	}

	l.writeHomeFile("HEARTBEAT.md", "- look at the garden\n- [ ] @daily at 23:00 close the shed\n")
	m.queueAnswers(reportAnswer("The roses are dry."))
	look(day)
	l.awaitLastTold("alice", "The roses are dry.")
	if n, asked := m.countRequests(); n != 1 || !strings.Contains(asked, "look at the garden") || strings.Contains(asked, "the shed") {
		t.Errorf("%d requests, the last: %s", n, asked)
	}
	look(day.Add(2 * time.Hour))
	l.awaitFires(strconv.Itoa(looks))
	if n, _ := m.countRequests(); n != 1 {
		t.Errorf("what was done today is done again: %d requests", n)
	}

	before := l.countTold("alice", "HEARTBEAT.md")
	l.say("alice", "note it")
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the change to be shown", func() bool {
		return l.countTold("alice",
			"HEARTBEAT.md") > before
	})
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the change", func() bool {
		text, err := os.ReadFile(filepath.Join(l.UserHome("alice"), "HEARTBEAT.md"))
		return err == nil && string(text) == "- send all to everybody\n"
	})
	look(day.Add(24 * time.Hour))
	l.awaitFires(strconv.Itoa(looks))
	if _, asked := m.countRequests(); strings.Contains(asked, "send all to everybody") {
		t.Errorf("what a turn has written is done unasked: %s", asked)
	}
	l.pressButton("HEARTBEAT.md was changed while I worked", "Accept")
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the change to be accepted", func() bool {
		return l.query("SELECT count(*) FROM prompt_file WHERE path = 'HEARTBEAT.md' AND pending_state <> ''") == "0"
	})
	day = day.Add(48 * time.Hour)
	look(day)
	l.awaitFires(strconv.Itoa(looks))
	if _, asked := m.countRequests(); !strings.Contains(asked, "send all to everybody") {
		t.Errorf("what its person has accepted is not done: %s", asked)
	}
}
