// Package chat is the client side of a conversation with a running Mews, in a terminal or a pipe.
// It knows Mews only through the control socket.
package chat

import (
	"context"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"mews/supervisor/control"
)

const (
	// reconnectTimeout is how long a pipe waits for a supervisor that went away. A restart takes
	// less time.
	reconnectTimeout = 15 * time.Second
	// BriefReconnectTimeout is the wait for a supervisor that another chat has started. That
	// supervisor ends when the other chat ends.
	BriefReconnectTimeout = 5 * time.Second
	// leaveTimeout is how long an ending chat waits for the supervisor to accept its last lines.
	leaveTimeout = 2 * time.Second
)

// Console is the input and output of a chat.
type Console struct {
	In       *os.File
	Out, Err io.Writer
}

// Options configure a chat.
type Options struct {
	User   string   // name of the user who chats; "" means the account's own user
	Chat   string   // name of the conversation; "" means the usual conversation
	Attach []string // paths of files for the first message
	// Message is the only message of the chat; "" means that the console has the messages.
	Message string
	Hints   bool // show hints, because the user has no model yet
	// ConfigFile is the configuration that the hints name; "" means that there is none.
	ConfigFile string
	// how long a pipe waits for a supervisor that went away; 0 means 15 s
	ReconnectTimeout time.Duration
	// how long a pipe waits for the answer to a line; 0 means until it comes
	AnswerTimeout time.Duration
}

// Run chats with the service at a control socket. If o has a message, it sends only this message.
// Otherwise it serves a person at a terminal, or sends the lines of a pipe. Run returns when the
// person leaves, the lines end, ctx ends, or the chat fails.
func Run(ctx context.Context, con Console, socket string, o Options) error {
	if o.Message != "" {
		return runPipe(ctx, con, nil, socket, o)
	}
	if term.IsTerminal(int(con.In.Fd())) && IsTerminal(con.Out) {
		return runTerminal(ctx, con, socket, o)
	}
	return runPipe(ctx, con, con.In, socket, o)
}

// IsTerminal reports whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// leave ends a chat, and acknowledges the shown deliveries. It is no error if the supervisor is
// away.
func leave(ctx context.Context, chat *control.Chat) {
	ctx, cancel := context.WithTimeout(ctx, leaveTimeout)
	defer cancel()
	_ = chat.Leave(ctx)
}

// stripControls removes control characters: a model's text must not move the cursor or rename the
// window.
func stripControls(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0:
			return -1
		}
		return r
	}, text)
}
