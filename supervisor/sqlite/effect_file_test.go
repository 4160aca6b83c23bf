package sqlite_test

import (
	"fmt"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/effect"
)

// The list has each file effect with its recorded change. The list is settled only after the tool
// has ended.
func TestListFileEffects_ToolRunning_IsUnsettled(t *testing.T) {
	s := newStory(t)
	effects := func(after int64) (list []string, settled bool) {
		all, settled, err := s.db.Effects().
			ListFileEffects(t.Context(), "alice", after, append(effect.GroupKinds("changed"),
				effect.GroupKinds("run")...))
		s.must(err)
		for _, e := range all {
			text := fmt.Sprintf("%d %s %s", e.ID, e.Kind, e.Target)
			if c := e.Change; c != nil {
				text += fmt.Sprintf(" (%s %s>%s %s)", c.Path, c.Before, c.After, c.Obstacle)
			}
			list = append(list, text)
		}
		return list, settled
	}
	last := func(user string, after int64) int64 {
		id, err := s.db.Effects().NewestID(t.Context(), user, after)
		s.must(err)
		return id
	}
	_, settled := effects(0)
	s.same("settled before all", settled, true)
	turn := s.startTurnCalling("c1", "c2")
	s.commitChanges(
		turn,
		"c1",
		protocol.Change{Kind: "write", Target: "a", Undo: &protocol.Undo{Path: "a", After: "folder"}},
		protocol.Change{Kind: "run", Target: "make"},
		protocol.Change{
			Kind:   "program",
			Target: "b",
			Undo:   &protocol.Undo{Path: "b", After: "large 1 2", Obstacle: protocol.ObstacleProgramChange},
		},
	)
	_, settled = effects(0)
	s.same("settled with a call at work", settled, false)
	s.commitChanges(turn, "c2", protocol.Change{Kind: "edit", Target: "c"})
	list, settled := effects(0)
	s.same("settled", settled, true)
	s.same(
		"effects",
		list,
		[]string{
			"1 write a (a >folder )",
			"2 run make",
			"3 program b (b >large 1 2 " + protocol.ObstacleProgramChange + ")",
			"4 edit c",
		},
	)
	s.must(
		s.db.Effects().Put(t.Context(), supervisor.Effect{User: "alice", Kind: supervisor.EffectFileReceived,
			Target: "x"}),
	)
	list, _ = effects(3)
	s.same("later ones", list, []string{"4 edit c"})
	s.same("the last", []int64{last("alice", 0), last("alice", 5), last("bob", 0), last("bob", 7)}, []int64{5, 5, 0, 7})
}
