package schedule

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/printable"
	"mews/supervisor/taint"
)

// approveSet returns nil if a model may set a new job. A task or check that comes from words of
// others is proposed anyway, so that it needs no further question.
func (tc *toolCalls) approveSet(ctx context.Context, from origin, j supervisor.Job) error {
	own, err := tc.ownWords(ctx, from, func(words string) bool { return taint.Says(words, j.Text) })
	if err != nil {
		return err
	}
	return tc.approveJob(ctx, from, j, approval.Request{OwnWords: own, AsksItself: j.Kind != supervisor.JobReminder,
		Arguments: append([]string{"set"}, approvalArguments(j, from.when)...),
		Text:      fmt.Sprintf(textMaySetJob, describeChange(j, from))})
}

// approveChange returns nil if a model may change a job.
func (tc *toolCalls) approveChange(ctx context.Context, from origin, j, was supervisor.Job) error {
	own, err := tc.ownWords(ctx, from, func(words string) bool {
		return mentions(words, was) && (j.Text == was.Text || taint.Says(words, j.Text))
	})
	if err != nil {
		return err
	}
	return tc.approveJob(ctx, from, j, approval.Request{OwnWords: own,
		Arguments: append([]string{"change", fmt.Sprint(j.ID)}, approvalArguments(j, from.when)...),
		Text:      fmt.Sprintf(textMayChangeJob, nouns[j.Kind], j.ID, describeChange(j, from))})
}

// approveCancel returns nil if a model may cancel a job.
func (tc *toolCalls) approveCancel(ctx context.Context, from origin, j supervisor.Job) error {
	own, err := tc.ownWords(ctx, from, func(words string) bool { return mentions(words, j) })
	if err != nil {
		return err
	}
	return tc.approveJob(ctx, from, j, approval.Request{OwnWords: own, Arguments: []string{"cancel", fmt.Sprint(j.ID)},
		Text: fmt.Sprintf(textMayCancelJob, nouns[j.Kind], j.ID, describeChange(j, from))})
}

// ownWords reports whether the words of a turn's user ask for a change, as the function asks tells.
func (tc *toolCalls) ownWords(ctx context.Context, from origin, asks func(words string) bool) (bool, error) {
	words, err := tc.sources.OwnWords(ctx, from.turn)
	return err == nil && asks(words), err
}

// mentions reports whether words are about a job. They have its number, as #3 or reminder 3. Or
// they have a word for a job, and a word of its text or name.
func mentions(words string, j supervisor.Job) bool {
	all, id, named := protocol.NormalizedWords(words), fmt.Sprint(j.ID), false
	for i, word := range all {
		if !isJobNoun(word) {
			continue
		}
		if named = true; i+1 < len(all) && all[i+1] == id {
			return true
		}
	}
	return hasNumber(words, id) || named && taint.Mentions(words, j.Text+" "+j.Name)
}

// hasNumber reports whether words have a number sign with a number, such as #3.
func hasNumber(words, id string) bool {
	return slices.ContainsFunc(strings.Fields(words), func(word string) bool {
		return strings.TrimFunc(word, func(r rune) bool { return unicode.IsPunct(r) && r != '#' }) == "#"+id
	})
}

func isJobNoun(word string) bool {
	return slices.ContainsFunc(jobNouns, func(begins string) bool { return strings.HasPrefix(word, begins) })
}

func (tc *toolCalls) approveJob(ctx context.Context, from origin, j supervisor.Job, r approval.Request) error {
	r.User, r.Conversation, r.Turn, r.Call, r.Effect = from.user.Name, from.in, from.turn, from.call, EffectChangeJobs
	r.InGroup = j.Conversation.IsInGroup()
	return tc.allow(ctx, r)
}

// describeChange describes a job for a question: its text and its times.
func describeChange(j supervisor.Job, from origin) string {
	text := "`" + strings.ReplaceAll(brief(printable.DropControls(j.Text)), "`", "'") + "`"
	if when := cmp.Or(from.when, describeTimes(j)); when != "" {
		text += fmt.Sprintf(textJobTimes, printable.DropControls(clip(when, maxQuestionText)))
	}
	return text
}
