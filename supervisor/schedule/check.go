package schedule

import (
	"context"
	"fmt"
	"strings"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/printable"
	"mews/supervisor/schedule/policy"
)

// check looks whether that is so for which a check looks, the cheapest first: a model judges only
// what has changed.
func (s *Schedule) check(ctx context.Context, l look) (supervisor.Looked, error) {
	at := l.Job.Options.Look
	found, err := s.o.Look(ctx, l.Job.User, protocol.LookParameters{Files: at.Files, Changes: at.Changes, Command: at.Command, Seen: l.seen})
	if err != nil {
		return supervisor.Looked{}, err
	}
	looked := supervisor.Looked{Seen: found.Seen, State: supervisor.FireSilent}
	switch {
	case at.Ask != "" && found.Changed:
		looked.Turn = s.turnOf(l, fmt.Sprintf(promptCheck, at.Ask, l.Job.Text), found.Found)
	case at.Ask == "" && found.Met && at.Task:
		looked.Turn = s.turnOf(l, l.Job.Text, found.Found)
	case at.Ask == "" && found.Met:
		looked.Text, looked.Done = strings.TrimSpace(l.Job.Text+"\n\n"+fenced(found.Found)), at.AutoRemove
	default:
		looked.Text = policy.StillChecking(l.Job, fenced(found.Found))
	}
	if looked.Text != "" {
		looked.State, looked.World = supervisor.FireSaid, true
	}
	return looked, nil
}

// fenced is what was found as a person reads it: nothing in it is markup.
func fenced(found string) string {
	if found = strings.TrimSpace(found); found == "" {
		return ""
	}
	fence := "```"
	for strings.Contains(found, fence) {
		fence += "`"
	}
	return fence + "\n" + found + "\n" + fence
}

// turnOf is the turn that goes on with a look. What was found is material.
func (s *Schedule) turnOf(l look, prompt, found string) supervisor.Inbound {
	l.Job.Text = prompt
	l.Material = strings.TrimSpace(l.Material + "\n" + found)
	return s.inboundOf(l.user, l.ClaimedFire, nil)
}

// lookOf is what a check looks at, or says what is wrong with it.
func lookOf(c protocol.Check) (supervisor.Look, error) {
	l := supervisor.Look(c)
	if l.None() {
		return l, supervisor.Errorf(supervisor.CodeInvalid, "%s", answerNoLook)
	}
	if err := (protocol.LookParameters{Files: l.Files, Changes: l.Changes, Command: l.Command}).Check(); err != nil {
		return l, supervisor.Errorf(supervisor.CodeInvalid, answerBadLook, err)
	}
	return l, nil
}

// lookText says what a check looks at; "" of another job.
func lookText(j supervisor.Job) string {
	l := j.Options.Look
	if l.None() {
		return ""
	}
	text := fmt.Sprintf(textLooksFiles, printable.Text(l.Files))
	if l.Command != "" {
		text = fmt.Sprintf(textLooksCommand, printable.Text(l.Command))
	}
	if l.Ask != "" {
		text += fmt.Sprintf(textLooksAsk, printable.Text(l.Ask))
	}
	return text
}
