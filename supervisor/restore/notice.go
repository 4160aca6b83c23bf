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
	maxLines     = 20  // most lines in a message
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
	parts map[supervisor.Conversation][]*part
}

// part is one message to a conversation.
type part struct {
	supervisor.Delivery
	lines int
}

// item is a line of a list, and its buttons.
type item struct {
	text    string
	buttons [][]supervisor.Button
}

// Notices returns the messages about a restore. A conversation gets as many as its items need.
func Notices(o NoticeOptions, r sqlite.RestoreReport) (list []supervisor.Delivery) {
	n := &notices{o: o, parts: map[supervisor.Conversation][]*part{}}
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
		for _, p := range n.parts[c] {
			list = append(list, p.Delivery)
		}
	}
	return list
}

// last returns the last message to a conversation. The first message to it says what has happened.
func (n *notices) last(c supervisor.Conversation) *part {
	key := c
	key.ID = 0 // a conversation may be known by its fields alone
	if n.parts[key] == nil {
		at := n.o.MadeAt.In(n.o.Zone(c.User)).Format("2006-01-02 15:04")
		n.parts[key] = []*part{{Delivery: supervisor.Delivery{Conversation: c, Text: fmt.Sprintf(textNoticeHead, at)}}}
		n.order = append(n.order, key)
	}
	return n.parts[key][len(n.parts[key])-1]
}

// more begins a further message to a conversation.
func (n *notices) more(c supervisor.Conversation) *part {
	key := c
	key.ID = 0
	n.last(c)
	n.parts[key] = append(n.parts[key], &part{Delivery: supervisor.Delivery{Conversation: c, Text: textNoticeMore}})
	return n.last(c)
}

func (n *notices) addUser(user string, u *sqlite.RestoredUser, now time.Time) {
	private := n.o.Private(user)
	n.addTalk(u)
	var dropped, reminders, fires []item
	for _, in := range u.Dropped {
		dropped = append(dropped, item{text: in.Text})
	}
	for _, r := range u.Reminders {
		at := r.DueAt.In(n.o.Zone(user)).Format("Mon 15:04")
		reminders = append(reminders, item{text: at + ": " + r.Title})
	}
	for _, f := range u.Fires {
		lines, buttons := n.o.Due([]supervisor.Fire{f}, now)
		fires = append(fires, item{strings.Join(lines, " "), buttons})
	}
	n.add(private, textDropped, dropped)
	n.add(private, textFires, fires)
	n.add(private, textReminders, reminders)
	n.add(private, textHeld, itemsOf(u.Notices))
}

func itemsOf(texts []string) (items []item) {
	for _, text := range texts {
		items = append(items, item{text: text})
	}
	return items
}

// addTalk adds messages without an answer and messages that may not have arrived to the conversations
// in which they are. Their buttons work only there.
func (n *notices) addTalk(u *sqlite.RestoredUser) {
	turns, deliveries := map[supervisor.Conversation][]item{}, map[supervisor.Conversation][]item{}
	var order []supervisor.Conversation
	for _, t := range u.Turns {
		turns[t.Conversation] = append(turns[t.Conversation], item{t.Text, inbox.RetryButtons(t.Turn)})
		order = append(order, t.Conversation)
	}
	for _, d := range u.Deliveries {
		deliveries[d.Conversation] = append(deliveries[d.Conversation], item{text: d.Text})
		order = append(order, d.Conversation)
	}
	seen := map[supervisor.Conversation]bool{}
	for _, c := range order {
		if seen[c] {
			continue
		}
		seen[c] = true
		n.add(c, textTurns, turns[c])
		n.add(c, textDeliveries, deliveries[c])
		if len(deliveries[c]) > 0 {
			n.buttons(c, []supervisor.Button{{Text: textResend, Press: supervisor.ResendPress}})
		}
	}
}

// addAdmin asks an admin about the budget of the month.
func (n *notices) addAdmin(user string) {
	c := n.o.Private(user)
	text := textEnded + textAdminHead
	if !n.o.Journal {
		text += textAdminUnsure
	}
	n.last(c).Text += text
	n.buttons(c, []supervisor.Button{{Text: textAdminMonth, Press: pressPrefix + pressMonth}})
}

// add adds a list to the messages to a conversation. If a message is full, another one follows, so that
// each item keeps its buttons.
func (n *notices) add(c supervisor.Conversation, format string, items []item) {
	for len(items) > 0 {
		p := n.last(c)
		var list strings.Builder
		taken := 0
		for _, it := range items {
			if p.lines == maxLines || len(p.Buttons)+len(it.buttons) > maxButtons {
				break
			}
			fmt.Fprintf(&list, "- %s\n", lineOf(it.text))
			if c.Channel.Capabilities().Buttons {
				p.Buttons = append(p.Buttons, it.buttons...)
			}
			p.lines++
			taken++
		}
		if taken > 0 {
			p.Text += fmt.Sprintf(format, strings.TrimSuffix(list.String(), "\n"))
		}
		if items = items[taken:]; len(items) > 0 {
			n.more(c)
		}
	}
}

// lineOf returns a text as one short line.
func lineOf(text string) string {
	text = strings.Join(strings.Fields(printable.DropControls(text)), " ")
	if r := []rune(text); len(r) > maxLineRunes {
		text = string(r[:maxLineRunes]) + "…"
	}
	return markdown.EscapeName(text)
}

// buttons adds a row of buttons below the last message, if the channel has buttons.
func (n *notices) buttons(c supervisor.Conversation, row []supervisor.Button) {
	if !c.Channel.Capabilities().Buttons {
		return
	}
	p := n.last(c)
	if len(p.Buttons) == maxButtons {
		p = n.more(c)
	}
	p.Buttons = append(p.Buttons, row)
}
