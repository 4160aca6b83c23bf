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

// The words for places that need no name.
const (
	wordHere    = "here"
	wordPrivate = "private"
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

// redirect has a job speak where values say, if they do: here, in its person's private chat, or in
// a group by its number, with a topic's behind a slash. Whether it may is for approve.
func (s *Schedule) redirect(ctx context.Context, from origin, j *supervisor.Job, values map[string]string) error {
	to, set := values[optionTo]
	switch to = strings.TrimSpace(to); {
	case !set:
		return nil
	case to == "" || strings.EqualFold(to, wordHere) || strings.EqualFold(to, wordUsual):
		j.Conversation = from.in
		return nil
	case strings.EqualFold(to, wordPrivate):
		j.Conversation = from.user.PrivateChat()
		return nil
	}
	groups, err := s.groupsOf(ctx, from.user.Name)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(groups, func(c supervisor.Conversation) bool { return nameOf(c) == to })
	if i < 0 {
		names := []string{wordHere, wordPrivate}
		for _, c := range groups {
			names = append(names, nameOf(c))
		}
		return supervisor.Errorf(supervisor.CodeInvalid, textNoPlace,
			printable.Text(brief(to)), strings.Join(names, ", "))
	}
	j.Conversation = groups[i]
	return nil
}

// approveNew is nil where a new job may speak where it is to speak. What its person wants where
// they are needs no other yes.
func (s *Schedule) approveNew(ctx context.Context, from origin, j supervisor.Job) error {
	if from.kind != supervisor.TurnJob && samePlace(j.Conversation, from.in) {
		return nil
	}
	return s.approve(ctx, from, j, supervisor.Job{})
}

// approve is nil where a job that was another may speak to the group that it is to speak to:
// nothing of it has changed, or its person says yes to exactly this. For a turn that may be
// supervisor.ErrWaits.
func (s *Schedule) approve(ctx context.Context, from origin, j, was supervisor.Job) error {
	what, before := spokenOf(j, from.when), spokenOf(was, "")
	if !j.Conversation.InGroup() || slices.Equal(what, before) {
		return nil
	}
	text := fmt.Sprintf(textMayPost, strings.ToLower(nouns[j.Kind]), nameOf(j.Conversation),
		printable.Text(clip(j.Text, mostAsked)))
	for _, more := range []string{cmp.Or(from.when, wordsOf(j)), j.Name, s.checkText(j), shown(textWorkspace, j.Options.Workspace)} {
		if more != "" {
			text += "\n" + printable.Text(clip(more, mostAsked))
		}
	}
	if from.in.ID == 0 { // there is none yet
		var err error
		c := from.in
		if from.in, err = s.o.Conversations.Find(ctx, c.User, c.Channel, c.Chat, c.Thread); err != nil {
			return err
		}
	}
	return s.o.Approve(ctx, approval.Request{User: from.user.Name, Conversation: from.in, Turn: from.turn,
		Call: from.call, Inbound: from.inbound, Effect: EffectPostElsewhere, Arguments: what, Text: text})
}

// mostAsked is how many characters a question shows of each of what it is about.
const mostAsked = 1000

// clip is how a text begins, and how long it is where that is not all of it.
func clip(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return fmt.Sprintf(textClipped, string(runes[:most]), len(runes))
}

// wordsOf say when a job is due; "" of one that can't be read.
func wordsOf(j supervisor.Job) string {
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

// spokenOf is all that makes what a job says in a place what it is, and whose files that is made
// of: a yes is one to exactly this. when are the words for another time; "" is the job's own.
func spokenOf(j supervisor.Job, when string) []string {
	check, err := json.Marshal(j.Options.Check)
	if err != nil { // it has texts and flags alone
		return nil
	}
	c := j.Conversation
	return []string{string(c.Channel), c.Chat, c.Thread, string(j.Kind), j.Name, j.Text, string(check),
		cmp.Or(when, j.Rule), j.Options.Workspace}
}

// samePlace says whether two conversations are in one chat and thread.
func samePlace(a, b supervisor.Conversation) bool {
	return a.Channel == b.Channel && a.Chat == b.Chat && a.Thread == b.Thread
}

// groupsOf are the conversations of a person in groups where people may speak.
func (s *Schedule) groupsOf(ctx context.Context, user string) ([]supervisor.Conversation, error) {
	list, err := s.o.Conversations.ListOf(ctx, user)
	return slices.DeleteFunc(list, func(c supervisor.Conversation) bool { return !c.InGroup() || !s.o.Allowed(c) }), err
}

// nameOf is how a group is named: by its number and, behind a slash, its topic's.
func nameOf(c supervisor.Conversation) string {
	if c.Thread == "" {
		return c.Chat
	}
	return c.Chat + "/" + c.Thread
}

// destination is where a job says something: where it is to speak, but in the person's private chat
// where that is nothing that they open by themselves, or a group in which nobody may speak any
// more.
func (s *Schedule) destination(j supervisor.Job) supervisor.Conversation {
	user, _ := s.o.Person(j.User)
	if c := j.Conversation; len(user.Accounts) > 0 && (c.Chat == "" || c.InGroup() && !s.o.Allowed(c)) {
		return user.PrivateChat()
	}
	return j.Conversation
}

// placeText says where a job speaks.
func (s *Schedule) placeText(j supervisor.Job) string {
	switch c := s.destination(j); {
	case c.InGroup():
		return fmt.Sprintf(textInGroup, nameOf(c))
	case c.Chat == "":
		return textInTerminal
	case c.Thread != "":
		return fmt.Sprintf(textInTopic, c.Thread)
	}
	return textInPrivate
}
