package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"mews/config"
	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/control"
)

const (
	// away is how long a chat in a pipe waits for a supervisor that went away.
	away = 15 * time.Second
	// leaving is how long the end of a chat waits for the supervisor to have heard of everything.
	leaving = 2 * time.Second
)

// chatOptions are how to chat.
type chatOptions struct {
	user  string // as whom; "" is the account's own user
	chat  string // which conversation; "" is the usual one
	hints bool   // say how to go further: there is no model of the person's yet
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

// chatInPipe says each line and prints its answer, one after the other, and nothing else. It ends with the last answer. A
// line that was refused and a turn that failed do not keep the others back; they make it an error in the end.
func chatInPipe(ctx context.Context, con console, in io.Reader, socket string, o chatOptions) error {
	p := &pipe{joined: make(chan struct{}), answers: make(chan control.Delivery, 1), keys: map[string]bool{}}
	chat := control.NewChat(socket, control.Attach{User: o.user, Chat: o.chat, After: control.FromNow}, p)
	ctx, cancel := context.WithCancelCause(ctx)
	var running sync.WaitGroup
	running.Go(func() { cancel(chat.Run(ctx, away)) })
	defer running.Wait()
	defer cancel(nil)
	defer leave(ctx, chat)
	select {
	case <-p.joined:
	case <-ctx.Done(): // nobody is there to talk to, whatever there may be to say
		return context.Cause(ctx)
	}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		if line = strings.TrimSpace(line); line != "" {
			if err := p.exchange(ctx, chat, line, con); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return p.verdict()
		}
		if err != nil {
			return fmt.Errorf("read what to say: %w", err)
		}
	}
}

// leave ends a chat so that what it has shown is not shown again. Where the supervisor is away it is, and that is no
// reason for the chat to fail.
func leave(ctx context.Context, chat *control.Chat) {
	ctx, cancel := context.WithTimeout(ctx, leaving)
	defer cancel()
	_ = chat.Leave(ctx)
}

// pipe is the screen of a chat in a pipe. It takes the answers to what it has said, and leaves everything else to whoever
// looks next.
type pipe struct {
	joined  chan struct{} // closed when the conversation is joined
	answers chan control.Delivery

	refused, failed int // lines; of the goroutine that exchanges

	mu   sync.Mutex // guards keys
	keys map[string]bool
}

// verdict is what the exit status tells.
func (p *pipe) verdict() error {
	if p.refused+p.failed == 0 {
		return nil
	}
	return fmt.Errorf("%d lines were not accepted, %d answers were not completed", p.refused, p.failed)
}

// exchange says a line and prints its answer.
func (p *pipe) exchange(ctx context.Context, chat *control.Chat, line string, con console) error {
	key := control.NewKey()
	p.mu.Lock()
	p.keys[key] = true
	p.mu.Unlock()
	if _, err := chat.Say(ctx, key, line); err != nil {
		if supervisor.ErrorCode(err) == supervisor.CodeInternal || ctx.Err() != nil {
			return err
		}
		p.refused++
		_, err := fmt.Fprintln(con.err, "mews: "+supervisor.ErrorMessage(err))
		return err
	}
	select {
	case answer := <-p.answers:
		if answer.Why != "" && answer.Why != protocol.WhyDone {
			p.failed++
		}
		_, err := fmt.Fprintln(con.out, clean(answer.Text))
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (p *pipe) Deliver(d control.Delivery) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	mine := p.keys[d.Key]
	if mine {
		delete(p.keys, d.Key)
		p.answers <- d // one message is under way at a time, so there is room
	}
	return mine
}

func (p *pipe) Attached(_ control.Attached, again bool) {
	if !again {
		close(p.joined)
	}
}

func (*pipe) Show(control.Show) {}
func (*pipe) Lost(error)        {}

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
