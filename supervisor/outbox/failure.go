package outbox

import (
	"cmp"
	"context"
	"slices"
	"time"

	"mews/supervisor"
)

const (
	// giveUpAfter is how long after a delivery was made it is tried to reach its channel.
	giveUpAfter = 24 * time.Hour

	// minTryTime is how long that is tried at least: for what is sent again at a person's wish, or
	// found at a late start.
	minTryTime = time.Hour
)

// failure is a call that did not do what it was to do.
type failure struct {
	set        *postSet
	i          int // of the post
	call       call
	err        *supervisor.SendError
	windowFull bool // all chats together had had as many calls as the pace allows
}

func (f failure) post() supervisor.Post { return f.set.posts[f.i] }

// failureRule is what is done about a kind of failure.
type failureRule struct {
	call   call
	result supervisor.SendResult
	reason supervisor.SendReason
	do     func(q *chatQueue, ctx context.Context, f failure) error
}

const (
	anyCall   = call("")
	anyReason = supervisor.SendReason("any")
)

// failureRules are looked at in order; the first that fits counts.
var failureRules = []failureRule{
	{anyCall, supervisor.ResultUnsent, supervisor.ReasonFlood, (*chatQueue).flooded},
	{anyCall, supervisor.ResultUnsent, supervisor.ReasonMoved, (*chatQueue).moved},
	{anyCall, supervisor.ResultUnsent, anyReason, (*chatQueue).tryLater},
	{callSend, supervisor.ResultUnknown, anyReason, (*chatQueue).sendAgainMarked},
	{anyCall, supervisor.ResultUnknown, anyReason, (*chatQueue).tryLater},
	{callDelete, supervisor.ResultRefused, anyReason, (*chatQueue).leaveStanding},
	{callEdit, supervisor.ResultRefused, supervisor.ReasonGone, (*chatQueue).sendAnew},
	{anyCall, supervisor.ResultRefused, supervisor.ReasonThread, (*chatQueue).placeRefused},
	{anyCall, supervisor.ResultRefused, supervisor.ReasonChat, (*chatQueue).placeRefused},
	{anyCall, supervisor.ResultRefused, supervisor.ReasonMarks, (*chatQueue).dropMarks},
	{anyCall, supervisor.ResultRefused, supervisor.ReasonTooLong, (*chatQueue).splitPart},
	{callSend, supervisor.ResultRefused, supervisor.ReasonNoVoice, (*chatQueue).noVoice},
	{anyCall, supervisor.ResultRefused, anyReason, (*chatQueue).refused},
}

func (r failureRule) fits(f failure) bool {
	return (r.call == anyCall || r.call == f.call) && r.result == f.err.Result &&
		(r.reason == anyReason || r.reason == f.err.Reason)
}

// callFailed does what the rules say. An error of no known result counts as one of an unknown
// result.
func (q *chatQueue) callFailed(ctx context.Context, f failure) error {
	i := slices.IndexFunc(failureRules, func(r failureRule) bool { return r.fits(f) })
	if i < 0 {
		f.err = &supervisor.SendError{Result: supervisor.ResultUnknown, Err: f.err}
		return q.callFailed(ctx, f)
	}
	return failureRules[i].do(q, ctx, f)
}

// keepUnsent keeps that a post was not taken. Only a sending has left a trace.
func (q *chatQueue) keepUnsent(f failure) error {
	if f.call != callSend {
		return nil
	}
	return q.settle(f.set, f.i, afterUnsent(f.post()))
}

// flooded keeps when the channel will listen again, before anything else.
func (q *chatQueue) flooded(_ context.Context, f failure) error {
	if err := q.freeze(f.err, f.windowFull); err != nil {
		return err
	}
	return q.keepUnsent(f)
}

// moved goes on under the chat's new name, where another queue sends what waits. What stands in the
// old chat can't be changed from there.
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

// resendInNewChat has those messages be sent anew in the new chat that are not right in the old
// one. Where that is not known they say that they may be repeats.
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

// tryLater tries the same again, unless the delivery is too old or has failed too often.
func (q *chatQueue) tryLater(_ context.Context, f failure) error {
	if !f.set.growing() {
		if !q.Now().Before(f.set.giveUpAt) {
			return q.giveUp(f, textUnreachable+f.err.Error())
		}
		switch enough, err := q.failedTooOften(f); {
		case err != nil:
			return err
		case enough:
			return q.giveUp(f, textOthersTaken+f.err.Error())
		}
	}
	q.unreached(f.err)
	return q.keepUnsent(f)
}

// failedTooOften says whether the channel has failed for too long to do this call alone. Where no
// other queue knows whether the channel is there, typing shows it.
func (q *chatQueue) failedTooOften(f failure) (enough bool, err error) {
	a := &f.set.attempts
	others := a.count > 0 && q.outbox.health.answeredSince(a.latestOfAll)
	if a.count > 0 && !others && f.call != callProbe {
		others, err = q.sendAction(f.set.conversation.Thread, supervisor.ActionTyping)
	}
	return a.add(q.Now(), others), err
}

// sendAgainMarked is for a sending that may have been taken.
func (q *chatQueue) sendAgainMarked(_ context.Context, f failure) error {
	q.unreached(f.err)
	f.set.why = f.err.Error()
	return q.settle(f.set, f.i, afterUnknown(f.post()))
}

// leaveStanding is for a message that can't be deleted: nothing else can be done about it.
func (q *chatQueue) leaveStanding(_ context.Context, f failure) error {
	q.Log.Warn("a message can't be deleted", "channel", q.Name, "chat", q.chat, "error", f.err)
	return q.deleted(f.set, f.i)
}

// dropMarks tries the same without marks, once.
func (q *chatQueue) dropMarks(ctx context.Context, f failure) error {
	if len(f.post().Content.Entities) == 0 {
		return q.refused(ctx, f)
	}
	q.Log.Warn("the channel can't read the marks of a message", "channel", q.Name, "chat", q.chat, "error", f.err)
	f.set.plain = true
	f.set.posts[f.i].Content.Entities = nil
	return q.keepUnsent(f)
}

// refused is for good. A text takes the place of a file, unless there is a text that the file says.
// The files of an album are tried one by one.
func (q *chatQueue) refused(ctx context.Context, f failure) error {
	if f.set.delivery.Spoken {
		return q.giveUp(f, f.err.Error())
	}
	if f.call == callSend && len(f.post().Content.Album) > 0 {
		return q.breakUpAlbum(ctx, f)
	}
	if f.call == callSend && f.post().Content.File != nil {
		return q.replaceFile(ctx, f)
	}
	return q.giveUp(f, f.err.Error())
}

// giveUp leaves a delivery at what it has come to. A growing reply is not shown any more; its
// delivery will try again. What a probe was made for may have been taken before.
func (q *chatQueue) giveUp(f failure, why string) error {
	if f.set.growing() {
		f.set.muted = true
		return q.keepUnsent(f)
	}
	outcomes := map[call]supervisor.Outcome{callProbe: supervisor.OutcomeUnknown}
	f.set.outcome, f.set.why = cmp.Or(outcomes[f.call], supervisor.OutcomeFailed), why
	if f.call != callSend {
		return nil
	}
	p := f.post()
	p.State = supervisor.PostFailed
	return q.settle(f.set, f.i, p)
}
