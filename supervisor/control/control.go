// Package control is the operator's unix socket: its methods, its server and its client. It has the
// framing of the workers' wire, with its own methods.
//
// The kernel gives the user id of the process at a connection (SO_PEERCRED), and package access
// says which user that is. A message is accepted once chat.say has been answered, which is after
// its commit. Until then the client repeats it with the same key. A delivery is taken once a client
// has answered chat.deliver with Taken.
package control

import (
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/pool"
)

// Methods that a client calls.
const (
	MethodAttach = "chat.attach" // Attach to Attached; once a connection
	MethodSay    = "chat.say"    // Say to Said; attached
	MethodUpload = "chat.upload" // Upload to Uploaded; attached
	MethodPress  = "chat.press"  // Press to Said; attached
	MethodTook   = "chat.took"   // Took, no result; attached

	MethodTranscribe = "chat.transcribe" // Transcribe to Transcribed; attached
)

// Methods that the supervisor calls on an attached client.
const (
	MethodDeliver  = "chat.deliver"  // Delivery to Delivered
	MethodProgress = "chat.progress" // Progress, a notification
)

// Values of Attach.After for a client without deliveries.
const (
	Undelivered = -1 // start with the deliveries that no client has taken
	FromNow     = -2 // start with deliveries from now on
)

// Attach joins a conversation of the terminal channel.
type Attach struct {
	User string `json:"user,omitempty"` // as whom to speak; "" is the user of the peer's account
	Chat string `json:"chat,omitempty"` // "" is the person's usual one
	// the newest delivery this client has; or Undelivered, FromNow
	After int64 `json:"after"`

	// Start is Attached.Newest of the first connection, for a client that reconnects. Up to there
	// it gets the deliveries that no client has taken, and after it all.
	Start int64 `json:"start,omitempty"`
}

// Attached answers chat.attach.
type Attached struct {
	User         string       `json:"user"`
	Conversation int64        `json:"conversation"`
	Newest       int64        `json:"newest"` // the newest delivery there is
	Home         string       `json:"home"`
	Model        string       `json:"model"`
	Version      string       `json:"version"`
	Walls        pool.Sandbox `json:"walls"` // how workers are confined
}

// Say is a message of a user.
type Say struct {
	// the client's own name for it; the same key is kept once
	Key   string         `json:"key"`
	Text  string         `json:"text"`            // may be empty where there are files
	Files []UploadedFile `json:"files,omitempty"` // attached files, at most protocol.MaxArrivedFiles
}

// UploadedFile is a file that the user has uploaded, over this connection or an earlier one.
type UploadedFile struct {
	Blob protocol.BlobRef `json:"blob"`
	Name string           `json:"name"` // the user's name of the file, without a path
}

// Upload is a part of a file. The parts come in order, one file after the other, and each is sent
// once. If a connection ends within a file, the file starts again on the next one.
type Upload struct {
	// the offset of Data; 0 begins a file, and drops an unfinished one
	Offset int64  `json:"offset"`
	Data   []byte `json:"data,omitempty"` // at most MaxUploadPart bytes
	Last   bool   `json:"last,omitempty"` // Data is the end of the file
}

// Limits of an upload.
const (
	MaxUploadPart = 256 << 10 // bytes of one part
	// bytes of a file (what a Bot API server of one's own takes: both channels take the same)
	MaxUploadFile = 2_000 << 20
)

// Uploaded answers a part. With the last one, the file is on disk and belongs to the user.
type Uploaded struct {
	Blob *protocol.BlobRef `json:"blob,omitempty"` // with the last part
}

// Transcribe asks for the text of an uploaded file, heard like a voice message. It is not a message
// of the conversation, and leaves no file in the user's folder. The answer comes when it is done.
type Transcribe struct {
	File UploadedFile `json:"file"`
}

// Transcribed is the text of a transcribed file.
type Transcribed struct {
	Text         string `json:"text"`               // "" where nobody speaks
	Language     string `json:"language,omitempty"` // "" is not known
	Seconds      int    `json:"seconds"`            // the length of the file
	Milliseconds int64  `json:"milliseconds"`       // that it took, without receiving the file
}

// Press is a user's press of a button below a delivery of the conversation.
type Press struct {
	Key      string `json:"key"` // as a message's
	Delivery int64  `json:"delivery"`
	Press    string `json:"press"` // the button's
}

// Said reports that a message or a press is on disk.
type Said struct {
	Inbound int64 `json:"inbound"`
	Held    bool  `json:"held,omitempty"` // it waits for a code, and is answered after that
	// its only answer is a notice that names it: it was a code, or was invalid
	Answered bool `json:"answered,omitempty"`
}

// Delivery is a message to the user.
type Delivery struct {
	ID      int64 `json:"id"`
	Inbound int64 `json:"inbound"` // what it answers; 0 for a notice
	// the sender's own name for that; "" for a notice
	Key string `json:"key"`
	// keys of the messages that its turn took in, and that it answers too
	Also []string                `json:"also,omitempty"`
	Kind supervisor.DeliveryKind `json:"kind"`
	Why  protocol.TurnEndReason  `json:"why,omitempty"` // with an answer: why its turn ended
	Text string                  `json:"text"`
	At   time.Time               `json:"at"`

	Buttons [][]supervisor.Button `json:"buttons,omitempty"` // that can be pressed below it, by row
	// it is a question that words may answer
	Asks    bool     `json:"asks,omitempty"`
	Files   []File   `json:"files,omitempty"`   // that came with it
	Effects []string `json:"effects,omitempty"` // what its turn did, a line each
}

// File is a file of a delivery. Its bytes do not go over this socket.
type File struct {
	Name      string `json:"name"`
	Size      int64  `json:"size"` // bytes
	MediaType string `json:"media_type"`
	Caption   string `json:"caption,omitempty"`
	// its path in Attached.Home, as io/fs has paths; "" means unknown
	Path string `json:"path,omitempty"`
}

// Took reports again that a delivery was taken. A client that ends after a delivery can't know
// whether its answer to chat.deliver arrived; the answer to Took proves it.
type Took struct {
	Delivery int64 `json:"delivery"`
}

// Delivered answers a delivery. One that was not taken stays in the outbox for the next client. A
// client that reconnects gets its newest delivery again, because its answer may have been lost. It
// answers as before, and shows nothing.
type Delivered struct {
	Taken bool `json:"taken"`
}

// Progress is the current state of the reply. It may be missed, because the final text comes as a
// Delivery.
type Progress struct {
	Turn    int64 `json:"turn"`    // 0 if no turn runs
	Inbound int64 `json:"inbound"` // what the turn answers
	// the offset of Text in the reply, in bytes; it replaces everything from there on
	Offset int        `json:"offset"`
	Text   string     `json:"text,omitempty"`  //
	Tools  []ToolLine `json:"tools,omitempty"` // in the order in which they happened
}

// ToolLine is one line about a tool.
type ToolLine struct {
	Call   string `json:"call"`
	Tool   string `json:"tool"`
	State  string `json:"state"` // tool.began, tool.progressed, tool.ended
	Text   string `json:"text,omitempty"`
	Failed bool   `json:"failed,omitempty"`
}
