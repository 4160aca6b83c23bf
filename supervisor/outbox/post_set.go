package outbox

import (
	"cmp"
	"slices"
	"time"

	"mews/supervisor"
)

// postSet holds what the chat shows of one reply, and what it should show. The sets of growing
// replies and of deliveries are handled alike.
type postSet struct {
	conversation supervisor.Conversation
	turn         int64               // the turn that made the set; 0 means none
	message      string              // the channel's name of the user's message that the set answers
	delivery     supervisor.Delivery // the delivery of the set; the zero value while the reply grows

	posts  []supervisor.Post // the set's posts by part, with the contents that the chat should show
	loaded bool              // whether posts match the disk
	stored bool              // whether the contents of the delivery are on disk
	// unfit holds posts that can't be corrected by an edit: they are deleted and sent again.
	unfit map[int64]bool
	plain bool // whether formatting is left out because the channel can't read it
	muted bool // whether a growing reply shows nothing more until its end
	// outcome is the outcome of a delivery that is given up; "" before that.
	outcome supervisor.DeliveryResult
	why     string // the channel's error that caused outcome
	// reason is the reason of the outcome if the thread or the chat is to blame; otherwise
	// SendReasonNone.
	reason   supervisor.SendErrorReason
	last     supervisor.Post // the post to store together with the delivery's end; ID 0 means none
	giveUpAt time.Time       // time at which an unreachable delivery is given up
	attempts failedAttempts
	closing  bool // whether only the delivery's end is still to be stored
}

// growing reports whether the set belongs to a growing reply.
func (s *postSet) growing() bool { return s.delivery.ID == 0 }

// nextCall returns the next call and the index of its post; "" means that nothing is left to do.
// inChat is the contents that the chat shows, by post.
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

// nextPosts returns how many messages the next call would add to the chat, at least one.
func (s *postSet) nextPosts(inChat map[int64]supervisor.RichText) int {
	if what, i := s.nextCall(inChat); what == callSend {
		return 1 + len(s.posts[i].Content.Album)
	}
	return 1
}

// callFor returns the call that corrects a post. The file of a post never changes.
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

// setContents sets the parts that the posts of a growing reply should show. Further posts stay in
// the chat, because the reply may grow again.
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

// uncertain reports whether a growing reply has a post with an unknown result. Only the reply's
// delivery sends that post again, as a whole, because only one repeat is allowed.
func (s *postSet) uncertain() bool {
	return slices.ContainsFunc(s.posts, func(p supervisor.Post) bool {
		return p.Delivery != 0 || p.State == supervisor.PostUnknown || p.State == supervisor.PostFailed ||
			p.State == supervisor.PostQueued && p.Repeat
	})
}

// contents returns the contents that the posts should show, from one part on.
func (s *postSet) contents(from int) []supervisor.RichText {
	var list []supervisor.RichText
	for _, p := range s.posts[from:] {
		if p.State != supervisor.PostSurplus {
			list = append(list, p.Content)
		}
	}
	return list
}

// finalOutcome returns the outcome of the delivery, once nextCall returns no call.
func (s *postSet) finalOutcome() (supervisor.DeliveryResult, string) {
	switch {
	case s.ended():
		return cmp.Or(s.outcome, supervisor.OutcomeFailed), cmp.Or(s.why, textPartRefused)
	case s.has(supervisor.PostUnknown):
		return supervisor.OutcomeUnknown, cmp.Or(s.why, textNotAcknowledged)
	}
	return supervisor.OutcomeSent, ""
}

// ended reports whether a part has failed or the whole set was given up. No further part is then
// tried.
func (s *postSet) ended() bool { return s.outcome != "" || s.has(supervisor.PostFailed) }

func (s *postSet) has(state supervisor.PostState) bool {
	return slices.ContainsFunc(s.posts, func(p supervisor.Post) bool { return p.State == state })
}

// allSent reports whether there are exactly that many posts, and all are in the chat.
func (s *postSet) allSent(parts int) bool {
	return len(s.posts) == parts && !slices.ContainsFunc(s.posts, func(p supervisor.Post) bool {
		return p.State != supervisor.PostSent
	})
}

// markUnfit marks all posts in the chat from one index on, to be deleted and sent again. any
// reports whether it has marked a post.
func (s *postSet) markUnfit(from int) (any bool) {
	for _, p := range s.posts[from:] {
		if p.State == supervisor.PostSent {
			s.unfit[p.ID] = true
			any = true
		}
	}
	return any
}

// nextSent returns the index of the next post in the chat that an edit can give any text, from one
// index on. -1 means none.
func (s *postSet) nextSent(from int) int {
	i := slices.IndexFunc(s.posts[from:], func(p supervisor.Post) bool {
		return p.State == supervisor.PostSent && p.Content.File == nil
	})
	if i < 0 {
		return -1
	}
	return from + i
}

// duplicate finds a post with the same message as the post before it. An interrupted shift leaves
// two posts with one message.
func (s *postSet) duplicate() (i int, ok bool) {
	for last := s.nextSent(0); last >= 0; last = i {
		i = s.nextSent(last + 1)
		if i >= 0 && s.posts[i].Message == s.posts[last].Message {
			return i, true
		}
	}
	return 0, false
}
