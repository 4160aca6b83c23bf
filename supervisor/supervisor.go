// Package supervisor holds the words of the supervisor's side: what a person, a conversation, an inbound, a turn and a
// delivery are. It does no I/O and starts no goroutine.
package supervisor

import (
	"time"

	"mews/protocol"
)

// Role is what a user may do.
type Role string

const (
	RoleAdmin Role = "admin" // may see to the service and speak as anybody
	RoleUser  Role = "user"
)

// User is a person who may talk.
type User struct {
	Name     string // unique; letters, digits, - and _
	Role     Role
	Account  string // the OS account whose processes are this person on the control socket; "" is the service's own
	Home     string // absolute path of the folder that is theirs
	Timezone string // IANA name; "" is the machine's own
	Model    string // provider/model; "" is the configured default
	Files    protocol.FilePolicy
}

// Channel is where a person talks.
type Channel string

const (
	ChannelTerminal Channel = "terminal"
)

// Conversation is (person, channel, chat, thread). It owns its history; one turn at a time runs in it.
type Conversation struct {
	ID      int64
	User    string
	Channel Channel
	Chat    string // the channel's own name of the chat; "" is the person's only one
	Thread  string // the channel's own name of a thread in it; "" where there are none
}

// InboundKind is what sort of thing a person sent.
type InboundKind string

const (
	KindText    InboundKind = "text"    // goes to the model, in its conversation's order
	KindCommand InboundKind = "command" // a slash command: passes the queue by
)

// InboundState is how far an inbound has come.
type InboundState string

const (
	InboundNew      InboundState = "new"      // kept, not yet begun
	InboundRunning  InboundState = "running"  // its turn has started
	InboundAnswered InboundState = "answered" // its answer is in the outbox
	InboundDone     InboundState = "done"     // its answer was delivered
	InboundParked   InboundState = "parked"   // three attempts at it failed; the person was told
)

// Inbound is one thing a person sent.
type Inbound struct {
	ID           int64
	Conversation Conversation
	Source       string // who numbers the keys: "terminal", later "telegram/<API root>/<bot>"
	Key          string // unique within Source and the user: sent again with the same key, it is kept once
	Kind         InboundKind
	Text         string
	State        InboundState
	ReceivedAt   time.Time
}

// TurnKind is what a turn is for.
type TurnKind string

const (
	TurnChat TurnKind = "chat"
)

// Turn is the work for one inbound.
type Turn struct {
	ID           int64
	Conversation Conversation
	Kind         TurnKind
	Inbound      int64
	Deaths       int // workers that ended in it
	StartedAt    time.Time
}

// Delivery is one message to a person, in the outbox until its channel has taken it.
type Delivery struct {
	ID           int64
	Conversation Conversation
	Inbound      int64        // the inbound that it answers; 0 for a notice
	Key          string       // that inbound's key; "" for a notice
	Turn         int64        // the turn that said it; 0 where none did
	Why          protocol.Why // why that turn ended; "" where none did
	Kind         DeliveryKind
	Text         string
	CreatedAt    time.Time
}

// DeliveryKind is what sort of message a delivery is.
type DeliveryKind string

const (
	DeliveryAnswer  DeliveryKind = "answer"  // the end of a turn
	DeliveryCommand DeliveryKind = "command" // a slash command's answer
	DeliveryNotice  DeliveryKind = "notice"  // something the service has to say by itself
)

// MaxText is how long one inbound's text may be, in bytes. (EchOS takes 500,000 characters.)
const MaxText = 256 << 10
