package outbox

import (
	"context"

	"mews/supervisor"
)

// destinationRefused gives up a delivery because its thread or chat is to blame. It stores the
// failed post together with the delivery's end. If the process ends before that, the post is sent
// again and refused again.
func (q *chatQueue) destinationRefused(_ context.Context, f failure) error {
	if f.set.growing() {
		return q.giveUp(f, f.err.Error())
	}
	f.set.outcome, f.set.why, f.set.reason = supervisor.OutcomeFailed, f.err.Error(), f.err.Reason
	if f.call == callSend {
		f.set.posts[f.i].State = supervisor.PostFailed
		f.set.last = f.set.posts[f.i]
	}
	return nil
}

// fallback returns the conversation for a notice about a refused delivery.
func (q *chatQueue) fallback(set *postSet) (none supervisor.Conversation) {
	if set.reason == supervisor.SendReasonNone || q.FallbackFor == nil {
		return none
	}
	return q.FallbackFor(set.conversation, set.reason)
}
