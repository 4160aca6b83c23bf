package outbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mews/supervisor"
)

// caller is a lane that calls the channel.
type caller struct{ *lane }

// call makes the board's next call, if its time has come; else it returns when that is. Once it has waited for a place
// among all chats' it asks whether the call is still wanted.
func (l caller) call(ctx context.Context, b *board, wanted func() bool) (time.Time, error) {
	if at := l.home.gate.next(l.chat, b.live()); at.After(l.Now()) {
		return at, nil
	}
	if !l.home.gate.enter(ctx, l.chat) {
		return time.Time{}, nil
	}
	what, i := b.next(l.shown)
	if what == "" || !wanted() {
		l.home.gate.leave(l.chat, false)
		return time.Time{}, nil
	}
	if what == callSend && b.posts[i].Repeat && !l.answers() {
		what = callProbe
	}
	return time.Time{}, calls[what](l, ctx, b, i)
}

// calls are how each call is made. They have a place among all chats' and give it back.
var calls = map[call]func(l caller, ctx context.Context, b *board, i int) error{
	callSend: caller.send, callEdit: caller.edit, callDelete: caller.delete, callProbe: caller.probe,
}

// probe finds out whether the channel answers, before a post is sent again that may have been taken: it is sent again once,
// and that must not be lost to a channel that is away. One that refuses typing answers too.
func (l caller) probe(ctx context.Context, b *board, i int) error {
	err := l.Channel.Typing(l.hard, supervisor.Address{Chat: l.chat, Thread: b.conversation.Thread})
	full := l.home.gate.leave(l.chat, true)
	if err != nil {
		if e := sendError(err); e.Result != supervisor.ResultRefused {
			return remedy(l).failed(ctx, failure{b, i, callProbe, e, full})
		}
	}
	l.heard()
	return nil
}

// send sends a post that is not there. That it is about to be sent is on disk before.
func (l caller) send(ctx context.Context, b *board, i int) error {
	p, err := l.Posts.Sending(ctx, b.conversation.ID, b.posts[i])
	if err != nil {
		l.home.gate.leave(l.chat, false)
		return err
	}
	b.posts[i] = p
	if ctx.Err() != nil {
		l.home.gate.leave(l.chat, false)
		return l.settle(b, i, unsent(p))
	}
	name, err := l.Channel.Send(l.hard, b.address(l.chat, p), visible(p))
	full := l.home.gate.leave(l.chat, true)
	if err != nil {
		return remedy(l).failed(ctx, failure{b, i, callSend, sendError(err), full})
	}
	l.done(b)
	p.State, p.Message = supervisor.PostSent, name
	l.shown[p.ID] = visible(p)
	return l.settle(b, i, p)
}

// edit has a post show what it is to show. To do so again changes nothing, so nothing is kept of it.
func (l caller) edit(ctx context.Context, b *board, i int) error {
	p := b.posts[i]
	to := b.address(l.chat, p)
	to.ReplyTo = ""
	err := l.Channel.Edit(l.hard, to, p.Message, visible(p))
	full := l.home.gate.leave(l.chat, true)
	if err != nil {
		return remedy(l).failed(ctx, failure{b, i, callEdit, sendError(err), full})
	}
	l.done(b)
	l.shown[p.ID] = visible(p)
	return nil
}

// delete takes a post out of the chat, for good or to be sent anew.
func (l caller) delete(ctx context.Context, b *board, i int) error {
	err := l.Channel.Delete(l.hard, supervisor.Address{Chat: l.chat, Thread: b.conversation.Thread}, b.posts[i].Message)
	full := l.home.gate.leave(l.chat, true)
	if err != nil {
		return remedy(l).failed(ctx, failure{b, i, callDelete, sendError(err), full})
	}
	l.done(b)
	return l.deleted(b, i)
}

// done is after a call that has done what it was to.
func (l caller) done(b *board) {
	b.vain = vain{}
	l.reached()
}

func (l caller) deleted(b *board, i int) error {
	p := b.posts[i]
	if p.State == supervisor.PostSent {
		return l.gone(b, i)
	}
	p.State = supervisor.PostDeleted
	return l.settle(b, i, p)
}

// gone keeps that a post that was sent stands in the chat no more.
func (l caller) gone(b *board, i int) error {
	p := b.posts[i]
	delete(l.shown, p.ID)
	delete(b.unfit, p.ID)
	p.State, p.Message = supervisor.PostQueued, ""
	return l.settle(b, i, p)
}

// unsent is a post that was not taken, for certain.
func unsent(p supervisor.Post) supervisor.Post {
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
