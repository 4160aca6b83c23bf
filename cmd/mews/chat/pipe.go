package chat

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
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/control"
)

// pipe is the screen of a chat in a pipe. It takes the answers to what it has said, and the questions that come before
// them; it tells of notices, and leaves everything else to whoever looks next.
type pipe struct {
	chat    *control.Chat
	out     io.Writer
	joined  chan struct{}  // closed when the conversation is joined
	input   chan inputLine // what there is to say
	changed chan struct{}  // holds a token when answers or choices may hold something new

	said, refused, failed int        // lines; of the goroutine that exchanges, as is
	lookahead             *inputLine // what was read while a question waited, and is no answer to that

	mu      sync.Mutex      // guards what follows, and writes to err
	keys    map[string]bool // of what was sent and has no answer yet; true where a notice is all the answer there will be
	noticed map[string]bool // of those, what a notice has named already
	answers []answer
	choices choices // below the newest delivery that was shown
	err     io.Writer
}

// inPipe says each line and prints its answer, one after the other, and nothing else. It ends with the last answer. A
// line that was refused and a turn that failed do not keep the others back; they make it an error in the end.
func inPipe(ctx context.Context, con Console, in io.Reader, socket string, o Options) error {
	p := &pipe{out: con.Out, err: con.Err, joined: make(chan struct{}), input: make(chan inputLine), changed: make(chan struct{}, 1),
		keys: map[string]bool{}, noticed: map[string]bool{}}
	p.chat = control.NewChat(socket, control.Attach{User: o.User, Chat: o.Chat, After: control.FromNow}, p)
	ctx, cancel := context.WithCancelCause(ctx)
	var running sync.WaitGroup
	running.Go(func() { cancel(p.chat.Run(ctx, cmp.Or(o.ReconnectTimeout, reconnectTimeout))) })
	defer running.Wait()
	defer cancel(nil)
	defer leave(ctx, p.chat)
	select {
	case <-p.joined:
	case <-ctx.Done(): // nobody is there to talk to, whatever there may be to say
		return context.Cause(ctx)
	}
	go readLines(ctx, in, p.input) // a read of a pipe can't be interrupted: it ends with its input, or with the process
	for {
		s, err := p.next(ctx)
		switch {
		case err != nil:
			return err
		case errors.Is(s.err, io.EOF):
			return p.result()
		case s.err != nil:
			return fmt.Errorf("read what to say: %w", s.err)
		}
		if err := p.exchange(ctx, s.line); err != nil {
			return err
		}
	}
}

// next is what there is to say next.
func (p *pipe) next(ctx context.Context) (s inputLine, err error) {
	if p.lookahead != nil {
		s, p.lookahead = *p.lookahead, nil
		return s, nil
	}
	select {
	case s = <-p.input:
		return s, nil
	case <-ctx.Done():
		return s, context.Cause(ctx)
	}
}

// answer is one to so many lines.
type answer struct {
	control.Delivery
	lines   int
	printed bool // it was a notice, and needs no printing
}

// inputLine is a line of the input, or the end of it.
type inputLine struct {
	line string
	err  error
}

// readLines reads lines until the input or ctx ends. Empty ones are passed over.
func readLines(ctx context.Context, in io.Reader, to chan<- inputLine) {
	lines := bufio.NewReader(in)
	for {
		text, err := readLine(lines)
		for _, s := range []inputLine{{line: strings.TrimSpace(text)}, {err: err}} {
			if s == (inputLine{}) {
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

// result is what the exit status tells.
func (p *pipe) result() error {
	if p.refused+p.failed == 0 {
		return nil
	}
	return fmt.Errorf("of %s, %d could not be sent and %d had no full answer", amount.Of(p.said, "line", "lines"), p.refused, p.failed)
}

// exchange says a line and prints its answer. Where a question comes before that, the next line may choose.
func (p *pipe) exchange(ctx context.Context, text string) error {
	p.said++
	open, err := p.send(ctx, text)
	if err != nil {
		return err
	}
	for {
		answers, asked := p.takeAnswers()
		for _, a := range answers {
			if err := p.printAnswer(a); err != nil {
				return err
			}
			open -= a.lines
		}
		if open <= 0 {
			return nil
		}
		var read chan inputLine
		if asked && p.lookahead == nil {
			read = p.input
		}
		select {
		case <-p.changed:
		case s := <-read:
			if !p.chooses(s) {
				p.lookahead = &s // it is said when this is answered
				continue
			}
			p.said++
			n, err := p.send(ctx, s.line)
			if err != nil {
				return err
			}
			open += n
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// heldText is said of a line that waits behind a shut gate: no answer comes before a code does.
const heldText = "kept, and waits for a code: say it as a line, or in `mews chat`; what was kept is answered then"

// send sends a line, as a press where it chooses, and says how many answers there will be: none where it was refused, or waits
// for a code.
func (p *pipe) send(ctx context.Context, text string) (answers int, err error) {
	p.mu.Lock()
	l := p.choices.line(control.NewKey(), text)
	if l.press != "" {
		p.choices = choices{} // chosen is chosen
	}
	p.keys[l.key] = false
	p.mu.Unlock()
	said, err := l.send(ctx, p.chat)
	if err != nil {
		if supervisor.ErrorCode(err) == supervisor.CodeInternal || ctx.Err() != nil {
			return 0, err
		}
		p.forget(l.key)
		p.refused++
		return 0, p.printNotice("not sent: " + supervisor.ErrorMessage(err))
	}
	switch {
	case said.Held:
		p.forget(l.key)
		p.failed++
		return 0, p.printNotice(heldText)
	case said.Answered && p.hasNotice(l.key):
		return 0, nil
	}
	return 1, nil
}

// hasNotice has a notice count as a line's answer, and says whether that has come already.
func (p *pipe) hasNotice(key string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, open := p.keys[key]; open {
		p.keys[key] = true
	}
	if !p.noticed[key] {
		return false
	}
	delete(p.keys, key)
	delete(p.noticed, key)
	return true
}

// forget has nothing be waited for as a line's answer.
func (p *pipe) forget(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.keys, key)
	delete(p.noticed, key)
}

// takeAnswers are the answers that have come, and whether there is something to choose.
func (p *pipe) takeAnswers() (answers []answer, asked bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	answers, p.answers = p.answers, nil
	return answers, p.choices.any()
}

// chooses says whether what was read is the number of a choice.
func (p *pipe) chooses(s inputLine) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return s.err == nil && p.choices.line("", s.line).press != ""
}

// printAnswer prints an answer. One that is not full is that to each of its lines.
func (p *pipe) printAnswer(a answer) error {
	if a.Why != "" && a.Why != protocol.WhyDone {
		p.failed += a.lines
	}
	if a.printed {
		return nil
	}
	_, err := fmt.Fprintln(p.out, fullText(a.Delivery))
	return err
}

// printNotice says something that is no answer.
func (p *pipe) printNotice(text string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := fmt.Fprintln(p.err, "mews: "+stripControls(text))
	return err
}

func (p *pipe) Deliver(d control.Delivery) bool {
	if d.Kind == supervisor.DeliveryNotice {
		_ = p.printNotice(fullText(d))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	notice := d.Kind == supervisor.DeliveryNotice // a file that a turn sends on its way names what it is about, and answers nothing
	waits, lines, named := len(p.keys) > 0, 0, false
	for _, key := range append(d.Also, d.Key) {
		byNotice, open := p.keys[key]
		switch {
		case open && (byNotice || !notice):
			delete(p.keys, key)
			delete(p.noticed, key)
			lines++
		case open && len(d.Files)+len(d.Buttons) == 0: // it may be all the answer: what has become of the line is not known yet
			p.noticed[key], named = true, true
		}
	}
	mine, asks := lines > 0, notice && len(d.Buttons) > 0
	if mine {
		p.answers = append(p.answers, answer{d, lines, notice})
	}
	if mine || asks {
		p.choices = choicesOf(d)
		select {
		case p.changed <- struct{}{}:
		default:
		}
	}
	return mine || named || asks && waits // another notice stays in the outbox, for somebody who looks
}

func (p *pipe) Attached(_ control.Attached, again bool) {
	if !again {
		close(p.joined)
	}
}

func (*pipe) Show(control.Show) {}
func (*pipe) Lost(error)        {}
