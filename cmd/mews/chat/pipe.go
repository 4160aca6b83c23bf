package chat

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/control"
	"mews/supervisor/problem"
	"mews/supervisor/slash"
)

// pipe is the screen of a chat in a pipe. It prints the answers to its own lines, the questions
// before these answers, and notices. It leaves all other deliveries to the next client.
type pipe struct {
	chat    *control.Chat
	out     io.Writer
	timeout time.Duration  // longest wait for the answer to a line; 0 means no limit
	joined  chan struct{}  // closed when the pipe has joined its conversation
	home    string         // the user's folder, set when joined is closed
	input   chan inputLine // lines of the input that the pipe has to send
	changed chan struct{}  // holds a token when answers or choices may have changed

	// Only the goroutine that exchanges lines uses the fields from said to attached.
	said, refused, failed int         // numbers of lines that were sent, refused, and left without a full answer
	noInput               bool        // the input has no lines that could answer a question
	lookahead             *inputLine  // line that was read during a question, but does not answer the question
	attached              []localFile // files to send with the first message

	mu      sync.Mutex           // guards the fields below, and writes to err
	open    map[string]*openLine // sent lines without an answer, by key
	answers []answer
	early   []control.Delivery // answers to other lines; each may also answer a line whose receipt has not come yet
	choices choices            // choices below the newest shown delivery
	blocked bool               // a question waits for the user; until its answer, no open line is answered
	err     io.Writer
}

// openLine is a sent line without an answer.
type openLine struct {
	inbound        int64 // the line's inbound; 0 until the supervisor has it
	resumes        int64 // the inbound whose turn goes on because of this line and answers it; 0 means none
	noticeSuffices bool  // a notice that names the line is the whole answer
	noticed        bool  // a notice that names the line has come
}

// runPipe sends each line and prints its answer, one after the other. It ends with the last answer.
// If o has a message, it is the only line, although it may contain line ends. After a refused line
// or a failed turn, the next lines are sent. At the end runPipe returns an error for the lines that
// were refused or failed.
func runPipe(ctx context.Context, con Console, in io.Reader, socket string, o Options) error {
	files, err := findFiles(o.Attach)
	if err != nil {
		return err
	}
	p := &pipe{out: con.Out, err: con.Err, joined: make(chan struct{}), input: make(chan inputLine), changed: make(chan struct{}, 1),
		open: map[string]*openLine{}, attached: files, timeout: o.AnswerTimeout}
	p.chat = control.NewChat(socket, control.JoinChatRequest{User: o.User, Chat: o.Chat, After: control.StartFromNow},
		p)
	ctx, cancel := context.WithCancelCause(ctx)
	var running sync.WaitGroup
	running.Go(func() { cancel(p.chat.Run(ctx, cmp.Or(o.ReconnectTimeout, reconnectTimeout))) })
	defer running.Wait()
	defer cancel(nil)
	defer leave(ctx, p.chat)
	select {
	case <-p.joined:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if o.Message != "" {
		if p.noInput = !term.IsTerminal(int(con.In.Fd())); !p.noInput { // a typed line may answer a question
			go readLines(ctx, con.In, p.input)
		}
		if err := p.exchange(ctx, strings.TrimSpace(o.Message)); err != nil {
			return err
		}
		return p.result()
	}
	// a read of a pipe can't be interrupted: it ends with its input, or with the process
	go readLines(ctx, in, p.input)
	for {
		next, err := p.next(ctx)
		switch {
		case err != nil:
			return err
		case errors.Is(next.err, io.EOF):
			return p.end(ctx)
		case next.err != nil:
			return fmt.Errorf("read what to say: %w", next.err)
		}
		if err := p.exchange(ctx, next.line); err != nil {
			return err
		}
	}
}

// end sends the attached files that no line has sent.
func (p *pipe) end(ctx context.Context) error {
	if p.attached != nil {
		if err := p.exchange(ctx, ""); err != nil {
			return err
		}
	}
	return p.result()
}

// next returns the next line to send.
func (p *pipe) next(ctx context.Context) (l inputLine, err error) {
	if p.lookahead != nil {
		l, p.lookahead = *p.lookahead, nil
		return l, nil
	}
	select {
	case l = <-p.input:
		return l, nil
	case <-ctx.Done():
		return l, context.Cause(ctx)
	}
}

// answer is the answer to one or several lines.
type answer struct {
	control.Delivery
	lines   int
	printed bool // the answer was already printed as a notice
}

// inputLine is a line of the input, or its end.
type inputLine struct {
	line string
	err  error
}

// readLines reads lines until the input or ctx ends. It skips empty lines.
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

// readLine reads a line. It cuts a line that is too long to send, but leaves it one byte too long,
// so that the supervisor refuses it.
func readLine(lines *bufio.Reader) (string, error) {
	var kept []byte
	for {
		piece, err := lines.ReadSlice('\n')
		kept = append(kept, piece[:min(len(piece), supervisor.MaxInboundText+1+len("\r\n")-len(kept))]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return string(kept), err
		}
	}
}

// result returns an error if some lines had no full answer.
func (p *pipe) result() error {
	if p.refused+p.failed == 0 {
		return nil
	}
	return fmt.Errorf(textPipeFailed, amount.Plural(p.said, "line", "lines"), p.refused, p.failed)
}

// exchange sends a line and prints its answer. If a question comes first, the next line may answer
// it.
func (p *pipe) exchange(ctx context.Context, text string) error {
	if p.timeout > 0 {
		late := fmt.Errorf(textNoAnswer, amount.FormatDuration(p.timeout))
		limited, cancel := context.WithTimeoutCause(ctx, p.timeout, late)
		defer cancel()
		ctx = limited
	}
	p.said++
	open, err := p.send(ctx, text)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
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
		if p.isStuck() {
			p.failed += open
			return p.printNotice(textAnswerHow)
		}
		var read chan inputLine
		if asked && p.lookahead == nil {
			read = p.input
		}
		select {
		case <-p.changed:
		case s := <-read:
			if !p.isChoice(s) {
				p.lookahead = &s // this line is sent after the answer
				continue
			}
			p.said++
			n, err := p.send(ctx, s.line)
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err != nil {
				return err
			}
			open += n
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// send sends a line, or a press if it is the number of a choice. It returns the number of answers
// to expect: 0 if the line was refused, or waits for a code.
func (p *pipe) send(ctx context.Context, text string) (answers int, err error) {
	command, _ := slash.Parse(text)
	if "/"+command == attachCommand { // /attach is refused here, because piped lines may be the words of strangers
		p.refused++
		return 0, p.printNotice(textNotSentPipe + textNoAttach)
	}
	p.mu.Lock()
	l := p.choices.line(control.NewMessageKey(), text)
	switch {
	case l.press != "" || p.choices.words && command == "":
		p.choices = choices{} // a button works only once, so the choices are gone
	case command == "":
		l.files, p.attached = p.attached, nil
	}
	p.open[l.key] = &openLine{}
	p.mu.Unlock()
	said, err := l.send(ctx, p.chat)
	switch {
	case err != nil && (supervisor.ErrorCodeOf(err) == supervisor.CodeInternal || ctx.Err() != nil):
		return 0, err
	case err != nil:
		p.forget(l.key)
		p.refused++
		return 0, p.printNotice(textNotSentPipe + problem.UserText(err))
	case said.Held:
		p.forget(l.key)
		p.failed++
		return 0, p.printNotice(textHeld)
	case said.Answered && p.acceptNotice(l.key, said.Resumes):
		return 0, nil
	}
	return 1, p.claimEarly(ctx, l.key, said)
}

// isStuck reports whether a question waits for the user, and no input can answer it.
func (p *pipe) isStuck() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.blocked && (p.noInput || p.lookahead != nil && p.lookahead.err != nil)
}

// claimEarly handles the receipt of an open line. If the line's answer came before the receipt, the
// pipe did not know whose answer it was. claimEarly then takes that answer from the supervisor.
func (p *pipe) claimEarly(ctx context.Context, key string, said control.InputReceipt) error {
	early := p.findEarly(key, said)
	if early == nil {
		return nil
	}
	return p.chat.ConfirmDelivery(ctx, early.ID)
}

// findEarly notes the inbound of an open line. If the line's answer came before, findEarly adds it
// to the answers and returns it.
func (p *pipe) findEarly(key string, said control.InputReceipt) *control.Delivery {
	p.mu.Lock()
	defer p.mu.Unlock()
	early := p.early
	p.early = nil
	l := p.open[key]
	if l == nil {
		return nil
	}
	l.inbound = said.Inbound
	i := slices.IndexFunc(early, func(d control.Delivery) bool { return l.resumes != 0 && l.resumes == d.Inbound })
	if i < 0 {
		return nil
	}
	delete(p.open, key)
	p.blocked = false
	p.answers = append(p.answers, answer{early[i], 1, false})
	return &early[i]
}

// acceptNotice marks a notice as a sufficient answer to a line, and reports whether that notice has
// already come. The number resumes is the inbound of the turn that goes on because of the line, or
// 0. If no open line has started that turn, a notice does not suffice: the turn's answer also
// belongs to this line.
func (p *pipe) acceptNotice(key string, resumes int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.open[key]
	if l == nil {
		return false
	}
	mine := false
	for _, open := range p.open {
		mine = mine || open.inbound == resumes
	}
	if resumes != 0 && !mine {
		l.resumes = resumes
		return false
	}
	if l.noticeSuffices = true; l.noticed {
		delete(p.open, key)
	}
	return l.noticed
}

// forget ends the wait for a line's answer.
func (p *pipe) forget(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, key)
}

// takeAnswers returns the new answers, and whether there is something to choose.
func (p *pipe) takeAnswers() (answers []answer, asked bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	answers, p.answers = p.answers, nil
	return answers, p.choices.hasAny()
}

// isChoice reports whether a line is the number of a choice, or words if the question accepts
// words.
func (p *pipe) isChoice(l inputLine) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return l.err == nil && (p.choices.words || p.choices.line("", l.line).press != "")
}

// printAnswer prints an answer. An incomplete answer counts as a failure of each of its lines.
func (p *pipe) printAnswer(a answer) error {
	if a.Why != "" && a.Why != protocol.TurnEndDone {
		p.failed += a.lines
	}
	if a.printed {
		return nil
	}
	_, err := fmt.Fprintln(p.out, fullText(a.Delivery, p.home))
	return err
}

// printNotice prints a delivery that is no answer.
func (p *pipe) printNotice(text string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := fmt.Fprintln(p.err, "mews: "+stripControls(text))
	return err
}

// ShowDelivery implements control.Screen.
func (p *pipe) ShowDelivery(d control.Delivery) bool {
	if d.Kind == supervisor.DeliveryMessage {
		return p.deliverMessage(d)
	}
	// a delivery with a file or buttons names its line, but does not answer the line
	notice := d.Kind == supervisor.DeliveryNotice
	if notice {
		_ = p.printNotice(fullText(d, p.home))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	waiting, lines, named := len(p.open) > 0, 0, false
	for _, key := range append(p.resumedBy(d), append(d.Also, d.Key)...) {
		switch l := p.open[key]; {
		case l == nil:
		case l.noticeSuffices || !notice:
			delete(p.open, key)
			lines++
		// this may be the whole answer, because the line may still be refused
		case len(d.Files)+len(d.Buttons) == 0 && !d.Asks:
			l.noticed, named = true, true
		}
	}
	mine, asks := lines > 0, notice && choicesOf(d).hasAny()
	p.blocked = (p.blocked || asks && waiting && isQuestion(d)) && !mine && !named
	if mine {
		p.answers = append(p.answers, answer{d, lines, notice})
	}
	if mine || asks {
		p.choices = choicesOf(d)
		select {
		case p.changed <- struct{}{}:
		default: // the channel changed already holds a token
		}
	}
	// other notices stay in the outbox for the next client
	return mine || named || asks && waiting
}

// resumedBy returns the keys of the open lines that let the answered turn go on. If a line's notice
// has come but not its receipt, resumedBy keeps the answer in early. The caller holds p.mu.
func (p *pipe) resumedBy(d control.Delivery) (keys []string) {
	if d.Kind != supervisor.DeliveryAnswer {
		return nil
	}
	for key, l := range p.open {
		switch {
		case l.resumes != 0 && l.resumes == d.Inbound:
			keys = append(keys, key)
		case l.noticed && l.inbound == 0:
			p.early = append(p.early, d)
		}
	}
	return keys
}

// questionPress begins the presses of a question's buttons.
const questionPress = "q:"

// isQuestion reports whether a delivery is a question, by a model or for an approval.
func isQuestion(d control.Delivery) bool {
	return d.Asks || slices.ContainsFunc(slices.Concat(d.Buttons...), func(b supervisor.Button) bool {
		return strings.HasPrefix(b.Press, questionPress)
	})
}

// deliverMessage prints a message before the answer to one of its lines. Messages to other clients
// stay in the outbox.
func (p *pipe) deliverMessage(d control.Delivery) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open[d.Key] == nil {
		return false
	}
	_, err := fmt.Fprintln(p.out, fullText(d, p.home))
	return err == nil
}

// ShowConnected implements control.Screen.
func (p *pipe) ShowConnected(a control.JoinChatResult, again bool) {
	if !again {
		p.home = a.Home
		close(p.joined)
	}
}

// ShowProgress and ShowConnectionLost implement control.Screen: a pipe shows no progress.
func (*pipe) ShowProgress(control.Progress) {}
func (*pipe) ShowConnectionLost(error)      {}
