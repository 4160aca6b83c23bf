package chat

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"mews/protocol/amount"
	"mews/supervisor/control"
	"mews/supervisor/problem"
)

// maxUnsent is how many lines may wait while the supervisor is away.
const maxUnsent = 100

// stopLine is the line that Ctrl-C sends.
const stopLine = "/stop"

// sender sends typed lines in a goroutine, so that the user can stop an answer or leave even while
// the supervisor is away. Only the goroutine that reads the keyboard calls say and drain.
type sender struct {
	chat    *control.Chat
	refused func(l outgoing, why string) // called when the supervisor refuses a line
	typed   chan outgoing                // queue of typed lines to send; closed by drain
	sent    chan struct{}                // closed when the method run has returned
	unsent  []string                     // lines that the supervisor did not take; complete once sent is closed
}

// outgoing is a message with its key, or a press.
type outgoing struct {
	key, text string
	delivery  int64  // id of the delivery with the pressed button
	press     string // press of the button; "" means that this is a message
	files     []localFile
}

// send sends the line to the supervisor.
func (l outgoing) send(ctx context.Context, chat *control.Chat) (control.InputReceipt, error) {
	if l.press != "" {
		return chat.PressButton(ctx, l.key, l.delivery, l.press)
	}
	var files []control.UploadedFile
	for _, f := range l.files {
		uploaded, err := f.upload(ctx, chat)
		if err != nil {
			return control.InputReceipt{}, err
		}
		files = append(files, uploaded)
	}
	return chat.SendMessage(ctx, l.key, l.text, files...)
}

// newSender makes a sender; run does the work.
func newSender(chat *control.Chat, refused func(l outgoing, why string)) *sender {
	return &sender{chat: chat, refused: refused, typed: make(chan outgoing, maxUnsent), sent: make(chan struct{})}
}

// say queues a line. It does not wait.
func (s *sender) say(l outgoing) {
	select {
	case s.typed <- l:
	default:
		s.refused(l, textTooManyUnsent)
	}
}

// run sends until the user leaves or ctx ends.
func (s *sender) run(ctx context.Context) {
	defer close(s.sent)
	defer s.collectUnsent()
	for {
		select {
		case l, more := <-s.typed:
			if !more {
				return
			}
			switch _, err := l.send(ctx, s.chat); {
			case err != nil && ctx.Err() == nil:
				s.refused(l, problem.UserText(err))
			case err != nil:
				s.addUnsent(l)
				if l.files != nil {
					s.refused(l, textLeftBefore)
				}
			}
		case <-ctx.Done():
			return
		}
	}
}

// collectUnsent adds the queued lines to unsent.
func (s *sender) collectUnsent() {
	for {
		select {
		case l, more := <-s.typed:
			if !more {
				return
			}
			s.addUnsent(l)
		default:
			return
		}
	}
}

// addUnsent adds a line to unsent, unless it only stops an answer.
func (s *sender) addUnsent(l outgoing) {
	if l.text != stopLine {
		s.unsent = append(s.unsent, cmp.Or(l.text, textOnlyFiles))
	}
}

// unsentError returns an error that lists the unsent lines; nil if there are none. Call it after
// run has returned.
func (s *sender) unsentError() error {
	if len(s.unsent) == 0 {
		return nil
	}
	count := amount.Plural(len(s.unsent), "line was", "lines were")
	return fmt.Errorf(textUnsent, count, strings.Join(s.unsent, "\n  "))
}

// drain is called when the user leaves. It waits a moment, so that queued lines are sent, and shown
// deliveries acknowledged.
func (s *sender) drain(ctx context.Context) {
	close(s.typed)
	select {
	case <-s.sent:
		leave(ctx, s.chat)
	case <-time.After(leaveTimeout):
	case <-ctx.Done():
	}
}
