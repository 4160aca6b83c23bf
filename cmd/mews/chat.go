package main

import (
	"context"
	"strings"
	"time"

	"golang.org/x/term"

	"mews/config"
	"mews/supervisor/control"
)

const (
	// away is how long a chat in a pipe waits for a supervisor that went away: one that is started again is back by then.
	away = 15 * time.Second
	// stopped is how long it waits for one that somebody else's chat has brought along, and will take away.
	stopped = 5 * time.Second
	// leaving is how long the end of a chat waits for the supervisor to have heard of everything.
	leaving = 2 * time.Second
)

// chatOptions are how to chat.
type chatOptions struct {
	user  string        // as whom; "" is the account's own user
	chat  string        // which conversation; "" is the usual one
	hints bool          // say how to go further: there is no model of the person's yet
	away  time.Duration // how long a pipe waits for a supervisor that went away; 0 is away
}

// chatVerb is `mews chat`.
func chatVerb(ctx context.Context, con console, args []string) error {
	set := flags(con, "chat")
	file := set.String("config", "", "the configuration `FILE`")
	var o chatOptions
	set.StringVar(&o.user, "user", "", "speak as the user of this `NAME` (admins only)")
	set.StringVar(&o.chat, "chat", "", "a conversation of its own, by `NAME`, beside the usual one")
	if err := parse(set, args); err != nil {
		return err
	}
	cfg, _, err := loadConfig(*file)
	if err != nil {
		return err
	}
	return chatOver(ctx, con, cfg, o)
}

// chatOver talks with the service of a configuration: with a person at a terminal, or with lines in a pipe.
func chatOver(ctx context.Context, con console, cfg *config.Config, o chatOptions) error {
	if term.IsTerminal(int(con.in.Fd())) && isTerminal(con.out) {
		return chatInTerminal(ctx, con, socketPath(cfg), o)
	}
	return chatInPipe(ctx, con, con.in, socketPath(cfg), o)
}

// leave ends a chat so that what it has shown is not shown again. Where the supervisor is away it is, and that is no
// reason for the chat to fail.
func leave(ctx context.Context, chat *control.Chat) {
	ctx, cancel := context.WithTimeout(ctx, leaving)
	defer cancel()
	_ = chat.Leave(ctx)
}

// clean takes out what would not be shown but obeyed: a model's text must not move the cursor or rename the window.
func clean(text string) string {
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
