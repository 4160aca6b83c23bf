package outbox

import (
	"cmp"
	"context"
	"time"

	"mews/supervisor"
)

const (
	// giveUpAfter is how long after a delivery was made it is tried to reach its channel.
	giveUpAfter = 24 * time.Hour

	// minTryTime is how long that is tried at least: for what was sent again at a person's wish, or found at a late start.
	minTryTime = time.Hour
)

// failure is a call that did not do what it was to.
type failure struct {
	set        *postSet
	i          int // of the post
	call       call
	err        *supervisor.SendError
	windowFull bool // the window of all chats was
}

const (
	anyCall   = call("")
	anyReason = supervisor.SendReason("any")
)

// failureRule is what is done about a kind of failure.
type failureRule struct {
	call   call
	fate   supervisor.SendResult
	reason supervisor.SendReason
	do     func(q *chatQueue, ctx context.Context, f failure) error
}

// failureRules are what is done; the first that fits counts.
var failureRules = []failureRule{
	{anyCall, supervisor.ResultUnsent, supervisor.ReasonFlood, (*chatQueue).flooded},
	{anyCall, supervisor.ResultUnsent, supervisor.ReasonMoved, (*chatQueue).moved},
	{anyCall, supervisor.ResultUnsent, anyReason, (*chatQueue).tryLater},
	{callSend, supervisor.ResultUnknown, anyReason, (*chatQueue).sendAgainMarked},
	{anyCall, supervisor.ResultUnknown, anyReason, (*chatQueue).tryLater},
	{callDelete, supervisor.ResultRefused, anyReason, (*chatQueue).leaveStanding},
	{callEdit, supervisor.ResultRefused, supervisor.ReasonGone, (*chatQueue).sendAnew},
	{anyCall, supervisor.ResultRefused, supervisor.ReasonMarks, (*chatQueue).dropMarks},
	{anyCall, supervisor.ResultRefused, supervisor.ReasonTooLong, (*chatQueue).splitPart},
	{anyCall, supervisor.ResultRefused, anyReason, (*chatQueue).refused},
}

func (v failureRule) fits(f failure) bool {
	return (v.call == anyCall || v.call == f.call) && v.fate == f.err.Result &&
		(v.reason == anyReason || v.reason == f.err.Reason)
}

func (q *chatQueue) callFailed(ctx context.Context, f failure) error {
	for _, v := range failureRules {
		if v.fits(f) {
			return v.do(q, ctx, f)
		}
	}
	f.err = &supervisor.SendError{Result: supervisor.ResultUnknown, Err: f.err}
	return q.callFailed(ctx, f)
}

// keepUnsent keeps that a post was not taken. Only a sending has left a trace.
func (q *chatQueue) keepUnsent(f failure) error {
	if f.call != callSend {
		return nil
	}
	return q.settle(f.set, f.i, afterUnsent(f.set.posts[f.i]))
}

// flooded keeps when the channel will listen again, before anything else.
func (q *chatQueue) flooded(_ context.Context, f failure) error {
	if err := q.freeze(f.err, f.windowFull); err != nil {
		return err
	}
	return q.keepUnsent(f)
}

// moved goes on in the chat's new name, where another queue sends what waits. What stands in the old chat can't be changed
// from there.
func (q *chatQueue) moved(ctx context.Context, f failure) error {
	if f.err.MovedTo == "" || f.err.MovedTo == q.chat {
		return q.tryLater(ctx, f)
	}
	if err := q.keepUnsent(f); err != nil {
		return err
	}
	if err := q.resendInNewChat(f.set); err != nil {
		return err
	}
	err := q.persist("keep a chat's new name", func(ctx context.Context) error {
		_, err := q.Conversations.Move(ctx, q.Name, q.chat, f.err.MovedTo)
		return err
	})
	if err != nil {
		return err
	}
	q.Log.Info("a chat has a new name", "channel", q.Name, "chat", q.chat, "to", f.err.MovedTo)
	q.outbox.Moved(q.chat, f.err.MovedTo)
	return nil
}

// resendInNewChat has those messages sent anew in the new chat that are not right in the old one. Where that is not known they
// say that they may be repeats.
func (q *chatQueue) resendInNewChat(set *postSet) error {
	for i, p := range set.posts {
		if callFor(p, q.inChat) != callEdit {
			continue
		}
		_, known := q.inChat[p.ID]
		set.posts[i].Repeat = p.Repeat || !known
		if err := q.unplace(set, i); err != nil {
			return err
		}
	}
	return nil
}

// tryLater tries the same later, as long as the delivery is not too old, and was not tried in vain for too long.
func (q *chatQueue) tryLater(_ context.Context, f failure) error {
	if !f.set.growing() {
		if !q.Now().Before(f.set.giveUpAt) {
			return q.giveUp(f, "could not be reached for 24 h: "+f.err.Error())
		}
		switch enough, err := q.failedTooOften(f); {
		case err != nil:
			return err
		case enough:
			return q.giveUp(f, "the channel took others, and not this one: "+f.err.Error())
		}
	}
	q.unreached(f.err)
	return q.keepUnsent(f)
}

// failedTooOften says whether a call was tried for too long that alone the channel does not do. Where no other queue knows whether
// the channel is there, typing shows it.
func (q *chatQueue) failedTooOften(f failure) (enough bool, err error) {
	v := &f.set.attempts
	others := v.count > 0 && q.outbox.health.heardSince(v.latestOfAll)
	if v.count > 0 && !others && f.call != callProbe {
		others, err = q.sendTyping(f.set.conversation.Thread)
	}
	return v.add(q.Now(), others), err
}

// sendAgainMarked is for a sending that may have been taken.
func (q *chatQueue) sendAgainMarked(_ context.Context, f failure) error {
	q.unreached(f.err)
	f.set.why = f.err.Error()
	return q.settle(f.set, f.i, afterUnknown(f.set.posts[f.i]))
}

// leaveStanding leaves a message where it is: there is nothing else to do about it.
func (q *chatQueue) leaveStanding(_ context.Context, f failure) error {
	q.Log.Warn("a message can't be deleted", "channel", q.Name, "chat", q.chat, "error", f.err)
	return q.deleted(f.set, f.i)
}

// dropMarks tries the same without marks, once.
func (q *chatQueue) dropMarks(ctx context.Context, f failure) error {
	p := f.set.posts[f.i]
	if len(p.Content.Entities) == 0 {
		return q.refused(ctx, f)
	}
	q.Log.Warn("the channel can't read the marks of a message", "channel", q.Name, "chat", q.chat, "error", f.err)
	f.set.plain = true
	f.set.posts[f.i].Content.Entities = nil
	return q.keepUnsent(f)
}

// refused is for good. A file leaves its place to a text about that.
func (q *chatQueue) refused(ctx context.Context, f failure) error {
	if f.call == callSend && f.set.posts[f.i].Content.File != nil {
		return q.replaceFile(ctx, f)
	}
	return q.giveUp(f, f.err.Error())
}

// giveUpOutcomes is what becomes of a delivery that is given up at a call. What was to be sent again may have been taken before.
var giveUpOutcomes = map[call]supervisor.Outcome{callProbe: supervisor.OutcomeUnknown}

// giveUp leaves a delivery at what it has come to. A growing reply is not shown any more; its delivery will try again.
func (q *chatQueue) giveUp(f failure, why string) error {
	set := f.set
	if set.growing() {
		set.muted = true
		return q.keepUnsent(f)
	}
	set.result, set.why = cmp.Or(giveUpOutcomes[f.call], supervisor.OutcomeFailed), why
	if f.call != callSend {
		return nil
	}
	p := set.posts[f.i]
	p.State = supervisor.PostFailed
	return q.settle(set, f.i, p)
}
