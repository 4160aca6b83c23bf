package supervisor

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// Conversation is a user's talk in one channel, chat and thread. It has one history and one turn at
// a time.
type Conversation struct {
	ID      int64
	User    string
	Channel Channel
	Chat    string // name of the chat on its channel; "" if the user has only one chat there
	Thread  string // name of a thread in the chat, on its channel; "" means none
}

// Channel is a way for a user to talk to the service.
type Channel string

const (
	ChannelTerminal Channel = "terminal"
	ChannelTelegram Channel = "telegram"
)

// ChatAction is the activity that a chat shows for some seconds, such as typing. (Bot API,
// sendChatAction.)
type ChatAction string

const (
	ActionTyping         ChatAction = "typing"
	ActionRecordVoice    ChatAction = "record_voice"
	ActionUploadPhoto    ChatAction = "upload_photo"
	ActionUploadDocument ChatAction = "upload_document"
)

// Capabilities says what a channel can do. The zero value can do nothing. An unknown channel has
// the zero value.
type Capabilities struct {
	// every user has a private chat on the channel, without an account
	Private bool
	// a private chat needs the user's account; the account's number is the chat's name
	NeedsAccount bool
	Groups       bool // the channel has chats with several people: see IsGroup
	Edit         bool // a sent message can be changed
	Delete       bool // a sent message can be deleted
	Buttons      bool // a message can have buttons
	Location     bool // a button in a private chat can send its user's location
	Voice        bool // a chat plays recordings
	Reactions    bool // a user's message can get an emoji
	Files        bool // a chat shows files; without it, only their names
}

// capabilities maps each channel to its capabilities. All other code treats channels alike.
var capabilities = map[Channel]Capabilities{
	ChannelTerminal: {Private: true, Buttons: true},
	ChannelTelegram: {NeedsAccount: true, Groups: true, Edit: true, Delete: true, Buttons: true, Reactions: true,
		Files: true, Voice: true, Location: true},
}

// Capabilities returns what the channel can do.
func (c Channel) Capabilities() Capabilities { return capabilities[c] }

// FilterChannels lists the channels whose capabilities pass the filter may, sorted by name.
func FilterChannels(may func(Capabilities) bool) []Channel {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(capabilities)),
		func(c Channel) bool { return !may(c.Capabilities()) })
}

// GroupChannel returns the only channel with groups. A configured group without a channel is on
// this channel.
func GroupChannel() Channel {
	return FilterChannels(func(can Capabilities) bool { return can.Groups })[0]
}

// PrivateChannels lists the channels where every user has a private chat. There is at least one.
func PrivateChannels() []Channel {
	return FilterChannels(func(can Capabilities) bool { return can.Private })
}

// PrivateChat returns a conversation that only the user reads. It is on a channel where the user
// has an account. If the user has no account, it is on a channel that needs none.
func (u User) PrivateChat() Conversation {
	for _, c := range slices.Sorted(maps.Keys(u.Accounts)) {
		return Conversation{User: u.Name, Channel: c, Chat: u.Accounts[c]}
	}
	return Conversation{User: u.Name, Channel: PrivateChannels()[0]}
}

// IsGroup reports whether several people may be in a chat of the channel. (The Bot API numbers
// groups and channels below 0.)
func (c Channel) IsGroup(chat string) bool {
	return c.Capabilities().Groups && strings.HasPrefix(chat, "-")
}

// IsInGroup reports whether other people read the conversation.
func (c Conversation) IsInGroup() bool { return c.Channel.IsGroup(c.Chat) }

// BusyMode says how to handle a text that comes while a turn of its conversation runs. Commands
// always run at once.
type BusyMode string

const (
	// the text joins the running turn before its next model call; if no call follows, the text
	// waits as with BusyQueue
	BusySteer BusyMode = "steer"
	BusyQueue BusyMode = "queue" // the text waits for a turn of its own
	// the text stops the running turn, and the next turn answers everything
	BusyRestart BusyMode = "restart"
)

// VoiceMode says whether the answers of a conversation are spoken. The zero value is VoiceOff.
type VoiceMode string

const (
	VoiceOff VoiceMode = "off"
	VoiceOn  VoiceMode = "on" // a voice message follows the text
	// a voice message replaces the text, if that is possible
	VoiceOnly      VoiceMode = "only"
	VoiceForbidden VoiceMode = "forbidden" // voice is off, because the chat takes no voice messages
)

// OpenedTool is a tool, of a tool family, that is open in a conversation.
type OpenedTool struct {
	Name   string
	Call   string    // the call of find_tools that opened the tool; "" if the tool was opened in another way
	Pinned bool      // the user wants the tool to stay open
	UsedAt time.Time // time of the tool's last call; without a call, the time when it was opened
}
