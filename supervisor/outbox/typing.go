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
	// once shows no typing, and its answer does not wait for a typing call.
	firstTypingDelay = 200 * time.Millisecond

	// typingInterval is the time between two displays of typing. (Bot API, sendChatAction: typing
	// lasts 5 seconds or less.)
	typingInterval = 4 * time.Second

	// typingTimeout is how long a call that shows typing may take. Meanwhile nothing else is sent
	// to its chat.
	typingTimeout = time.Second

	// typingPause is the pause in showing typing after a failed call.
	typingPause = 4 * typingInterval
)

// showTyping shows typing for each running turn, and returns when to show it again. A failed call
// is not repeated before that.
func (q *chatQueue) showTyping() (time.Time, error) {
	next := never
	for _, g := range q.repliesInOrder() {
		if now := q.Now(); !later(g.typingAt, q.typingAt).After(now) {
			g.typingAt = now.Add(typingInterval)
			if q.isRunning(g) {
				if _, err := q.sendAction(g.set.conversation.Thread, supervisor.ActionTyping); err != nil {
					return next, err
				}
			}
		}
		next = earlier(next, later(g.typingAt, q.typingAt))
	}
	return next, nil
}

// ShowRecordingAction shows for some seconds that a voice message is recorded. It does nothing if
// the pace does not allow it.
func (o *Outbox) ShowRecordingAction(ctx context.Context, c supervisor.Conversation) {
	if c.Channel != o.Name || !o.Serves(c) || !o.gate.tryEnter(c.Chat) {
		return
	}
	ctx, cut := context.WithTimeout(ctx, typingTimeout)
	defer cut()
	err := o.Channel.SendChatAction(ctx, supervisor.PostAddress{Chat: c.Chat, Thread: c.Thread},
		supervisor.ActionRecordVoice)
	o.gate.leave("", true)
	if err != nil {
		o.Log.Debug("show that a voice message is made", "channel", o.Name, "chat", c.Chat, "error", sendError(err))
	}
}

// largeFile is the size in bytes from which an upload is announced. A smaller file arrives as fast
// as the announcement.
const largeFile = 1 << 20

// showUpload announces the upload of a large file.
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

// sendAction shows typing or another action if there is a free slot, and returns whether the
// channel has answered. A refusal is an answer, too. The call is cancelled if there is something to
// send. A failed action matters little to users, so only a flood affects other calls.
func (q *chatQueue) sendAction(thread string, action supervisor.ChatAction) (answered bool, err error) {
	if !q.outbox.resume(q) || !q.outbox.gate.tryEnter(q.chat) {
		return false, nil
	}
	ctx, cut := context.WithTimeout(q.calls, typingTimeout)
	defer cut()
	ended := make(chan error, 1)
	go func() { ended <- q.Channel.SendChatAction(ctx, q.threadAddress(thread), action) }()
	failed := q.awaitTyping(ended, cut)
	full := q.outbox.gate.leave("", true)
	if failed == nil {
		q.noteAnswer()
		return true, nil
	}
	e := sendError(failed)
	q.Log.Debug("show an action", "action", action, "channel", q.Name, "chat", q.chat, "error", e)
	answered = e.Result == supervisor.SendResultRefused
	if answered {
		q.noteAnswer()
	}
	if !errors.Is(ctx.Err(), context.Canceled) {
		q.typingAt = q.Now().Add(typingPause)
	}
	if e.Reason == supervisor.SendReasonFlood {
		err = q.freeze(e, full)
	}
	return answered, err
}

// awaitTyping waits for the end of a typing call. It cancels the call if the queue is woken with
// something to send.
func (q *chatQueue) awaitTyping(ended <-chan error, cut func()) error {
	woken := false
	for {
		select {
		case err := <-ended:
			if woken {
				signals.SendToken(q.wake)
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

// urgent reports whether the queue was woken for more than a growing reply.
func (q *chatQueue) urgent() bool {
	return slices.ContainsFunc(q.outbox.peekWoken(q), func(id int64) bool {
		g := q.replies[id]
		return g == nil || !q.isRunning(g)
	})
}
