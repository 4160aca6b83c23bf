package outbox

import (
	"cmp"
	"slices"
	"time"

	"mews/supervisor"
)

// postSet is what stands in the chat of one reply, and what is to stand there. That of a growing
// reply and that of a delivery are worked alike.
type postSet struct {
	conversation supervisor.Conversation
	turn         int64               // 0 where no turn said it
	message      string              // the channel's name of what it answers
	delivery     supervisor.Delivery // the zero value while the reply grows

	posts  []supervisor.Post // by part, with the contents that they are to show
	loaded bool              // posts are as they are on disk
	stored bool              // what the delivery shows is on disk
	// posts that can't be made right where they stand: they are deleted and sent anew
	unfit map[int64]bool
	plain bool // the channel can't read its marks
	muted bool // of a growing reply no more is shown before its end
	// the delivery is given up, and this became of it; "" while it is worked
	outcome  supervisor.Outcome
	why      string                // the channel's own words about that
	reason   supervisor.SendReason // its thread or its chat is to blame for that; else ReasonNone
	last     supervisor.Post       // is settled as the delivery is closed; without an ID nothing is
	giveUpAt time.Time             // a delivery that can't reach its channel is given up then
	attempts failedAttempts
	closing  bool // all that is left is to close the delivery
}

// growing says that the set is a growing reply's.
func (s *postSet) growing() bool { return s.delivery.ID == 0 }

// nextCall is the next call to make, and for which of the posts; "" where all is as it should be.
// inChat is what stands in the chat, by post.
func (s *postSet) nextCall(inChat map[int64]supervisor.RichText) (what call, i int) {
	for i, p := range s.posts {
		if s.unfit[p.ID] && p.State == supervisor.PostSent {
			return callDelete, i
		}
	}
	for i, p := range s.posts {
		if what := callFor(p, inChat); what != "" {
			return what, i
		}
	}
	return "", 0
}

// nextPosts is how many messages the next call would bring into the chat, at least one.
func (s *postSet) nextPosts(inChat map[int64]supervisor.RichText) int {
	if what, i := s.nextCall(inChat); what == callSend {
		return 1 + len(s.posts[i].Content.Album)
	}
	return 1
}

// callFor is the call that makes a post as it should be. A file never changes: it shows what it was
// sent with.
func callFor(p supervisor.Post, inChat map[int64]supervisor.RichText) call {
	switch p.State {
	case supervisor.PostQueued:
		return callSend
	case supervisor.PostSurplus:
		return callDelete
	case supervisor.PostSent:
		if now, ok := inChat[p.ID]; p.Content.File == nil && (!ok || !same(now, visible(p))) {
			return callEdit
		}
	}
	return ""
}

// setContents has the posts of a growing reply show these parts. Those beyond stay in the chat: the
// reply may grow again.
func (s *postSet) setContents(parts []supervisor.RichText) {
	for i, part := range parts {
		if s.plain {
			part.Entities = nil
		}
		if i == len(s.posts) {
			s.posts = append(s.posts, supervisor.Post{Turn: s.turn, Part: i, State: supervisor.PostQueued})
		}
		s.posts[i].Content = part
	}
}

// uncertain says that a growing reply has a post that may not be there. Its delivery repeats that
// one: it is repeated only once, and then it should be whole.
func (s *postSet) uncertain() bool {
	return slices.ContainsFunc(s.posts, func(p supervisor.Post) bool {
		return p.Delivery != 0 || p.State == supervisor.PostUnknown || p.State == supervisor.PostFailed ||
			p.State == supervisor.PostQueued && p.Repeat
	})
}

// contents are what the posts are to show, from one part on.
func (s *postSet) contents(from int) []supervisor.RichText {
	var list []supervisor.RichText
	for _, p := range s.posts[from:] {
		if p.State != supervisor.PostSurplus {
			list = append(list, p.Content)
		}
	}
	return list
}

// finalOutcome is what became of the delivery, once nextCall has nothing left.
func (s *postSet) finalOutcome() (supervisor.Outcome, string) {
	switch {
	case s.ended():
		return cmp.Or(s.outcome, supervisor.OutcomeFailed), cmp.Or(s.why, textPartRefused)
	case s.has(supervisor.PostUnknown):
		return supervisor.OutcomeUnknown, cmp.Or(s.why, textNotAcknowledged)
	}
	return supervisor.OutcomeSent, ""
}

// ended says that a part has failed or the whole was given up: the rest is not tried.
func (s *postSet) ended() bool { return s.outcome != "" || s.has(supervisor.PostFailed) }

func (s *postSet) has(state supervisor.PostState) bool {
	return slices.ContainsFunc(s.posts, func(p supervisor.Post) bool { return p.State == state })
}

// allSent says that there are so many posts, and all of them stand in the chat.
func (s *postSet) allSent(parts int) bool {
	return len(s.posts) == parts && !slices.ContainsFunc(s.posts, func(p supervisor.Post) bool {
		return p.State != supervisor.PostSent
	})
}

// markUnfit has all that stands in the chat from a post on be deleted and sent anew. It says
// whether there is any.
func (s *postSet) markUnfit(from int) (any bool) {
	for _, p := range s.posts[from:] {
		if p.State == supervisor.PostSent {
			s.unfit[p.ID] = true
			any = true
		}
	}
	return any
}

// nextStanding is the first post from one on that stands in the chat and can be changed into any
// text; -1 where there is none.
func (s *postSet) nextStanding(from int) int {
	i := slices.IndexFunc(s.posts[from:], func(p supervisor.Post) bool {
		return p.State == supervisor.PostSent && p.Content.File == nil
	})
	if i < 0 {
		return -1
	}
	return from + i
}

// duplicate is a post that has the same place in the chat as the one before it: a shift was cut.
func (s *postSet) duplicate() (i int, ok bool) {
	for last := s.nextStanding(0); last >= 0; last = i {
		i = s.nextStanding(last + 1)
		if i >= 0 && s.posts[i].Message == s.posts[last].Message {
			return i, true
		}
	}
	return 0, false
}
