package outbox

import (
	"context"
	"slices"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/signals"
)

// askInterval is the pause before a woken queue asks the store again. A wake-up means a new
// delivery, or only that the reply has grown.
const askInterval = 500 * time.Millisecond

// findDelivery starts the oldest waiting delivery of the chat, unless a delivery is being sent or
// askAt is in the future. The next delivery starts only when this delivery is closed, so that a
// delivery's parts stay together. The reply of its turn is then over: the chat shows neither typing
// nor an earlier text.
func (q *chatQueue) findDelivery(ctx context.Context) error {
	now := q.Now()
	if q.current != nil || q.askAt.After(now) || !q.outbox.resume(q) {
		return nil
	}
	next, again, err := q.nextDelivery(ctx)
	if err != nil {
		return err
	}
	if next != nil {
		set, err := q.openDelivery(ctx, *next)
		if err != nil {
			return err
		}
		q.startDelivery(set)
	}
	q.askAt, q.askedAt = again, now
	return nil
}

const (
	// firstScan is how many deliveries the first read covers, to find a delivery that somebody
	// waits for. Each further read is four times as large.
	firstScan = 20
	// maxReplyWait is the longest time for which a proactive delivery waits for a reply.
	maxReplyWait = 2 * time.Minute
)

// nextDelivery returns the oldest waiting delivery that may be sent, or nil. Deliveries that
// somebody waits for go first. again is the time of the next call, even without a wake-up.
func (q *chatQueue) nextDelivery(ctx context.Context) (next *supervisor.Delivery, again time.Time, err error) {
	pending, err := q.Deliveries.ListPendingInChat(ctx, q.Name, q.chat, 1)
	for most := firstScan; err == nil && len(pending) > 0 && !slices.ContainsFunc(pending, isAsked); most *= 4 {
		pending, err = q.Deliveries.ListPendingInChat(ctx, q.Name, q.chat, most)
		if len(pending) < most {
			break // the read returned fewer than its limit: all deliveries were read
		}
	}
	if err != nil {
		return nil, never, err
	}
	again = never
	for _, d := range slices.SortedStableFunc(slices.Values(pending), compareAsked) {
		until := q.waitForReply(d)
		if until.IsZero() {
			return &d, never, nil
		}
		again = earlier(again, until)
	}
	return nil, again, nil
}

// isAsked reports whether somebody waits for a delivery.
func isAsked(d supervisor.Delivery) bool { return !d.Proactive }

// compareAsked sorts deliveries that somebody waits for before proactive deliveries.
func compareAsked(a, b supervisor.Delivery) int {
	switch {
	case a.Proactive == b.Proactive:
		return 0
	case b.Proactive:
		return -1
	}
	return 1
}

// waitForReply returns until when a delivery waits for the reply that its chat shows. The zero time
// means no wait; only proactive deliveries wait.
func (q *chatQueue) waitForReply(d supervisor.Delivery) (until time.Time) {
	g := q.replies[d.Conversation.ID]
	if !d.Proactive || g == nil || g.set.turn == d.Turn || g.shownText == "" && g.shownLine == "" || !q.isRunning(g) {
		return until
	}
	if until = d.CreatedAt.Add(maxReplyWait); !until.After(q.Now()) {
		return time.Time{}
	}
	return until
}

// startDelivery makes a set the current delivery, and ends the reply that this delivery completes.
func (q *chatQueue) startDelivery(set *postSet) {
	q.current = set
	id := set.conversation.ID
	if set.turn != 0 {
		q.lastTurn[id] = set.turn
	}
	switch g := q.replies[id]; {
	case g == nil:
	case g.set.turn == set.turn:
		delete(q.replies, id)
	case set.delivery.Kind == supervisor.DeliveryMessage:
		q.below[g.set.turn] = true
		g.set.loaded, g.shownText = false, ""
	}
}

// openDelivery loads the posts of a delivery and composes its parts.
func (q *chatQueue) openDelivery(ctx context.Context, d supervisor.Delivery) (*postSet, error) {
	set := q.newPostSet(d)
	if err := q.loadPosts(ctx, set); err != nil {
		return nil, err
	}
	set.stored = slices.ContainsFunc(set.posts, func(p supervisor.Post) bool { return p.Delivery != 0 })
	if set.stored {
		return set, nil
	}
	return set, q.composeParts(ctx, set)
}

// newPostSet returns the set of a delivery, without its posts.
func (o *Options) newPostSet(d supervisor.Delivery) *postSet {
	now := o.Now()
	return &postSet{conversation: d.Conversation, turn: d.Turn, message: d.Message, delivery: d, unfit: map[int64]bool{},
		giveUpAt: now.Add(min(max(d.CreatedAt.Add(giveUpAfter).Sub(now), minTryTime), giveUpAfter))}
}

// loadPosts reads the posts of a set. An earlier process or the growing reply may have sent some of
// them.
func (q *chatQueue) loadPosts(ctx context.Context, set *postSet) error {
	if set.loaded {
		return nil
	}
	posts, err := q.Posts.ListPosts(ctx, set.turn, set.delivery.ID)
	if err != nil {
		return err
	}
	set.posts, set.loaded = posts, true
	if err := q.repairPosts(set); err != nil {
		return err
	}
	below := q.below[set.turn]
	if !below && set.turn != 0 && set.has(supervisor.PostSent) {
		if below, err = q.Posts.IsQuestionBelowReply(ctx, set.turn); err != nil {
			set.loaded = false
			return err
		}
	}
	if below {
		// the answer continues below the message or question that was sent meanwhile
		set.markUnfit(0)
		delete(q.below, set.turn)
	}
	return nil
}

// composeParts sets the contents of a delivery that has none yet. It stores them before anything is
// sent, except in two cases. One case is parts that only edit messages of the reply. The other is a
// single part, which is stored when it is sent.
func (q *chatQueue) composeParts(ctx context.Context, set *postSet) error {
	untold, err := q.Deliveries.ListUnreportedLosses(ctx, set.conversation.ID)
	if err != nil {
		return err
	}
	parts := q.contents(set.delivery, len(untold) > 0)
	switch {
	case len(set.posts) == 0 && len(parts) == 1:
		set.posts = []supervisor.Post{{Turn: set.turn, Delivery: set.delivery.ID, State: supervisor.PostQueued, Content: parts[0]}}
	// a sent message can't be edited into a file
	case set.allSent(len(parts)) && parts[len(parts)-1].File == nil:
		set.setContents(parts)
	default:
		return q.storeContents(ctx, set, parts)
	}
	return nil
}

// deliver makes the current delivery's next call, or closes the delivery.
func (q *chatQueue) deliver(ctx context.Context) (time.Time, error) {
	set := q.current
	if what, _ := set.nextCall(q.inChat); what != "" && !set.ended() {
		if q.Serves(set.conversation) {
			return q.callNext(ctx, set, func() bool { return true })
		}
		set.outcome, set.why = supervisor.OutcomeFailed, TextNoAccess
	}
	set.closing = true
	return time.Time{}, q.closeDelivery(set, set.last)
}

// closeDelivery stores the outcome of the current delivery, and its last post if that is not stored
// yet. If the delivery arrived, the earlier deliveries that its apology covers are done, too.
func (q *chatQueue) closeDelivery(set *postSet, last supervisor.Post) error {
	d := set.delivery
	outcome, why := set.finalOutcome()
	var told []int64 // lost deliveries for which this delivery has apologized
	if outcome == supervisor.OutcomeSent && apologizes(set.posts) {
		var err error
		if told, err = q.Deliveries.ListUnreportedLosses(q.calls, set.conversation.ID); err != nil {
			return err
		}
	}
	if d.DeleteAfter > 0 && q.Forget != nil {
		for _, f := range d.Files {
			q.Forget(f)
		}
	}
	elsewhere := q.fallback(set)
	if err := q.Deliveries.StoreOutcome(q.calls, supervisor.DeliveryOutcome{Delivery: d.ID, Outcome: outcome, Why: why,
		ReportedDeliveries: told,
		Post:               last, Reason: set.reason, NoticeTo: elsewhere}); err != nil {
		return err
	}
	if elsewhere.Channel != "" && q.Queued != nil {
		q.Queued(elsewhere)
	}
	if d.DeleteAfter > 0 {
		signals.SendToken(q.outbox.cleaningDue)
	}
	for _, p := range set.posts {
		delete(q.inChat, p.ID)
	}
	q.restartDelivery()
	q.storePauses.Reset()
	if outcome != supervisor.OutcomeSent {
		q.Log.Warn("a delivery did not arrive for certain", "channel", q.Name, "chat", q.chat, "user", d.Conversation.User,
			"delivery", d.ID, "outcome", outcome, "why", why)
	}
	return nil
}
