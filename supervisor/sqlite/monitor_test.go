package sqlite_test

import (
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// TestMonitorCounts_Waiting_IsCounted: deliveries count until they are sent, and calls of models
// only for the asked time.
func TestMonitorCounts_Waiting_IsCounted(t *testing.T) {
	s := newStory(t)
	s.now = time.Date(2026, 10, 30, 12, 0, 0, 0, time.UTC)
	chat := supervisor.Conversation{User: "alice", Channel: supervisor.ChannelTelegram, Chat: "42"}
	_, err := s.db.Outbox().SendNotice(t.Context(), supervisor.Delivery{Conversation: chat, Text: "hello"})
	s.must(err)
	putCall(s, sqlite.ModelCall{User: "alice", Spec: "a/b", Cost: price(7)})
	got, err := s.db.MonitorCounts(t.Context(), s.now.Add(-time.Hour))
	s.must(err)
	if got.Bytes == 0 {
		t.Error("the database has no size")
	}
	got.Bytes = 0
	want := sqlite.MonitorCounts{Calls: 1, Cost: 7,
		Waiting: []sqlite.WaitingDeliveries{{Channel: supervisor.ChannelTelegram, Count: 1, Oldest: s.now}}}
	s.same("counted", got, want)
	got, err = s.db.MonitorCounts(t.Context(), s.now.Add(time.Second))
	s.must(err)
	if got.Calls != 0 || got.Cost != 0 {
		t.Errorf("later: %+v", got)
	}
}

// TestWaitingChats_Channel_OldestByChat: each chat of the channel has the time of its oldest
// delivery.
func TestWaitingChats_Channel_OldestByChat(t *testing.T) {
	s := newStory(t)
	s.now = time.Date(2026, 10, 30, 12, 0, 0, 0, time.UTC)
	first := s.now
	for _, c := range []supervisor.Conversation{
		{User: "alice", Channel: supervisor.ChannelTelegram, Chat: "42"},
		{User: "alice", Channel: supervisor.ChannelTelegram, Chat: "42", Thread: "7"},
		{User: "bob", Channel: supervisor.ChannelTelegram, Chat: "43"},
		{User: "bob", Channel: supervisor.PrivateChannels()[0]},
	} {
		_, err := s.db.Outbox().SendNotice(t.Context(), supervisor.Delivery{Conversation: c, Text: "hello"})
		s.must(err)
		s.now = s.now.Add(time.Minute)
	}
	got, err := s.db.WaitingChats(t.Context(), supervisor.ChannelTelegram)
	s.must(err)
	s.same("waiting", got, map[string]time.Time{"42": first, "43": first.Add(2 * time.Minute)})
}
