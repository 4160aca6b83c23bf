package outbox

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"
)

// firstTextDelay is how long after its beginning a reply is first shown. A short answer is complete
// by then.
const firstTextDelay = 500 * time.Millisecond

// growingReply is the reply of a running turn.
type growingReply struct {
	set       *postSet
	text      string // the current text of the reply
	note      string // why the reply is delayed, shown at the end of text; "" means no delay
	tool      runningTool
	line      string    // line about the running tool, shown at the end of the message; "" means none
	lineAt    time.Time // time of the last change of line
	shownText string    // the text that the chat shows
	shownLine string    // the line that the chat shows
	showAt    time.Time // the reply is not shown before this time; zero without a text
	typingAt  time.Time // time of the next typing
	updatedAt time.Time // time of the last change of the reply's messages
}

// readWoken reads again the replies for which the queue was woken.
func (q *chatQueue) readWoken(ctx context.Context) error {
	woken, renamed := q.outbox.takeWoken(q)
	q.movePending = q.movePending || renamed
	if q.movePending {
		if err := q.dropMoved(ctx); err != nil {
			q.outbox.returnWoken(q, woken)
			return err
		}
		q.movePending = false
	}
	for id := range woken {
		q.askAt = earlier(q.askAt, q.askTimeFor(id))
		if _, ok := q.replies[id]; !ok {
			q.replies[id] = nil
		}
	}
	q.refreshReplies(q.Now())
	return nil
}

// askTimeFor returns when to ask the store for a delivery, after a wake-up for a conversation. The
// zero time means at once. If the reply has grown, the growth may be the only change, so a delivery
// then waits for up to askInterval.
func (q *chatQueue) askTimeFor(id int64) time.Time {
	g := q.replies[id]
	if g == nil || !q.isRunning(g) {
		return time.Time{}
	}
	if r, _ := q.Replies.CurrentReply(id); r.Text == g.text {
		return time.Time{}
	}
	return q.askedAt.Add(askInterval)
}

// dropMoved removes the conversations that moved to the chat's new name, which has its own queue. A
// conversation stays here if its user already had another conversation in the new chat. Its reply
// then stops growing, and its delivery goes to the new chat.
func (q *chatQueue) dropMoved(ctx context.Context) error {
	q.restartDelivery()
	for id, g := range q.replies {
		c, _, err := q.Conversations.FindConversation(ctx, id)
		if err != nil {
			return err
		}
		if c.Chat != q.chat {
			delete(q.replies, id)
			continue
		}
		g.set.muted, g.typingAt = true, never
	}
	return nil
}

// refreshReplies updates the state of each reply.
func (q *chatQueue) refreshReplies(now time.Time) {
	for id, g := range q.replies {
		r, ok := q.Replies.CurrentReply(id)
		if !ok || r.Turn.ID == q.lastTurn[id] || !q.Serves(r.Turn.AnswerConversation()) {
			delete(q.replies, id)
			continue
		}
		if g == nil || g.set.turn != r.Turn.ID {
			g = &growingReply{typingAt: now.Add(firstTypingDelay),
				set: &postSet{conversation: r.Turn.AnswerConversation(), turn: r.Turn.ID,
					message: r.Turn.Message, unfit: map[int64]bool{}}}
			q.replies[id] = g
		}
		g.text, g.note = r.Text, r.Note
		if r.Tool != g.tool.ToolRun {
			g.tool, g.line = runningTool{r.Tool, now}, ""
		}
		if g.showAt.IsZero() && g.text != "" {
			g.showAt = now.Add(firstTextDelay)
		}
	}
}

// isRunning reports whether a reply's turn is still running.
func (q *chatQueue) isRunning(g *growingReply) bool {
	r, ok := q.Replies.CurrentReply(g.set.conversation.ID)
	return ok && r.Turn.ID == g.set.turn
}

// repliesInOrder returns the replies, longest waiting first.
func (q *chatQueue) repliesInOrder() []*growingReply {
	return slices.SortedFunc(maps.Values(q.replies), func(x, y *growingReply) int {
		return cmp.Or(x.updatedAt.Compare(y.updatedAt), cmp.Compare(x.set.turn, y.set.turn))
	})
}

// growAll shows more of one of the replies, if the pace allows it.
func (q *chatQueue) growAll(ctx context.Context) (time.Time, error) {
	next := never
	for _, g := range q.repliesInOrder() {
		at, err := q.growOne(ctx, g)
		if err != nil || at.IsZero() {
			return at, err
		}
		next = earlier(next, at)
	}
	return next, nil
}

func (q *chatQueue) growOne(ctx context.Context, g *growingReply) (time.Time, error) {
	due := q.refreshLine(g)
	if g.set.muted || g.text == "" && g.line == "" && g.shownLine == "" || g.text == g.shownText && g.line == g.shownLine {
		return due, nil
	}
	at := later(later(g.showAt, q.growAt), q.outbox.gate.nextTime(q.chat, true, 1))
	if at.After(q.Now()) {
		return at, nil
	}
	what, err := q.composeGrowing(ctx, g)
	if what == "" || g.set.muted || err != nil {
		g.shownText, g.shownLine = g.text, g.line
		return due, err
	}
	next, err := q.callNext(ctx, g.set, func() bool { return q.isRunning(g) })
	g.updatedAt = q.Now()
	q.growAt = g.updatedAt.Add(growInterval(q.Name.IsGroup(q.chat)))
	return next, err
}

// composeGrowing sets the posts of a reply to the part that the chat may see. It returns the call
// to make; "" means none.
func (q *chatQueue) composeGrowing(ctx context.Context, g *growingReply) (call, error) {
	text, line := g.text, g.line
	if !q.Grows(g.set.conversation) {
		text, line = g.note, ""
	}
	if !q.Name.Capabilities().Edit || text == "" && line == "" && len(g.set.posts) == 0 {
		return "", nil
	}
	if err := q.loadPosts(ctx, g.set); err != nil {
		return "", err
	}
	g.set.muted = g.set.uncertain()
	parts := q.parts(text, true)
	if q.KeepText != nil {
		parts = parts[:min(len(parts), maxMessages-1)] // one message stays free for the file with the whole text
	}
	g.set.setContents(q.withLine(parts, line))
	what, _ := g.set.nextCall(q.inChat)
	return what, nil
}
