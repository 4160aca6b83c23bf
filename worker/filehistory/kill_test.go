package filehistory

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
)

// eachKill runs a test once for each step at which an operation can be killed. prepare prepares a
// history. It returns the operation, and a check. A killed operation is repeated before the check.
func eachKill(t *testing.T, prepare func(m *machine) (operation func() error, check func())) {
	for step := 0; ; step++ {
		m := newMachine(t, 1<<30)
		operation, check := prepare(m)
		m.kill = step
		err := operation()
		killed := m.dead
		if m.kill = -1; !killed && err != nil {
			t.Fatalf("step %d: %v", step, err)
		}
		m.revive()
		if killed {
			m.check(operation())
		}
		check()
		if len(m.reports) > 0 {
			t.Fatalf("step %d: %v", step, m.reports)
		}
		m.close()
		if !killed {
			if step < 3 {
				t.Fatalf("only %d steps", step)
			}
			return
		}
	}
}

func TestForget_KilledAtAnyStep_LeavesNoTrace(t *testing.T) {
	eachKill(t, func(m *machine) (func() error, func()) {
		m.write("other", "public")
		m.write("private", strings.Repeat("a secret ", 100))
		m.program(func() { m.write("private", "another secret") })
		m.program(func() { m.check(os.Remove(m.path("private"))) })
		m.keepAll()
		return func() error {
				_, err := m.h.Forget(context.Background(), []string{"private"})
				return err
			}, func() {
				all := m.unpacked()
				if bytes.Contains(all, []byte("secret")) || bytes.Contains(all, []byte("private")) {
					t.Error("the name or the bytes are still there")
				}
				if got := m.version("other", 1); got != "public" {
					t.Errorf("got %q", got)
				}
			}
	})
}

func TestThin_KilledAtAnyStep_LosesNothing(t *testing.T) {
	eachKill(t, func(m *machine) (func() error, func()) {
		m.write("stays", "still here")
		m.write("a", noise(1, 100<<10))
		m.program(func() { m.write("a", noise(2, 100<<10)) })
		m.program(func() { m.write("a", "small") })
		m.keepAll()
		m.pass(49 * time.Hour)
		m.program(func() { m.write("b", "new") })
		m.keepAll()
		return func() error { return m.h.Thin(context.Background()) }, func() {
			if got := m.version("stays", 0) + m.version("a", 0) + m.version("b", 0); got != "still heresmallnew" {
				t.Errorf("got %q", got)
			}
			if got := m.version("a", 1); got != "no bytes" {
				t.Errorf("an old version has %d bytes", len(got))
			}
		}
	})
}

func TestUndoSpan_KilledAtAnyStep_Continues(t *testing.T) {
	eachKill(t, func(m *machine) (func() error, func()) {
		m.write("dir/a", "one")
		m.write("b", "two")
		was := m.contents()
		span := m.program(func() {
			m.check(os.RemoveAll(m.path("dir")))
			m.write("b", "three")
			m.write("c", "four")
		})
		now := m.contents()
		var undone protocol.UndoneSpan
		return func() (err error) {
				undone, err = m.h.UndoSpan(context.Background(), span, false, undoBy("undo 1"))
				return err
			}, func() {
				if diff := cmp.Diff(was, m.contents()); diff != "" || undone.Restored.Count != 4 {
					t.Errorf("got %+v\n%s", undone, diff)
				}
				m.undo(*undone.Span, false, "undo 2")
				if diff := cmp.Diff(now, m.contents()); diff != "" {
					t.Error(diff)
				}
			}
	})
}

// TestEnd_KilledAtAnyStep_KeepsBytesFromBefore kills the history while End runs.
func TestEnd_KilledAtAnyStep_KeepsBytesFromBefore(t *testing.T) {
	eachKill(t, func(m *machine) (func() error, func()) {
		m.write("a", "before")
		m.write("b", strings.Repeat("before", 1000))
		p := m.begin()
		m.check(os.Remove(m.path("a")))
		m.write("b", "after")
		return func() error {
				_, err := p.End(context.Background(), m.walk(), byProgram)
				if errors.Is(err, errClosed) { // the program of a killed history does not end again
					err = m.scanHome()
				}
				return err
			}, func() {
				if got := m.version("a", 1) + m.version("b", 1); got != "before"+strings.Repeat("before", 1000) {
					t.Errorf("got %q", got)
				}
			}
	})
}

func TestLoad_PackCutAnywhere_KeepsTheRest(t *testing.T) {
	m := newFixture(t)
	m.write("a", "one")
	m.program(func() { m.write("a", "two") })
	m.keepAll()
	m.close()
	pack := m.history + "/" + packName(1)
	whole, err := os.ReadFile(pack)
	m.check(err)
	m.check(os.Remove(m.history + "/" + indexName))
	for length := range len(whole) {
		m.check(os.WriteFile(pack, whole[:length], 0o600))
		m.open()
		m.check(m.scanHome())
		m.keepAll()
		if got := m.version("a", 0); got != "two" {
			t.Fatalf("%d bytes: got %q", length, got)
		}
		m.close()
		m.check(os.Remove(m.history + "/" + indexName))
	}
	if len(m.reports) > 0 {
		t.Error(m.reports[0])
	}
	m.open()
}
