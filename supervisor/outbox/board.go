package outbox

import (
	"cmp"
	"slices"
	"time"

	"mews/supervisor"
)

// board is what stands in the chat of one reply, and what is to stand there. A growing reply's and a delivery's are worked
// alike.
type board struct {
	conversation supervisor.Conversation
	turn         int64               // 0 where no turn said it
	message      string              // what it answers, in the channel's words
	delivery     supervisor.Delivery // the zero value while the reply grows

	posts  []supervisor.Post  // by part, with the contents that they are to show
	loaded bool               // posts are as they are on disk
	fixed  bool               // it is on disk what the delivery shows
	unfit  map[int64]bool     // posts that can't be made right where they stand: they are deleted and sent anew
	plain  bool               // the channel can't read its marks
	mute   bool               // a growing reply of which no more is shown before its end
	given  supervisor.Outcome // it is left at what it has come to, and that is this; "" while it is worked
	why    string             // the channel's own words about that
	until  time.Time          // a delivery that can't reach its channel is given up then
	vain   vain
	done   bool // what is left to do is to close the delivery
}

// live says that the board is a growing reply's.
func (b *board) live() bool { return b.delivery.ID == 0 }

// call is one of the channel's verbs.
type call string

const (
	callSend   call = "send"
	callEdit   call = "edit"
	callDelete call = "delete"
	callProbe  call = "probe" // typing: it changes nothing
)

// next is what to call for which of the posts; "" where all is as it should be. shown is what stands in the chat.
func (b *board) next(shown map[int64]supervisor.RichText) (what call, i int) {
	for i, p := range b.posts {
		if b.unfit[p.ID] && p.State == supervisor.PostSent {
			return callDelete, i
		}
	}
	for i, p := range b.posts {
		if what := due(p, shown); what != "" {
			return what, i
		}
	}
	return "", 0
}

// due is what to call for one post.
func due(p supervisor.Post, shown map[int64]supervisor.RichText) call {
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

// want has the posts of a growing reply show these parts. Those beyond are left as they stand: the reply may grow again.
func (b *board) want(parts []supervisor.RichText) {
	for i, part := range parts {
		if b.plain {
			part.Entities = nil
		}
		if i == len(b.posts) {
			b.posts = append(b.posts, supervisor.Post{Turn: b.turn, Part: i, State: supervisor.PostQueued})
		}
		b.posts[i].Content = part
	}
}

// uncertain says that a growing reply has a post that is not there for certain. It is for the delivery to repeat it: it is
// repeated once, and then it is the whole.
func (b *board) uncertain() bool {
	return slices.ContainsFunc(b.posts, func(p supervisor.Post) bool {
		return p.Delivery != 0 || p.State == supervisor.PostUnknown || p.State == supervisor.PostFailed ||
			p.State == supervisor.PostQueued && p.Repeat
	})
}

// contents are what the posts are to show, from one part on.
func (b *board) contents(from int) []supervisor.RichText {
	var list []supervisor.RichText
	for _, p := range b.posts[from:] {
		if p.State != supervisor.PostSurplus {
			list = append(list, p.Content)
		}
	}
	return list
}

// outcome is what became of the delivery, once next has nothing left.
func (b *board) outcome() (supervisor.Outcome, string) {
	if b.over() {
		return cmp.Or(b.given, supervisor.OutcomeFailed), cmp.Or(b.why, "the channel has refused a part of it")
	}
	if b.has(supervisor.PostUnknown) {
		return supervisor.OutcomeUnknown, cmp.Or(b.why, "the channel has not said whether it took it")
	}
	return supervisor.OutcomeSent, ""
}

// over says that a part has failed, or the whole was given up: the rest is not tried.
func (b *board) over() bool { return b.given != "" || b.has(supervisor.PostFailed) }

func (b *board) has(state supervisor.PostState) bool {
	return slices.ContainsFunc(b.posts, func(p supervisor.Post) bool { return p.State == state })
}

// address is where a post goes. In a group the first part of an answer names what it answers.
func (b *board) address(chat string, p supervisor.Post) supervisor.Address {
	to := supervisor.Address{Chat: chat, Thread: b.conversation.Thread, Silent: p.Repeat}
	if group(chat) && p.Part == 0 {
		to.ReplyTo = b.message
	}
	return to
}
