package schedule

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mews/supervisor"
	"mews/supervisor/approval"
)

// Places are where people talk.
type Places interface {
	// ListOf lists the conversations that a person has.
	ListOf(ctx context.Context, user string) ([]supervisor.Conversation, error)
}

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
	call    string // of that turn
	when    string // the words that say when the job is due
}

// redirect has a job speak where values say, if they do: here, in its person's private chat, or in a group by its number, with a topic's behind
// a slash. To speak to others leaves the walls: the person is asked where the rules say so, and for a turn that is supervisor.ErrWaits.
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
		return supervisor.Errorf(supervisor.CodeInvalid, textNoPlace, supervisor.Printable(brief(to)), strings.Join(names, ", "))
	}
	j.Conversation = groups[i]
	return s.approve(ctx, from, *j)
}

// approve is nil where a job may speak in the group that it is to speak in: its person is there, or has said yes to exactly this.
func (s *Schedule) approve(ctx context.Context, from origin, j supervisor.Job) error {
	c := j.Conversation
	if !c.InGroup() || c.Chat == from.in.Chat && c.Channel == from.in.Channel && c.Thread == from.in.Thread {
		return nil
	}
	return s.o.Approve(ctx, approval.Request{User: from.user.Name, Conversation: from.in, Turn: from.turn, Call: from.call, Inbound: from.inbound,
		Effect: approval.EffectPostElsewhere, Arguments: []string{string(c.Channel), c.Chat, c.Thread, string(j.Kind), j.Text, from.when},
		Text: fmt.Sprintf(textMayPost, strings.ToLower(nouns[j.Kind]), nameOf(c), supervisor.Printable(brief(j.Text)))})
}

// groupsOf are the conversations of a person in groups where people may speak.
func (s *Schedule) groupsOf(ctx context.Context, user string) ([]supervisor.Conversation, error) {
	list, err := s.o.Places.ListOf(ctx, user)
	return slices.DeleteFunc(list, func(c supervisor.Conversation) bool { return !c.InGroup() || !s.o.Allowed(c) }), err
}

// nameOf is how a group is named: by its number and, behind a slash, its topic's.
func nameOf(c supervisor.Conversation) string {
	if c.Thread == "" {
		return c.Chat
	}
	return c.Chat + "/" + c.Thread
}

// destination is where a job says something: where it is to speak, but in the person's private chat where that is nothing that they look at by
// themselves, or a group in which nobody may speak any more.
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
