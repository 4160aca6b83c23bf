package outbox

import (
	"context"
	"errors"
	"slices"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/signals"
)

const (
	// firstTypingDelay is how long after a turn's beginning typing is shown. A turn that ends at
	// once needs none, and its answer does not wait behind it.
	firstTypingDelay = 200 * time.Millisecond

	// typingInterval is how long after that it is shown again. (Bot API, sendChatAction: it lasts 5
	// seconds or less.)
	typingInterval = 4 * time.Second

	// typingTimeout is how long a call may take: nothing else is sent to its chat meanwhile.
	typingTimeout = time.Second

	// typingPause is how long typing is not shown after it has failed.
	typingPause = 4 * typingInterval
)

// showTyping shows typing for each turn that runs, and says when that is due again. It is not tried
// again before.
func (q *chatQueue) showTyping() (time.Time, error) {
	next := never
	for _, g := range q.repliesInOrder() {
		if now := q.Now(); !later(g.typingAt, q.typingAt).After(now) {
			g.typingAt = now.Add(typingInterval)
			if q.running(g) {
				if _, err := q.sendAction(g.set.conversation.Thread, supervisor.ActionTyping); err != nil {
					return next, err
				}
			}
		}
		next = earlier(next, later(g.typingAt, q.typingAt))
	}
	return next, nil
}

// Recording shows for some seconds that a voice message is being made in a conversation, if there
// is room for it.
func (o *Outbox) Recording(ctx context.Context, c supervisor.Conversation) {
	if c.Channel != o.Name || !o.Serves(c) || !o.gate.tryEnter(c.Chat) {
		return
	}
	ctx, cut := context.WithTimeout(ctx, typingTimeout)
	defer cut()
	err := o.Channel.Act(ctx, supervisor.Address{Chat: c.Chat, Thread: c.Thread}, supervisor.ActionRecordVoice)
	o.gate.leave("", true)
	if err != nil {
		o.Log.Debug("show that a voice message is made", "channel", o.Name, "chat", c.Chat, "error", sendError(err))
	}
}

// largeFile is from how many bytes on a file is said to be on its way. A smaller one is there as
// soon as that would be.
const largeFile = 1 << 20

// showUpload says that a large file is on its way.
func (q *chatQueue) showUpload(set *postSet, p supervisor.Post) error {
	if p.Content.File == nil || p.Content.File.Size < largeFile {
		return nil
	}
	action := supervisor.ActionUploadDocument
	if p.Content.File.IsPicture() {
		action = supervisor.ActionUploadPhoto
	}
	_, err := q.sendAction(set.conversation.Thread, action)
	return err
}

// sendAction shows typing or another action, if there is room for it, and says whether the channel
// has answered. It ends early when there is something to send. People miss little where it fails:
// only a flood has consequences for other calls. To refuse it is an answer too.
func (q *chatQueue) sendAction(thread string, action supervisor.ChatAction) (answered bool, err error) {
	if !q.outbox.resume(q) || !q.outbox.gate.tryEnter(q.chat) {
		return false, nil
	}
	ctx, cut := context.WithTimeout(q.calls, typingTimeout)
	defer cut()
	ended := make(chan error, 1)
	go func() { ended <- q.Channel.Act(ctx, q.place(thread), action) }()
	failed := q.awaitTyping(ended, cut)
	full := q.outbox.gate.leave("", true)
	if failed == nil {
		q.noteAnswer()
		return true, nil
	}
	e := sendError(failed)
	q.Log.Debug("show an action", "action", action, "channel", q.Name, "chat", q.chat, "error", e)
	answered = e.Result == supervisor.ResultRefused
	if answered {
		q.noteAnswer()
	}
	if !errors.Is(ctx.Err(), context.Canceled) {
		q.typingAt = q.Now().Add(typingPause)
	}
	if e.Reason == supervisor.ReasonFlood {
		err = q.freeze(e, full)
	}
	return answered, err
}

// awaitTyping waits for typing to end. It ends it at once when the queue is woken with something to
// send.
func (q *chatQueue) awaitTyping(ended <-chan error, cut func()) error {
	woken := false
	for {
		select {
		case err := <-ended:
			if woken {
				signals.Send(q.wake)
			}
			return err
		case <-q.wake:
			woken = true
			if q.urgent() {
				cut()
			}
		}
	}
}

// urgent says whether the queue was woken for more than replies that go on growing.
func (q *chatQueue) urgent() bool {
	return slices.ContainsFunc(q.outbox.peekWoken(q), func(id int64) bool {
		g := q.replies[id]
		return g == nil || !q.running(g)
	})
}
