package outbox

import (
	"context"
	"errors"
	"slices"
	"time"

	"mews/supervisor"
)

const (
	// firstTyping is how long after a turn's beginning typing is shown. A turn that ends at once needs none, and its answer
	// does not wait behind it.
	firstTyping = 200 * time.Millisecond

	// typingAgain is how long after that it is shown again. (Bot API, sendChatAction: it lasts 5 seconds or less.)
	typingAgain = 4 * time.Second

	// typingWait is how long one may take: nothing else is sent to its chat meanwhile.
	typingWait = time.Second

	// typingPause is how long none is shown after one that failed.
	typingPause = 4 * typingAgain
)

// typeAll shows typing for each turn that runs, and says when that is due again. It is not tried again before.
func (l stage) typeAll() (time.Time, error) {
	next := never
	for _, s := range l.inOrder() {
		if now := l.Now(); !later(s.typing, l.quiet).After(now) {
			s.typing = now.Add(typingAgain)
			if err := l.typeOne(s); err != nil {
				return next, err
			}
		}
		next = earlier(next, later(s.typing, l.quiet))
	}
	return next, nil
}

// typeOne shows typing unless the turn has ended meanwhile.
func (l stage) typeOne(s *show) error {
	if !l.runs(s) {
		return nil
	}
	_, err := l.sign(s.board.conversation.Thread)
	return err
}

// sign shows typing, if there is room for it, and says whether the channel has answered. It ends early when there is
// something to send.
func (l stage) sign(thread string) (heard bool, err error) {
	if !l.home.gate.slip(l.chat) {
		return false, nil
	}
	ctx, cut := context.WithTimeout(l.hard, typingWait)
	defer cut()
	ended := make(chan error, 1)
	go func() { ended <- l.Channel.Typing(ctx, supervisor.Address{Chat: l.chat, Thread: thread}) }()
	failed := l.attend(ended, cut)
	full := l.home.gate.leave("", true)
	if failed == nil {
		l.heard()
		return true, nil
	}
	return l.unsigned(sendError(failed), errors.Is(ctx.Err(), context.Canceled), full)
}

// attend waits for typing to end. When the lane is woken with something to send, it has that end at once.
func (l stage) attend(ended <-chan error, cut func()) error {
	woken := false
	for {
		select {
		case err := <-ended:
			if woken {
				signal(l.wake)
			}
			return err
		case <-l.wake:
			woken = true
			if l.urgent() {
				cut()
			}
		}
	}
}

// urgent says whether the lane was woken for more than replies that go on growing.
func (l stage) urgent() bool {
	return slices.ContainsFunc(l.home.peek(l.lane), func(id int64) bool {
		s := l.shows[id]
		return s == nil || !l.runs(s)
	})
}

// unsigned is after typing that has failed: people miss little, so only a flood has consequences for other calls. To refuse
// it is an answer too.
func (l stage) unsigned(e *supervisor.SendError, cut, full bool) (heard bool, err error) {
	l.Log.Debug("show typing", "channel", l.Name, "chat", l.chat, "error", e)
	heard = e.Result == supervisor.ResultRefused
	if heard {
		l.heard()
	}
	if !cut {
		l.quiet = l.Now().Add(typingPause)
	}
	if e.Reason == supervisor.ReasonFlood {
		err = l.freeze(e, full)
	}
	return heard, err
}
