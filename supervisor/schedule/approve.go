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

// origin is who wants something of a job, and where they are.
type origin struct {
	user    supervisor.User
	in      supervisor.Conversation
	inbound int64 // the command or the press
	turn    int64
	kind    supervisor.TurnKind // of that turn
	call    string              // of that turn
	when    string              // the words that say when the job is due
}

// approveNew is nil where a new job may speak where it is to speak. What its person wants where
// they are needs no other yes.
func (ed *editor) approveNew(ctx context.Context, from origin, j supervisor.Job) error {
	if from.kind != supervisor.TurnJob && sameChat(j.Conversation, from.in) {
		return nil
	}
	return ed.approve(ctx, from, j, supervisor.Job{})
}

// approve is nil where a job that was another may speak to the group that it is to speak to:
// nothing of it has changed, or its person says yes to exactly this. For a turn that may be
// supervisor.ErrWaits.
func (ed *editor) approve(ctx context.Context, from origin, j, was supervisor.Job) error {
	what, before := approvalArguments(j, from.when), approvalArguments(was, "")
	if !j.Conversation.InGroup() || slices.Equal(what, before) {
		return nil
	}
	text := fmt.Sprintf(textMayPost, strings.ToLower(nouns[j.Kind]), groupName(j.Conversation),
		printable.Text(clip(j.Text, maxQuestionText)))
	for _, more := range []string{cmp.Or(from.when, describeTimes(j)), j.Name, ed.checkText(j),
		shown(textWorkspace, j.Options.Workspace)} {
		if more != "" {
			text += "\n" + printable.Text(clip(more, maxQuestionText))
		}
	}
	if from.in.ID == 0 { // there is none yet
		var err error
		c := from.in
		if from.in, err = ed.conversations.Find(ctx, c.User, c.Channel, c.Chat, c.Thread); err != nil {
			return err
		}
	}
	return ed.allow(ctx, approval.Request{User: from.user.Name, Conversation: from.in, Turn: from.turn,
		Call: from.call, Inbound: from.inbound, Effect: EffectPostElsewhere, Arguments: what, Text: text})
}

// maxQuestionText is how many characters a question shows of each of what it is about.
const maxQuestionText = 1000

// clip is how a text begins, and how long it is where that is not all of it.
func clip(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return fmt.Sprintf(textClipped, string(runes[:most]), len(runes))
}

// describeTimes say when a job is due; "" of one that can't be read.
func describeTimes(j supervisor.Job) string {
	rule, err := recurrence.Of(j)
	if err != nil {
		return ""
	}
	zone, err := recurrence.ZoneOf(j)
	if err != nil {
		return ""
	}
	return rule.Describe(zone)
}

// approvalArguments is all that makes what a job says in a chat what it is, and whose files that is made
// of: a yes is one to exactly this. when are the words for another time; "" is the job's own.
func approvalArguments(j supervisor.Job, when string) []string {
	check, err := json.Marshal(j.Options.Check)
	if err != nil { // it has texts and flags alone
		return nil
	}
	c := j.Conversation
	return []string{string(c.Channel), c.Chat, c.Thread, string(j.Kind), j.Name, j.Text, string(check),
		cmp.Or(when, j.Rule), j.Options.Workspace}
}
