package outbox

import (
	"cmp"
	"context"
	"time"

	"mews/supervisor"
)

const (
	// patience is how long after a delivery was made it is tried to reach its channel.
	patience = 24 * time.Hour

	// lateness is how long that is tried at least: for what was sent again at a person's wish, or found at a late start.
	lateness = time.Hour
)

// remedy is a lane that does something about a call that has failed.
type remedy struct{ *lane }

// failure is a call that did not do what it was to.
type failure struct {
	board *board
	i     int // of the post
	call  call
	err   *supervisor.SendError
	full  bool // the window of all chats was
}

const (
	anyCall   = call("")
	anyReason = supervisor.SendReason("any")
)

// verdict is what is done about a kind of failure.
type verdict struct {
	call   call
	fate   supervisor.SendResult
	reason supervisor.SendReason
	do     func(l remedy, ctx context.Context, f failure) error
}

// verdicts are what is done; the first that fits counts.
var verdicts = []verdict{
	{anyCall, supervisor.ResultUnsent, supervisor.ReasonFlood, remedy.flooded},
	{anyCall, supervisor.ResultUnsent, supervisor.ReasonMoved, remedy.moved},
	{anyCall, supervisor.ResultUnsent, anyReason, remedy.again},
	{callSend, supervisor.ResultUnknown, anyReason, remedy.repeat},
	{anyCall, supervisor.ResultUnknown, anyReason, remedy.again},
	{callDelete, supervisor.ResultRefused, anyReason, remedy.undeletable},
	{callEdit, supervisor.ResultRefused, supervisor.ReasonGone, remedy.anew},
	{anyCall, supervisor.ResultRefused, supervisor.ReasonMarks, remedy.plainly},
	{anyCall, supervisor.ResultRefused, supervisor.ReasonTooLong, remedy.smaller},
	{anyCall, supervisor.ResultRefused, anyReason, remedy.refused},
}

func (v verdict) fits(f failure) bool {
	return (v.call == anyCall || v.call == f.call) && v.fate == f.err.Result &&
		(v.reason == anyReason || v.reason == f.err.Reason)
}

func (l remedy) failed(ctx context.Context, f failure) error {
	for _, v := range verdicts {
		if v.fits(f) {
			return v.do(l, ctx, f)
		}
	}
	f.err = &supervisor.SendError{Result: supervisor.ResultUnknown, Err: f.err}
	return l.failed(ctx, f)
}

// back keeps that a post was not taken. Only a sending has left a trace.
func (l remedy) back(f failure) error {
	if f.call != callSend {
		return nil
	}
	return l.settle(f.board, f.i, unsent(f.board.posts[f.i]))
}

// flooded keeps when the channel will listen again, before anything else.
func (l remedy) flooded(_ context.Context, f failure) error {
	if err := l.freeze(f.err, f.full); err != nil {
		return err
	}
	return l.back(f)
}

// moved goes on in the chat's new name, where another lane sends what waits. What stands in the old chat can't be changed
// from there.
func (l remedy) moved(ctx context.Context, f failure) error {
	if f.err.MovedTo == "" || f.err.MovedTo == l.chat {
		return l.again(ctx, f)
	}
	if err := l.back(f); err != nil {
		return err
	}
	if err := l.leaveBehind(f.board); err != nil {
		return err
	}
	err := l.persist("keep a chat's new name", func(ctx context.Context) error {
		_, err := l.Conversations.Move(ctx, l.Name, l.chat, f.err.MovedTo)
		return err
	})
	if err != nil {
		return err
	}
	l.Log.Info("a chat has a new name", "channel", l.Name, "chat", l.chat, "to", f.err.MovedTo)
	l.home.Moved(l.chat, f.err.MovedTo)
	return nil
}

// leaveBehind has those messages sent anew in the new chat that are not right in the old one. Where that is not known they
// say that they may be repeats.
func (l remedy) leaveBehind(b *board) error {
	for i, p := range b.posts {
		if due(p, l.shown) != callEdit {
			continue
		}
		_, known := l.shown[p.ID]
		b.posts[i].Repeat = p.Repeat || !known
		if err := caller(l).gone(b, i); err != nil {
			return err
		}
	}
	return nil
}

// again tries the same later, as long as the delivery is not too old, and was not tried in vain for too long.
func (l remedy) again(_ context.Context, f failure) error {
	if !f.board.live() {
		if !l.Now().Before(f.board.until) {
			return l.giveUp(f, "could not be reached for 24 h: "+f.err.Error())
		}
		switch enough, err := l.inVain(f); {
		case err != nil:
			return err
		case enough:
			return l.giveUp(f, "the channel took others, and not this one: "+f.err.Error())
		}
	}
	l.unreached(f.err)
	return l.back(f)
}

// inVain says whether a call was tried for too long that alone the channel does not do. Where no other lane knows whether
// the channel is there, typing shows it.
func (l remedy) inVain(f failure) (enough bool, err error) {
	v := &f.board.vain
	others := v.tries > 0 && l.home.health.heardSince(v.last)
	if v.tries > 0 && !others && f.call != callProbe {
		others, err = stage(l).sign(f.board.conversation.Thread)
	}
	return v.again(l.Now(), others), err
}

// repeat is for a sending that may have been taken.
func (l remedy) repeat(_ context.Context, f failure) error {
	l.unreached(f.err)
	f.board.why = f.err.Error()
	return l.settle(f.board, f.i, unsure(f.board.posts[f.i]))
}

// undeletable leaves a message where it is: there is nothing else to do about it.
func (l remedy) undeletable(_ context.Context, f failure) error {
	l.Log.Warn("a message can't be deleted", "channel", l.Name, "chat", l.chat, "error", f.err)
	return caller(l).deleted(f.board, f.i)
}

// plainly tries the same without marks, once.
func (l remedy) plainly(ctx context.Context, f failure) error {
	p := f.board.posts[f.i]
	if len(p.Content.Entities) == 0 {
		return l.refused(ctx, f)
	}
	l.Log.Warn("the channel can't read the marks of a message", "channel", l.Name, "chat", l.chat, "error", f.err)
	f.board.plain = true
	f.board.posts[f.i].Content.Entities = nil
	return l.back(f)
}

// refused is for good. A file leaves its place to a text about that.
func (l remedy) refused(ctx context.Context, f failure) error {
	if f.call == callSend && f.board.posts[f.i].Content.File != nil {
		return l.instead(ctx, f)
	}
	return l.giveUp(f, f.err.Error())
}

// given is what becomes of a delivery that is given up at a call. What was to be sent again may have been taken before.
var given = map[call]supervisor.Outcome{callProbe: supervisor.OutcomeUnknown}

// giveUp leaves a delivery at what it has come to. A growing reply is not shown any more; its delivery will try again.
func (l remedy) giveUp(f failure, why string) error {
	b := f.board
	if b.live() {
		b.mute = true
		return l.back(f)
	}
	b.given, b.why = cmp.Or(given[f.call], supervisor.OutcomeFailed), why
	if f.call != callSend {
		return nil
	}
	p := b.posts[f.i]
	p.State = supervisor.PostFailed
	return l.settle(b, f.i, p)
}
