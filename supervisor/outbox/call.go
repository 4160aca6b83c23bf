package outbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mews/supervisor"
)

// call is one of the channel's verbs.
type call string

const (
	callSend   call = "send"
	callEdit   call = "edit"
	callDelete call = "delete"
	callProbe  call = "probe" // typing: it changes nothing
)

// callNext makes the set's next call, if its time has come; else it returns when that is. It waits
// for a place among the calls of all chats, and then asks whether the call is still wanted.
func (q *chatQueue) callNext(ctx context.Context, set *postSet, wanted func() bool) (time.Time, error) {
	posts := set.nextPosts(q.inChat)
	if at := q.outbox.gate.next(q.chat, set.growing(), posts); at.After(q.Now()) {
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

// makeCall makes a call that has its place among the calls of all chats, and keeps what became of
// it.
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

// calls are how each call is made, and what follows once it has succeeded. message is the name of
// what was sent.
var calls = map[call]struct {
	do        func(q *chatQueue, set *postSet, p supervisor.Post) (message string, err error)
	succeeded func(q *chatQueue, set *postSet, i int, message string) error
}{
	callSend: {
		func(q *chatQueue, set *postSet, p supervisor.Post) (string, error) {
			return q.Channel.Send(q.calls, q.address(set, p), visible(p))
		},
		(*chatQueue).sent,
	},
	callEdit: {
		func(q *chatQueue, set *postSet, p supervisor.Post) (string, error) {
			to := q.address(set, p)
			to.ReplyTo = ""
			return "", q.Channel.Edit(q.calls, to, p.Message, visible(p))
		},
		// To edit it again changes nothing, so nothing is kept of it.
		func(q *chatQueue, set *postSet, i int, _ string) error {
			q.reached(set)
			q.inChat[set.posts[i].ID] = visible(set.posts[i])
			return nil
		},
	},
	callDelete: {
		func(q *chatQueue, set *postSet, p supervisor.Post) (string, error) {
			return "", q.Channel.Delete(q.calls, q.place(set.conversation.Thread), p.Message)
		},
		func(q *chatQueue, set *postSet, i int, _ string) error {
			q.reached(set)
			return q.deleted(set, i)
		},
	},
	callProbe: {(*chatQueue).probe, func(q *chatQueue, _ *postSet, _ int, _ string) error {
		q.noteAnswer()
		return nil
	}},
}

// place is where in the channel a thread of the chat is.
func (q *chatQueue) place(thread string) supervisor.Address {
	return supervisor.Address{Chat: q.chat, Thread: thread}
}

// address is where a post goes. In a group the first part of an answer names what it answers. What
// the service itself says of one message, and no turn, names that one everywhere: it may be one of
// many.
func (q *chatQueue) address(set *postSet, p supervisor.Post) supervisor.Address {
	to := q.place(set.conversation.Thread)
	to.Silent = p.Repeat || set.delivery.Silent
	if p.Part == 0 && (q.Name.IsGroup(q.chat) || set.delivery.Kind == supervisor.DeliveryNotice && len(set.delivery.Files) == 0) {
		to.ReplyTo = set.message
	}
	return to
}

// markSending keeps that a post is about to be sent. It may be sent only where it says so.
func (q *chatQueue) markSending(ctx context.Context, set *postSet, i int) (bool, error) {
	p, err := q.Posts.Sending(ctx, set.conversation.ID, set.posts[i])
	if err != nil {
		return false, err
	}
	set.posts[i] = p
	if ctx.Err() != nil {
		return false, q.settle(set, i, afterUnsent(p))
	}
	return true, nil
}

// sent keeps that a post was sent, under a name, together with its delivery's end where nothing is
// left to do for that. Where both together can't be kept, the post is what must be.
func (q *chatQueue) sent(set *postSet, i int, message string) error {
	q.reached(set)
	p := set.posts[i]
	p.State, p.Message = supervisor.PostSent, message
	q.inChat[p.ID] = visible(p)
	set.posts[i] = p
	if rest, _ := set.nextCall(q.inChat); rest == "" && !set.growing() && q.closeDelivery(set, p) == nil {
		return nil
	}
	return q.settle(set, i, p)
}

// probe finds out whether the channel answers, before a post is sent again that may have been
// taken: it is sent again only once, and that one must not be lost to a channel that is away. A
// channel that refuses typing answers too.
func (q *chatQueue) probe(set *postSet, _ supervisor.Post) (string, error) {
	err := q.Channel.Act(q.calls, q.place(set.conversation.Thread), supervisor.ActionTyping)
	if err != nil && sendError(err).Result == supervisor.ResultRefused {
		err = nil
	}
	return "", err
}

// deleted keeps that a post is not in the chat any more: for good, or until it is sent anew.
func (q *chatQueue) deleted(set *postSet, i int) error {
	p := set.posts[i]
	if p.State == supervisor.PostSent {
		return q.unplace(set, i)
	}
	p.State = supervisor.PostDeleted
	return q.settle(set, i, p)
}

// unplace keeps that a post that was sent is not in the chat any more, and is to be sent anew.
func (q *chatQueue) unplace(set *postSet, i int) error {
	p := set.posts[i]
	delete(q.inChat, p.ID)
	delete(set.unfit, p.ID)
	p.State, p.Message = supervisor.PostQueued, ""
	return q.settle(set, i, p)
}

// afterUnsent is what a post becomes that was not taken, for certain.
func afterUnsent(p supervisor.Post) supervisor.Post {
	p.State = supervisor.PostQueued
	return p
}

// sendError is how a call failed. The result of an error that is not the channel's own is unknown.
func sendError(err error) *supervisor.SendError {
	var e *supervisor.SendError
	if !errors.As(err, &e) {
		return &supervisor.SendError{Result: supervisor.ResultUnknown, Err: err}
	}
	if e.Err == nil {
		named := *e
		named.Err = fmt.Errorf("%s %s", e.Result, e.Reason)
		e = &named
	}
	return e
}
