package outbox

import (
	"context"
	"slices"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/signals"
)

// askInterval is how long after it has asked the store a queue asks again because a reply has
// grown: there may be a delivery too.
const askInterval = 500 * time.Millisecond

// findDelivery begins with the oldest delivery that waits in the chat, where none is being sent and
// there may be one. Until it is closed there is no other, so that its parts stay together. Its
// turn's reply is over: neither typing nor an earlier text is shown after this.
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
		q.begin(set)
	}
	q.askAt, q.askedAt = again, now
	return nil
}

const (
	// lookPast is how many deliveries are looked at first for one that somebody waits for; then it
	// is more and more.
	lookPast = 20
	// letGrow is how long a delivery lets a reply grow first.
	letGrow = 2 * time.Minute
)

// nextDelivery is the oldest that waits and may be sent, nil for none. What nobody waits for goes
// behind what somebody does. again says when to look once more, though nobody wakes the queue.
func (q *chatQueue) nextDelivery(ctx context.Context) (next *supervisor.Delivery, again time.Time, err error) {
	pending, err := q.Deliveries.ListPendingIn(ctx, q.Name, q.chat, 1)
	for most := lookPast; err == nil && len(pending) > 0 && !slices.ContainsFunc(pending, asked); most *= 4 {
		pending, err = q.Deliveries.ListPendingIn(ctx, q.Name, q.chat, most)
		if len(pending) < most {
			break // that is all
		}
	}
	if err != nil {
		return nil, never, err
	}
	again = never
	for _, d := range slices.SortedStableFunc(slices.Values(pending), askedFirst) {
		until := q.letsGrow(d)
		if until.IsZero() {
			return &d, never, nil
		}
		again = earlier(again, until)
	}
	return nil, again, nil
}

// asked says whether somebody waits for a delivery.
func asked(d supervisor.Delivery) bool { return !d.Unasked }

// askedFirst orders what somebody waits for before what nobody does.
func askedFirst(a, b supervisor.Delivery) int {
	switch {
	case a.Unasked == b.Unasked:
		return 0
	case b.Unasked:
		return -1
	}
	return 1
}

// letsGrow is until when a delivery lets a reply grow first that its chat shows: only what nobody
// waits for does. The zero time is not at all.
func (q *chatQueue) letsGrow(d supervisor.Delivery) (until time.Time) {
	g := q.replies[d.Conversation.ID]
	if !d.Unasked || g == nil || g.set.turn == d.Turn || g.shownText == "" && g.shownLine == "" || !q.running(g) {
		return until
	}
	if until = d.CreatedAt.Add(letGrow); !until.After(q.Now()) {
		return time.Time{}
	}
	return until
}

// begin begins with a delivery.
func (q *chatQueue) begin(set *postSet) {
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

// openDelivery finds what stands in the chat of a delivery, and says what it is to show.
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

// newPostSet is a delivery's, without its posts.
func (o *Options) newPostSet(d supervisor.Delivery) *postSet {
	now := o.Now()
	return &postSet{conversation: d.Conversation, turn: d.Turn, message: d.Message, delivery: d, unfit: map[int64]bool{},
		giveUpAt: now.Add(min(max(d.CreatedAt.Add(giveUpAfter).Sub(now), minTryTime), giveUpAfter))}
}

// loadPosts finds the posts of a set: an earlier life, or the growing reply, may have sent some.
func (q *chatQueue) loadPosts(ctx context.Context, set *postSet) error {
	if set.loaded {
		return nil
	}
	posts, err := q.Posts.List(ctx, set.turn, set.delivery.ID)
	if err != nil {
		return err
	}
	set.posts, set.loaded = posts, true
	if err := q.repairPosts(set); err != nil {
		return err
	}
	below := q.below[set.turn]
	if !below && set.turn != 0 && set.has(supervisor.PostSent) {
		if below, err = q.Posts.Asked(ctx, set.turn); err != nil {
			set.loaded = false
			return err
		}
	}
	if below {
		// it goes on below what was sent ahead of it, and below what its person was asked
		set.markUnfit(0)
		delete(q.below, set.turn)
	}
	return nil
}

// composeParts says what a delivery is to show, for the first time. That is put on disk before
// anything is sent, with two exceptions: where all of it is edited in, and where it is one part,
// which is put on disk as it is sent.
func (q *chatQueue) composeParts(ctx context.Context, set *postSet) error {
	untold, err := q.Deliveries.ListUntold(ctx, set.conversation.ID)
	if err != nil {
		return err
	}
	parts := q.contents(set.delivery, len(untold) > 0)
	switch {
	case len(set.posts) == 0 && len(parts) == 1:
		set.posts = []supervisor.Post{{Turn: set.turn, Delivery: set.delivery.ID, State: supervisor.PostQueued, Content: parts[0]}}
	case set.allSent(len(parts)) && parts[len(parts)-1].File == nil: // a message never becomes a file
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
		set.outcome, set.why = supervisor.OutcomeFailed, textNoRecipient
	}
	set.closing = true
	return time.Time{}, q.closeDelivery(set, set.last)
}

// closeDelivery keeps what became of the current delivery, and of its last post where that is not
// kept yet. The earlier ones that it tells of count as told where it arrived.
func (q *chatQueue) closeDelivery(set *postSet, last supervisor.Post) error {
	d := set.delivery
	outcome, why := set.finalOutcome()
	var told []int64 // of whose outcome nobody needs to be told after this one
	switch {
	case set.why == textNoRecipient:
		told = []int64{d.ID}
	case outcome == supervisor.OutcomeSent && apologizes(set.posts):
		var err error
		if told, err = q.Deliveries.ListUntold(q.calls, set.conversation.ID); err != nil {
			return err
		}
	}
	if d.DeleteAfter > 0 && q.Forget != nil {
		for _, f := range d.Files {
			q.Forget(f)
		}
	}
	elsewhere := q.elsewhere(set)
	if err := q.Deliveries.Close(q.calls, supervisor.DeliveryOutcome{Delivery: d.ID, Outcome: outcome, Why: why, Told: told,
		Post: last, Reason: set.reason, Elsewhere: elsewhere}); err != nil {
		return err
	}
	if elsewhere.Channel != "" && q.Queued != nil {
		q.Queued(elsewhere)
	}
	if d.DeleteAfter > 0 {
		signals.Send(q.outbox.cleaningDue)
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
