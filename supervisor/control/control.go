// Package control is the operator's unix socket: its methods, its server and its client. It uses
// the framing of the workers' wire, with methods of its own.
//
// The kernel gives the user id of a connection's process (SO_PEERCRED), and package access maps it
// to a user. A message is accepted once chat.say has been answered, which is after its commit.
// Until then the client repeats it with the same key. A delivery is taken once a client has
// answered chat.deliver with Taken.
package control

import (
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/pool"
)

// Methods that a client calls.
const (
	MethodAttach = "chat.attach" // Attach to Attached; once for each connection
	MethodSay    = "chat.say"    // Say to Said; needs chat.attach
	MethodUpload = "chat.upload" // Upload to Uploaded; needs chat.attach
	MethodPress  = "chat.press"  // Press to Said; needs chat.attach
	MethodTook   = "chat.took"   // Took, no result; needs chat.attach

	MethodTranscribe = "chat.transcribe" // Transcribe to Transcribed; needs chat.attach
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
	User string `json:"user,omitempty"` // the user to speak as; "" is the user of the process's account
	Chat string `json:"chat,omitempty"` // "" is the user's usual chat
	// the newest delivery that this client has; or Undelivered, FromNow
	After int64 `json:"after"`

	// Start is Attached.Newest of the first connection, for a client that reconnects. Up to Start
	// the client gets the deliveries that no client has taken; after it, all.
	Start int64 `json:"start,omitempty"`
}

// Attached answers chat.attach.
type Attached struct {
	User         string       `json:"user"`
	Conversation int64        `json:"conversation"`
	Newest       int64        `json:"newest"` // the newest delivery of the conversation
	Home         string       `json:"home"`
	Model        string       `json:"model"`
	Version      string       `json:"version"`
	Walls        pool.Sandbox `json:"walls"` // how workers are confined
}

// Say is a message of a user.
type Say struct {
	// the client's name for the message; a message with the same key is stored only once
	Key   string         `json:"key"`
	Text  string         `json:"text"`            // may be empty if there are files
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
	// the offset of Data; 0 begins a file, and drops an unfinished file
	Offset int64  `json:"offset"`
	Data   []byte `json:"data,omitempty"` // at most MaxUploadPart bytes
	Last   bool   `json:"last,omitempty"` // whether Data is the end of the file
}

// Limits of an upload.
const (
	MaxUploadPart = 256 << 10 // maximum of a part, in bytes
	// maximum of a file, in bytes; a Bot API server that users run themselves takes the same
	MaxUploadFile = 2_000 << 20
)

// Uploaded answers a part. After the last part, the file is on disk and belongs to the user.
type Uploaded struct {
	Blob *protocol.BlobRef `json:"blob,omitempty"` // only in the answer to the last part
}

// Transcribe asks for the text of an uploaded file, heard like a voice message. It is not a message
// of the conversation, and leaves no file in the user's folder. The answer comes after the
// transcription.
type Transcribe struct {
	File UploadedFile `json:"file"`
}

// Transcribed is the text of a transcribed file.
type Transcribed struct {
	Text         string `json:"text"`               // "" means that nobody speaks
	Language     string `json:"language,omitempty"` // "" means unknown
	Seconds      int    `json:"seconds"`            // the length of the file
	Milliseconds int64  `json:"milliseconds"`       // the time that the transcription took, without receiving the file
}

// Press is a user's press of a button below a delivery of the conversation.
type Press struct {
	Key      string `json:"key"` // a key as in Say
	Delivery int64  `json:"delivery"`
	Press    string `json:"press"` // the button's press text
}

// Said reports that a message or a press is on disk.
type Said struct {
	Inbound int64 `json:"inbound"`
	Held    bool  `json:"held,omitempty"` // whether the message waits for a code, and is answered after that
	// Answered is set for a code or an invalid message. The only answer is a notice about it.
	Answered bool `json:"answered,omitempty"`
}

// Delivery is a message to the user.
type Delivery struct {
	ID      int64 `json:"id"`
	Inbound int64 `json:"inbound"` // the answered inbound; 0 for a notice
	// the sender's key of that inbound; "" for a notice
	Key string `json:"key"`
	// keys of further messages that the same turn has answered
	Also []string                `json:"also,omitempty"`
	Kind supervisor.DeliveryKind `json:"kind"`
	Why  protocol.TurnEndReason  `json:"why,omitempty"` // why the answer's turn ended; only with an answer
	Text string                  `json:"text"`
	At   time.Time               `json:"at"`

	Buttons [][]supervisor.Button `json:"buttons,omitempty"` // the buttons below the message, by row
	// whether the message is a question that words may answer
	Asks    bool     `json:"asks,omitempty"`
	Files   []File   `json:"files,omitempty"`   // files that came with the message
	Effects []string `json:"effects,omitempty"` // what the answer's turn did, one line for each effect
}

// File is a file of a delivery. Its bytes do not go over this socket.
type File struct {
	Name      string `json:"name"`
	Size      int64  `json:"size"` // bytes
	MediaType string `json:"media_type"`
	Caption   string `json:"caption,omitempty"`
	// the file's path in Attached.Home, as io/fs has paths; "" means unknown
	Path string `json:"path,omitempty"`
}

// Took reports again that a delivery was taken. A client that ends after a delivery can't know
// whether its answer to chat.deliver arrived. The answer to Took proves it.
type Took struct {
	Delivery int64 `json:"delivery"`
}

// Delivered answers a delivery. A delivery that was not taken stays in the outbox for the next
// client. A client that reconnects gets its newest delivery again, because its answer may have been
// lost. It answers as before, and shows nothing.
type Delivered struct {
	Taken bool `json:"taken"`
}

// Progress is the current state of the reply. A client may miss it, because the final text comes as
// a Delivery.
type Progress struct {
	Turn    int64 `json:"turn"`    // 0 if no turn runs
	Inbound int64 `json:"inbound"` // the inbound that the turn answers
	// the offset of Text in the reply, in bytes; Text replaces everything from there on
	Offset int        `json:"offset"`
	Text   string     `json:"text,omitempty"`  //
	Tools  []ToolLine `json:"tools,omitempty"` // lines about tools, in the order of events
}

// ToolLine is one line about a tool.
type ToolLine struct {
	Call   string `json:"call"`
	Tool   string `json:"tool"`
	State  string `json:"state"` // tool.began, tool.progressed, tool.ended
	Text   string `json:"text,omitempty"`
	Failed bool   `json:"failed,omitempty"`
}
