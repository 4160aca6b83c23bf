package outbox

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"
)

// firstText is how long after its beginning a text is shown: what is said within that time is said in one message.
const firstText = 500 * time.Millisecond

// stage is a lane that shows replies as they grow.
type stage struct{ *lane }

// show is a reply that is being given.
type show struct {
	board  *board
	text   string    // as it is now
	told   string    // the text that the chat shows
	first  time.Time // it is not shown before; the zero time while there is no text
	typing time.Time // when typing is due
	last   time.Time // when it took its last step
}

// look finds out how the replies of the chat are now.
func (l stage) look(ctx context.Context) error {
	woken, left := l.home.take(l.lane)
	l.unseen = l.unseen || left
	if l.unseen {
		if err := l.stay(ctx); err != nil {
			l.home.restore(l.lane, woken)
			return err
		}
		l.unseen = false
	}
	for id := range woken {
		l.due = earlier(l.due, l.dueFor(id))
		if _, ok := l.shows[id]; !ok {
			l.shows[id] = nil
		}
	}
	l.refresh(l.Now())
	return nil
}

// dueFor is when to ask for a delivery, once the lane was woken for a conversation: at once, unless all that is known to
// have happened is that its reply has grown. That can't hide a delivery for longer than askAgain.
func (l stage) dueFor(id int64) time.Time {
	s := l.shows[id]
	if s == nil || !l.runs(s) {
		return time.Time{}
	}
	if r, _ := l.Replies.Look(id); r.Text == s.text {
		return time.Time{}
	}
	return l.asked.Add(askAgain)
}

// stay leaves what is not of this chat any more to the new name's lane. A conversation stays behind where its person had
// one there already; it shows no more before its delivery, which does move.
func (l stage) stay(ctx context.Context) error {
	l.drop()
	for id, s := range l.shows {
		c, _, err := l.Conversations.Get(ctx, id)
		if err != nil {
			return err
		}
		if c.Chat == l.chat {
			s.board.mute = true
			s.typing = never
			continue
		}
		delete(l.shows, id)
	}
	return nil
}

// refresh has what is known of each reply be the present.
func (l stage) refresh(now time.Time) {
	for id, s := range l.shows {
		r, ok := l.Replies.Look(id)
		if !ok || r.Turn.ID == l.over[id] || !l.Serves(r.Turn.Conversation) {
			delete(l.shows, id)
			continue
		}
		if s == nil || s.board.turn != r.Turn.ID {
			s = &show{typing: now.Add(firstTyping), board: &board{conversation: r.Turn.Conversation, turn: r.Turn.ID,
				message: r.Turn.Message}}
			l.shows[id] = s
		}
		s.text = r.Text
		if s.first.IsZero() && s.text != "" {
			s.first = now.Add(firstText)
		}
	}
}

// runs says whether a reply is still being given.
func (l stage) runs(s *show) bool {
	r, ok := l.Replies.Look(s.board.conversation.ID)
	return ok && r.Turn.ID == s.board.turn
}

// inOrder are the replies, the one that waits longest first.
func (l stage) inOrder() []*show {
	return slices.SortedFunc(maps.Values(l.shows), func(a, b *show) int {
		return cmp.Or(a.last.Compare(b.last), cmp.Compare(a.board.turn, b.board.turn))
	})
}

// growAll has one of the replies take its next step, if one may.
func (l stage) growAll(ctx context.Context) (time.Time, error) {
	next := never
	for _, s := range l.inOrder() {
		at, err := l.growOne(ctx, s)
		if err != nil || at.IsZero() {
			return at, err
		}
		next = earlier(next, at)
	}
	return next, nil
}

func (l stage) growOne(ctx context.Context, s *show) (time.Time, error) {
	if s.board.mute || s.text == "" || s.text == s.told {
		return never, nil
	}
	at := later(later(s.first, l.grow), l.home.gate.next(l.chat, true))
	if at.After(l.Now()) {
		return at, nil
	}
	if !l.Grows(s.board.conversation) {
		s.told = s.text
		return never, nil
	}
	if err := l.load(ctx, s.board); err != nil {
		return never, err
	}
	s.board.mute = s.board.mute || s.board.uncertain()
	s.board.want(l.parts(s.text, true))
	if what, _ := s.board.next(l.shown); what == "" || s.board.mute {
		s.told = s.text
		return never, nil
	}
	next, err := caller(l).call(ctx, s.board, func() bool { return l.runs(s) })
	s.last = l.Now()
	l.grow = s.last.Add(interval(l.chat))
	return next, err
}

// load finds the posts of a growing reply: an earlier life may have sent some.
func (l stage) load(ctx context.Context, b *board) error {
	if b.loaded {
		return nil
	}
	posts, err := l.Posts.List(ctx, b.turn, 0)
	if err != nil {
		return err
	}
	b.posts, b.loaded = posts, true
	return l.mend(b)
}
