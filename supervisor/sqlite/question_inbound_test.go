package sqlite_test

import (
	"testing"
	"time"

	"mews/supervisor"
)

// putCommand stores a command of alice, and returns a question of the command.
func putCommand(s *story) (supervisor.Inbound, supervisor.Question) {
	s.Helper()
	in := s.put(s.home, supervisor.KindCommand, "/settings stream off")
	q := approvalQuestion(s, supervisor.Turn{Conversation: s.home})
	q.Inbound = in.ID
	return in, q
}

// A command that runs again after a crash finds its question and the press that came meanwhile. One
// press is enough for all runs of a command.
func TestAsk_CommandRunAgain_FindsQuestion(t *testing.T) {
	for _, answer := range []supervisor.AnswerChoice{supervisor.AnswerChoiceOnce, supervisor.AnswerChoiceAlways,
		supervisor.AnswerChoiceNo} {
		s := newStory(t)
		_, q := putCommand(s)
		first, fresh := ask(s, q, nonceA)
		s.same("fresh", fresh, true)
		again, fresh := ask(s, q, nonceB)
		s.same("after a crash", again.ID, first.ID)
		s.same("fresh again", fresh, false)
		s.same("press", press(s, nonceA, answer), supervisor.PressAccepted)
		for range 2 { // the second run is after a crash between the command's effect and its answer
			again, fresh = ask(s, q, nonceB)
			s.same("answer", again.Answer.Say, answer)
			s.same("fresh", fresh, false)
		}
		s.same("questions", s.query("SELECT count(*) FROM question"), "1")
	}
}

func TestAsk_SecondCommand_AsksAgain(t *testing.T) {
	s := newStory(t)
	_, q := putCommand(s)
	ask(s, q, nonceA)
	press(s, nonceA, supervisor.AnswerChoiceOnce)
	_, other := putCommand(s)
	_, fresh := ask(s, other, nonceB)
	s.same("another command's", fresh, true)
	q.Subject = nonceA
	_, fresh = ask(s, q, s.query("SELECT lower(hex(randomblob(32)))"))
	s.same("about something else", fresh, true)
}

// A press after the command was answered changes nothing.
func TestQuestion_CommandAnswered_IsEnded(t *testing.T) {
	s := newStory(t)
	in, q := putCommand(s)
	ask(s, q, nonceA)
	_, err := s.db.Outbox().AnswerCommand(t.Context(), in.ID, supervisor.Delivery{Text: "Not done."})
	s.must(err)
	s.same("press", press(s, nonceA, supervisor.AnswerChoiceAlways), supervisor.PressQuestionCancelled)
	_, _, err = s.db.Questions().Ask(t.Context(), q, nonceB, onceDeny)
	s.checkRefused(err, supervisor.CodeInvalid, "is no command that waits")
}

func TestAsk_ExpiredCommandQuestion_AsksAgain(t *testing.T) {
	s := newStory(t)
	_, q := putCommand(s)
	ask(s, q, nonceA)
	deliverAll(s)
	s.now = s.now.Add(time.Hour)
	expire(s)
	_, fresh := ask(s, q, nonceB)
	s.same("fresh", fresh, true)
}

// The question of a command is erased with its user.
func TestEraseUser_QuestionOfCommand_IsDeleted(t *testing.T) {
	s := newStory(t)
	_, q := putCommand(s)
	ask(s, q, nonceA)
	gone, err := s.db.UserAccessStores().People.Erase(t.Context(), "alice")
	s.must(err)
	s.same("questions", gone["question"], int64(1))
	s.same("inbounds", gone["inbox"], int64(1))
}
