// Package outbox sends deliveries to a remote channel: in each chat's order, within the channel's
// pace, and once. It also shows running replies as they grow.
//
// A reply is a set of posts: the messages that should be in its chat. Each chat with work has a
// chatQueue. The queue sends missing posts, edits posts with an old content, and deletes
// superfluous posts. It treats a growing reply and the delivery that ends it alike, so that the
// final text replaces the text shown before. A post is marked on disk before it is sent, and its
// result is stored afterwards, because the process may end at any moment.
package outbox

import (
	"context"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
)

// Deliveries stores the messages for users.
type Deliveries interface {
	// ListDueConversations lists conversations with a waiting delivery, or with a post of a running
	// turn.
	ListDueConversations(ctx context.Context, channel supervisor.Channel) ([]supervisor.Conversation, error)
	// ListPendingInChat lists the waiting deliveries of a chat, oldest first.
	ListPendingInChat(ctx context.Context, channel supervisor.Channel, chat string, limit int) ([]supervisor.Delivery,
		error)
	// ListUnreportedLosses lists deliveries that may not have arrived, and for which no apology was
	// sent.
	ListUnreportedLosses(ctx context.Context, conversation int64) ([]int64, error)
	// StoreOutcome stores the outcome of a delivery.
	StoreOutcome(ctx context.Context, o supervisor.DeliveryOutcome) error
}

// Posts stores the messages in chats that show replies.
type Posts interface {
	// ListPosts lists the posts of a delivery, or of a turn if delivery is 0, by part.
	ListPosts(ctx context.Context, turn, delivery int64) ([]supervisor.Post, error)
	// IsQuestionBelowReply reports whether a turn's question is below the shown part of its reply.
	IsQuestionBelowReply(ctx context.Context, turn int64) (bool, error)
	// MarkSending marks a post that is about to be sent. The post may be sent only if the error is
	// nil.
	MarkSending(ctx context.Context, conversation int64, p supervisor.Post) (supervisor.Post, error)
	// StorePostResult stores a post with the result of its call.
	StorePostResult(ctx context.Context, p supervisor.Post) error
	// CreatePosts stores the contents of a delivery's posts, unless the delivery has posts already.
	CreatePosts(ctx context.Context, delivery int64, contents []supervisor.RichText) ([]supervisor.Post, error)
	// ReplaceContents replaces the stored contents from one part on.
	ReplaceContents(ctx context.Context, delivery int64, from int, contents []supervisor.RichText) ([]supervisor.Post,
		error)
}

// Conversations finds the conversations of a channel.
type Conversations interface {
	FindConversation(ctx context.Context, id int64) (supervisor.Conversation, bool, error)
	// RenameChat stores that a chat has a new name.
	RenameChat(ctx context.Context, channel supervisor.Channel, from, to string) (moved int, err error)
}

// ChatFreezeStore stores until when nothing may be sent to a chat; chat "" means all chats.
type ChatFreezeStore interface {
	StoreChatFreeze(ctx context.Context, source, chat string, until time.Time) error
	ListChatFreezes(ctx context.Context, source string) (map[string]time.Time, error)
}

// Channel sends, edits and deletes messages. Its errors are *supervisor.SendError. After any other
// error, the result of the call is unknown. Each call ends by itself within about half a minute, or
// with its context. An album has one name for all its messages. If a message does not exist, it is
// no error to delete it or to remove its buttons.
type Channel interface {
	Send(ctx context.Context, to supervisor.PostAddress, content supervisor.RichText) (message string, err error)
	EditMessage(ctx context.Context, to supervisor.PostAddress, message string, content supervisor.RichText) error
	DeleteMessage(ctx context.Context, to supervisor.PostAddress, message string) error
	RemoveButtons(ctx context.Context, to supervisor.PostAddress, message string) error
	SendChatAction(ctx context.Context, to supervisor.PostAddress, action supervisor.ChatAction) error
}

// Replies holds the replies of running turns.
type Replies interface {
	// CurrentReply returns the current reply of a conversation's running turn. A turn's delivery is
	// in the store before its reply ends. The outbox is told of each change of the delivery or the
	// reply.
	CurrentReply(conversation int64) (supervisor.Reply, bool)
}

// Options configures an Outbox.
type Options struct {
	Name    supervisor.Channel // the channel of this outbox
	Source  string             // the name under which the outbox's freezes are stored
	Channel Channel

	Deliveries    Deliveries
	Posts         Posts
	Conversations Conversations
	Freezes       ChatFreezeStore
	Replies       Replies

	// Render renders Markdown and splits it into parts; growing means that the text is not
	// complete. A part is used unchanged if it leaves room for the mark of a repeat below Limit. A
	// longer part is halved.
	Render func(markdown string, growing bool) []supervisor.RichText
	Halve  func(supervisor.RichText) []supervisor.RichText // cuts one part into two or more
	Rates  SendRates
	// Grows reports whether a conversation's replies are shown as they grow. Otherwise the chat
	// shows only the reason of a delay, and then the final text. Grows is called before each edit,
	// and may read the disk.
	Grows func(supervisor.Conversation) bool
	// Serves reports whether a conversation's user is still served. Other users get no messages.
	// Serves is called before each message, and must not block.
	Serves func(supervisor.Conversation) bool
	Log    hclog.Logger     // nil logs nothing
	Limit  int              // the longest message in UTF-16 code units; 0 means 4096 (Bot API)
	Now    func() time.Time // returns the current time
	// Alarm is called once when every send has failed for ten minutes. Recovered is called once
	// when a send succeeds after that. Neither may block or call the outbox.
	Alarm     func(text string)
	Recovered func(text string)
	// NoVoice stores that a chat refuses voice messages, so that later answers there are not
	// spoken.
	NoVoice func(ctx context.Context, c supervisor.Conversation) error
	// FallbackFor returns the conversation for a notice that a thread or chat refused a delivery. A
	// result without a Channel, or a nil FallbackFor, means no notice. Queued is called when a
	// delivery may wait in that conversation.
	FallbackFor func(c supervisor.Conversation, why supervisor.SendErrorReason) supervisor.Conversation
	Queued      func(c supervisor.Conversation)
	// KeepText stores a text as a file that can be sent; nil sends answers of any length as
	// messages.
	KeepText func(name, text string) (supervisor.File, error)
	// Forget is called with each file of a delivery that will be deleted from its chat. The call
	// comes after the file's last send, and before the delivery is closed. The file's bytes may
	// then be deleted. Forget may be called twice for a file, and must not block; nil keeps the
	// bytes.
	Forget func(f supervisor.File)
}

// maxMessage is the longest text of a message, in UTF-16 code units. (Bot API, sendMessage.)
const maxMessage = 4096
