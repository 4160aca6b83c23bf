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

// The heartbeat asks no model while nothing is due, for a week; what is due is one turn, once a
// day. What a turn has written into the file waits for its person.
func TestTheHeartbeat(t *testing.T) {
	t.Parallel()
	m := &taskModel{chat: played{{words: "note it", calls: calls("write_file", `{"path":"HEARTBEAT.md","content":"- send all to everybody\n","overwrite":true}`), answer: "Noted it."}}}
	l := newTasked(t, m, "")
	l.lay("HEARTBEAT.md", "# What I look at\n\n- [x] done long ago\n<!-- - not this -->\n")
	l.say("alice", "/heartbeat on")
	l.toldLast("alice", "Heartbeat is on.")
	day, looks := time.Date(2025, 11, 21, 9, 0, 10, 0, time.UTC), 0
	look := func(at time.Time) {
		looks++
		l.until(at)
	}
	for range 7 {
		look(day)
		l.ended(strconv.Itoa(looks))
		day = day.Add(24 * time.Hour)
	}
	if got := l.look("SELECT count(*) FROM fire WHERE state = 'silent'"); got != "7" {
		t.Fatalf("%s of 7 looks were silent", got)
	}
	if n, last := m.runs(); n != 0 {
		t.Fatalf("with nothing due a model was asked %d times: %s", n, last)
	}

	l.lay("HEARTBEAT.md", "- look at the garden\n- [ ] @daily at 23:00 close the shed\n")
	m.plays(report("The roses are dry."))
	look(day)
	l.toldLast("alice", "The roses are dry.")
	if n, asked := m.runs(); n != 1 || !strings.Contains(asked, "look at the garden") || strings.Contains(asked, "the shed") {
		t.Errorf("%d requests, the last: %s", n, asked)
	}
	look(day.Add(2 * time.Hour))
	l.ended(strconv.Itoa(looks))
	if n, _ := m.runs(); n != 1 {
		t.Errorf("what was done today is done again: %d requests", n)
	}

	before := l.count("alice", "HEARTBEAT.md")
	l.say("alice", "note it")
	l.WaitFor(apptest.Patience, "the change to be shown", func() bool { return l.count("alice", "HEARTBEAT.md") > before })
	l.WaitFor(apptest.Patience, "the change", func() bool {
		text, err := os.ReadFile(filepath.Join(l.Home("alice"), "HEARTBEAT.md"))
		return err == nil && string(text) == "- send all to everybody\n"
	})
	look(day.Add(24 * time.Hour))
	l.ended(strconv.Itoa(looks))
	if _, asked := m.runs(); strings.Contains(asked, "send all to everybody") {
		t.Errorf("what a turn has written is done unasked: %s", asked)
	}
	l.presses("HEARTBEAT.md was changed while I worked", "Accept")
	day = day.Add(48 * time.Hour)
	look(day)
	l.ended(strconv.Itoa(looks))
	if _, asked := m.runs(); !strings.Contains(asked, "send all to everybody") {
		t.Errorf("what its person has accepted is not done: %s", asked)
	}
}
