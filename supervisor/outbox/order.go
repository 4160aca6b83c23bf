package outbox

import (
	"context"
	"slices"

	"mews/supervisor"
)

// anew is for a message whose place in the chat is empty. A growing reply waits for its end with what is to be sent anew.
func (l remedy) anew(ctx context.Context, f failure) error {
	if err := l.settled(ctx, f.board); err != nil {
		return err
	}
	return l.shift(f.board, f.i)
}

// shift has a post that stands nowhere take the place of the next one in the chat, that one of the next, and so on; the last
// is sent anew. So they stand in order, and nothing stands there twice. Cut between two of them, two posts have one place:
// mend goes on from there.
func (l remedy) shift(b *board, i int) error {
	for next := b.standing(i + 1); next >= 0; next = b.standing(i + 1) {
		p := b.posts[i]
		p.Message = b.posts[next].Message
		shown, known := l.shown[b.posts[next].ID]
		delete(l.shown, p.ID)
		if err := l.settle(b, i, p); err != nil {
			return err
		}
		if known {
			l.shown[p.ID] = shown
		}
		i = next
	}
	return caller(l).gone(b, i)
}

// settled makes sure that it is on disk what a delivery shows; a growing reply shows no more.
func (l remedy) settled(ctx context.Context, b *board) error {
	if b.live() {
		b.mute = true
		return nil
	}
	if b.fixed || b.posts[0].Delivery != 0 {
		return nil
	}
	return l.fix(ctx, b, b.contents(0))
}

// smaller cuts a part in two. What stands in the chat from that part on is deleted first, so that the order stays.
func (l remedy) smaller(ctx context.Context, f failure) error {
	b, p := f.board, f.board.posts[f.i]
	if p.Content.File != nil {
		return l.refused(ctx, f)
	}
	halves := l.halves(p.Content)
	if b.live() || p.Repeat || len(halves) < 2 {
		return l.refused(ctx, f)
	}
	if err := l.back(f); err != nil {
		return err
	}
	if err := l.settled(ctx, b); err != nil {
		return err
	}
	if b.condemn(f.i) {
		return nil
	}
	posts, err := l.Posts.Replace(ctx, b.delivery.ID, p.Part, append(halves, b.contents(f.i+1)...))
	if err == nil {
		b.posts = posts
	}
	return err
}

// halves are a part cut in two or more. What can be pressed stays below the last of them.
func (o *Options) halves(part supervisor.RichText) []supervisor.RichText {
	buttons := part.Buttons
	part.Buttons = nil
	list := slices.Clone(o.Halve(part))
	if n := len(list) - 1; n >= 0 {
		list[n].Buttons = buttons
	}
	return list
}

// condemn marks what stands in the chat from a post on as unfit, and says whether there is any.
func (b *board) condemn(from int) (any bool) {
	for _, p := range b.posts[from:] {
		if p.State == supervisor.PostSent {
			b.unfit[p.ID] = true
			any = true
		}
	}
	return any
}

// standing is the first post from one on that stands in the chat and can be changed into any text; -1 where none does.
func (b *board) standing(from int) int {
	i := slices.IndexFunc(b.posts[from:], func(p supervisor.Post) bool {
		return p.State == supervisor.PostSent && p.Content.File == nil
	})
	if i < 0 {
		return -1
	}
	return from + i
}

// doubled is a post whose place in the chat the one before it has taken already: a shift was cut.
func (b *board) doubled() (i int, ok bool) {
	last := b.standing(0)
	for last >= 0 {
		next := b.standing(last + 1)
		if next >= 0 && b.posts[next].Message == b.posts[last].Message {
			return next, true
		}
		last = next
	}
	return 0, false
}
