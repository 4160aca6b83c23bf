package schedule

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/printable"
	"mews/supervisor/recurrence"
)

// origin is the user who wants to change a job, and the conversation of the request.
type origin struct {
	user    supervisor.User
	in      supervisor.Conversation
	inbound int64 // the inbound id of the command or press
	turn    int64
	kind    supervisor.TurnKind // the kind of the turn in which the user wants the change
	call    string              // the id of the tool call that asks for the change
	when    string              // the words for the job's new times
	// the order of dates such as 3/4 that the user chose; "" means the order of the user's language
	dates      recurrence.DateOrder
	translated bool // whether a model translated the user's own words into when
	byOther    bool // an admin wrote the words for the user; then the user pays for no translation
}

// dateOrder returns the order in which the user writes dates such as 3/4.
func (from origin) dateOrder() recurrence.DateOrder {
	return cmp.Or(from.dates, recurrence.DateOrderForLanguage(from.user.Language))
}

// approveNew returns nil if a new job may post in its conversation. A job that the user sets in the
// same conversation needs no approval.
func (ed *editor) approveNew(ctx context.Context, from origin, j supervisor.Job) error {
	if from.kind != supervisor.TurnJob && sameChat(j.Conversation, from.in) {
		return nil
	}
	return ed.approve(ctx, from, j, supervisor.Job{})
}

// approve returns nil if a changed job may post in its group. It does not ask again if everything
// that the user approved is unchanged. For a turn it may return supervisor.ErrWaitsForAnswer.
func (ed *editor) approve(ctx context.Context, from origin, j, was supervisor.Job) error {
	what, before := approvalArguments(j, from.when), approvalArguments(was, "")
	if !j.Conversation.IsInGroup() || slices.Equal(what, before) {
		return nil
	}
	text := fmt.Sprintf(textMayPost, strings.ToLower(nouns[j.Kind]),
		groupName(j.Conversation)+ed.quotedTitle(" (%s)", j.Conversation),
		printable.DropControls(clip(j.Text, maxQuestionText)))
	for _, more := range []string{cmp.Or(from.when, describeTimes(j)), j.Name, ed.checkText(j),
		formatOption(textWorkspace, j.Options.Workspace)} {
		if more != "" {
			text += "\n" + printable.DropControls(clip(more, maxQuestionText))
		}
	}
	if from.in.ID == 0 { // the conversation is not stored yet
		var err error
		c := from.in
		if from.in, err = ed.conversations.FindOrCreate(ctx, c.User, c.Channel, c.Chat, c.Thread); err != nil {
			return err
		}
	}
	return ed.allow(ctx, approval.Request{User: from.user.Name, Conversation: from.in, Turn: from.turn,
		Call: from.call, Inbound: from.inbound, Effect: EffectPostInOtherGroup, Arguments: what, Text: text})
}

// maxQuestionText is the maximum length of each part of an approval question.
const maxQuestionText = 1000

// clip cuts a text to most characters. Then it adds the whole text's number of characters.
func clip(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return fmt.Sprintf(textClipped, string(runes[:most]), len(runes))
}

// describeTimes says when a job is due; "" if its rule can't be read.
func describeTimes(j supervisor.Job) string {
	rule, err := recurrence.JobRule(j)
	if err != nil {
		return ""
	}
	zone, err := recurrence.JobZone(j)
	if err != nil {
		return ""
	}
	return rule.Describe(zone)
}

// approvalArguments returns the parts of a job that an approval covers. These are its conversation,
// texts and times, and the user whose files it reads. when replaces the job's own rule unless it is
// "".
func approvalArguments(j supervisor.Job, when string) []string {
	check, err := json.Marshal(j.Options.Check)
	if err != nil { // this can't happen, because j has only texts and flags
		return nil
	}
	c := j.Conversation
	return []string{string(c.Channel), c.Chat, c.Thread, string(j.Kind), j.Name, j.Text, string(check),
		cmp.Or(when, j.Rule), j.Options.Workspace}
}
