package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/control"
)

// pipe is the screen of a chat in a pipe. It takes the answers to what it has said, tells of notices, and leaves everything
// but the answers to whoever looks next.
type pipe struct {
	chat    *control.Chat
	out     io.Writer
	joined  chan struct{} // closed when the conversation is joined
	answers chan control.Delivery

	said, refused, failed int // lines; of the goroutine that exchanges

	mu   sync.Mutex // guards keys, and writes to err
	keys map[string]bool
	err  io.Writer
}

// chatInPipe says each line and prints its answer, one after the other, and nothing else. It ends with the last answer. A
// line that was refused and a turn that failed do not keep the others back; they make it an error in the end.
func chatInPipe(ctx context.Context, con console, in io.Reader, socket string, o chatOptions) error {
	p := &pipe{out: con.out, err: con.err, joined: make(chan struct{}), answers: make(chan control.Delivery, 1),
		keys: map[string]bool{}}
	p.chat = control.NewChat(socket, control.Attach{User: o.user, Chat: o.chat, After: control.FromNow}, p)
	ctx, cancel := context.WithCancelCause(ctx)
	var running sync.WaitGroup
	running.Go(func() { cancel(p.chat.Run(ctx, cmp.Or(o.away, away))) })
	defer running.Wait()
	defer cancel(nil)
	defer leave(ctx, p.chat)
	select {
	case <-p.joined:
	case <-ctx.Done(): // nobody is there to talk to, whatever there may be to say
		return context.Cause(ctx)
	}
	read := make(chan spoken)
	go speak(ctx, in, read) // a read of a pipe can't be interrupted: it ends with its input, or with the process
	for {
		select {
		case s := <-read:
			if errors.Is(s.err, io.EOF) {
				return p.verdict()
			}
			if s.err != nil {
				return fmt.Errorf("read what to say: %w", s.err)
			}
			if err := p.exchange(ctx, s.line); err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// spoken is a line of the input, or the end of it.
type spoken struct {
	line string
	err  error
}

// speak reads lines until the input or ctx ends. Empty ones are passed over.
func speak(ctx context.Context, in io.Reader, to chan<- spoken) {
	lines := bufio.NewReader(in)
	for {
		text, err := readLine(lines)
		for _, s := range []spoken{{line: strings.TrimSpace(text)}, {err: err}} {
			if s == (spoken{}) {
				continue
			}
			select {
			case to <- s:
			case <-ctx.Done():
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// readLine reads a line. Of one that is too long to be said it keeps only so much that it still is.
func readLine(lines *bufio.Reader) (string, error) {
	var kept []byte
	for {
		piece, err := lines.ReadSlice('\n')
		kept = append(kept, piece[:min(len(piece), supervisor.MaxText+1+len("\r\n")-len(kept))]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return string(kept), err
		}
	}
}

// verdict is what the exit status tells.
func (p *pipe) verdict() error {
	if p.refused+p.failed == 0 {
		return nil
	}
	return fmt.Errorf("of %s, %d could not be sent and %d had no full answer", count(p.said, "line", "lines"), p.refused, p.failed)
}

// exchange says a line and prints its answer.
func (p *pipe) exchange(ctx context.Context, line string) error {
	key := control.NewKey()
	p.mu.Lock()
	p.keys[key] = true
	p.mu.Unlock()
	p.said++
	if _, err := p.chat.Say(ctx, key, line); err != nil {
		if supervisor.ErrorCode(err) == supervisor.CodeInternal || ctx.Err() != nil {
			return err
		}
		p.refused++
		return p.tell("not sent: " + supervisor.ErrorMessage(err))
	}
	select {
	case answer := <-p.answers:
		if answer.Why != "" && answer.Why != protocol.WhyDone {
			p.failed++
		}
		_, err := fmt.Fprintln(p.out, clean(answer.Text))
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// tell says something that is no answer.
func (p *pipe) tell(text string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := fmt.Fprintln(p.err, "mews: "+clean(text))
	return err
}

func (p *pipe) Deliver(d control.Delivery) bool {
	if d.Kind == supervisor.DeliveryNotice {
		_ = p.tell(d.Text) // it stays in the outbox, for somebody who looks
		return false
	}
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
