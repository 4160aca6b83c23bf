package sqlite

import (
	"cmp"
	"context"
	"slices"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// ConversationQueue has the running turn and the waiting texts of a conversation.
type ConversationQueue struct {
	Running supervisor.Inbound // the first inbound of the running turn; without an ID no turn runs
	Since   time.Time          // start of the running turn
	Asked   string             // text of the turn's open question; "" means none
	Waiting []WaitingText      // waiting texts, in the order of answering
}

// WaitingText is a text, or a group of texts, that waits for a turn.
type WaitingText struct {
	Inbound supervisor.Inbound      // first inbound of the group, with the first text of the group
	Files   []supervisor.Attachment // files of the whole group
}

const (
	isWaiting   = selectInbound + `WHERE i.conversation = ?1 AND i.kind = 'text' AND i.held = 0 AND i.state = `
	listQueue   = isWaiting + `'new' UNION ALL ` + isWaiting + `'arriving' ORDER BY 1`
	findBegun   = selectInbound + `JOIN turn t ON t.inbound = i.id WHERE t.conversation = ? AND t.ended_at IS NULL`
	findStarted = `SELECT started_at FROM turn WHERE conversation = ? AND ended_at IS NULL`
)

// ReadQueue returns the queue of a conversation, without held inbounds.
func (s Inbox) ReadQueue(ctx context.Context, conversation int64) (q ConversationQueue, err error) {
	return inTransaction(ctx, s.db, func(t *tx) (q ConversationQueue) {
		q.Running, _ = one(t, scanInbound, findBegun, conversation)
		since, _ := one(t, engine.ScanInteger, findStarted, conversation)
		q.Since = fromMillis(since)
		asked, _ := one(t, scanQuestion, findOpenQuestion, conversation)
		q.Asked = asked.Text
		for _, group := range grouped(all(t, scanInbound, listQueue, conversation)) {
			w := WaitingText{Inbound: group[0]}
			for _, in := range group {
				w.Inbound.Text = cmp.Or(w.Inbound.Text, in.Text)
				w.Files = append(w.Files, all(t, scanAttachment, listAttachments, in.ID)...)
			}
			q.Waiting = append(q.Waiting, w)
		}
		return q
	}, "list the queue of conversation %d", conversation)
}

// grouped sorts inbounds into groups that one turn takes together, in the order of answering. The
// argument list is in the order of sending.
func grouped(list []supervisor.Inbound) (groups [][]supervisor.Inbound) {
	for i, in := range list {
		if i > 0 && in.Group != "" && in.Group == list[i-1].Group && in.Priority == list[i-1].Priority {
			groups[len(groups)-1] = append(groups[len(groups)-1], in)
			continue
		}
		groups = append(groups, []supervisor.Inbound{in})
	}
	slices.SortStableFunc(groups,
		func(a, b []supervisor.Inbound) int { return cmp.Compare(b[0].Priority, a[0].Priority) })
	return groups
}

// waitingWith returns a waiting inbound with all inbounds of its group. If the inbound does not
// wait, the list is empty.
func (t *tx) waitingWith(in supervisor.Inbound) []supervisor.Inbound {
	for _, group := range grouped(all(t, scanInbound, listQueue, in.Conversation.ID)) {
		if slices.ContainsFunc(group, func(w supervisor.Inbound) bool { return w.ID == in.ID }) {
			return group
		}
	}
	return nil
}

const setPriority = `UPDATE inbox SET priority = ? WHERE id = ?`

// MoveTextToFront moves a user's waiting text to the front of the queue. All texts of its group
// move too. It returns the text after the move. A text that does not wait, or is next already,
// stays unchanged. ok is false if the user has no such text.
func (s Inbox) MoveTextToFront(ctx context.Context, user string, inbound int64) (in supervisor.Inbound, ok bool,
	err error) {
	return s.changeWaiting(ctx, user, inbound, func(t *tx, in supervisor.Inbound) { t.Exec(setPriority, int(supervisor.PriorityNow), in.ID) })
}

// DropText drops a user's waiting text with all texts of its group. It returns the text with its
// new state. ok is false if the user has no such text.
func (s Inbox) DropText(ctx context.Context, user string, inbound int64) (in supervisor.Inbound, ok bool, err error) {
	return s.changeWaiting(ctx, user, inbound, (*tx).drop)
}

// changeWaiting calls do for a user's waiting text and each other text of its group.
func (s Inbox) changeWaiting(ctx context.Context, user string, inbound int64, do func(*tx, supervisor.Inbound)) (supervisor.Inbound, bool, error) {
	return inTransaction2(ctx, s.db, func(t *tx) (supervisor.Inbound, bool) {
		in, ok := one(t, scanInbound, findInbound, inbound)
		if !ok || in.Conversation.User != user || in.Kind != supervisor.KindText {
			return supervisor.Inbound{}, false
		}
		for _, w := range t.waitingWith(in) {
			do(t, w)
		}
		return t.inbound(inbound), true
	}, "move or drop waiting inbound %d", inbound)
}

// findListButtons selects the buttons below the newest answer to a list command, such as /jobs,
// before a command.
const findListButtons = `SELECT o.buttons FROM inbox c JOIN inbox l ON l.conversation = c.conversation AND l.id < c.id AND l.command = ?2
	JOIN outbox o ON o.inbound = l.id AND o.buttons <> '' WHERE c.id = ?1 ORDER BY l.id DESC LIMIT 1`

// FindButtonsOfLastList returns the buttons below the newest list before a command. The argument
// name is the command that made the list.
func (s Inbox) FindButtonsOfLastList(ctx context.Context, command int64, name string) (buttons [][]supervisor.Button,
	err error) {
	buttons, _, err = engine.FirstRow(s.db.reader(ctx, "find the list before command %d", command), scanButtons,
		findListButtons, command, name)
	return buttons, err
}

func scanButtons(row *engine.Row) (buttons [][]supervisor.Button) {
	row.Scan(columnDecoder{&buttons})
	return buttons
}
