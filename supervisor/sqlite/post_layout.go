package sqlite

import (
	"context"

	"mews/supervisor"
)

// CreatePosts creates the posts of a delivery, once, and returns them by part. If the delivery
// already has posts, CreatePosts returns these posts unchanged.
//
// The posts of the delivery's turn become posts of the delivery, and each part gets its content. A
// missing part gets a queued post. Posts beyond the last part become surplus if they were sent;
// otherwise they are deleted.
func (s Posts) CreatePosts(ctx context.Context, delivery int64, contents []supervisor.RichText) ([]supervisor.Post,
	error) {
	return s.changeLayout(ctx, delivery, func(t layoutTx) {
		if !t.hasLayout() {
			t.layOut(0, contents)
		}
	}, "open the posts of delivery %d", delivery)
}

// ReplaceContents replaces the contents of an open delivery from a part on. The channel found that
// part too long. The argument contents holds the new contents of that part and of all later parts.
// ReplaceContents returns all posts by part.
func (s Posts) ReplaceContents(ctx context.Context, delivery int64, from int, contents []supervisor.RichText) (
	[]supervisor.Post, error) {
	return s.changeLayout(ctx, delivery, func(t layoutTx) {
		if !t.hasLayout() {
			t.fail(invalid("it was not said yet what delivery %d is to show", delivery))
		}
		t.requeueRefused(from)
		t.layOut(from, contents)
	}, "replace delivery %d from part %d on", delivery, from)
}

// changeLayout runs fn to change a delivery's layout, and returns the posts afterwards.
func (s Posts) changeLayout(ctx context.Context, delivery int64, fn func(layoutTx), format string, args ...any) (
	[]supervisor.Post, error) {
	return inTransaction(ctx, s.db, func(t *tx) []supervisor.Post {
		fn(t.loadLayout(delivery))
		return t.postsOf(delivery)
	}, format, args...)
}

// layoutTx is a transaction that changes the posts of a delivery.
type layoutTx struct {
	*tx
	delivery supervisor.Delivery
	// posts of the delivery, and posts of its turn that belong to no delivery
	parts map[int]supervisor.Post
}

const findDelivery = selectDelivery + `WHERE o.id = ?`

func (t *tx) loadLayout(delivery int64) layoutTx {
	layout := layoutTx{t, byID(t, "delivery", scanDelivery, findDelivery, delivery), map[int]supervisor.Post{}}
	for _, p := range t.postsOf(delivery) {
		layout.parts[p.Part] = p
	}
	return layout
}

// hasLayout reports whether the delivery has posts of its own.
func (t layoutTx) hasLayout() bool {
	for _, p := range t.parts {
		if p.Delivery != 0 {
			return true
		}
	}
	return false
}

// requeueRefused queues a part whose content the channel refused.
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

// layOut sets the contents of the parts, starting at the part from. It drops the posts beyond the
// last part.
func (t layoutTx) layOut(from int, contents []supervisor.RichText) {
	for i, content := range contents {
		t.setContent(from+i, content)
	}
	for part, p := range t.parts {
		if part >= from+len(contents) {
			t.dropPost(p)
		}
	}
}

// refilledState maps the state of a post to its next state when the post gets other content. States
// that are not listed stay.
var refilledState = map[supervisor.PostState]supervisor.PostState{
	supervisor.PostFailed:  supervisor.PostQueued, // the channel refused only the earlier content
	supervisor.PostSurplus: supervisor.PostSent,   // the post is still in the chat
}

// setContent sets the content of a part.
func (t layoutTx) setContent(part int, content supervisor.RichText) {
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
	t.assignPost(p, to)
}

// droppedState maps the state of a post to its next state when the delivery no longer needs the
// post. States that are not listed become deleted.
var droppedState = map[supervisor.PostState]supervisor.PostState{
	supervisor.PostSent:    supervisor.PostSurplus,
	supervisor.PostSurplus: supervisor.PostSurplus,
}

// dropPost removes a post from the delivery.
func (t layoutTx) dropPost(p supervisor.Post) {
	to := p
	to.State = supervisor.PostDeleted
	if state, ok := droppedState[p.State]; ok {
		to.State = state
	}
	t.assignPost(p, to)
}

const assignPost = `UPDATE post SET conversation = ?, delivery = ?, content = ?, changed_at = ? WHERE id = ?`

// assignPost assigns a post to the delivery, and gives it the content and state of to. A post that
// is being sent stays in that state, whatever the new content.
func (t layoutTx) assignPost(p, to supervisor.Post) {
	t.Exec(assignPost, t.delivery.Conversation.ID, t.delivery.ID, columnEncoder{to.Content}, t.Now, p.ID)
	if p.State != to.State {
		t.changePost(p, to)
	}
}
