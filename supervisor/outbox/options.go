// Package outbox brings deliveries to a channel that is far away, in each chat's order, within the channel's pace, and
// once; and it shows there the replies that are being given, as they grow.
//
// A reply is a list of messages that should stand in its chat: posts. A queue, one for each chat that has something to do,
// makes it so: it sends what is not there, edits what is there with another content, and deletes what is too much. It is
// the same for a reply that grows and for the delivery that ends it, so the final text takes the place of what was shown
// before. That a post is about to be sent is on disk before it is sent, and what became of it after; a queue, and the whole
// process, can end at any moment.
package outbox

import (
	"context"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
)

// Deliveries are what people are to be told.
type Deliveries interface {
	// Due lists the conversations with a delivery that waits, or a post of a turn that runs.
	Due(ctx context.Context, channel supervisor.Channel) ([]supervisor.Conversation, error)
	// PendingIn lists what waits in a chat, oldest first.
	PendingIn(ctx context.Context, channel supervisor.Channel, chat string, limit int) ([]supervisor.Delivery, error)
	// UntoldOf lists the deliveries to a conversation that did not arrive for certain, and of which its person knows nothing.
	UntoldOf(ctx context.Context, conversation int64) ([]int64, error)
	// Close keeps what became of a delivery, and of which others it has told.
	Close(ctx context.Context, delivery int64, outcome supervisor.Outcome, why string, told []int64) error
}

// Posts are the messages in chats that show replies.
type Posts interface {
	// List lists those of a delivery, or of a turn where delivery is 0, by part.
	List(ctx context.Context, turn, delivery int64) ([]supervisor.Post, error)
	// Sending keeps that one is about to be sent; who gets no error may send it.
	Sending(ctx context.Context, conversation int64, p supervisor.Post) (supervisor.Post, error)
	// Settle keeps what became of one.
	Settle(ctx context.Context, p supervisor.Post) error
	// Open says, once, what a delivery is to show.
	Open(ctx context.Context, delivery int64, contents []supervisor.RichText) ([]supervisor.Post, error)
	// Replace says it anew from one part on.
	Replace(ctx context.Context, delivery int64, from int, contents []supervisor.RichText) ([]supervisor.Post, error)
}

// Conversations are where people talk.
type Conversations interface {
	Get(ctx context.Context, id int64) (supervisor.Conversation, bool, error)
	// Move keeps that a chat has a new name.
	Move(ctx context.Context, channel supervisor.Channel, from, to string) (moved int, err error)
}

// Freezes are until when nothing may be sent to a chat, or to any: chat "".
type Freezes interface {
	Freeze(ctx context.Context, source, chat string, until time.Time) error
	Frozen(ctx context.Context, source string) (map[string]time.Time, error)
}

// Channel takes messages. Its errors are *supervisor.SendError; any other has an unknown fate. Each call ends by itself, in
// half a minute or so, or when its context does.
type Channel interface {
	Send(ctx context.Context, to supervisor.Address, content supervisor.RichText) (message string, err error)
	Edit(ctx context.Context, to supervisor.Address, message string, content supervisor.RichText) error
	Delete(ctx context.Context, to supervisor.Address, message string) error
	// Unbutton takes a message's buttons away. A message that is not there is well.
	Unbutton(ctx context.Context, to supervisor.Address, message string) error
	Typing(ctx context.Context, to supervisor.Address) error
}

// Replies are those that are being given.
type Replies interface {
	// Look is the running turn's reply as it is now. A turn's delivery is in the store before its reply ends, and Changed is
	// called after each change of either.
	Look(conversation int64) (supervisor.Reply, bool)
}

// Options are what an Outbox needs.
type Options struct {
	Name    supervisor.Channel // of the channel whose conversations these are
	Source  string             // under which its freezes are kept
	Channel Channel

	Deliveries    Deliveries
	Posts         Posts
	Conversations Conversations
	Freezes       Freezes
	Replies       Replies

	// Render renders Markdown and splits it; growing is for a text whose end has not come. Parts that leave Room below
	// Limit are taken as they are, longer ones are halved.
	Render func(markdown string, growing bool) []supervisor.RichText
	Halve  func(supervisor.RichText) []supervisor.RichText // cuts one part into two or more
	Rates  Rates
	// Grows says whether a conversation's replies are shown as they grow; else only their end is. It is asked before each
	// step of one, and may look that up on disk. nil is yes.
	Grows func(supervisor.Conversation) bool
	// Serves says whether a conversation's person is still there: to others nothing is sent. It is asked before each
	// message, and must not block. nil is yes.
	Serves func(supervisor.Conversation) bool
	Log    hclog.Logger     // nil logs nothing
	Limit  int              // UTF-16 code units that one message may have; 0 is 4096 (Bot API)
	Now    func() time.Time // nil is time.Now
	// Alarm is told once when nothing could be sent to any chat for ten minutes, and Recovered once when something was
	// after that. They must not block; nil is nobody.
	Alarm     func(text string)
	Recovered func(text string)
	// Forget is told of the files of a delivery that vanishes, once they are sent for the last time and before the delivery
	// is closed: their bytes may go. It may be told twice, and must not block; nil keeps them.
	Forget func(f supervisor.File)
}

// maxMessage is how long a message's text may be, in UTF-16 code units. (Bot API, sendMessage.)
const maxMessage = 4096

func (o Options) withDefaults() Options {
	if o.Limit == 0 {
		o.Limit = maxMessage
	}
	if o.Serves == nil {
		o.Serves = func(supervisor.Conversation) bool { return true }
	}
	if o.Grows == nil {
		o.Grows = func(supervisor.Conversation) bool { return true }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = hclog.NewNullLogger()
	}
	return o
}

// Status is what an outbox is about.
type Status struct {
	Chats    []string             // chats with something to do, sorted
	Frozen   map[string]time.Time // chats that nothing may be sent to before that time; "" is all of them
	Troubles []Trouble            // chats in which something does not go, sorted
}
