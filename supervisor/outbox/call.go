package outbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mews/supervisor"
)

// call names a method of the channel.
type call string

const (
	callSend   call = "send"
	callEdit   call = "edit"
	callDelete call = "delete"
	callProbe  call = "probe" // shows typing, and changes no message
)

// callNext makes the next call of a post set, or returns when the call may be made. It waits for a
// slot among the calls to all chats. Then it asks wanted whether the call is still needed.
func (q *chatQueue) callNext(ctx context.Context, set *postSet, wanted func() bool) (time.Time, error) {
	posts := set.nextPosts(q.inChat)
	if at := q.outbox.gate.nextTime(q.chat, set.growing(), posts); at.After(q.Now()) {
		return at, nil
	}
	if !q.outbox.resume(q) {
		return time.Time{}, nil
	}
	if !q.outbox.gate.enter(ctx, q.chat, posts) {
		return time.Time{}, nil
	}
	what, i := set.nextCall(q.inChat)
	if what == "" || !wanted() {
		q.outbox.gate.leave(q.chat, false)
		return time.Time{}, nil
	}
	if what == callSend && set.posts[i].Repeat && !q.answersLately() {
		what = callProbe
	}
	if what == callSend {
		if err := q.showUpload(set, set.posts[i]); err != nil {
			q.outbox.gate.leave(q.chat, false)
			return time.Time{}, err
		}
		if ok, err := q.markSending(ctx, set, i); !ok || err != nil {
			q.outbox.gate.leave(q.chat, false)
			return time.Time{}, err
		}
	}
	return time.Time{}, q.makeCall(ctx, set, what, i)
}

// makeCall makes a call that already holds a slot, and records its result.
func (q *chatQueue) makeCall(ctx context.Context, set *postSet, what call, i int) error {
	message, err := calls[what].do(q, set, set.posts[i])
	full := q.outbox.gate.leave(q.chat, true)
	if what == callSend {
		q.outbox.gate.count(q.chat, 1+len(set.posts[i].Content.Album))
	}
	if err != nil {
		return q.callFailed(ctx, failure{set, i, what, sendError(err), full})
	}
	return calls[what].succeeded(q, set, i, message)
}

// calls holds, for each call, the function that makes it and the function that records its success.
// message is the channel's name of the sent message.
var calls = map[call]struct {
	do        func(q *chatQueue, set *postSet, p supervisor.Post) (message string, err error)
	succeeded func(q *chatQueue, set *postSet, i int, message string) error
}{
	callSend: {
		func(q *chatQueue, set *postSet, p supervisor.Post) (string, error) {
			return q.Channel.Send(q.calls, q.address(set, p), visible(p))
		},
		(*chatQueue).recordSent,
	},
	callEdit: {
		func(q *chatQueue, set *postSet, p supervisor.Post) (string, error) {
			to := q.address(set, p)
			to.ReplyTo = ""
			return "", q.Channel.EditMessage(q.calls, to, p.Message, visible(p))
		},
		// The post is not stored after an edit: a repeated edit to the same content changes
		// nothing.
		func(q *chatQueue, set *postSet, i int, _ string) error {
			q.noteReached(set)
			q.inChat[set.posts[i].ID] = visible(set.posts[i])
			return nil
		},
	},
	callDelete: {
		func(q *chatQueue, set *postSet, p supervisor.Post) (string, error) {
			return "", q.Channel.DeleteMessage(q.calls, q.threadAddress(set.conversation.Thread), p.Message)
		},
		func(q *chatQueue, set *postSet, i int, _ string) error {
			q.noteReached(set)
			return q.recordDeleted(set, i)
		},
	},
	callProbe: {(*chatQueue).probe, func(q *chatQueue, _ *postSet, _ int, _ string) error {
		q.noteAnswer()
		return nil
	}},
}

// threadAddress returns the address of a thread of the chat.
func (q *chatQueue) threadAddress(thread string) supervisor.PostAddress {
	return supervisor.PostAddress{Chat: q.chat, Thread: thread}
}

// address returns the address of a post. In a group, the first part of an answer is a reply to the
// user's message. A notice of the service without files is a reply in every chat, because several
// messages of the user may wait there.
func (q *chatQueue) address(set *postSet, p supervisor.Post) supervisor.PostAddress {
	to := q.threadAddress(set.conversation.Thread)
	to.Silent = p.Repeat || set.delivery.Silent
	if p.Part == 0 && (q.Name.IsGroup(q.chat) || set.delivery.Kind == supervisor.DeliveryNotice && len(set.delivery.Files) == 0) {
		to.ReplyTo = set.message
	}
	return to
}

// markSending stores that a post is about to be sent. The post may be sent only if markSending
// returns true.
func (q *chatQueue) markSending(ctx context.Context, set *postSet, i int) (bool, error) {
	p, err := q.Posts.MarkSending(ctx, set.conversation.ID, set.posts[i])
	if err != nil {
		return false, err
	}
	set.posts[i] = p
	if ctx.Err() != nil {
		return false, q.settle(set, i, afterUnsent(p))
	}
	return true, nil
}

// recordSent stores that a post was sent, with the channel's name of its message. If the delivery
// is then complete, the same transaction closes it. If the transaction fails, recordSent stores
// only the post.
func (q *chatQueue) recordSent(set *postSet, i int, message string) error {
	q.noteReached(set)
	p := set.posts[i]
	p.State, p.Message = supervisor.PostSent, message
	q.inChat[p.ID] = visible(p)
	set.posts[i] = p
	if rest, _ := set.nextCall(q.inChat); rest == "" && !set.growing() && q.closeDelivery(set, p) == nil {
		return nil
	}
	return q.settle(set, i, p)
}

// probe shows typing to learn whether the channel answers. A refusal is an answer, too. A probe
// comes before the repeat of a post that may have arrived. Only one repeat is allowed, and an
// outage must not waste the repeat.
func (q *chatQueue) probe(set *postSet, _ supervisor.Post) (string, error) {
	err := q.Channel.SendChatAction(q.calls, q.threadAddress(set.conversation.Thread), supervisor.ActionTyping)
	if err != nil && sendError(err).Result == supervisor.SendResultRefused {
		err = nil
	}
	return "", err
}

// recordDeleted stores that a post is no longer in the chat. The post may be sent again later.
func (q *chatQueue) recordDeleted(set *postSet, i int) error {
	p := set.posts[i]
	if p.State == supervisor.PostSent {
		return q.requeue(set, i)
	}
	p.State = supervisor.PostDeleted
	return q.settle(set, i, p)
}

// requeue stores that a sent post is no longer in the chat and must be sent again.
func (q *chatQueue) requeue(set *postSet, i int) error {
	p := set.posts[i]
	delete(q.inChat, p.ID)
	delete(set.unfit, p.ID)
	p.State, p.Message = supervisor.PostQueued, ""
	return q.settle(set, i, p)
}

// afterUnsent returns the state of a post that the channel certainly did not take.
func afterUnsent(p supervisor.Post) supervisor.Post {
	p.State = supervisor.PostQueued
	return p
}

// sendError returns err as a SendError. If err is of another type, its result is unknown.
func sendError(err error) *supervisor.SendError {
	var e *supervisor.SendError
	if !errors.As(err, &e) {
		return &supervisor.SendError{Result: supervisor.SendResultUnknown, Err: err}
	}
	if e.Err == nil {
		named := *e
		named.Err = fmt.Errorf("%s %s", e.Result, e.Reason)
		e = &named
	}
	return e
}
