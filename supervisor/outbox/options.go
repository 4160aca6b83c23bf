// Package outbox brings deliveries to a channel that is far away: in each chat's order, within the
// channel's pace, and once. It also shows there the replies that are being given, as they grow.
//
// A reply is a set of messages that should stand in its chat: posts. Each chat that has something
// to do has a chatQueue. It sends what is not there, edits what is there with another content, and
// deletes what is too much. It works a growing reply and the delivery that ends it alike, so that
// the final text takes the place of what was shown before. A post is marked on disk before it is
// sent, and what became of it is kept after; a queue, and the whole process, may end at any moment.
package outbox

import (
	"context"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
)

// Deliveries are what people are to be told.
type Deliveries interface {
	// ListDue lists the conversations with a delivery that waits, or a post of a turn that runs.
	ListDue(ctx context.Context, channel supervisor.Channel) ([]supervisor.Conversation, error)
	// ListPendingIn lists what waits in a chat, oldest first.
	ListPendingIn(ctx context.Context, channel supervisor.Channel, chat string, limit int) ([]supervisor.Delivery, error)
	// ListUntold lists the deliveries to a conversation that may not have arrived, and of which its
	// person was not told.
	ListUntold(ctx context.Context, conversation int64) ([]int64, error)
	// Close keeps what became of a delivery.
	Close(ctx context.Context, o supervisor.DeliveryOutcome) error
}

// Posts are the messages in chats that show replies.
type Posts interface {
	// List lists those of a delivery, or of a turn where delivery is 0, by part.
	List(ctx context.Context, turn, delivery int64) ([]supervisor.Post, error)
	// Asked says whether a question of a turn's stands below what its reply has shown so far.
	Asked(ctx context.Context, turn int64) (bool, error)
	// Sending marks one that is about to be sent. It may be sent only after nil.
	Sending(ctx context.Context, conversation int64, p supervisor.Post) (supervisor.Post, error)
	// Settle keeps what became of one.
	Settle(ctx context.Context, p supervisor.Post) error
	// Open keeps, once, what a delivery is to show.
	Open(ctx context.Context, delivery int64, contents []supervisor.RichText) ([]supervisor.Post, error)
	// Replace keeps it anew, from one part on.
	Replace(ctx context.Context, delivery int64, from int, contents []supervisor.RichText) ([]supervisor.Post, error)
}

// Conversations are where people talk.
type Conversations interface {
	FindByID(ctx context.Context, id int64) (supervisor.Conversation, bool, error)
	// Move keeps that a chat has a new name.
	Move(ctx context.Context, channel supervisor.Channel, from, to string) (moved int, err error)
}

// Freezes are until when nothing may be sent to a chat, or to any: chat "".
type Freezes interface {
	Freeze(ctx context.Context, source, chat string, until time.Time) error
	Frozen(ctx context.Context, source string) (map[string]time.Time, error)
}

// Channel takes messages. Its errors are *supervisor.SendError; the result of any other error is
// unknown. Each call ends by itself within about half a minute, or with its context. The name of an
// album is one. Delete and Unbutton, which takes a message's buttons away, succeed where the
// message is not there.
type Channel interface {
	Send(ctx context.Context, to supervisor.Address, content supervisor.RichText) (message string, err error)
	Edit(ctx context.Context, to supervisor.Address, message string, content supervisor.RichText) error
	Delete(ctx context.Context, to supervisor.Address, message string) error
	Unbutton(ctx context.Context, to supervisor.Address, message string) error
	Act(ctx context.Context, to supervisor.Address, action supervisor.ChatAction) error
}

// Replies are those that are being given.
type Replies interface {
	// Look is the running turn's reply as it is now. A turn's delivery is in the store before its
	// reply ends, and Changed is called after each change of either.
	Look(conversation int64) (supervisor.Reply, bool)
}

// Options are what an Outbox needs.
type Options struct {
	Name    supervisor.Channel // of the channel whose conversations these are
	Source  string             // its freezes are kept under this
	Channel Channel

	Deliveries    Deliveries
	Posts         Posts
	Conversations Conversations
	Freezes       Freezes
	Replies       Replies

	// Render renders Markdown and splits it; growing is for a text whose end has not come. A part
	// that leaves Room below Limit is taken unchanged, a longer one is halved.
	Render func(markdown string, growing bool) []supervisor.RichText
	Halve  func(supervisor.RichText) []supervisor.RichText // cuts one part into two or more
	Rates  Rates
	// Grows says whether a conversation's replies are shown as they grow, or only why nothing comes
	// and then their end. It is asked before each edit, and may read the disk.
	Grows func(supervisor.Conversation) bool
	// Serves says whether a conversation's person is still served; nobody else is sent anything. It
	// is asked before each message, and must not block.
	Serves func(supervisor.Conversation) bool
	Log    hclog.Logger     // nil logs nothing
	Limit  int              // UTF-16 code units that one message may have; 0 is 4096 (Bot API)
	Now    func() time.Time // the time
	// Alarm is called once when nothing could be sent to any chat for ten minutes, and Recovered
	// once when something was sent after that. They must neither block nor call the outbox.
	Alarm     func(text string)
	Recovered func(text string)
	// NoVoice keeps that a conversation's chat takes no voice messages, so that no more answers are
	// said there.
	NoVoice func(ctx context.Context, c supervisor.Conversation) error
	// Elsewhere is where the person of a conversation is told what that did not take, for a reason;
	// without a Channel that is nowhere. Nil is nowhere. Queued is called once something may wait
	// there.
	Elsewhere func(c supervisor.Conversation, why supervisor.SendReason) supervisor.Conversation
	Queued    func(c supervisor.Conversation)
	// KeepText keeps a text as a file that can be sent; nil has answers of any length be messages.
	KeepText func(name, text string) (supervisor.File, error)
	// Forget is called with each file of a delivery that vanishes, after its last sending and
	// before the delivery is closed: the bytes may go. It may be called twice for one, and must not
	// block; nil keeps the bytes.
	Forget func(f supervisor.File)
}

// maxMessage is how long a message's text may be, in UTF-16 code units. (Bot API, sendMessage.)
const maxMessage = 4096
