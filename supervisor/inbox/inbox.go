// Package inbox takes what people send. A message that Put has returned for is on disk, is kept once however often it is
// sent, and will be answered; before that it is nobody's.
package inbox

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"mews/supervisor"
)

// maxKey bounds a client's name for a message, in bytes.
const maxKey = 128

// Store keeps inbounds. Put is insert-or-ignore by (user, source, key), and returns the row that is there.
type Store interface {
	Put(ctx context.Context, in supervisor.Inbound) (kept supervisor.Inbound, fresh bool, err error)
}

// Inbox checks what comes, keeps it, and then hands it on.
type Inbox struct {
	store    Store
	accepted func(supervisor.Inbound)
	unkept   func(supervisor.Inbound, error) error
}

// New makes an inbox. accepted is called for each inbound once it is on disk; it must not block, and may be called again
// for one that was sent again. unkept is called for each that the store could not keep, and gives the error that its sender
// is told; nil leaves it as it is.
func New(store Store, accepted func(supervisor.Inbound), unkept func(supervisor.Inbound, error) error) *Inbox {
	return &Inbox{store: store, accepted: accepted, unkept: unkept}
}

// Put keeps an inbound; its Kind is read off its text. An error means that it was not kept; the sender may send it again
// with the same key.
func (b *Inbox) Put(ctx context.Context, in supervisor.Inbound) (supervisor.Inbound, error) {
	if err := check(in); err != nil {
		return supervisor.Inbound{}, err
	}
	in.Kind = kind(in.Text)
	kept, _, err := b.store.Put(ctx, in)
	if err != nil {
		err = fmt.Errorf("keep a message of %s: %w", in.Conversation.User, err)
		if b.unkept != nil {
			err = b.unkept(in, err)
		}
		return supervisor.Inbound{}, err
	}
	b.accepted(kept)
	return kept, nil
}

func check(in supervisor.Inbound) error {
	invalid := func(format string, args ...any) error {
		return &supervisor.Error{Code: supervisor.CodeInvalid, Message: fmt.Sprintf(format, args...)}
	}
	switch {
	case strings.TrimSpace(in.Text) == "":
		return invalid("The message is empty.")
	case len(in.Text) > supervisor.MaxText:
		return invalid("The message has %d KiB; at most %d KiB can be sent at once. Put it into a file in your folder and "+
			"name the file.", len(in.Text)>>10, supervisor.MaxText>>10)
	case !utf8.ValidString(in.Text) || strings.ContainsRune(in.Text, 0):
		return invalid("The message is not text in UTF-8.")
	case in.Key == "" || len(in.Key) > maxKey:
		return invalid("The message's key has %d bytes; want 1 to %d.", len(in.Key), maxKey)
	case strings.ContainsFunc(in.Key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return invalid("The message's key is not printable ASCII without spaces.")
	}
	return nil
}

// commandShape tells a command from a path: a slash and one word, no longer than Telegram's commands may be.
var commandShape = regexp.MustCompile(`^/[A-Za-z][A-Za-z0-9_]{0,31}(@\w{1,64})?(\s|$)`)

func kind(text string) supervisor.InboundKind {
	if commandShape.MatchString(text) {
		return supervisor.KindCommand
	}
	return supervisor.KindText
}
