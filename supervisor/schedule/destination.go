package schedule

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mews/supervisor"
	"mews/supervisor/printable"
	"mews/supervisor/sqlite"
)

// Names of destinations that are not groups.
const (
	wordHere    = "here"
	wordPrivate = "private"
)

// destinations finds the conversations in which jobs may post.
type destinations struct {
	conversations sqlite.Conversations
	people        func(name string) (supervisor.User, bool)
	allowed       func(supervisor.Conversation) bool
	title         func(supervisor.Conversation) string // a group's title; "" means unknown; may be nil
}

// setDestination sets the conversation in which a job posts, if values name one. The value is here,
// the private chat, or a group's number with a topic after a slash. approve checks afterwards
// whether the job may post there.
func (ed *editor) setDestination(ctx context.Context, from origin, j *supervisor.Job, values map[string]string) error {
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
	groups, err := ed.listGroups(ctx, from.user.Name)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(groups, func(c supervisor.Conversation) bool { return groupName(c) == to })
	if i < 0 {
		names := []string{wordHere, wordPrivate}
		for _, c := range groups {
			names = append(names, groupName(c)+ed.quotedTitle(" (%s)", c))
		}
		return supervisor.Errorf(supervisor.CodeInvalid, textNoChat,
			printable.DropControls(brief(to)), strings.Join(names, ", "))
	}
	j.Conversation = groups[i]
	return nil
}

// sameChat reports whether two conversations are in the same chat and thread.
func sameChat(a, b supervisor.Conversation) bool {
	return a.Channel == b.Channel && a.Chat == b.Chat && a.Thread == b.Thread
}

// listGroups returns a user's conversations in groups that are still allowed.
func (ds *destinations) listGroups(ctx context.Context, user string) ([]supervisor.Conversation, error) {
	list, err := ds.conversations.ListOfUser(ctx, user)
	return slices.DeleteFunc(list, func(c supervisor.Conversation) bool { return !c.IsInGroup() || !ds.allowed(c) }),
		err
}

// groupName returns the name of a group: its number and, after a slash, its topic's number.
func groupName(c supervisor.Conversation) string {
	if c.Thread == "" {
		return c.Chat
	}
	return c.Chat + "/" + c.Thread
}

// describeGroup returns the title of a group and its topic's number, or groupName without a title.
func (ds *destinations) describeGroup(c supervisor.Conversation) string {
	title := ds.quotedTitle("%s", c)
	switch {
	case title == "":
		return groupName(c)
	case c.Thread != "":
		return fmt.Sprintf(textTopicOf, title, c.Thread)
	}
	return title
}

// quotedTitle returns a group's title in quotes, in a layout; "" means that the title is unknown.
func (ds *destinations) quotedTitle(layout string, c supervisor.Conversation) string {
	if ds.title == nil {
		return ""
	}
	title := ds.title(c)
	if title == "" {
		return ""
	}
	return fmt.Sprintf(layout, "“"+printable.DropControls(brief(title))+"”")
}

// destination returns the conversation in which a job posts. For a job that was set in a terminal,
// or whose group is no longer allowed, it is the user's private chat.
func (ds *destinations) destination(j supervisor.Job) supervisor.Conversation {
	user, _ := ds.people(j.User)
	if c := j.Conversation; len(user.Accounts) > 0 && (c.Chat == "" || c.IsInGroup() && !ds.allowed(c)) {
		return user.PrivateChat()
	}
	return j.Conversation
}

// destinationText names the conversation in which a job posts.
func (ds *destinations) destinationText(j supervisor.Job) string {
	switch c := ds.destination(j); {
	case c.IsInGroup():
		return fmt.Sprintf(textInGroup, ds.describeGroup(c))
	case c.Chat == "":
		return textInTerminal
	case c.Thread != "":
		return fmt.Sprintf(textInTopic, c.Thread)
	}
	return textInPrivate
}
