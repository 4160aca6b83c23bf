// Package check implements jobs that are checks. A check tests files or a command in the user's
// worker, or a page of the web. When the condition is met, the check sends its text or runs its
// task.
package check

import (
	"context"
	"fmt"
	"strings"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/egress"
	"mews/supervisor/job"
	"mews/supervisor/markdown"
	"mews/supervisor/printable"
)

// Options are the parameters of New.
type Options struct {
	// Check runs a check in the user's worker. Its errors are for the user. A temporary error wraps
	// supervisor.ErrCheckAgain.
	Check func(ctx context.Context, user string, p protocol.CheckParameters) (protocol.CheckResult, error)
	// Fetch fetches a page, as egress.Client.Fetch does.
	Fetch func(ctx context.Context, r egress.Request) (*egress.Response, error)
}

// Evaluator tests the conditions of checks. It may be used from several goroutines.
type Evaluator struct{ o Options }

// New makes an evaluator of checks.
func New(o Options) *Evaluator { return &Evaluator{o} }

// EvaluateCheck reports whether a check's condition is met. It tries the cheapest test first. A
// model judges only if something has changed.
func (s *Evaluator) EvaluateCheck(ctx context.Context, c supervisor.CheckFire) (supervisor.CheckOutcome, error) {
	at := c.Job.Options.Check
	find := s.checkHome
	if at.URL != "" {
		find = s.checkPage
	}
	found, err := find(ctx, c)
	if err != nil {
		return supervisor.CheckOutcome{}, err
	}
	out := supervisor.CheckOutcome{CheckFireResult: supervisor.CheckFireResult{Seen: found.Seen,
		State: supervisor.FireSilent}}
	switch {
	case at.Ask != "" && found.Changed:
		out.Prompt = &supervisor.CheckPrompt{Text: fmt.Sprintf(promptCheck, at.Ask, c.Job.Text), Material: found.Found}
	case at.Ask == "" && found.Met && at.Task:
		out.Prompt = &supervisor.CheckPrompt{Text: c.Job.Text, Material: found.Found}
	case at.Ask == "" && found.Met:
		out.Text, out.Done = strings.TrimSpace(c.Job.Text+"\n\n"+markdown.FenceText(found.Found)), at.AutoRemove
	default:
		out.Text = job.UnmetCheckText(c.Job, markdown.FenceText(found.Found))
	}
	if out.Text != "" {
		out.State, out.World = supervisor.FireSentMessage, true
	}
	return out, nil
}

// checkHome tests the files or the command of a check.
func (s *Evaluator) checkHome(ctx context.Context, c supervisor.CheckFire) (protocol.CheckResult, error) {
	at := c.Job.Options.Check
	return s.o.Check(ctx, c.Job.User, protocol.CheckParameters{Files: at.Files, Changes: at.Changes,
		Command: at.Command, Seen: c.Seen})
}

// ParseCondition returns the condition that arguments describe, or an error for the user.
func ParseCondition(c protocol.CheckArguments) (supervisor.CheckCondition, error) {
	l := supervisor.CheckCondition(c)
	if l.IsEmpty() {
		return l, supervisor.Errorf(supervisor.CodeInvalid, "%s", answerNoTest)
	}
	if err := ValidateFlags(c); err != nil {
		return l, err
	}
	if l.URL != "" {
		return l, nil
	}
	if err := (protocol.CheckParameters{Files: l.Files, Changes: l.Changes,
		Command: l.Command}).Validate(); err != nil {
		return l, supervisor.Errorf(supervisor.CodeInvalid, answerBadTest, err)
	}
	return l, nil
}

// ValidateFlags refuses the flags of a check that tests nothing, or two things at once.
func ValidateFlags(c protocol.CheckArguments) error {
	l := supervisor.CheckCondition(c)
	switch {
	case l.IsEmpty() && (l.Ask != "" || l.AutoRemove || l.NotifyOnCheck):
		return supervisor.Errorf(supervisor.CodeInvalid, "%s", textOfChecks)
	case l.Files != "" && l.Command != "", l.URL != "" && l.Files+l.Command != "":
		return supervisor.Errorf(supervisor.CodeInvalid, "%s", textOneTest)
	}
	return validatePage(l)
}

// DescribeCondition describes a condition for people.
func DescribeCondition(l supervisor.CheckCondition) string {
	text := fmt.Sprintf(textTestsFiles, printable.DropControls(l.Files))
	switch {
	case l.URL != "":
		text = describePage(l)
	case l.Command != "":
		text = fmt.Sprintf(textTestsCommand, printable.DropControls(l.Command))
	}
	if l.Ask != "" {
		text += fmt.Sprintf(textTestsAsk, printable.DropControls(l.Ask))
	}
	return text
}
