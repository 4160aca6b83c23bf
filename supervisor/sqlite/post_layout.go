package sqlite

import (
	"context"

	"mews/supervisor"
)

// Open says, once, what a delivery is to show. Its turn's posts become its own, and each part gets
// its content. Missing parts are added as queued. Those beyond the last are surplus or, where they
// were not sent, deleted. It returns the posts by part. For a delivery that has posts it changes
// nothing and returns them.
func (s Posts) Open(ctx context.Context, delivery int64, contents []supervisor.RichText) ([]supervisor.Post, error) {
	return s.inLayout(ctx, delivery, func(t layoutTx) {
		if !t.hasLayout() {
			t.layOut(0, contents)
		}
	}, "say what delivery %d is to show", delivery)
}

// Replace gives the parts of an open delivery from one on other contents, as Open does for all of
// them: a channel has found that part too long, and did not take it. contents is all that follows,
// not that part alone. It returns all posts by part.
func (s Posts) Replace(ctx context.Context, delivery int64, from int, contents []supervisor.RichText) (
	[]supervisor.Post, error) {
	return s.inLayout(ctx, delivery, func(t layoutTx) {
		if !t.hasLayout() {
			t.fail(invalid("it was not said yet what delivery %d is to show", delivery))
		}
		t.requeueRefused(from)
		t.layOut(from, contents)
	}, "replace delivery %d from part %d on", delivery, from)
}

// inLayout has fn change what a delivery is to show and returns its posts after that.
func (s Posts) inLayout(ctx context.Context, delivery int64, fn func(layoutTx), format string, args ...any) (
	[]supervisor.Post, error) {
	return inTransaction(ctx, s.db, func(t *tx) []supervisor.Post {
		fn(t.layout(delivery))
		return t.postsOf(delivery)
	}, format, args...)
}

// layoutTx is a transaction that says what a delivery is to show.
type layoutTx struct {
	*tx
	delivery supervisor.Delivery
	parts    map[int]supervisor.Post // its own, and those of its turn that belong to no delivery
}

const findDelivery = selectDelivery + `WHERE o.id = ?`

func (t *tx) layout(delivery int64) layoutTx {
	layout := layoutTx{t, byID(t, "delivery", scanDelivery, findDelivery, delivery), map[int]supervisor.Post{}}
	for _, p := range t.postsOf(delivery) {
		layout.parts[p.Part] = p
	}
	return layout
}

// hasLayout says whether it has been said what the delivery is to show.
func (t layoutTx) hasLayout() bool {
	for _, p := range t.parts {
		if p.Delivery != 0 {
			return true
		}
	}
	return false
}

// requeueRefused keeps that the channel did not take a part.
func (t layoutTx) requeueRefused(part int) {
	p, ok := t.parts[part]
	if !ok || p.State != supervisor.PostSending {
		return
	}
	queued := p
	queued.State = supervisor.PostQueued
	t.parts[part] = queued
	t.changePost(p, queued)
}

// layOut gives the parts from one on their contents and does without those beyond the last.
func (t layoutTx) layOut(from int, contents []supervisor.RichText) {
	for i, content := range contents {
		t.fill(from+i, content)
	}
	for part, p := range t.parts {
		if part >= from+len(contents) {
			t.drop(p)
		}
	}
}

// refilledState says what a post becomes that gets other content; what is not named stays what it
// is.
var refilledState = map[supervisor.PostState]supervisor.PostState{
	supervisor.PostFailed:  supervisor.PostQueued, // it was refused with its earlier content
	supervisor.PostSurplus: supervisor.PostSent,   // it still stands there
}

// fill gives a part its content.
func (t layoutTx) fill(part int, content supervisor.RichText) {
	p, ok := t.parts[part]
	if !ok {
		t.putPost(t.delivery.Conversation.ID, supervisor.Post{Turn: t.delivery.Turn, Delivery: t.delivery.ID,
			Part: part, State: supervisor.PostQueued, Content: content})
		return
	}
	to := p
	to.Content = content
	if state, ok := refilledState[p.State]; ok {
		to.State = state
	}
	t.assign(p, to)
}

// droppedState says what a post becomes that the delivery does without; what is not named is
// deleted.
var droppedState = map[supervisor.PostState]supervisor.PostState{
	supervisor.PostSent:    supervisor.PostSurplus,
	supervisor.PostSurplus: supervisor.PostSurplus,
}

// drop does without a post.
func (t layoutTx) drop(p supervisor.Post) {
	to := p
	to.State = supervisor.PostDeleted
	if state, ok := droppedState[p.State]; ok {
		to.State = state
	}
	t.assign(p, to)
}

const assignPost = `UPDATE post SET conversation = ?, delivery = ?, content = ?, changed_at = ? WHERE id = ?`

// assign makes a post the delivery's and changes it. One whose sending was cut stays one, whatever
// it is to show now.
func (t layoutTx) assign(p, to supervisor.Post) {
	t.Exec(assignPost, t.delivery.Conversation.ID, t.delivery.ID, encoded{to.Content}, t.Now, p.ID)
	if p.State != to.State {
		t.changePost(p, to)
	}
}
