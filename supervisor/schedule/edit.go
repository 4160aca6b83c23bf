package schedule

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/job"
	"mews/supervisor/printable"
	"mews/supervisor/recurrence"
)

// editor changes jobs: their texts, times, options and conversations.
type editor struct {
	*Jobs
	*jobCards
	allow        func(context.Context, approval.Request) error
	ask          func(context.Context, supervisor.Question) (supervisor.Question, error)
	resolveModel func(user, spec string) (full string, err error)
	limits       func() protocol.TurnLimits
	routineTimes func(j supervisor.Job) error

	translateWords TranslateTimeFunc
}

// edit changes a job. words are "WHEN", "WHEN: TEXT" or ": TEXT"; set has the new options by name.
func (ed *editor) edit(ctx context.Context, from origin, j supervisor.Job, words string, set map[string]string) (supervisor.Job, error) {
	if j.State == supervisor.JobDone {
		return j, supervisor.Errorf(supervisor.CodeInvalid, textOver, nouns[j.Kind], j.ID)
	}
	was := j
	from.when = strings.TrimSpace(words)
	if text, alone := strings.CutPrefix(from.when, ":"); alone && strings.TrimSpace(text) != "" {
		from.when, j.Text = "", strings.TrimSpace(text)
	} else if when, text, ok := recurrence.SplitAtColon(words); ok {
		from.when, j.Text = when, text
	}
	if err := checkWords(j.Text, ""); err != nil {
		return j, err
	}
	if from.when != "" {
		var err error
		if from, err = ed.readWhen(ctx, from, ed.now()); err != nil {
			return j, err
		}
	}
	if err := ed.checkRoutineChange(was, j, from.when); err != nil {
		return j, err
	}
	if err := ed.setAll(ctx, from, &j, set); err != nil {
		return j, err
	}
	if err := ed.approve(ctx, from, j, was); err != nil {
		return j, err
	}
	if from.when != "" {
		if err := setRule(&j, from, ed.now()); err != nil {
			return j, err
		}
	}
	if err := ed.Change(ctx, j); err != nil {
		return j, err
	}
	kept, _, err := ed.store.Find(ctx, j.User, j.ID)
	return kept, err
}

// settingPattern matches a word of the form NAME=VALUE.
var settingPattern = regexp.MustCompile(`^([a-z_]+)=(\S*)$`)

// parseSettings parses words of the form NAME=VALUE. If the first word has another form, it returns
// nil. If a later word has another form, it returns an error.
func parseSettings(words string) (map[string]string, error) {
	set := map[string]string{}
	for i, word := range strings.Fields(words) {
		found := settingPattern.FindStringSubmatch(word)
		switch {
		case found == nil && i == 0:
			return nil, nil
		case found == nil:
			return nil, supervisor.Errorf(supervisor.CodeInvalid, textNotSetting, printable.DropControls(brief(word)))
		}
		set[found[1]] = found[2]
	}
	return set, nil
}

// askChange asks the user for a job's new times or text, and changes the job. The handling of the
// press ends after the user's answer.
func (ed *editor) askChange(ctx context.Context, from origin, j supervisor.Job) (d supervisor.Delivery, err error) {
	digest := sha256.Sum256(fmt.Appendf(nil, "change job %d by %d", j.ID, from.inbound))
	q, err := ed.ask(ctx, supervisor.Question{Conversation: from.in, Inbound: from.inbound,
		Kind: supervisor.QuestionFromModel, Subject: hex.EncodeToString(digest[:]),
		Ask: protocol.AskArguments{Kind: supervisor.AskKindJobChange, Text: fmt.Sprintf(textAskChange,
			strings.ToLower(nouns[j.Kind]), j.ID, strings.Join(optionNames(j.Kind), ", "))}})
	words := strings.TrimSpace(q.Answer.Text)
	switch {
	case err != nil:
		return d, err
	case q.End != supervisor.QuestionAnswered || q.Answer.Skipped || words == "":
		return supervisor.Delivery{Text: fmt.Sprintf(textUnchanged, nouns[j.Kind], j.ID)}, nil
	}
	if j, err = ed.findByNumber(ctx, j.User, fmt.Sprint(j.ID)); err != nil { // the job may have changed meanwhile
		return d, err
	}
	set, err := parseSettings(words)
	if len(set) > 0 {
		words = ""
	}
	changed := j
	if err == nil {
		changed, err = ed.edit(ctx, from, j, words, set)
	}
	if told := new(supervisor.Error); errors.As(err, &told) && told.Code != supervisor.CodeInternal {
		return d, supervisor.Errorf(told.Code, "%s", strings.TrimSuffix(told.Message, ".")+"."+fmt.Sprintf(textStays, nouns[j.Kind], j.ID))
	}
	if err != nil {
		return d, err
	}
	return ed.card(changed), nil
}

// setState pauses or resumes a job; "" changes nothing. It does not start a proposed job, because
// the user must approve the job first.
func (ed *editor) setState(j *supervisor.Job, state string) (err error) {
	switch was := j.State; {
	case state == "":
	case state != string(supervisor.JobActive) && state != string(supervisor.JobPaused):
		return supervisor.Errorf(supervisor.CodeInvalid, answerState, state)
	case state == string(supervisor.JobPaused) && was == supervisor.JobActive:
		j.State, j.Next = supervisor.JobPaused, time.Time{}
	case state == string(supervisor.JobActive) && was == supervisor.JobPaused:
		now := ed.now()
		j.State, j.FiredUntil, j.FailuresInARow = supervisor.JobActive, now, 0
		found := false
		if j.Next, found, err = recurrence.NextDue(*j, now); err == nil && !found {
			return supervisor.Errorf(supervisor.CodeInvalid, textOver, nouns[j.Kind], j.ID)
		}
	}
	return err
}

// checkRoutineChange refuses changes to the name and text of a routine, and to fixed times.
func (ed *editor) checkRoutineChange(was, j supervisor.Job, when string) error {
	switch {
	case was.Kind != supervisor.JobRoutine:
		return nil
	case j.Name != was.Name || j.Text != was.Text:
		return supervisor.Errorf(supervisor.CodeInvalid, textBuiltIn, job.Title(was))
	case when != "" && ed.routineTimes != nil:
		return ed.routineTimes(was)
	}
	return nil
}
