package chat

import (
	"context"
	"time"

	"mews/supervisor/control"
	"mews/supervisor/problem"
)

// maxUnsent is how many lines may wait for a supervisor that is away.
const maxUnsent = 100

// sender sends what a person types, line by line, while the keyboard is read on: they can stop an
// answer, or leave, also while the supervisor is away. Only the goroutine that reads the keyboard
// calls say and drain.
type sender struct {
	chat    *control.Chat
	refused func(l outgoing, why string) // says that a line was not accepted
	typed   chan outgoing                // on its way; closed by drain
	sent    chan struct{}                // closed when all of that has gone
}

// outgoing is a message under its key, or a button that was pressed.
type outgoing struct {
	key, text string
	delivery  int64  // whose button it is
	press     string // "" for a message
	files     []localFile
}

// send gives a line to the supervisor.
func (l outgoing) send(ctx context.Context, chat *control.Chat) (control.Said, error) {
	if l.press != "" {
		return chat.Press(ctx, l.key, l.delivery, l.press)
	}
	var files []control.UploadedFile
	for _, f := range l.files {
		uploaded, err := f.upload(ctx, chat)
		if err != nil {
			return control.Said{}, err
		}
		files = append(files, uploaded)
	}
	return chat.Say(ctx, l.key, l.text, files...)
}

// newSender makes a sender; run works it.
func newSender(chat *control.Chat, refused func(l outgoing, why string)) *sender {
	return &sender{chat: chat, refused: refused, typed: make(chan outgoing, maxUnsent), sent: make(chan struct{})}
}

// say puts a line on its way. It does not wait.
func (s *sender) say(l outgoing) {
	select {
	case s.typed <- l:
	default:
		s.refused(l, textTooManyUnsent)
	}
}

// run sends until the person leaves or ctx ends.
func (s *sender) run(ctx context.Context) {
	defer close(s.sent)
	for {
		select {
		case l, more := <-s.typed:
			if !more {
				return
			}
			switch _, err := l.send(ctx, s.chat); {
			case err != nil && ctx.Err() == nil:
				s.refused(l, problem.Message(err))
			case err != nil && l.files != nil:
				s.refused(l, textLeftBefore)
			}
		case <-ctx.Done():
			return
		}
	}
}

// drain is called when the person leaves. It gives what was typed a moment to be sent, and what was
// shown to be taken.
func (s *sender) drain(ctx context.Context) {
	close(s.typed)
	select {
	case <-s.sent:
		leave(ctx, s.chat)
	case <-time.After(leaveTimeout):
	case <-ctx.Done():
	}
}
