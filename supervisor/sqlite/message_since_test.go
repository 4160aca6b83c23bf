package sqlite_test

import (
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor/sqlite"
)

func TestListSince_OlderMessages_AreLeftOut(t *testing.T) {
	s := newStory(t)
	all := runTalk(s)
	for known := range all {
		after := int64(0)
		if known > 0 {
			after = all[known-1].ID
		}
		newer, window, err := s.db.Transcript().ListSince(t.Context(), s.home.ID, after)
		s.must(err)
		s.same("newer", newer, all[known:])
		s.same("window", window, sqlite.ModelWindow{})
	}
}

func TestListSince_MovedWindow_IsReported(t *testing.T) {
	s := newStory(t)
	all := runTalk(s)
	s.must(s.db.Transcript().MoveWindow(t.Context(), s.home.ID, all[2].ID))
	newer, window, err := s.db.Transcript().ListSince(t.Context(), s.home.ID, all[0].ID)
	s.must(err)
	s.same("newer", newer, all[2:])
	s.same("window", window, sqlite.ModelWindow{From: all[2].ID, Trimmed: true})
	s.must(s.db.Transcript().ClearWindow(t.Context(), s.home.ID))
	_, window, err = s.db.Transcript().ListSince(t.Context(), s.home.ID, 0)
	s.must(err)
	s.same("trimmed once the person has begun anew", window.Trimmed, false)
}

func TestSumTurnBytes_ReceivedFiles_AreLeftOut(t *testing.T) {
	s := newStory(t)
	turn := s.startTurn("hello")
	for name, size := range map[string]int64{"a": 3, "b": 4} {
		ref := protocol.BlobRef{SHA256: strings.Repeat(name, 64), Size: size}
		s.must(s.db.Blobs().AddOwner(t.Context(), "alice", ref, turn.ID))
		s.must(s.db.Blobs().AddOwner(t.Context(), "alice", ref, turn.ID)) // the same blob counts once
	}
	sent := protocol.BlobRef{SHA256: strings.Repeat("c", 64), Size: 1 << 30}
	// Files from the user are not counted for turns.
	s.must(s.db.Blobs().AddOwner(t.Context(), "alice", sent, 0))
	for _, c := range []struct {
		user  string
		since time.Time
		want  int64
	}{{"alice", noon, 7}, {"alice", noon.Add(time.Second), 0}, {"bob", noon, 0}} {
		kept, err := s.db.Blobs().SumTurnBytes(t.Context(), c.user, c.since)
		s.must(err)
		s.same("kept by "+c.user, kept, c.want)
	}
}
