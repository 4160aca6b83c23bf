package outbox

import (
	"context"
	"slices"

	"mews/supervisor"
)

// sendAnew is for a message whose place in the chat is empty. A growing reply waits for its end with what is to be sent anew.
func (q *chatQueue) sendAnew(ctx context.Context, f failure) error {
	if err := q.ensureStored(ctx, f.set); err != nil {
		return err
	}
	return q.shift(f.set, f.i)
}

// shift has a post that stands nowhere take the place of the next one in the chat, that one of the next, and so on; the last
// is sent anew. So they stand in order, and nothing stands there twice. Cut between two of them, two posts have one place:
// repairPosts goes on from there.
func (q *chatQueue) shift(s *postSet, i int) error {
	for next := s.nextStanding(i + 1); next >= 0; next = s.nextStanding(i + 1) {
		p := s.posts[i]
		p.Message = s.posts[next].Message
		shown, known := q.inChat[s.posts[next].ID]
		delete(q.inChat, p.ID)
		if err := q.settle(s, i, p); err != nil {
			return err
		}
		if known {
			q.inChat[p.ID] = shown
		}
		i = next
	}
	return q.unplace(s, i)
}

// ensureStored makes sure that it is on disk what a delivery shows; a growing reply shows no more.
func (q *chatQueue) ensureStored(ctx context.Context, s *postSet) error {
	if s.growing() {
		s.muted = true
		return nil
	}
	if s.stored || s.posts[0].Delivery != 0 {
		return nil
	}
	return q.storeContents(ctx, s, s.contents(0))
}

// splitPart cuts a part in two. What stands in the chat from that part on is deleted first, so that the order stays.
func (q *chatQueue) splitPart(ctx context.Context, f failure) error {
	s, p := f.set, f.set.posts[f.i]
	if p.Content.File != nil {
		return q.refused(ctx, f)
	}
	halves := q.splitInHalves(p.Content)
	if s.growing() || p.Repeat || len(halves) < 2 {
		return q.refused(ctx, f)
	}
	if err := q.keepUnsent(f); err != nil {
		return err
	}
	if err := q.ensureStored(ctx, s); err != nil {
		return err
	}
	if s.markUnfit(f.i) {
		return nil
	}
	posts, err := q.Posts.Replace(ctx, s.delivery.ID, p.Part, append(halves, s.contents(f.i+1)...))
	if err == nil {
		s.posts = posts
	}
	return err
}

// splitInHalves are a part cut in two or more. What can be pressed stays below the last of them.
func (o *Options) splitInHalves(part supervisor.RichText) []supervisor.RichText {
	buttons := part.Buttons
	part.Buttons = nil
	list := slices.Clone(o.Halve(part))
	if n := len(list) - 1; n >= 0 {
		list[n].Buttons = buttons
	}
	return list
}

// markUnfit marks what stands in the chat from a post on as unfit, and says whether there is any.
func (s *postSet) markUnfit(from int) (any bool) {
	for _, p := range s.posts[from:] {
		if p.State == supervisor.PostSent {
			s.unfit[p.ID] = true
			any = true
		}
	}
	return any
}

// nextStanding is the first post from one on that stands in the chat and can be changed into any text; -1 where none does.
func (s *postSet) nextStanding(from int) int {
	i := slices.IndexFunc(s.posts[from:], func(p supervisor.Post) bool {
		return p.State == supervisor.PostSent && p.Content.File == nil
	})
	if i < 0 {
		return -1
	}
	return from + i
}

// duplicate is a post whose place in the chat the one before it has taken already: a shift was cut.
func (s *postSet) duplicate() (i int, ok bool) {
	last := s.nextStanding(0)
	for last >= 0 {
		next := s.nextStanding(last + 1)
		if next >= 0 && s.posts[next].Message == s.posts[last].Message {
			return next, true
		}
		last = next
	}
	return 0, false
}
