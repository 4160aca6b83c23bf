package outbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mews/supervisor"
)

// callNext makes the postSet's next call, if its time has come; else it returns when that is. Once it has waited for a place
// among all chats' it asks whether the call is still wanted.
func (q *chatQueue) callNext(ctx context.Context, set *postSet, wanted func() bool) (time.Time, error) {
	if at := q.outbox.gate.next(q.chat, set.growing()); at.After(q.Now()) {
		return at, nil
	}
	if !q.outbox.gate.enter(ctx, q.chat) {
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
	return time.Time{}, calls[what](q, ctx, set, i)
}

// calls are how each call is made. They have a place among all chats' and give it back.
var calls = map[call]func(q *chatQueue, ctx context.Context, set *postSet, i int) error{
	callSend: (*chatQueue).send, callEdit: (*chatQueue).edit, callDelete: (*chatQueue).delete, callProbe: (*chatQueue).probe,
}

// probe finds out whether the channel answers, before a post is sent again that may have been taken: it is sent again once,
// and that must not be lost to a channel that is away. One that refuses typing answers too.
func (q *chatQueue) probe(ctx context.Context, set *postSet, i int) error {
	err := q.Channel.Typing(q.callCtx, supervisor.Address{Chat: q.chat, Thread: set.conversation.Thread})
	full := q.outbox.gate.leave(q.chat, true)
	if err != nil {
		if e := sendError(err); e.Result != supervisor.ResultRefused {
			return q.callFailed(ctx, failure{set, i, callProbe, e, full})
		}
	}
	q.heard()
	return nil
}

// send sends a post that is not there. That it is about to be sent is on disk before.
func (q *chatQueue) send(ctx context.Context, set *postSet, i int) error {
	p, err := q.Posts.Sending(ctx, set.conversation.ID, set.posts[i])
	if err != nil {
		q.outbox.gate.leave(q.chat, false)
		return err
	}
	set.posts[i] = p
	if ctx.Err() != nil {
		q.outbox.gate.leave(q.chat, false)
		return q.settle(set, i, afterUnsent(p))
	}
	name, err := q.Channel.Send(q.callCtx, set.address(q.chat, p), visible(p))
	full := q.outbox.gate.leave(q.chat, true)
	if err != nil {
		return q.callFailed(ctx, failure{set, i, callSend, sendError(err), full})
	}
	q.succeeded(set)
	p.State, p.Message = supervisor.PostSent, name
	q.inChat[p.ID] = visible(p)
	return q.settle(set, i, p)
}

// edit has a post show what it is to show. To do so again changes nothing, so nothing is kept of it.
func (q *chatQueue) edit(ctx context.Context, set *postSet, i int) error {
	p := set.posts[i]
	to := set.address(q.chat, p)
	to.ReplyTo = ""
	err := q.Channel.Edit(q.callCtx, to, p.Message, visible(p))
	full := q.outbox.gate.leave(q.chat, true)
	if err != nil {
		return q.callFailed(ctx, failure{set, i, callEdit, sendError(err), full})
	}
	q.succeeded(set)
	q.inChat[p.ID] = visible(p)
	return nil
}

// delete takes a post out of the chat, for good or to be sent anew.
func (q *chatQueue) delete(ctx context.Context, set *postSet, i int) error {
	err := q.Channel.Delete(q.callCtx, supervisor.Address{Chat: q.chat, Thread: set.conversation.Thread}, set.posts[i].Message)
	full := q.outbox.gate.leave(q.chat, true)
	if err != nil {
		return q.callFailed(ctx, failure{set, i, callDelete, sendError(err), full})
	}
	q.succeeded(set)
	return q.deleted(set, i)
}

// succeeded is after a call that has done what it was to.
func (q *chatQueue) succeeded(set *postSet) {
	set.attempts = failedAttempts{}
	q.reached()
}

func (q *chatQueue) deleted(set *postSet, i int) error {
	p := set.posts[i]
	if p.State == supervisor.PostSent {
		return q.unplace(set, i)
	}
	p.State = supervisor.PostDeleted
	return q.settle(set, i, p)
}

// unplace keeps that a post that was sent stands in the chat no more.
func (q *chatQueue) unplace(set *postSet, i int) error {
	p := set.posts[i]
	delete(q.inChat, p.ID)
	delete(set.unfit, p.ID)
	p.State, p.Message = supervisor.PostQueued, ""
	return q.settle(set, i, p)
}

// afterUnsent is a post that was not taken, for certain.
func afterUnsent(p supervisor.Post) supervisor.Post {
	p.State = supervisor.PostQueued
	return p
}

// sendError is how a call failed. Of an error that is not one of the channel's nothing is known.
func sendError(err error) *supervisor.SendError {
	var e *supervisor.SendError
	if errors.As(err, &e) && e.Err != nil {
		return e
	}
	if e != nil {
		named := *e
		named.Err = fmt.Errorf("%s %s", e.Result, e.Reason)
		return &named
	}
	return &supervisor.SendError{Result: supervisor.ResultUnknown, Err: err}
}
