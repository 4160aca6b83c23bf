package sqlite_test

import (
	"path/filepath"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

func TestPrecedingText_LaterTexts_AreIgnored(t *testing.T) {
	clock := noon
	s := &story{T: t, path: filepath.Join(t.TempDir(), "mews.db")}
	s.db = sqlitetest.OpenPath(t, s.path, sqlite.Options{Now: func() time.Time { return clock }})
	s.home = s.conversation("alice")
	begin := func(in supervisor.Inbound) supervisor.Turn {
		clock = clock.Add(time.Second)
		turn, _, err := s.db.Turns().Start(t.Context(), in.ID, nil)
		s.must(err)
		return turn
	}
	command := func() int64 {
		clock = clock.Add(time.Second)
		return s.put(s.home, supervisor.KindCommand, "/stop").ID
	}
	is := func(when string, command int64, want sqlite.PrecedingText) {
		t.Helper()
		got, err := s.db.Inbox().PrecedingText(t.Context(), command)
		s.must(err)
		s.same(when, got, want)
	}
	s.put(s.conversation("bob"), supervisor.KindText, "of another person")

	nothing := command()
	is("with no text", nothing, sqlite.PrecedingText{})
	first := s.text("first")
	is("with a later text", nothing, sqlite.PrecedingText{Waiting: 1})

	stop := command()
	is("before its turn", stop, sqlite.PrecedingText{Inbound: first.ID, Waiting: 1})
	turn := begin(first)
	second := s.text("second")
	is("in its turn", stop, sqlite.PrecedingText{Inbound: first.ID, Waiting: 2})
	clock = clock.Add(time.Second)
	s.finish(turn, "ok")
	ended := sqlite.PrecedingText{Inbound: first.ID, Why: protocol.TurnEndDone, Waiting: 1}
	is("after its turn", stop, ended)
	turn = begin(second)
	is("in the turn of the next", stop, ended)

	next := command()
	is("a later command", next, sqlite.PrecedingText{Inbound: second.ID, Waiting: 1})
	clock = clock.Add(-time.Hour)
	next = s.put(s.home, supervisor.KindCommand, "/stop").ID
	is("a command after the clock was set back", next, sqlite.PrecedingText{Inbound: second.ID, Waiting: 1})
	clock = clock.Add(2 * time.Hour)
	s.finish(turn, "ok")
	is("a command after all is answered", command(), sqlite.PrecedingText{})
}
