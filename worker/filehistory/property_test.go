package filehistory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mews/protocol"
)

var errKilled = errors.New("killed")

// moment is a copy of the home from before a program.
type moment struct {
	point   int64
	at      time.Time
	home    map[string]string
	notKept map[string]bool
	span    protocol.HistorySpan
}

// machine compares a history with a model: copies of the home.
type machine struct {
	*fixture
	moments []moment
	kill    int // number of steps until the history is killed; negative means never
	full    bool
	small   bool // versions by programs may be deleted for room
	who     string
	wasFull bool // the disk was full: bytes that no program changed may be missing
	dead    bool
	number  int
}

func newMachine(t tester, room int64) *machine {
	m := &machine{kill: -1}
	m.fixture = newFixture(t, func(o *Options) {
		o.Room = room
		o.inject = m.inject
	})
	return m
}

// inject kills the history before a step, or fills the disk.
func (m *machine) inject(step, _ string) error {
	if m.full && step == "write" {
		return fmt.Errorf("write: %w", fullDisk)
	}
	if m.kill == 0 {
		m.dead = true
		return errKilled
	}
	if m.kill > 0 {
		m.kill--
	}
	return nil
}

// revive opens the history again after a kill. It reports whether there was a kill.
func (m *machine) revive() bool {
	if m.kill = -1; !m.dead {
		return false
	}
	// the old history stays open, because a killed process closes nothing
	m.dead, m.h = false, nil
	m.open()
	return true
}

var someNames = []string{"a", "b.md", "dir", "dir/c", "dir/d", "dir/deep/er/e", "new\nline", "bad\xffutf8",
	"node_modules/x", "ü",
	".trash/f", "link"}

// change makes one random change in the home.
func (m *machine) change(t *rapid.T) {
	name := rapid.SampledFrom(someNames).Draw(t, "name")
	full := m.path(name)
	switch rapid.SampledFrom([]string{"write", "write", "append", "remove", "removeAll", "rename", "chmod", "mkdir",
		"symlink",
		"touch"}).Draw(t, "change") {
	case "write":
		text := rapid.SampledFrom([]string{"", "x", "hello\n", strings.Repeat("long ", 5000)}).Draw(t, "text")
		m.number++
		_ = os.MkdirAll(path.Dir(full), 0o755)
		_ = os.WriteFile(full, fmt.Append(nil, m.who, text, m.number), 0o644)
	case "append":
		if f, err := os.OpenFile(full, os.O_WRONLY|os.O_APPEND, 0); err == nil {
			_, _ = f.WriteString("more " + m.who)
			_ = f.Close()
		}
	case "remove":
		_ = os.Remove(full)
	case "removeAll":
		_ = os.RemoveAll(full)
	case "rename":
		_ = os.Rename(full, m.path(rapid.SampledFrom(someNames).Draw(t, "to")))
	case "chmod":
		mode := rapid.SampledFrom([]fs.FileMode{0o755, 0o700, 0o711}).Draw(t, "mode")
		if info, err := os.Lstat(full); err == nil && info.Mode()&fs.ModeSymlink == 0 {
			_ = os.Chmod(full, mode)
		}
	case "mkdir":
		_ = os.MkdirAll(full, 0o755)
	case "symlink":
		_ = os.Symlink(rapid.SampledFrom(someNames).Draw(t, "target"), full)
	case "touch":
		_ = os.Chtimes(full, time.Unix(1, 0), time.Unix(1, 0)) // only ctime shows the change
	}
}

func (m *machine) runProgram(t *rapid.T) {
	m.runProgramOf(func() {
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			m.change(t)
		}
	}, t)
}

// runProgramOf runs changes as a program, and notes the home before it.
func (m *machine) runProgramOf(run func(), t *rapid.T) {
	p, err := m.h.BeginProgram(context.Background(), m.walk())
	was := m.contents()
	m.who = "program"
	defer func() { m.who = "" }()
	run()
	if err != nil {
		m.checkFailed(t, err)
		return // the caller is told that nothing is kept
	}
	span, err := p.End(context.Background(), m.walk(), byProgram)
	if err != nil {
		m.checkFailed(t, err)
		return
	}
	if span.To == 0 {
		return
	}
	lost := map[string]bool{}
	for _, path := range p.notKept {
		lost[path] = true
	}
	m.moments = append(m.moments, moment{point: span.From, at: m.time(), home: was, notKept: lost, span: span})
}

// checkFailed fails unless the history was killed or the disk is full.
func (m *machine) checkFailed(t *rapid.T, err error) {
	if !m.dead && !m.full && !(m.small && errors.Is(err, errNoRoom)) {
		t.Fatal(err)
	}
}

// tool writes a file as a tool does.
func (m *machine) tool(t *rapid.T) {
	name := rapid.SampledFrom([]string{"a", "b.md", "ü"}).Draw(t, "name")
	ctx := context.Background()
	if f, err := m.h.options.Home.OpenRegularFile(name); err == nil {
		_, err = m.h.Keep(ctx, f, protocol.MaxUndoFileBytes)
		_ = f.Close()
		if err != nil {
			m.checkFailed(t, err)
			return // the tool's change has an obstacle
		}
	}
	m.number++
	if _, err := m.h.options.Home.WriteFile(name, fmt.Append(nil, "tool ", m.number), "replace"); err != nil {
		return
	}
	if _, err := m.h.Record(ctx, []string{name}, protocol.HistoryAuthor{Kind: protocol.HistoryAuthorTool}); err != nil {
		m.checkFailed(t, err)
	}
}

// undoLast undoes the newest program, if nothing has changed since. A killed undo is repeated.
func (m *machine) undoLast(t *rapid.T) {
	if len(m.moments) == 0 {
		return
	}
	last := m.moments[len(m.moments)-1]
	if m.time().Sub(last.at) >= keepAllFor {
		return
	}
	m.number++
	words := fmt.Sprint("undo ", m.number)
	var undone protocol.UndoneSpan
	for {
		var err error
		if undone, err = m.h.UndoSpan(context.Background(), last.span, true, undoBy(words)); err == nil {
			break
		}
		m.checkFailed(t, err)
		if m.full {
			return
		}
		m.revive()
	}
	now := m.contents()
	for name, text := range last.home {
		if strings.HasPrefix(now[name], "d") {
			continue // an undo leaves a folder that holds other files
		}
		if m.wasFull && isOrIsBelow(name, undone.NotKept.Named) {
			continue // an undo leaves a file whose bytes a full disk did not keep, and names it
		}
		if now[name] != text && !last.notKept[name] && m.wasChanged(last, name) {
			t.Fatalf("%q has %.80q after the undo, want %.80q", name, now[name], text)
		}
	}
}

// isOrIsBelow reports whether a path is one of some paths or lies below one.
func isOrIsBelow(name string, paths []string) bool {
	return slices.ContainsFunc(paths, func(path string) bool { return name == path || isBelow(name, path) })
}

// wasChanged reports whether a span has changed a path, or a path below or above it.
func (m *machine) wasChanged(at moment, name string) bool {
	changed := false
	err := m.h.do(func(s *store) error {
		list, _, err := s.spanChanges(at.span)
		for _, c := range list {
			changed = changed || c.path == name
		}
		return err
	})
	m.check(err)
	return changed
}

// checkMoments checks the files from before each program of the last 48 hours. The history must
// have all of them.
func (m *machine) checkMoments(t *rapid.T) {
	for _, at := range m.moments {
		if m.time().Sub(at.at) >= keepAllFor {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(at.home)) {
			if m.wasFull && !m.wasChanged(at, name) {
				continue
			}
			mode, text, isFile := strings.Cut(at.home[name], " ")
			if !isFile || !strings.HasPrefix(mode, "-") || at.notKept[name] || isBelow(name, "node_modules") ||
				m.small && strings.Contains(text, "program") {
				continue
			}
			if got := m.version(name, at.point); got != text {
				t.Fatalf("%q at point %d: got %.80q, want %.80q", name, at.point, got, text)
			}
		}
	}
}

func (m *machine) actions() map[string]func(t *rapid.T) {
	return map[string]func(t *rapid.T){
		"program": m.runProgram,
		"hand":    m.change,
		"tool":    m.tool,
		"undo":    m.undoLast,
		"keep": func(t *rapid.T) {
			if err := m.h.keepWaiting(context.Background()); err != nil {
				m.checkFailed(t, err)
			}
		},
		"look": func(t *rapid.T) {
			if err := m.scanHome(); err != nil {
				m.checkFailed(t, err)
			}
		},
		"tidy": func(t *rapid.T) {
			if err := m.h.deleteOld(context.Background()); err != nil {
				m.checkFailed(t, err)
			}
		},
		"thin": func(t *rapid.T) {
			if err := m.h.Thin(context.Background()); err != nil {
				m.checkFailed(t, err)
			}
		},
		"time":   func(t *rapid.T) { m.pass(time.Duration(rapid.IntRange(0, 30).Draw(t, "hours")) * time.Hour) },
		"reopen": func(*rapid.T) { m.reopen() },
	}
}

func TestHistory_AnyCourse_KeepsEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMachine(rapidTB{t}, 1<<30)
		defer m.finish()
		actions := m.actions()
		actions[""] = m.checkMoments
		t.Repeat(actions)
	})
}

func TestHistory_KilledAtAnyStep_KeepsEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMachine(rapidTB{t}, 1<<30)
		defer m.finish()
		actions := m.actions()
		for name, run := range actions {
			actions[name] = func(t *rapid.T) {
				m.kill = rapid.IntRange(-1, 12).Draw(t, "steps until the kill")
				if name == "reopen" {
					m.kill = -1
				}
				run(t)
				m.revive()
			}
		}
		actions[""] = m.checkMoments
		t.Repeat(actions)
		if len(m.reports) > 0 {
			t.Fatal(m.reports)
		}
	})
}

func TestHistory_FullDisk_NamesLosses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMachine(rapidTB{t}, 1<<30)
		defer m.finish()
		actions := m.actions()
		actions["full"] = func(*rapid.T) { m.full, m.wasFull = !m.full, true }
		actions["reopen"] = func(*rapid.T) {
			m.full = false
			m.reopen()
		}
		actions[""] = m.checkMoments
		t.Repeat(actions)
	})
}

func TestHistory_SmallRoom_KeepsOrNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMachine(rapidTB{t}, 32<<10)
		defer m.finish()
		m.small, m.wasFull = true, true
		actions := m.actions()
		actions["junk"] = func(t *rapid.T) {
			m.number++
			junk := "program" + noise(uint64(m.number), 8<<10)
			m.runProgramOf(func() { m.write(fmt.Sprint("junk", m.number%3), junk) }, t)
		}
		actions[""] = m.checkMoments
		t.Repeat(actions)
	})
}
