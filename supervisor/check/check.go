// Package check has the rules of a job that is a check: it checks files, or runs a command, and
// says its text or has it done once that is so. Its worker does the checking.
package check

import (
	"context"
	"fmt"
	"strings"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/job"
	"mews/supervisor/markdown"
	"mews/supervisor/printable"
)

// Options are what Checks work on.
type Options struct {
	// Check has a person's worker check. Errors are for the person; one that may pass wraps
	// supervisor.ErrCheckAgain.
	Check func(ctx context.Context, user string, p protocol.LookParameters) (protocol.LookResult, error)
}

// Checks checks what people's checks are about. They may be used from several goroutines.
type Checks struct{ o Options }

// New makes Checks.
func New(o Options) *Checks { return &Checks{o} }

// Check looks whether that is so which a check is about, the cheapest first: a model judges only
// what has changed.
func (s *Checks) Check(ctx context.Context, c supervisor.DueCheck) (supervisor.CheckOutcome, error) {
	at := c.Job.Options.Check
	found, err := s.o.Check(ctx, c.Job.User, protocol.LookParameters{Files: at.Files, Changes: at.Changes,
		Command: at.Command, Seen: c.Seen})
	if err != nil {
		return supervisor.CheckOutcome{}, err
	}
	out := supervisor.CheckOutcome{CheckEnd: supervisor.CheckEnd{Seen: found.Seen, State: supervisor.FireSilent}}
	switch {
	case at.Ask != "" && found.Changed:
		out.Prompt = &supervisor.CheckPrompt{Text: fmt.Sprintf(promptCheck, at.Ask, c.Job.Text), Material: found.Found}
	case at.Ask == "" && found.Met && at.Task:
		out.Prompt = &supervisor.CheckPrompt{Text: c.Job.Text, Material: found.Found}
	case at.Ask == "" && found.Met:
		out.Text, out.Done = strings.TrimSpace(c.Job.Text+"\n\n"+markdown.Fenced(found.Found)), at.AutoRemove
	default:
		out.Text = job.StillChecking(c.Job, markdown.Fenced(found.Found))
	}
	if out.Text != "" {
		out.State, out.World = supervisor.FireSaid, true
	}
	return out, nil
}

// Of is what a check is about, or says what is wrong with it.
func Of(c protocol.Check) (supervisor.Check, error) {
	l := supervisor.Check(c)
	if l.None() {
		return l, supervisor.Errorf(supervisor.CodeInvalid, "%s", answerNoCheck)
	}
	if err := (protocol.LookParameters{Files: l.Files, Changes: l.Changes, Command: l.Command}).Check(); err != nil {
		return l, supervisor.Errorf(supervisor.CodeInvalid, answerBadCheck, err)
	}
	return l, nil
}

// Typed refuses what somebody types that is of a check, where there is none or are two.
func Typed(c protocol.Check) error {
	l := supervisor.Check(c)
	switch {
	case l.None() && (l.Ask != "" || l.AutoRemove || l.NotifyOnCheck):
		return supervisor.Errorf(supervisor.CodeInvalid, "%s", textOfChecks)
	case l.Files != "" && l.Command != "":
		return supervisor.Errorf(supervisor.CodeInvalid, "%s", textOneCheck)
	}
	return nil
}

// Text says what a check is about.
func Text(l supervisor.Check) string {
	text := fmt.Sprintf(textChecksFiles, printable.Text(l.Files))
	if l.Command != "" {
		text = fmt.Sprintf(textChecksCommand, printable.Text(l.Command))
	}
	if l.Ask != "" {
		text += fmt.Sprintf(textChecksAsk, printable.Text(l.Ask))
	}
	return text
}
