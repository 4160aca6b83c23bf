package sqlite_test

import (
	"strings"
	"sync"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// startSendingTurn starts a turn of alice with two calls of send_file. It also returns a file that
// she owns.
func startSendingTurn(s *story) (supervisor.Turn, supervisor.File) {
	s.Helper()
	turn := s.startTurnCalling("c1", "c2")
	f := supervisor.File{SHA256: strings.Repeat("ab", 32), Size: 12, Name: "a.png", MediaType: "image/png", Caption: "Tom"}
	s.must(s.db.Blobs().AddOwner(s.Context(), "alice", protocol.BlobRef{SHA256: f.SHA256, Size: f.Size}, turn.ID))
	return turn, f
}

func TestSendMessage_SameCallTwice_SendsOnce(t *testing.T) {
	s := newStory(t)
	turn, f := startSendingTurn(s)
	// Before the call runs again, the file at the path has changed.
	other := f
	other.Name, other.SHA256 = "b.png", strings.Repeat("ef", 32)
	for i, file := range []supervisor.File{f, f, other} {
		sent, err := s.db.Turns().WasMessageSent(t.Context(), turn.ID, "c1")
		s.must(err)
		s.same("sent before", sent, i > 0)
		in, err := s.db.Turns().SendMessage(t.Context(), turn.ID, "c1",
			supervisor.Delivery{Files: []supervisor.File{file}})
		s.must(err)
		s.same("fresh", in == s.home.ID, i == 0)
	}
	sent, err := s.db.Turns().WasMessageSent(t.Context(), turn.ID, "c2")
	s.must(err)
	s.same("sent for another call", sent, false)
	s.same("ledger", s.query("SELECT user || ' ' || turn || ' ' || call || ' ' || kind || ' ' || target || ' ' || detail FROM effect"),
		"alice 1 c1 file.queued a.png image/png, 12 bytes, sha256 "+f.SHA256)
	list, err := s.db.Outbox().ListPending(t.Context(), s.home.ID, 0, 10)
	s.must(err)
	s.same("deliveries", list, []supervisor.Delivery{{ID: list[0].ID, Conversation: s.home, Inbound: turn.Inbound, Key: "key-1",
		Kind: supervisor.DeliveryNotice, Files: []supervisor.File{f}, CreatedAt: noon}})
}

// A picture of a job wakes nobody in quiet hours. The user's own turns send as always.
func TestSendMessage_QuietHours_OfJobIsSilent(t *testing.T) {
	for _, kind := range []supervisor.TurnKind{supervisor.TurnJob, supervisor.TurnChat} {
		for _, hours := range []string{"11:00-13:00", "13:00-14:00"} { // it is noon
			s := newStory(t)
			turn, f := startSendingTurn(s)
			s.must(s.db.Settings().Put(t.Context(), "alice", sqlite.SettingQuietHours, hours))
			sqlitetest.ExecStatements(t, s.db, "UPDATE turn SET kind = '"+string(kind)+"'")
			_, err := s.db.Turns().SendMessage(t.Context(), turn.ID, "c1",
				supervisor.Delivery{Files: []supervisor.File{f}})
			s.must(err)
			list, err := s.db.Outbox().ListPending(t.Context(), s.home.ID, 0, 10)
			s.must(err)
			s.same(string(kind)+" in "+hours, list[0].Silent, kind == supervisor.TurnJob && hours == "11:00-13:00")
		}
	}
}

func TestSendMessage_ConcurrentCalls_SendOnce(t *testing.T) {
	s := newStory(t)
	turn, f := startSendingTurn(s)
	var all sync.WaitGroup
	fresh := make(chan bool, 20)
	for range cap(fresh) {
		all.Go(func() {
			first, err := s.db.Turns().SendMessage(t.Context(), turn.ID, "c1",
				supervisor.Delivery{Files: []supervisor.File{f}})
			if err != nil {
				t.Error(err)
			}
			fresh <- first != 0
		})
	}
	all.Wait()
	close(fresh)
	n := 0
	for first := range fresh {
		if first {
			n++
		}
	}
	s.same("how many sent it, and what waits", []any{n, s.query("SELECT count(*) FROM outbox")}, []any{1, "1"})
}

func TestInbound_FilesDelivered_IsDone(t *testing.T) {
	s := newStory(t)
	turn, f := startSendingTurn(s)
	_, err := s.db.Turns().SendMessage(t.Context(), turn.ID, "c1", supervisor.Delivery{Files: []supervisor.File{f}})
	s.must(err)
	waiting, err := s.db.Outbox().ListPending(t.Context(), s.home.ID, 0, 10)
	s.must(err)
	answer := s.finish(turn, "There he is.")
	s.must(s.db.Outbox().MarkDelivered(t.Context(), answer.ID))
	s.same("state before the file has gone", s.state(turn.Inbound), "answered")
	s.must(s.db.Outbox().MarkDelivered(t.Context(), waiting[0].ID))
	s.same("state", s.state(turn.Inbound), "done")
}

func TestInbound_FileSentBeforeAnswer_StaysOpen(t *testing.T) {
	s := newStory(t)
	turn, f := startSendingTurn(s)
	_, err := s.db.Turns().SendMessage(t.Context(), turn.ID, "c1", supervisor.Delivery{Files: []supervisor.File{f}})
	s.must(err)
	waiting, err := s.db.Outbox().ListPending(t.Context(), s.home.ID, 0, 10)
	s.must(err)
	s.must(s.db.Outbox().MarkDelivered(t.Context(), waiting[0].ID))
	s.same("state", s.state(turn.Inbound), "running")
}

func TestSendMessage_InvalidCall_ChangesNothing(t *testing.T) {
	s := newStory(t)
	turn, f := startSendingTurn(s)
	bobs := strings.Repeat("cd", 32)
	s.must(s.db.Blobs().AddOwner(t.Context(), "bob", protocol.BlobRef{SHA256: bobs, Size: 12}, turn.ID))
	for _, c := range []struct {
		name, call string
		change     func(*supervisor.File)
		code       supervisor.ErrorCode
		words      string
	}{
		{"unknown call", "c9", func(*supervisor.File) {}, supervisor.CodeNotFound, "no call c9"},
		{"another user's bytes", "c1", func(f *supervisor.File) { f.SHA256 = bobs }, supervisor.CodeInvalid, "alice has no blob"},
		{"nobody's bytes", "c1", func(f *supervisor.File) { f.SHA256 = strings.Repeat("ef", 32) }, supervisor.CodeInvalid, "alice has no blob"},
		{"another size", "c1", func(f *supervisor.File) { f.Size++ }, supervisor.CodeInvalid, "of 13 bytes"},
		{"no name", "c1", func(f *supervisor.File) { f.Name = "" }, supervisor.CodeInvalid, "is not one that can be sent"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bad := f
			c.change(&bad)
			_, err := s.db.Turns().SendMessage(t.Context(), turn.ID, c.call,
				supervisor.Delivery{Files: []supervisor.File{bad}})
			s.checkRefused(err, c.code, c.words)
			s.same("rows", s.query("SELECT count(*) FROM effect UNION ALL SELECT count(*) FROM outbox"), "0 0")
		})
	}
	_, err := s.db.Turns().SendMessage(t.Context(), turn.ID, "c1", supervisor.Delivery{Files: []supervisor.File{f}})
	s.must(err)
	_, err = s.db.Turns().CommitResult(t.Context(), turn.ID, result("c1", "sent"))
	s.must(err)
	_, err = s.db.Turns().SendMessage(t.Context(), turn.ID, "c1", supervisor.Delivery{Files: []supervisor.File{f}})
	s.checkRefused(err, supervisor.CodeInvalid, "has a result")
	s.finish(turn, "done")
	_, err = s.db.Turns().SendMessage(t.Context(), turn.ID, "c1", supervisor.Delivery{Files: []supervisor.File{f}})
	s.checkRefused(err, supervisor.CodeInvalid, "has ended")
}
