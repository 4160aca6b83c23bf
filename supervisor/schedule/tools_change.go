package schedule

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/job"
)

// findChangeable finds a job that a turn may change or delete. A turn of a job, or in a group, may
// change only jobs that post in its own conversation.
//
// A turn of a job may change only reminders. So may a turn that has read somebody else's words;
// then world is true.
func (tc *toolCalls) findChangeable(ctx context.Context, user supervisor.User, c toolCall, id int64) (j supervisor.Job, world bool, err error) {
	if j, err = tc.findByNumber(ctx, user.Name, fmt.Sprint(id)); err != nil {
		return j, false, err
	}
	if world, err = tc.sources.HasWorldWords(ctx, c.Turn); err != nil {
		return j, world, err
	}
	switch elsewhere := j.Conversation.ID != c.in.ID; {
	case j.State == supervisor.JobDone:
		err = supervisor.Errorf(supervisor.CodeInvalid, textOver, nouns[j.Kind], j.ID)
	case elsewhere && (c.in.IsInGroup() || c.Kind != supervisor.TurnChat):
		err = supervisor.Errorf(supervisor.CodeForbidden, "%s", answerElsewhere)
	case j.Kind != supervisor.JobReminder && world: // the user approved the job with its old words
		err = supervisor.Errorf(supervisor.CodeForbidden, "%s", job.TextChangeRefused)
	case j.Kind != supervisor.JobReminder && c.Kind != supervisor.TurnChat:
		err = supervisor.Errorf(supervisor.CodeForbidden, "%s", answerOnlyHere)
	}
	return j, world, err
}

func (tc *toolCalls) updateTask(ctx context.Context, user supervisor.User, c toolCall) (answer protocol.JobCallResult,
	err error) {
	var args protocol.UpdateTaskArguments
	if err := cmp.Or(decode(c, &args), checkWords(args.Text, args.Name)); err != nil {
		return answer, err
	}
	was, world, err := tc.findChangeable(ctx, user, c, args.ID)
	if err != nil {
		return answer, err
	}
	j := was
	j.Name, j.Text = cmp.Or(normalizeName(args.Name), j.Name), cmp.Or(strings.TrimSpace(args.Text), j.Text)
	j.Options.World = j.Options.World || world && (j.Text != was.Text || j.Name != was.Name)
	if err := tc.checkRoutineChange(was, j, args.When); err != nil {
		return answer, err
	}
	from := c.from(user, args.When)
	if err := tc.setCallOptions(ctx, from, &j, args.Options); err != nil {
		return answer, err
	}
	if err := tc.approve(ctx, from, j, was); err != nil {
		return answer, err
	}
	if err := tc.approveChange(ctx, from, j, was); err != nil {
		return answer, err
	}
	why, err := tc.setTimes(&j, from)
	if err != nil {
		return answer, err
	}
	if err := tc.setState(&j, args.State); err != nil {
		return answer, err
	}
	if err := tc.Change(ctx, j); err != nil {
		return answer, err
	}
	words, next := tc.describe(j)
	answer.Text = fmt.Sprintf(answerChanged, nouns[j.Kind], j.ID, words, next)
	if why != "" {
		answer.Text += fmt.Sprintf(answerProposed, why)
	}
	answer.Brief = fmt.Sprintf("%s %d", strings.ToLower(nouns[j.Kind]), j.ID)
	return answer, nil
}

func (tc *toolCalls) cancelTask(ctx context.Context, user supervisor.User, c toolCall) (answer protocol.JobCallResult,
	err error) {
	var args protocol.TaskArguments
	if err := decode(c, &args); err != nil {
		return answer, err
	}
	j, _, err := tc.findChangeable(ctx, user, c, args.ID)
	if err != nil {
		return answer, err
	}
	if err := tc.approveCancel(ctx, c.from(user, ""), j); err != nil {
		return answer, err
	}
	answer.Text, err = tc.remove(ctx, j)
	return answer, err
}

// normalizeName puts a name on one line.
func normalizeName(name string) string { return strings.Join(strings.Fields(name), " ") }
