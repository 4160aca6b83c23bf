// Package chat is a person's end of a conversation with a running Mews: the terminal, and the pipe.
// It knows of Mews what the control socket says.
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
	// reconnectTimeout is how long a pipe waits for a supervisor that went away: one that is
	// started again is back by then.
	reconnectTimeout = 15 * time.Second
	// BriefReconnectTimeout is for a supervisor that another chat has started, and that ends with
	// that chat.
	BriefReconnectTimeout = 5 * time.Second
	// leaveTimeout is how long a chat that ends waits for the supervisor to take what was sent.
	leaveTimeout = 2 * time.Second
)

// Console is where a chat reads and writes.
type Console struct {
	In       *os.File
	Out, Err io.Writer
}

// Options are how to chat.
type Options struct {
	User   string   // as whom; "" is the account's own user
	Chat   string   // which conversation; "" is the usual one
	Attach []string // paths of files that go with the first message
	Hints  bool     // say how to go further: there is no model of the person's yet
	// how long a pipe waits for a supervisor that went away; 0 is 15 s
	ReconnectTimeout time.Duration
}

// Run talks with the service at a control socket, for a person where the console is a terminal,
// else for the lines of a pipe. It returns when the person leaves, the lines end, ctx ends, or the
// chat fails.
func Run(ctx context.Context, con Console, socket string, o Options) error {
	if term.IsTerminal(int(con.In.Fd())) && IsTerminal(con.Out) {
		return inTerminal(ctx, con, socket, o)
	}
	return inPipe(ctx, con, con.In, socket, o)
}

// IsTerminal says whether what is written to w is seen by a person.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// leave ends a chat so that what it has shown is not shown again. While the supervisor is away that
// can't be had, and the chat does not fail for it.
func leave(ctx context.Context, chat *control.Chat) {
	ctx, cancel := context.WithTimeout(ctx, leaveTimeout)
	defer cancel()
	_ = chat.Leave(ctx)
}

// stripControls takes out what would not be shown but obeyed: a model's text must not move the
// cursor or rename the window.
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
