package sqlite_test

import (
	"encoding/json"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// The commit that ends a turn queues the log entry, if the user wants a log. After the entry is
// written, no row holds its words.
func TestTurnLog_SettingOn_QueuesEntry(t *testing.T) {
	for setting, want := range map[string]int{"": 0, "off": 0, "on": 1} {
		for _, ends := range []string{"finished", "with its last step"} {
			s := newStory(t)
			if setting != "" {
				s.must(s.db.Settings().Put(t.Context(), "alice", sqlite.SettingConversationLog, setting))
			}
			turn := s.startTelegramTurn("7")
			_, err := s.db.Turns().CommitStep(t.Context(), step(turn, "", "c1"))
			s.must(err)
			s.commitChanges(turn, "c1", edited)
			if ends == "finished" {
				s.finish(turn, "hello")
			} else {
				_, err = s.db.Turns().CommitLastStep(t.Context(), lastStep(turn, "hello"))
				s.must(err)
			}
			list, err := s.db.Operations().ListUnfinished(t.Context())
			s.must(err)
			s.same(setting+" "+ends, len(list), want)
			for _, o := range list {
				var p protocol.LogParameters
				s.must(json.Unmarshal([]byte(o.Parameters), &p))
				s.same("parameters", p, protocol.LogParameters{Turn: turn.ID, At: p.At, Channel: p.Channel, Said: []protocol.LoggedMessage{{Text: p.Said[0].Text}},
					Answer: "hello", Effects: []string{"edited notes.md (1 line)"}})
				s.same("when", p.At.Equal(noon), true)
				s.same("has words", p.Said[0].Text != "" && p.Channel == "Telegram", true)
				s.same("of what", o.Inbound, turn.Inbound)
				s.must(s.db.Operations().ChangeState(t.Context(), o.ID, supervisor.OperationRunning, ""))
				s.must(s.db.Operations().ChangeState(t.Context(), o.ID, supervisor.OperationDone, "{}"))
			}
			s.same("rows", s.query("SELECT count(*) FROM operation"), "0")
		}
	}
}

// A log entry that crashes three workers is dropped.
func TestTurnLog_ThreeDeaths_IsDropped(t *testing.T) {
	s := newStory(t)
	s.must(s.db.Settings().Put(t.Context(), "alice", sqlite.SettingConversationLog, sqlite.ConversationLogOn))
	s.finish(s.startTelegramTurn("7"), "hello")
	list, err := s.db.Operations().ListUnfinished(t.Context())
	s.must(err)
	for range supervisor.MaxWorkerDeaths {
		s.must(s.db.Operations().ChangeState(t.Context(), list[0].ID, supervisor.OperationRunning, ""))
		list[0], err = s.db.Operations().CountWorkerDeath(t.Context(), list[0].ID, "killed")
		s.must(err)
	}
	s.same("state", list[0].State, supervisor.OperationParked)
	s.same("rows", s.query("SELECT count(*) FROM operation"), "0")
}
