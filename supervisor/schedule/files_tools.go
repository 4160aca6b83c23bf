package schedule

import (
	"context"

	"mews/protocol"
	"mews/supervisor"
)

func (s *Schedule) enableFiles(ctx context.Context, user supervisor.User, c toolCall) (protocol.JobAnswer, error) {
	if c.Kind != supervisor.TurnChat {
		return protocol.JobAnswer{}, supervisor.Errorf(supervisor.CodeForbidden, "%s", answerNoFiles)
	}
	return s.switchFiles(ctx, user, c, wordOn)
}

// disableFiles does not for a turn that has read somebody else's words, who may want to change
// files unseen.
func (s *Schedule) disableFiles(ctx context.Context, user supervisor.User, c toolCall) (answer protocol.JobAnswer, err error) {
	switch world, err := s.o.Sources.World(ctx, c.Turn); {
	case err != nil:
		return answer, err
	case world:
		return answer, supervisor.Errorf(supervisor.CodeForbidden, "%s", answerWorld)
	case c.Kind != supervisor.TurnChat:
		return answer, supervisor.Errorf(supervisor.CodeForbidden, "%s", answerNoFiles)
	}
	return s.switchFiles(ctx, user, c, wordOff)
}

func (s *Schedule) filesStatus(ctx context.Context, user supervisor.User, c toolCall) (protocol.JobAnswer, error) {
	return s.switchFiles(ctx, user, c, "")
}

// switchFiles turns notices of files on or off, or says whether they are on.
func (s *Schedule) switchFiles(ctx context.Context, user supervisor.User, c toolCall, words string) (answer protocol.JobAnswer, err error) {
	if c.in.InGroup() {
		return answer, supervisor.Errorf(supervisor.CodeForbidden, "%s", answerFilesInGroup)
	}
	d, err := s.Routine(ctx, user, c.in, supervisor.RoutineFiles, words, s.o.Now())
	answer.Text, answer.Brief = d.Text, words
	return answer, err
}
