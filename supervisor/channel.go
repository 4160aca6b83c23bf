package supervisor

import "strings"

// Channel is where a person talks.
type Channel string

const (
	ChannelTerminal Channel = "terminal"
	ChannelTelegram Channel = "telegram"
)

// Capabilities are what a channel can do. The zero value, which an unknown channel has, can do nothing.
type Capabilities struct {
	Private bool // only its person reads a chat of it
	Groups  bool // several people may be in a chat: see IsGroup. A private chat has the name of its person's account
	Edit    bool // a message that was sent can be changed
	Delete  bool // a message that was sent can be taken away
	Buttons bool // a message can have buttons
	Files   bool // a chat shows the files that are sent to it; without it, only their names
}

// capabilities are those of every channel. Nothing else tells channels apart.
var capabilities = map[Channel]Capabilities{
	ChannelTerminal: {Private: true, Buttons: true},
	ChannelTelegram: {Groups: true, Edit: true, Delete: true, Buttons: true, Files: true},
}

// Can is what the channel can do.
func (c Channel) Can() Capabilities { return capabilities[c] }

// IsGroup says whether several people may be in a chat of the channel. (The Bot API numbers groups and channels below 0.)
func (c Channel) IsGroup(chat string) bool { return c.Can().Groups && strings.HasPrefix(chat, "-") }

// InGroup says whether others read what is said in the conversation.
func (c Conversation) InGroup() bool { return c.Channel.IsGroup(c.Chat) }
