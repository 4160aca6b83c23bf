package supervisor

import "time"

// Batch is what came in one piece from a source.
type Batch struct {
	Source string // the Source of its inbounds; theirs is not read
	Next   int64  // where the source's next batch begins; 0 leaves that as it is
	Items  []Item
}

// Item is one thing that a person sent, and what is kept with it.
type Item struct {
	Inbound Inbound
	Update  int64  // the source's own number of it
	Raw     string // what the source sent, as it sent it; "" keeps none
	// EditedAt is not zero of one that was sent before, under another number, and is changed by
	// this: its Inbound is as it is now.
	EditedAt time.Time
	// Attachments are the files that came with it, in order.
	Attachments []Attachment
	// Answer, where it is not "", answers it at once, whatever its gate decides, and no turn
	// begins. It says nothing private.
	Answer string
	// Notice, where it is not "", is told of it, and all else goes on. It says nothing private.
	Notice string
	// Unread says of one with an Answer that it could not be looked at. Text names it, and the next
	// inbound of its conversation that mentions what is unread has it in its text.
	Unread         bool
	MentionsUnread bool
	// RepliesTo is the channel's name of the message that it answers to; "" is none. What answers
	// to any but the conversation's newest does not answer a question in words.
	RepliesTo string
	Decision  GateDecision // of a refused inbound nothing is kept but an Answer, or nothing at all
}

// Receipt is what has come of a batch.
type Receipt struct {
	Kept []Inbound // each item's, in order; what was there before as it is
	// what a code in the batch has let through, oldest first; an item of it may be in Kept too, as
	// held
	Released []Inbound
	Queued   []int64 // conversations for which something was put into the outbox, each once
}
