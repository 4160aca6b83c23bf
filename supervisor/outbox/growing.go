package outbox

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"
)

// firstTextDelay is how long after its beginning a text is shown. What is said within that time is
// shown at once.
const firstTextDelay = 500 * time.Millisecond

// growingReply is a reply that is being given.
type growingReply struct {
	set       *postSet
	text      string // as it is now
	note      string // why nothing comes, with which text ends; "" where something does
	tool      runningTool
	line      string    // of the tool that runs, with which the message ends; "" for none
	lineAt    time.Time // when line was last another
	shownText string    // as the chat shows it
	shownLine string    // likewise
	showAt    time.Time // it is not shown before; the zero time while there is no text
	typingAt  time.Time // when typing is due
	updatedAt time.Time // when the chat was last changed for it
}

// readWoken finds out how the replies of the chat are now.
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

// askTimeFor is when to ask for a delivery, once the queue was woken for a conversation. That is at
// once, unless its reply has grown, which may be all that has happened: that can't hide a delivery
// for longer than askInterval.
func (q *chatQueue) askTimeFor(id int64) time.Time {
	g := q.replies[id]
	if g == nil || !q.running(g) {
		return time.Time{}
	}
	if r, _ := q.Replies.Look(id); r.Text == g.text {
		return time.Time{}
	}
	return q.askedAt.Add(askInterval)
}

// dropMoved leaves to the new name's queue what is not of this chat any more. A conversation stays
// here where its person had one there already: no more of its reply is shown before the delivery,
// which does move.
func (q *chatQueue) dropMoved(ctx context.Context) error {
	q.restartDelivery()
	for id, g := range q.replies {
		c, _, err := q.Conversations.FindByID(ctx, id)
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

// refreshReplies brings what is known of each reply up to date.
func (q *chatQueue) refreshReplies(now time.Time) {
	for id, g := range q.replies {
		r, ok := q.Replies.Look(id)
		if !ok || r.Turn.ID == q.lastTurn[id] || !q.Serves(r.Turn.AnswersIn()) {
			delete(q.replies, id)
			continue
		}
		if g == nil || g.set.turn != r.Turn.ID {
			g = &growingReply{typingAt: now.Add(firstTypingDelay), set: &postSet{conversation: r.Turn.AnswersIn(), turn: r.Turn.ID,
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

// running says whether a reply is still being given.
func (q *chatQueue) running(g *growingReply) bool {
	r, ok := q.Replies.Look(g.set.conversation.ID)
	return ok && r.Turn.ID == g.set.turn
}

// repliesInOrder are the replies, the one that has waited longest first.
func (q *chatQueue) repliesInOrder() []*growingReply {
	return slices.SortedFunc(maps.Values(q.replies), func(x, y *growingReply) int {
		return cmp.Or(x.updatedAt.Compare(y.updatedAt), cmp.Compare(x.set.turn, y.set.turn))
	})
}

// growAll has the chat show more of one of the replies, if it may.
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
	at := later(later(g.showAt, q.growAt), q.outbox.gate.next(q.chat, true, 1))
	if at.After(q.Now()) {
		return at, nil
	}
	what, err := q.composeGrowing(ctx, g)
	if what == "" || g.set.muted || err != nil {
		g.shownText, g.shownLine = g.text, g.line
		return due, err
	}
	next, err := q.callNext(ctx, g.set, func() bool { return q.running(g) })
	g.updatedAt = q.Now()
	q.growAt = g.updatedAt.Add(growInterval(q.Name.IsGroup(q.chat)))
	return next, err
}

// composeGrowing has the posts of a reply show as much of it as the chat may see, and says by which
// call; "" for none.
func (q *chatQueue) composeGrowing(ctx context.Context, g *growingReply) (call, error) {
	text, line := g.text, g.line
	if !q.Grows(g.set.conversation) {
		text, line = g.note, ""
	}
	if !q.Name.Can().Edit || text == "" && line == "" && len(g.set.posts) == 0 {
		return "", nil
	}
	if err := q.loadPosts(ctx, g.set); err != nil {
		return "", err
	}
	g.set.muted = g.set.uncertain()
	parts := q.parts(text, true)
	if q.KeepText != nil {
		parts = parts[:min(len(parts), maxMessages-1)] // a file may come behind them
	}
	g.set.setContents(q.withLine(parts, line))
	what, _ := g.set.nextCall(q.inChat)
	return what, nil
}
