package sqlite_test

import (
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// take lets waiting texts join a turn, and returns their number.
func (s *story) take(turn supervisor.Turn) int {
	s.Helper()
	return s.takeUpTo(turn, 32<<10)
}

// takeUpTo lets waiting texts of at most room bytes join a turn, and returns their number.
func (s *story) takeUpTo(turn supervisor.Turn, room int) int {
	s.Helper()
	n, err := s.db.Turns().AddWaitingTexts(s.Context(), turn.ID, room, supervisor.PriorityUsual)
	s.must(err)
	return n
}

// transcriptTexts returns the texts and tool results of alice's transcript.
func transcriptTexts(s *story) (all []string) {
	for _, m := range s.transcript(s.home) {
		text := m.Text()
		for _, p := range m.Parts {
			if p.Result != nil {
				text += p.Result.Text
			}
		}
		all = append(all, string(m.Role)+" "+text)
	}
	return all
}

func TestTakeTexts_BetweenSteps_JoinTurn(t *testing.T) {
	s := newStory(t)
	turn := s.startTurnCalling("c1", "c2")
	one, two := s.text("also this"), s.text("and that")
	s.put(s.conversation("bob"), supervisor.KindText, "of another person")
	s.put(s.chat("alice", "5"), supervisor.KindText, "of another conversation")
	for _, call := range []string{"c1", "c2"} {
		s.same("taken in while a call runs", s.take(turn), 0)
		_, err := s.db.Turns().CommitResult(t.Context(), turn.ID, result(call, "milk"))
		s.must(err)
	}
	s.same("taken in after the step", s.take(turn), 2)
	s.same("taken in once more", s.take(turn), 0)
	s.same("transcript", transcriptTexts(s),
		[]string{"user read my notes", "assistant ", "tool milk", "tool milk", "user also this", "user and that"})
	s.same("states", s.state(one.ID)+" "+s.state(two.ID), "running running")
	if _, waits, err := s.db.Inbox().NextInbound(t.Context(), s.home.ID); err != nil || waits {
		t.Errorf("something still waits: %v", err)
	}
	_, err := s.db.Turns().CommitStep(t.Context(), step(turn, "That is all."))
	s.must(err)
	late := s.text("too late")
	s.same("taken in after the last word", s.take(turn), 0)

	d := s.finish(turn, "That is all.")
	s.same("other keys of the answer", d.AlsoKeys, []string{one.Key, two.Key})
	pending, err := s.db.Outbox().ListPending(t.Context(), s.home.ID, 0, 10)
	s.must(err)
	s.same("pending", pending, []supervisor.Delivery{d})
	for _, in := range []supervisor.Inbound{one, two} {
		s.same("state at the end", s.state(in.ID), "answered")
	}
	s.must(s.db.Outbox().MarkDelivered(t.Context(), d.ID))
	s.same("states when the answer has arrived", s.query("SELECT state FROM inbox WHERE user = 'alice' AND conversation = ? ORDER BY id", s.home.ID),
		"done done done new")
	s.same("what came too late", s.state(late.ID), "new")

	_, err = s.db.Turns().AddWaitingTexts(t.Context(), turn.ID, 100, supervisor.PriorityUsual)
	s.checkRefused(err, supervisor.CodeInvalid, "has ended")
}

func TestFinishTurn_JoinedInbounds_EndTogether(t *testing.T) {
	for why, want := range map[protocol.TurnEndReason]supervisor.InboundState{protocol.TurnEndStopped: supervisor.InboundAnswered,
		protocol.TurnEndError: supervisor.InboundParked, protocol.TurnEndStepLimit: supervisor.InboundAnswered} {
		s := newStory(t)
		turn := s.startTurn("first")
		taken := s.text("second")
		s.same("taken in before the first step", s.take(turn), 1)
		d, err := s.db.Turns().Finish(t.Context(), sqlite.TurnEnding{Turn: turn.ID, Why: why, State: want, Text: "so"})
		s.must(err)
		s.same(string(why), s.state(turn.Inbound)+" "+s.state(taken.ID), string(want+" "+want))
		s.close(d, supervisor.OutcomeFailed, "blocked")
		s.same("with an answer that did not arrive", s.state(taken.ID), string(want))
	}
}

// A message after /stop does not join the turn that /stop ends.
func TestStopCommand_LaterMessages_WaitForAnswer(t *testing.T) {
	for _, sent := range []string{"/stop", "/Stop@mews_bot now", "/new"} {
		s := newStory(t)
		turn := s.startTurn("first")
		before, command, behind := s.text("before"), s.put(s.home, supervisor.KindCommand, sent), s.text("behind")
		s.same(sent+": taken in", s.take(turn), 1)
		s.same(sent+": states", s.state(before.ID)+" "+s.state(behind.ID), "running new")
		ahead, err := s.db.Inbox().PrecedingText(t.Context(), command.ID)
		s.must(err)
		s.same(sent+" is about", ahead, sqlite.PrecedingText{Inbound: turn.Inbound, Waiting: 3})
		_, err = s.db.Outbox().AnswerCommand(t.Context(), command.ID, supervisor.Delivery{Text: "ok"})
		s.must(err)
		s.same(sent+": taken in then", s.take(turn), 1)
	}
}

// A command may wait an hour for its user's approval. Texts behind it still join the turn.
func TestTakeTexts_BehindWaitingCommand_JoinTurn(t *testing.T) {
	s := newStory(t)
	turn := s.startTurn("first")
	s.put(s.home, supervisor.KindCommand, "/settings stream off")
	s.text("not that folder!")
	s.same("taken in", s.take(turn), 1)
}

// Later messages do not join a turn whose workers crashed, since they did not cause the crashes.
func TestTakeTexts_WorkerDied_NoneJoinTurn(t *testing.T) {
	s := newStory(t)
	turn := s.startTurn("first")
	_, err := s.db.Turns().CountWorkerDeath(t.Context(), turn.ID)
	s.must(err)
	late := s.text("and that")
	s.same("taken in", s.take(turn), 0)
	_, err = s.db.Turns().Finish(t.Context(), sqlite.TurnEnding{Turn: turn.ID, Why: protocol.TurnEndError,
		State: supervisor.InboundParked, Text: "so"})
	s.must(err)
	s.same("states", s.state(turn.Inbound)+" "+s.state(late.ID), "parked new")
}

func TestTakeTexts_TooLongText_BlocksLaterTexts(t *testing.T) {
	s := newStory(t)
	turn := s.startTurn("first")
	short, long, after := s.text("short"), s.text(strings.Repeat("long ", 7000)), s.text("after")
	s.same("taken in", s.take(turn), 1)
	s.same("states", s.state(short.ID)+" "+s.state(long.ID)+" "+s.state(after.ID), "running new new")
	s.same("taken in again", s.take(turn), 0)
	s.same("taken in with room for it", s.takeUpTo(turn, 40<<10), 2)
}

func TestEraseUser_TurnWithJoinedTexts_IsDeleted(t *testing.T) {
	s := newStory(t)
	turn := s.startTurn("first")
	s.text("second")
	s.same("taken in", s.take(turn), 1)
	s.finish(turn, "ok")
	counts, err := s.db.UserAccessStores().People.Erase(t.Context(), "alice")
	s.must(err)
	s.same("erased of the inbox", counts["inbox"], int64(2))
}

// Messages that were sent together get one answer. If only some of them fit, all wait.
func TestTakeTexts_Album_AllItemsJoin(t *testing.T) {
	s := arrivals{newStory(t)}
	turn := s.startTurn("first")
	before := s.text("before")
	one, two := s.send("our week", "album 7", 1), s.send(strings.Repeat("long ", 100), "album 7", 1)
	after := s.text("after")
	s.arrive(one, two)
	s.same("taken in with room for one picture", s.takeUpTo(turn, 300), 1)
	s.same("states", s.state(before.ID)+" "+s.state(one.ID)+" "+s.state(two.ID)+" "+s.state(after.ID), "running new new new")
	s.same("taken in with room for all", s.takeUpTo(turn, 32<<10), 3)
}
