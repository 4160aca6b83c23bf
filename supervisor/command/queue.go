package command

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/internal/presses"
	"mews/supervisor/internal/timezone"
	"mews/supervisor/internal/titles"
	"mews/supervisor/markdown"
	"mews/supervisor/sqlite"
)

// Queue lists the messages that wait for a turn.
type Queue interface {
	// ReadQueue lists the waiting messages of a conversation, and its running turn.
	ReadQueue(ctx context.Context, conversation int64) (sqlite.ConversationQueue, error)
	// FindButtonsOfLastList returns the buttons of the last list that the user saw before a
	// command.
	FindButtonsOfLastList(ctx context.Context, command int64, name string) ([][]supervisor.Button, error)
	// MoveTextToFront makes a message the next to be answered. DropText drops a message, and all
	// that were sent together with it. Both return the changed message. ok is false if the message
	// belongs to another user.
	MoveTextToFront(ctx context.Context, user string, inbound int64) (in supervisor.Inbound, ok bool, err error)
	DropText(ctx context.Context, user string, inbound int64) (in supervisor.Inbound, ok bool, err error)
}

const (
	queueName = "queue"
	pressDrop = "drop"
	pressNow  = "now"

	maxQueueButtons = 8  // maximum number of messages with buttons; further messages are only counted
	maxMessageText  = 60 // maximum length of a message in the list, in characters
)

var queueRows = []row{
	{SlashCommand: supervisor.SlashCommand{Name: queueName, Urgent: true,
		Help: "what runs and waits here; /queue drop NUMBER drops a message, /queue now NUMBER answers it next"},
		group: feature.HelpGroupChat, run: queue, prefix: presses.QueuePrefix, press: pressQueue,
		keeps: feature.AlwaysPrivateAnswer},
}

// queue lists the waiting messages. With an argument it runs the action of a button below the last
// list.
func queue(ctx context.Context, c *Commands, r feature.CommandRequest) (d supervisor.Delivery, err error) {
	if r.Arguments == "" {
		return c.listQueue(ctx, r)
	}
	what, number, _ := strings.Cut(strings.ToLower(r.Arguments), " ")
	n, err := strconv.Atoi(strings.TrimSpace(number))
	if err != nil || what != pressDrop && what != pressNow {
		return supervisor.Delivery{Text: textQueueUsage}, nil
	}
	buttons, err := c.o.Queue.FindButtonsOfLastList(ctx, r.Inbound, queueName)
	if err != nil {
		return d, fmt.Errorf("find what was listed: %w", err)
	}
	for _, row := range buttons {
		for _, b := range row {
			if b.Text == queueButton(what, n) {
				r.Arguments = strings.TrimPrefix(b.Press, presses.QueuePrefix)
				return pressQueue(ctx, c, r)
			}
		}
	}
	return supervisor.Delivery{Text: fmt.Sprintf(textNotListed, n)}, nil
}

// queueButton returns the label of a button for number n of the list.
func queueButton(what string, n int) string { return fmt.Sprintf(queueButtons[what], n) }

// listQueue lists the waiting messages of a conversation, each with its buttons.
func (c *Commands) listQueue(ctx context.Context, r feature.CommandRequest) (d supervisor.Delivery, err error) {
	q, err := c.o.Queue.ReadQueue(ctx, r.Conversation.ID)
	if err != nil {
		return d, fmt.Errorf("list what waits: %w", err)
	}
	user, _ := c.o.People.Find(r.Conversation.User)
	now := c.o.Now()
	d.Text = textNothingRuns
	switch {
	case q.Asked != "":
		d.Text = fmt.Sprintf(textQueueAsked, cutWords(q.Asked))
	case q.Running.ID != 0:
		d.Text = fmt.Sprintf(textQueueRuns, cutWords(q.Running.Text), amount.FormatDuration(timeSince(now, q.Since)))
	}
	if len(q.Waiting) == 0 {
		d.Text += textQueueEmpty
		return d, nil
	}
	d.Text += fmt.Sprintf(textQueueWaits, amount.Plural(len(q.Waiting), "message waits", "messages wait"))
	for i, w := range q.Waiting {
		if i == maxQueueButtons {
			d.Text += fmt.Sprintf(textQueueMore, len(q.Waiting)-maxQueueButtons)
			break
		}
		d.Text += queueLine(i+1, w, now, timezone.ForUser(user))
		var row []supervisor.Button
		for _, what := range []string{pressDrop, pressNow} {
			row = append(row, supervisor.Button{Text: queueButton(what, i+1),
				Press: fmt.Sprint(presses.QueuePrefix, what, " ", w.Inbound.ID)})
		}
		d.Buttons = append(d.Buttons, row)
	}
	return d, nil
}

// queueLine describes a waiting message: its words or kind, the time of sending, and its state.
func queueLine(n int, w sqlite.WaitingText, now time.Time, zone *time.Location) string {
	words, files := w.Inbound.Text, w.Files
	if words == "" && len(files) > 0 {
		words, files = titles.AttachmentTitle(files[0]), files[1:]
	}
	at := w.Inbound.ReceivedAt
	line := fmt.Sprintf(textQueueLine, n, cutWords(words), at.In(zone).Format("15:04"),
		amount.FormatDuration(timeSince(now, at)))
	if len(files) > 0 {
		line += fmt.Sprintf(textQueueFiles, amount.Plural(len(files), "file", "files"))
	}
	if w.Inbound.State == supervisor.InboundArriving {
		line += textQueueArriving
	}
	return line + queuePriorities[w.Inbound.Priority]
}

// timeSince returns the time since at; 0 if at is in the future.
func timeSince(now, at time.Time) time.Duration { return max(0, now.Sub(at)).Truncate(time.Second) }

// cutWords returns a text on one line, quoted, and cut to maxMessageText characters.
func cutWords(text string) string {
	words := []rune(strings.Join(strings.Fields(text), " "))
	if len(words) > maxMessageText {
		words = append(words[:maxMessageText:maxMessageText], '…')
	}
	return markdown.EscapeName(string(words))
}

// pressQueue runs the action of a button below the list of /queue.
func pressQueue(ctx context.Context, c *Commands, r feature.CommandRequest) (d supervisor.Delivery, err error) {
	what, _, _ := strings.Cut(r.Arguments, " ")
	id, ok := presses.InboundOfQueuePress(presses.QueuePrefix + r.Arguments)
	if !ok {
		return supervisor.Delivery{Text: feature.DeadButtonText}, nil
	}
	do := c.o.Queue.DropText
	if what == pressNow {
		do = c.o.Queue.MoveTextToFront
	}
	in, ok, err := do(ctx, r.Conversation.User, id)
	switch {
	case err != nil:
		return d, fmt.Errorf("%s what waits: %w", what, err)
	case !ok:
		return d, supervisor.Errorf(supervisor.CodeForbidden, textQueueForeign)
	}
	text := queueStates[in.State]
	if waits := in.State == supervisor.InboundNew || in.State == supervisor.InboundArriving; waits && in.Priority != supervisor.PriorityNow {
		text = "" // a closed gate holds the message, so it waits for a code
	}
	return supervisor.Delivery{Text: fmt.Sprintf(cmp.Or(text, textQueueGone), cutWords(in.Text))}, nil
}
