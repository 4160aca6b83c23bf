package sqlite_test

import (
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor"
)

func TestBlob_OtherUser_IsNotOwner(t *testing.T) {
	s := newStory(t)
	turn := s.startTurn("keep it")
	ref := protocol.BlobRef{SHA256: strings.Repeat("ab", 32), Size: 1 << 40}
	for range 2 {
		s.must(s.db.Blobs().AddOwner(t.Context(), "alice", ref, turn.ID))
	}
	for user, want := range map[string]bool{"alice": true, "bob": false} {
		size, ok, err := s.db.Blobs().IsOwner(t.Context(), user, ref.SHA256)
		s.must(err)
		if ok != want || ok && size != ref.Size {
			t.Errorf("%s: %v with %d bytes, want %v", user, ok, size, want)
		}
	}
	err := s.db.Blobs().AddOwner(t.Context(), "alice", protocol.BlobRef{SHA256: "short"}, turn.ID)
	s.checkRefused(err, supervisor.CodeInternal, "record that blob short belongs to alice")
}

func TestAuditAppend_TwoEntries_AreListed(t *testing.T) {
	s := newStory(t)
	s.must(s.db.Audit().Append(t.Context(), "alice", "login", "from the terminal"))
	s.must(s.db.Audit().Append(t.Context(), "", "start", "version 1"))
	s.same("log", s.query("SELECT user || ':' || action || ':' || detail FROM audit ORDER BY id"),
		"alice:login:from the terminal :start:version 1")
}

func TestStatusCounts_StoredRows_AreCounted(t *testing.T) {
	s := newStory(t)
	s.must(s.db.Outbox().MarkDelivered(t.Context(), s.finish(s.startTurn("one"), "1").ID))
	s.finish(s.startTurn("two"), "2")
	s.startTurn("three")
	s.text("four")
	s.text("five")
	c, err := s.db.StatusCounts(t.Context())
	s.must(err)
	if c.Bytes < 16<<10 {
		t.Errorf("the database has %d bytes", c.Bytes)
	}
	c.Bytes = 0
	want := map[supervisor.InboundState]int64{supervisor.InboundDone: 1, supervisor.InboundAnswered: 1,
		supervisor.InboundRunning: 1, supervisor.InboundNew: 2}
	s.same("inbounds", c.Inbounds, want)
	s.same("rest", []int64{c.Waiting, c.Running, c.Messages}, []int64{1, 1, 3})
}
