package supervisor

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// Conversation is (person, channel, chat, thread). It owns its history; one turn at a time runs in
// it.
type Conversation struct {
	ID      int64
	User    string
	Channel Channel
	Chat    string // the channel's own name of the chat; "" is the person's only one
	Thread  string // the channel's own name of a thread in it; "" where there are none
}

// Channel is where a person talks.
type Channel string

const (
	ChannelTerminal Channel = "terminal"
	ChannelTelegram Channel = "telegram"
)

// ChatAction is what a chat is told to be going on here, for some seconds. (Bot API,
// sendChatAction, whose words these are.)
type ChatAction string

const (
	ActionTyping         ChatAction = "typing"
	ActionRecordVoice    ChatAction = "record_voice"
	ActionUploadPhoto    ChatAction = "upload_photo"
	ActionUploadDocument ChatAction = "upload_document"
)

// Capabilities are what a channel can do. The zero value, which an unknown channel has, can do
// nothing.
type Capabilities struct {
	// everybody has a chat of their own there without an account, and only they read it
	Private bool
	// a person is the number of their account, which is the name of their private chat too
	Accounts  bool
	Groups    bool // several people may be in a chat: see IsGroup
	Edit      bool // a message that was sent can be changed
	Delete    bool // a message that was sent can be taken away
	Buttons   bool // a message can have buttons
	Location  bool // a button in a private chat sends where its person is
	Voice     bool // a chat plays recordings that are sent to it
	Reactions bool // a message of a person's can be given an emoji
	Files     bool // a chat shows the files that are sent to it; without it, only their names
}

// capabilities are those of every channel. Nothing else tells channels apart.
var capabilities = map[Channel]Capabilities{
	ChannelTerminal: {Private: true, Buttons: true},
	ChannelTelegram: {Accounts: true, Groups: true, Edit: true, Delete: true, Buttons: true, Reactions: true,
		Files: true, Voice: true, Location: true},
}

// Can is what the channel can do.
func (c Channel) Can() Capabilities { return capabilities[c] }

// ChannelsThat lists the channels with the capabilities that are asked for, by name.
func ChannelsThat(may func(Capabilities) bool) []Channel {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(capabilities)), func(c Channel) bool { return !may(c.Can()) })
}

// GroupChannel is where there are groups: a group that is named by its number alone is one of its.
func GroupChannel() Channel {
	return ChannelsThat(func(can Capabilities) bool { return can.Groups })[0]
}

// PrivateChannels are those on which everybody has a chat of their own. There is at least one.
func PrivateChannels() []Channel {
	return ChannelsThat(func(can Capabilities) bool { return can.Private })
}

// PrivateChat is where nobody but the person reads what they are told: on a channel where they have
// an account, else on one that needs none.
func (u User) PrivateChat() Conversation {
	for _, c := range slices.Sorted(maps.Keys(u.Accounts)) {
		return Conversation{User: u.Name, Channel: c, Chat: u.Accounts[c]}
	}
	return Conversation{User: u.Name, Channel: PrivateChannels()[0]}
}

// IsGroup says whether several people may be in a chat of the channel. (The Bot API numbers groups
// and channels below 0.)
func (c Channel) IsGroup(chat string) bool { return c.Can().Groups && strings.HasPrefix(chat, "-") }

// InGroup says whether others read what is said in the conversation.
func (c Conversation) InGroup() bool { return c.Channel.IsGroup(c.Chat) }

// Busy is what becomes of a text that is sent while a turn of its conversation runs. Commands run
// at once in any case.
type Busy string

const (
	// the turn takes it in before its next call of the model; where there is none, as BusyQueue
	BusySteer Busy = "steer"
	BusyQueue Busy = "queue" // it waits, and has a turn of its own
	// it stops the turn, and the next one answers with all that was said
	BusyRestart Busy = "restart"
)

// VoiceMode says whether the answers of a conversation are said aloud. The zero value is VoiceOff.
type VoiceMode string

const (
	VoiceOff VoiceMode = "off"
	VoiceOn  VoiceMode = "on" // a voice message follows the text
	// a voice message takes the place of the text, where that can be
	VoiceOnly      VoiceMode = "only"
	VoiceForbidden VoiceMode = "forbidden" // off: the chat takes no voice messages
)

// OpenedTool is a tool of a family that is open in a conversation.
type OpenedTool struct {
	Name   string
	Call   string    // of find_tools, which has opened it; "" of one that was opened otherwise
	Kept   bool      // the person wants it to stay open
	UsedAt time.Time // when it was called last, or opened
}
