package outbox

import (
	"cmp"
	"slices"
	"time"

	"mews/supervisor"
)

// postSet is what stands in the chat of one reply, and what is to stand there. A growing reply's and a delivery's are worked
// alike.
type postSet struct {
	conversation supervisor.Conversation
	turn         int64               // 0 where no turn said it
	message      string              // what it answers, in the channel's words
	delivery     supervisor.Delivery // the zero value while the reply grows

	posts    []supervisor.Post  // by part, with the contents that they are to show
	loaded   bool               // posts are as they are on disk
	stored   bool               // it is on disk what the delivery shows
	unfit    map[int64]bool     // posts that can't be made right where they stand: they are deleted and sent anew
	plain    bool               // the channel can't read its marks
	muted    bool               // a growing reply of which no more is shown before its end
	result   supervisor.Outcome // it is left at what it has come to, and that is this; "" while it is worked
	why      string             // the channel's own words about that
	giveUpAt time.Time          // a delivery that can't reach its channel is given up then
	attempts failedAttempts
	closing  bool // what is left to do is to close the delivery
}

// growing says that the postSet is a growing reply's.
func (s *postSet) growing() bool { return s.delivery.ID == 0 }

// call is one of the channel's verbs.
type call string

const (
	callSend   call = "send"
	callEdit   call = "edit"
	callDelete call = "delete"
	callProbe  call = "probe" // typing: it changes nothing
)

// nextCall is what to call for which of the posts; "" where all is as it should be. shown is what stands in the chat.
func (s *postSet) nextCall(shown map[int64]supervisor.RichText) (what call, i int) {
	for i, p := range s.posts {
		if s.unfit[p.ID] && p.State == supervisor.PostSent {
			return callDelete, i
		}
	}
	for i, p := range s.posts {
		if what := callFor(p, shown); what != "" {
			return what, i
		}
	}
	return "", 0
}

// callFor is what to call for one post.
func callFor(p supervisor.Post, shown map[int64]supervisor.RichText) call {
	switch p.State {
	case supervisor.PostQueued:
		return callSend
	case supervisor.PostSurplus:
		return callDelete
	case supervisor.PostSent:
		if p.Content.File != nil { // it shows what it was sent with: that never changes
			return ""
		}
		if now, ok := shown[p.ID]; !ok || !same(now, visible(p)) {
			return callEdit
		}
	}
	return ""
}

// setContents has the posts of a growing reply show these parts. Those beyond are left as they stand: the reply may grow again.
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

// uncertain says that a growing reply has a post that is not there for certain. It is for the delivery to repeat it: it is
// repeated once, and then it is the whole.
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

// outcome is what became of the delivery, once next has nothing left.
func (s *postSet) outcome() (supervisor.Outcome, string) {
	if s.ended() {
		return cmp.Or(s.result, supervisor.OutcomeFailed), cmp.Or(s.why, "the channel has refused a part of it")
	}
	if s.has(supervisor.PostUnknown) {
		return supervisor.OutcomeUnknown, cmp.Or(s.why, "the channel has not said whether it took it")
	}
	return supervisor.OutcomeSent, ""
}

// ended says that a part has failed, or the whole was given up: the rest is not tried.
func (s *postSet) ended() bool { return s.result != "" || s.has(supervisor.PostFailed) }

func (s *postSet) has(state supervisor.PostState) bool {
	return slices.ContainsFunc(s.posts, func(p supervisor.Post) bool { return p.State == state })
}

// address is where a post goes. In a group the first part of an answer names what it answers.
func (s *postSet) address(chat string, p supervisor.Post) supervisor.Address {
	to := supervisor.Address{Chat: chat, Thread: s.conversation.Thread, Silent: p.Repeat}
	if group(chat) && p.Part == 0 {
		to.ReplyTo = s.message
	}
	return to
}
