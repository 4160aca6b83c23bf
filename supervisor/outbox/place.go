package outbox

import (
	"context"

	"mews/supervisor"
)

// placeRefused gives up a delivery whose thread or chat is to blame. Its post is kept as failed
// together with the delivery's end, so that the reason is not lost between the two: after an end in
// the middle it is sent, and refused, again.
func (q *chatQueue) placeRefused(_ context.Context, f failure) error {
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

// elsewhere is where the person of a delivery is told what the place itself does not take.
func (q *chatQueue) elsewhere(set *postSet) (none supervisor.Conversation) {
	if set.reason == supervisor.ReasonNone || q.Elsewhere == nil {
		return none
	}
	return q.Elsewhere(set.conversation, set.reason)
}
