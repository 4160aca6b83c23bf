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
	"mews/supervisor/printable"
	"mews/supervisor/recurrence"
)

// edit changes a job: by words that say when it is due, with what it says where that follows behind
// a colon (alone, where the colon is the first character), and by what is set, by name.
func (s *Schedule) edit(ctx context.Context, from origin, j supervisor.Job, words string, set map[string]string) (supervisor.Job, error) {
	if j.State == supervisor.JobDone {
		return j, supervisor.Errorf(supervisor.CodeInvalid, textOver, nouns[j.Kind], j.ID)
	}
	was := j
	from.when = strings.TrimSpace(words)
	if text, alone := strings.CutPrefix(from.when, ":"); alone && strings.TrimSpace(text) != "" {
		from.when, j.Text = "", strings.TrimSpace(text)
	} else if when, text, err := splitWhen(words); err == nil {
		from.when, j.Text = when, text
	}
	if err := checkWords(j.Text, ""); err != nil {
		return j, err
	}
	if err := s.checkBuiltIn(was, j, from.when); err != nil {
		return j, err
	}
	if err := s.setAll(ctx, from, &j, set); err != nil {
		return j, err
	}
	if err := s.approve(ctx, from, j, was); err != nil {
		return j, err
	}
	if from.when != "" {
		if err := SetRule(&j, from.when, s.o.Now()); err != nil {
			return j, err
		}
	}
	if err := s.Change(ctx, j); err != nil {
		return j, err
	}
	kept, _, err := s.o.Store.Find(ctx, j.User, j.ID)
	return kept, err
}

// settingPattern is one NAME=VALUE.
var settingPattern = regexp.MustCompile(`^([a-z_]+)=(\S*)$`)

// settings reads words that are NAME=VALUE; it gives none for others. Where the first is one, so
// are all.
func settings(words string) (map[string]string, error) {
	set := map[string]string{}
	for i, word := range strings.Fields(words) {
		found := settingPattern.FindStringSubmatch(word)
		switch {
		case found == nil && i == 0:
			return nil, nil
		case found == nil:
			return nil, supervisor.Errorf(supervisor.CodeInvalid, textNotSetting, printable.Text(brief(word)))
		}
		set[found[1]] = found[2]
	}
	return set, nil
}

// askChange asks what is to change of a job, and changes that. The press of a button waits for the
// answer.
func (s *Schedule) askChange(ctx context.Context, from origin, j supervisor.Job) (d supervisor.Delivery, err error) {
	digest := sha256.Sum256(fmt.Appendf(nil, "change job %d by %d", j.ID, from.inbound))
	q, err := s.o.Ask(ctx, supervisor.Question{Conversation: from.in, Inbound: from.inbound, Kind: supervisor.QuestionAsk, Subject: hex.EncodeToString(digest[:]),
		Ask: protocol.Ask{Kind: protocol.AskText, Text: fmt.Sprintf(textAskChange, strings.ToLower(nouns[j.Kind]), j.ID, strings.Join(optionsOf(j.Kind), ", "))}})
	words := strings.TrimSpace(q.Answer.Text)
	switch {
	case err != nil:
		return d, err
	case q.Why != supervisor.QuestionAnswered || words == "":
		return supervisor.Delivery{Text: fmt.Sprintf(textUnchanged, nouns[j.Kind], j.ID)}, nil
	}
	if j, err = s.find(ctx, j.User, fmt.Sprint(j.ID)); err != nil { // it may have changed meanwhile
		return d, err
	}
	set, err := settings(words)
	if len(set) > 0 {
		words = ""
	}
	changed := j
	if err == nil {
		changed, err = s.edit(ctx, from, j, words, set)
	}
	if told := new(supervisor.Error); errors.As(err, &told) && told.Code != supervisor.CodeInternal {
		return d, supervisor.Errorf(told.Code, "%s", strings.TrimSuffix(told.Message, ".")+"."+fmt.Sprintf(textStays, nouns[j.Kind], j.ID))
	}
	if err != nil {
		return d, err
	}
	return s.card(changed), nil
}

// setState pauses a job or has it go on; "" changes nothing. To one that is proposed only its
// person says yes.
func (s *Schedule) setState(j *supervisor.Job, state string) (err error) {
	switch was := j.State; {
	case state == "":
	case state != string(supervisor.JobActive) && state != string(supervisor.JobPaused):
		return supervisor.Errorf(supervisor.CodeInvalid, answerState, state)
	case state == string(supervisor.JobPaused) && was == supervisor.JobActive:
		j.State, j.Next = supervisor.JobPaused, time.Time{}
	case state == string(supervisor.JobActive) && was == supervisor.JobPaused:
		now := s.o.Now()
		j.State, j.Since, j.Failures = supervisor.JobActive, now, 0
		found := false
		if j.Next, found, err = recurrence.NextOf(*j, now); err == nil && !found {
			return supervisor.Errorf(supervisor.CodeInvalid, textOver, nouns[j.Kind], j.ID)
		}
	}
	return err
}
