package outbox

import (
	"cmp"
	"context"
	"slices"
	"time"

	"mews/supervisor"
)

const (
	// giveUpAfter is the age at which a delivery is given up.
	giveUpAfter = 24 * time.Hour

	// minTryTime is the least time for which a delivery is tried, even an old delivery. A user may
	// have asked for a repeat, or the service may have started late.
	minTryTime = time.Hour
)

// failure is a call of the channel that failed.
type failure struct {
	set        *postSet
	i          int // index of the failed post
	call       call
	err        *supervisor.SendError
	windowFull bool // whether calls to all chats had used up the channel's rate
}

func (f failure) post() supervisor.Post { return f.set.posts[f.i] }

// failureRule is the reaction to one kind of failure.
type failureRule struct {
	call   call
	result supervisor.SendResult
	reason supervisor.SendErrorReason
	do     func(q *chatQueue, ctx context.Context, f failure) error
}

const (
	anyCall   = call("")
	anyReason = supervisor.SendErrorReason("any")
)

// failureRules are tried in order; the first that matches is used.
var failureRules = []failureRule{
	{anyCall, supervisor.SendResultUnsent, supervisor.SendReasonFlood, (*chatQueue).handleFlood},
	{anyCall, supervisor.SendResultUnsent, supervisor.SendReasonChatMoved, (*chatQueue).followMove},
	{anyCall, supervisor.SendResultUnsent, anyReason, (*chatQueue).tryLater},
	{callSend, supervisor.SendResultUnknown, anyReason, (*chatQueue).sendAgainMarked},
	{anyCall, supervisor.SendResultUnknown, anyReason, (*chatQueue).tryLater},
	{callDelete, supervisor.SendResultRefused, anyReason, (*chatQueue).leaveMessage},
	{callEdit, supervisor.SendResultRefused, supervisor.SendReasonMessageGone, (*chatQueue).sendAnew},
	{anyCall, supervisor.SendResultRefused, supervisor.SendReasonThreadGone, (*chatQueue).destinationRefused},
	{anyCall, supervisor.SendResultRefused, supervisor.SendReasonChatGone, (*chatQueue).destinationRefused},
	{anyCall, supervisor.SendResultRefused, supervisor.SendReasonInvalidFormatting, (*chatQueue).dropMarks},
	{anyCall, supervisor.SendResultRefused, supervisor.SendReasonTooLong, (*chatQueue).splitPart},
	{callSend, supervisor.SendResultRefused, supervisor.SendReasonNoVoice, (*chatQueue).noVoice},
	{anyCall, supervisor.SendResultRefused, anyReason, (*chatQueue).handleRefusal},
}

func (r failureRule) fits(f failure) bool {
	return (r.call == anyCall || r.call == f.call) && r.result == f.err.Result &&
		(r.reason == anyReason || r.reason == f.err.Reason)
}

// callFailed applies the first rule that matches. A result without a rule counts as unknown.
func (q *chatQueue) callFailed(ctx context.Context, f failure) error {
	i := slices.IndexFunc(failureRules, func(r failureRule) bool { return r.fits(f) })
	if i < 0 {
		f.err = &supervisor.SendError{Result: supervisor.SendResultUnknown, Err: f.err}
		return q.callFailed(ctx, f)
	}
	return failureRules[i].do(q, ctx, f)
}

// recordUnsent stores that a post was not sent. Calls other than a send have no stored state to
// correct.
func (q *chatQueue) recordUnsent(f failure) error {
	if f.call != callSend {
		return nil
	}
	return q.settle(f.set, f.i, afterUnsent(f.post()))
}

// handleFlood first stores until when the channel takes no calls.
func (q *chatQueue) handleFlood(_ context.Context, f failure) error {
	if err := q.freeze(f.err, f.windowFull); err != nil {
		return err
	}
	return q.recordUnsent(f)
}

// followMove stores the chat's new name. The queue of that name sends what is left. Messages in the
// old chat can't be changed through the new chat.
func (q *chatQueue) followMove(ctx context.Context, f failure) error {
	if f.err.MovedTo == "" || f.err.MovedTo == q.chat {
		return q.tryLater(ctx, f)
	}
	if err := q.recordUnsent(f); err != nil {
		return err
	}
	if err := q.resendInNewChat(f.set); err != nil {
		return err
	}
	err := q.persist("keep a chat's new name", func(ctx context.Context) error {
		_, err := q.Conversations.RenameChat(ctx, q.Name, q.chat, f.err.MovedTo)
		return err
	})
	if err != nil {
		return err
	}
	q.Log.Info("a chat has a new name", "channel", q.Name, "chat", q.chat, "to", f.err.MovedTo)
	q.outbox.NotifyChatMove(q.chat, f.err.MovedTo)
	return nil
}

// resendInNewChat requeues, for the new chat, the messages that do not show their final content
// yet. Messages in an unknown state are marked as possible repeats.
func (q *chatQueue) resendInNewChat(set *postSet) error {
	for i, p := range set.posts {
		if callFor(p, q.inChat) != callEdit {
			continue
		}
		_, known := q.inChat[p.ID]
		set.posts[i].Repeat = p.Repeat || !known
		if err := q.requeue(set, i); err != nil {
			return err
		}
	}
	return nil
}

// tryLater leaves the call for a later try, unless the delivery is too old or has failed too often.
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
	q.noteUnreached(f.err)
	return q.recordUnsent(f)
}

// failedTooOften reports whether this call has failed for too long while the channel does other
// calls. If no other queue has reached the channel lately, failedTooOften shows typing to learn
// whether the channel works.
func (q *chatQueue) failedTooOften(f failure) (enough bool, err error) {
	a := &f.set.attempts
	others := a.count > 0 && q.outbox.health.answeredSince(a.latestOfAll)
	if a.count > 0 && !others && f.call != callProbe {
		others, err = q.sendAction(f.set.conversation.Thread, supervisor.ActionTyping)
	}
	return a.add(q.Now(), others), err
}

// sendAgainMarked handles a send that may have arrived. The first time, the post is sent again with
// a mark.
func (q *chatQueue) sendAgainMarked(_ context.Context, f failure) error {
	q.noteUnreached(f.err)
	f.set.why = f.err.Error()
	return q.settle(f.set, f.i, afterUnknown(f.post()))
}

// leaveMessage gives up a message that can't be deleted.
func (q *chatQueue) leaveMessage(_ context.Context, f failure) error {
	q.Log.Warn("a message can't be deleted", "channel", q.Name, "chat", q.chat, "error", f.err)
	return q.recordDeleted(f.set, f.i)
}

// dropMarks tries a call again without formatting, if its post has any.
func (q *chatQueue) dropMarks(ctx context.Context, f failure) error {
	if len(f.post().Content.Entities) == 0 {
		return q.handleRefusal(ctx, f)
	}
	q.Log.Warn("the channel can't read the marks of a message", "channel", q.Name, "chat", q.chat, "error", f.err)
	f.set.plain = true
	f.set.posts[f.i].Content.Entities = nil
	return q.recordUnsent(f)
}

// handleRefusal gives up a post that the channel refuses for good. A text replaces a refused file,
// unless the file is a recording of a text in the chat. The files of a refused album are sent one
// by one.
func (q *chatQueue) handleRefusal(ctx context.Context, f failure) error {
	if f.set.delivery.IsRecording {
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

// giveUp ends a delivery as failed. If a probe fails, the delivery ends as unknown, because its
// post may have arrived earlier. A growing reply only stops growing, and its delivery will try
// again.
func (q *chatQueue) giveUp(f failure, why string) error {
	if f.set.growing() {
		f.set.muted = true
		return q.recordUnsent(f)
	}
	outcomes := map[call]supervisor.DeliveryResult{callProbe: supervisor.OutcomeUnknown}
	f.set.outcome, f.set.why = cmp.Or(outcomes[f.call], supervisor.OutcomeFailed), why
	if f.call != callSend {
		return nil
	}
	p := f.post()
	p.State = supervisor.PostFailed
	return q.settle(f.set, f.i, p)
}
