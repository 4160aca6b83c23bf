package restore

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/inbox"
	"mews/supervisor/markdown"
	"mews/supervisor/printable"
	"mews/supervisor/sqlite"
)

const (
	maxLines     = 20  // most lines of one list in a message
	maxLineRunes = 120 // most characters of a line
	maxButtons   = 20  // most rows of buttons below a message
)

// NoticeOptions make the messages about a restore.
type NoticeOptions struct {
	MadeAt  time.Time // time of the backup
	Journal bool      // the journal of later acts was there
	// Private returns the conversation that only a user reads.
	Private func(user string) supervisor.Conversation
	Admins  []string // admins of the configuration
	// Due returns a line for each missed fire, and buttons to catch up.
	Due func(fires []supervisor.Fire, now time.Time) (lines []string, buttons [][]supervisor.Button)
	// Zone returns a user's time zone.
	Zone func(user string) *time.Location
}

// notices collects the parts of messages by conversation.
type notices struct {
	o     NoticeOptions
	order []supervisor.Conversation
	parts map[supervisor.Conversation]*supervisor.Delivery
}

// Notices returns the messages about a restore, at most one for a conversation.
func Notices(o NoticeOptions, r sqlite.RestoreReport) (list []supervisor.Delivery) {
	n := &notices{o: o, parts: map[supervisor.Conversation]*supervisor.Delivery{}}
	admins := append(slices.Clone(o.Admins), r.Admins...)
	slices.Sort(admins)
	users := append([]string{}, admins...)
	for name := range r.Users {
		users = append(users, name)
	}
	slices.Sort(users)
	for _, user := range slices.Compact(users) {
		if u := r.Users[user]; u != nil {
			n.addUser(user, u, r.Now)
		}
		if slices.Contains(admins, user) {
			n.addAdmin(user)
		}
	}
	for _, c := range n.order {
		list = append(list, *n.parts[c])
	}
	return list
}

// of returns the message to a conversation.
func (n *notices) of(c supervisor.Conversation) *supervisor.Delivery {
	key := c
	key.ID = 0 // a conversation may be known by its fields alone
	if n.parts[key] == nil {
		at := n.o.MadeAt.In(n.o.Zone(c.User)).Format("2006-01-02 15:04")
		n.parts[key] = &supervisor.Delivery{Conversation: c, Text: fmt.Sprintf(textNoticeHead, at)}
		n.order = append(n.order, key)
	}
	return n.parts[key]
}

func (n *notices) addUser(user string, u *sqlite.RestoredUser, now time.Time) {
	private := n.o.Private(user)
	n.addTalk(u)
	var dropped, reminders []string
	for _, in := range u.Dropped {
		dropped = append(dropped, in.Text)
	}
	for _, r := range u.Reminders {
		reminders = append(reminders, fmt.Sprintf("%s: %s", r.DueAt.In(n.o.Zone(user)).Format("Mon 15:04"), r.Title))
	}
	n.add(private, textDropped, dropped)
	if len(u.Fires) > 0 {
		lines, buttons := n.o.Due(u.Fires, now)
		n.add(private, textFires, lines)
		n.buttons(private, buttons...)
	}
	n.add(private, textReminders, reminders)
	n.add(private, textHeld, u.Notices)
}

// addTalk adds messages without an answer and messages that may not have arrived to the conversations
// in which they are. Their buttons work only there.
func (n *notices) addTalk(u *sqlite.RestoredUser) {
	turns, deliveries := map[supervisor.Conversation][]string{}, map[supervisor.Conversation][]string{}
	var order []supervisor.Conversation
	for _, t := range u.Turns {
		turns[t.Conversation] = append(turns[t.Conversation], t.Text)
		order = append(order, t.Conversation)
	}
	for _, d := range u.Deliveries {
		deliveries[d.Conversation] = append(deliveries[d.Conversation], d.Text)
		order = append(order, d.Conversation)
	}
	seen := map[supervisor.Conversation]bool{}
	for _, c := range order {
		if seen[c] {
			continue
		}
		seen[c] = true
		n.add(c, textTurns, turns[c])
		for _, t := range u.Turns {
			if t.Conversation == c {
				n.buttons(c, inbox.RetryButtons(t.Turn)...)
			}
		}
		n.add(c, textDeliveries, deliveries[c])
		if len(deliveries[c]) > 0 {
			n.buttons(c, []supervisor.Button{{Text: textResend, Press: supervisor.ResendPress}})
		}
	}
}

// addAdmin asks an admin about the budget of the month.
func (n *notices) addAdmin(user string) {
	c := n.o.Private(user)
	d := n.of(c)
	d.Text += textEnded + textAdminHead
	if !n.o.Journal {
		d.Text += textAdminUnsure
	}
	n.buttons(c, []supervisor.Button{{Text: textAdminMonth, Press: pressPrefix + pressMonth}})
}

// add adds a list to the message to a conversation.
func (n *notices) add(c supervisor.Conversation, format string, lines []string) {
	if len(lines) == 0 {
		return
	}
	var list strings.Builder
	for _, line := range lines[:min(len(lines), maxLines)] {
		line = strings.Join(strings.Fields(printable.DropControls(line)), " ")
		if r := []rune(line); len(r) > maxLineRunes {
			line = string(r[:maxLineRunes]) + "…"
		}
		fmt.Fprintf(&list, "- %s\n", markdown.EscapeName(line))
	}
	if more := len(lines) - maxLines; more > 0 {
		fmt.Fprintf(&list, textMore, more)
	}
	n.of(c).Text += fmt.Sprintf(format, strings.TrimSuffix(list.String(), "\n"))
}

// buttons adds buttons, as far as there is room and the channel has buttons.
func (n *notices) buttons(c supervisor.Conversation, rows ...[]supervisor.Button) {
	d := n.of(c)
	if !c.Channel.Capabilities().Buttons {
		return
	}
	d.Buttons = append(d.Buttons, rows[:max(0, min(len(rows), maxButtons-len(d.Buttons)))]...)
}
