// Package control is the Unix socket of the command line: its methods, its server and its client.
// It uses the framing of the workers' wire, with methods of its own.
//
// The kernel gives the user id of the connected process (SO_PEERCRED), and package access maps that
// id to a user. A message is accepted once chat.say has been answered, which is after the commit.
// Until then the client repeats the message with the same key. A delivery is taken once a client
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
	MethodJoinChat        = "chat.attach" // takes JoinChatRequest, returns JoinChatResult; once for each connection
	MethodSendMessage     = "chat.say"    // takes SendMessageRequest, returns InputReceipt; after chat.attach
	MethodUpload          = "chat.upload" // takes UploadPart, returns UploadResult; after chat.attach
	MethodPress           = "chat.press"  // takes PressRequest, returns InputReceipt; after chat.attach
	MethodConfirmDelivery = "chat.took"   // takes ConfirmDeliveryRequest, returns nothing; after chat.attach

	MethodTranscribe = "chat.transcribe" // takes TranscribeRequest, returns TranscribeResult; after chat.attach
)

// Methods that the supervisor calls on an attached client.
const (
	MethodDeliver  = "chat.deliver"  // takes Delivery, returns DeliverResult
	MethodProgress = "chat.progress" // takes Progress; a notification, which gets no answer
	MethodLine     = "chat.line"     // takes Line; a notification, which gets no answer
)

// Values of JoinChatRequest.After for a client that has no delivery yet.
const (
	StartAtUndelivered = -1 // get all deliveries that no client has taken
	StartFromNow       = -2 // get only new deliveries
)

// JoinChatRequest is the request to join a conversation of the terminal channel.
type JoinChatRequest struct {
	User string `json:"user,omitempty"` // the user who speaks; "" is the user of the process's account
	Chat string `json:"chat,omitempty"` // name of the chat; "" is the user's usual chat
	// the newest delivery that this client has; or StartAtUndelivered or StartFromNow
	After int64 `json:"after"`

	// Start is for a client that reconnects: JoinChatResult.Newest of its first connection. Up to
	// Start the client gets only deliveries that no client has taken. After Start it gets all
	// deliveries.
	Start int64 `json:"start,omitempty"`
	// Line is the newest line that this client has; 0 means that it gets only new lines.
	Line int64 `json:"line,omitempty"`
}

// JoinChatResult is the answer to chat.attach.
type JoinChatResult struct {
	User         string       `json:"user"`
	Conversation int64        `json:"conversation"`
	Newest       int64        `json:"newest"`         // the newest delivery of the conversation
	Line         int64        `json:"line,omitempty"` // the newest line that the client has or does not get
	Home         string       `json:"home"`
	Model        string       `json:"model"`
	Version      string       `json:"version"`
	Walls        pool.Sandbox `json:"walls"` // the sandbox of workers
	// HasTelegram means that people can also talk on Telegram. Bot is the bot's name there, without
	// @; "" means that it is not known yet.
	HasTelegram bool   `json:"telegram,omitempty"`
	Bot         string `json:"bot,omitempty"`
	// Commands are the names of the user's commands, without slashes.
	Commands []string `json:"commands,omitempty"`
}

// SendMessageRequest is a message of a user to the assistant.
type SendMessageRequest struct {
	// identifies the message: a repeated message with the same key is stored only once
	Key   string         `json:"key"`
	Text  string         `json:"text"`            // the message's words; may be empty if files are attached
	Files []UploadedFile `json:"files,omitempty"` // attached files, at most protocol.MaxArrivedFiles
}

// UploadedFile is a file that the user has uploaded, over any connection.
type UploadedFile struct {
	Blob protocol.BlobRef `json:"blob"`
	Name string           `json:"name"` // the file's name on the user's machine, without a path
}

// UploadPart is a part of a file. The parts of a file come in order, and files come one after the
// other. If the connection ends within a file, the client sends the file again over the next
// connection.
type UploadPart struct {
	// position of Data in the file; 0 begins a file, and drops an unfinished file
	Offset int64  `json:"offset"`
	Data   []byte `json:"data,omitempty"` // at most MaxUploadPartBytes bytes
	Last   bool   `json:"last,omitempty"` // whether Data is the end of the file
}

// Limits of uploads.
const (
	MaxUploadPartBytes = 256 << 10 // most bytes in a part of an upload
	// most bytes in an uploaded file; a self-hosted Bot API server has the same limit
	MaxUploadFileBytes = 2_000 << 20
)

// UploadResult answers a part of a file. After the last part, the file is on disk and belongs to
// the user.
type UploadResult struct {
	Blob *protocol.BlobRef `json:"blob,omitempty"` // the whole file; only after the last part
}

// TranscribeRequest asks for the text of an uploaded recording. The recording is no message of the
// conversation, and is not stored in the user's home. The answer comes after the transcription.
type TranscribeRequest struct {
	File UploadedFile `json:"file"`
}

// TranscribeResult is the text of a recording.
type TranscribeResult struct {
	Text         string `json:"text"`               // the spoken words; "" means no speech
	Language     string `json:"language,omitempty"` // language of the words; "" means unknown
	Seconds      int    `json:"seconds"`            // length of the recording
	Milliseconds int64  `json:"milliseconds"`       // duration of the transcription, without the upload
}

// PressRequest is a user's press of a button below a delivery of the conversation.
type PressRequest struct {
	Key      string `json:"key"` // identifies the press, like SendMessageRequest.Key
	Delivery int64  `json:"delivery"`
	Press    string `json:"press"` // the button's press text
}

// InputReceipt reports that a message or a press is on disk.
type InputReceipt struct {
	Inbound int64 `json:"inbound"`
	Held    bool  `json:"held,omitempty"` // whether the message waits until the user sends a code
	// Answered means that no turn follows: the message was invalid, was a code, or answered a
	// question. The user gets only a notice.
	Answered bool `json:"answered,omitempty"`
	// Resumes is the inbound whose turn goes on, because the message answered its question; 0 means
	// none.
	Resumes int64 `json:"resumes,omitempty"`
}

// Delivery is a message to the user.
type Delivery struct {
	ID      int64 `json:"id"`
	Inbound int64 `json:"inbound"` // the inbound that the delivery answers; 0 for a notice
	// the client's key of the answered inbound; "" for a notice
	Key string `json:"key"`
	// keys of further messages that the same delivery answers
	Also []string                `json:"also,omitempty"`
	Kind supervisor.DeliveryKind `json:"kind"`
	Why  protocol.TurnEndReason  `json:"why,omitempty"` // why the answer's turn ended; only with an answer
	Text string                  `json:"text"`
	At   time.Time               `json:"at"`

	Buttons [][]supervisor.Button `json:"buttons,omitempty"` // the buttons below the message, by row
	// whether the message is a question that the user may answer in words
	Asks    bool     `json:"asks,omitempty"`
	Files   []File   `json:"files,omitempty"`   // files that came with the message
	Effects []string `json:"effects,omitempty"` // the effects of the answer's turn, a line for each
}

// File is a file of a delivery. Its bytes do not go over this socket.
type File struct {
	Name      string `json:"name"`
	Size      int64  `json:"size"` // size of the file in bytes
	MediaType string `json:"media_type"`
	Caption   string `json:"caption,omitempty"`
	// path of the file within JoinChatResult.Home, with slashes; "" means unknown
	Path string `json:"path,omitempty"`
}

// ConfirmDeliveryRequest confirms again that the client has taken a delivery. A client that ends
// can't know whether its answer to chat.deliver arrived. The answer to this request proves it.
type ConfirmDeliveryRequest struct {
	Delivery int64 `json:"delivery"`
}

// DeliverResult answers a delivery. A delivery that was not taken stays in the outbox for the next
// client. After a reconnect the client gets its newest delivery again, because its answer may have
// been lost. The client answers as before, and shows nothing.
type DeliverResult struct {
	Taken bool `json:"taken"`
}

// Progress is the current state of the reply. Clients may miss progress, because the final text
// comes as a Delivery.
type Progress struct {
	Turn    int64 `json:"turn"`    // the running turn; 0 if no turn runs
	Inbound int64 `json:"inbound"` // the inbound that the turn answers
	// the offset of Text in the reply, in bytes; Text replaces all text after that
	Offset int        `json:"offset"`
	Text   string     `json:"text,omitempty"`
	Tools  []ToolLine `json:"tools,omitempty"` // lines about tools, in the order of events
}

// Line is a message that a client of the conversation has sent. Every client gets it, in order with
// the deliveries: before its answer, and after what was said before it.
type Line struct {
	Inbound int64     `json:"inbound"`
	Key     string    `json:"key"` // the key that the sending client gave
	Text    string    `json:"text"`
	At      time.Time `json:"at"`
}

// ToolLine is one line about a tool.
type ToolLine struct {
	Call   string `json:"call"`
	Tool   string `json:"tool"`
	State  string `json:"state"` // tool.began, tool.progressed or tool.ended
	Text   string `json:"text,omitempty"`
	Failed bool   `json:"failed,omitempty"`
}
