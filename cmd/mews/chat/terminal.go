package chat

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/term"

	"mews/supervisor"
	"mews/supervisor/control"
	"mews/supervisor/problem"
	"mews/supervisor/slash"
)

// runTerminal chats with a person. It shows text as it arrives, and a line for each tool. The arrow
// keys bring back earlier lines, Ctrl-C clears the line or stops the running answer, and Ctrl-D
// leaves.
func runTerminal(ctx context.Context, con Console, socket string, o Options) error {
	files, err := findFiles(o.Attach)
	if err != nil {
		return err
	}
	fd := int(con.In.Fd())
	old, err := term.MakeRaw(fd)
	if err != nil {
		return fmt.Errorf("set up the terminal: %w", err)
	}
	defer term.Restore(fd, old)
	if _, err := io.WriteString(con.Out, markPastes); err != nil {
		return fmt.Errorf("set up the terminal: %w", err)
	}
	defer io.WriteString(con.Out, noMarks)
	t := &terminal{hints: o.Hints, configFile: o.ConfigFile, style: styleFor(os.Getenv), attached: files}
	t.line = &lineEditor{keys: bufio.NewReader(con.In), out: con.Out, onInterrupt: t.interrupt, history: openHistory(os.Getenv), style: t.style,
		onAboveFinal: t.reply.finishShown, onPaste: t.drop, width: 80, height: 24}
	t.setSize(fd)
	t.chat = control.NewChat(socket, control.JoinChatRequest{User: o.User, Chat: o.Chat,
		After: control.StartAtUndelivered}, t)
	t.sender = newSender(t.chat, t.refused)
	return t.run(ctx, fd)
}

// terminal is the screen of a chat in a terminal. The line's mu guards the fields after
// configFile.
type terminal struct {
	line   *lineEditor
	chat   *control.Chat
	sender *sender
	style  style
	hints  bool

	configFile string // the configuration that hints name; "" means none

	home       string  // path of the user's folder
	rows       []row   // rows that the next draw writes above the typed line
	inbound    int64   // the inbound that the reply on the screen answers
	shownText  string  // text of the reply that was received so far
	reply      growing // the reply's text after the last tool
	busy       bool    // a turn runs, as far as this screen knows
	unanswered unanswered
	choices    choices     // choices below the newest delivery
	attached   []localFile // files to send with the next message
}

// run chats until the user leaves, ctx ends or the chat fails. Its error also lists the lines that
// were not sent.
func (t *terminal) run(ctx context.Context, fd int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var running sync.WaitGroup
	running.Go(func() { cancel(t.chat.Run(ctx, 0)) })
	running.Go(func() { t.followSize(ctx, fd) })
	running.Go(func() { t.sender.run(ctx) })
	go func() { // a read of a terminal can't be interrupted: this goroutine ends with the process at the latest
		err := t.read(ctx)
		t.sender.drain(ctx)
		cancel(err)
	}()
	<-ctx.Done()
	running.Wait()
	t.line.leave()
	err := context.Cause(ctx)
	if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		err = nil
	}
	return errors.Join(err, t.sender.unsentError())
}

// leaveCommands end the chat.
var leaveCommands = []string{"/quit", "/exit", "/leave"}

// localCommands are the commands of the terminal itself, without slashes.
var localCommands = []string{"attach", "quit"}

// read reads typed lines. It returns io.EOF when the user leaves.
func (t *terminal) read(ctx context.Context) error {
	for ctx.Err() == nil {
		text, err := t.line.ReadLine()
		if err != nil {
			return err
		}
		text = strings.TrimSpace(text)
		switch command, arguments, _ := strings.Cut(text, " "); {
		case slices.Contains(leaveCommands, command):
			return io.EOF
		case command == attachCommand:
			t.attach(arguments)
		case !t.drop(text):
			t.say(text)
		}
	}
	return context.Cause(ctx)
}

// say sends a typed line with the attached files. An empty line sends only the files.
func (t *terminal) say(text string) {
	t.line.mu.Lock()
	l := t.choices.line(control.NewMessageKey(), text)
	if command, _ := slash.Parse(text); l.press == "" && command == "" {
		l.files, t.attached = t.attached, nil
	}
	empty := text == "" && l.files == nil
	if !empty {
		t.unanswered.add(l.key)
	}
	t.line.mu.Unlock()
	if empty {
		t.show(func() {})
		return
	}
	t.sender.say(l)
}

// attach attaches the file that an /attach names. If words follow, it sends both.
func (t *terminal) attach(arguments string) {
	f, words, err := parseAttach(arguments)
	switch {
	case arguments == "":
		t.show(func() { t.print(t.style.dim, textAttachUsage) })
	case err != nil:
		text := problem.UserText(err)
		if supervisor.ErrorCodeOf(err) == supervisor.CodeNotFound {
			text += textTabCompletes
		}
		t.show(func() { t.print(t.style.warn, text) })
	default:
		if t.add([]localFile{f}, words == ""); words != "" {
			t.say(words)
		}
	}
}

// drop attaches the files that a text names, if the text names nothing else.
func (t *terminal) drop(text string) bool {
	files := droppedFiles(text)
	if len(files) > 0 {
		t.add(files, true)
	}
	return len(files) > 0
}

// add attaches files to the next message.
func (t *terminal) add(files []localFile, wait bool) {
	t.show(func() {
		t.attached = append(t.attached, files...)
		t.showAttached(files, wait)
	})
}

// refused tells that a line was refused.
func (t *terminal) refused(l outgoing, why string) {
	t.show(func() {
		t.unanswered.answered(l.key)
		t.print(t.style.warn, fmt.Sprintf(textNotSent, why))
	})
}

// interrupt handles Ctrl-C in an empty line.
func (t *terminal) interrupt() {
	t.line.mu.Lock()
	l := outgoing{key: control.NewMessageKey(), text: stopLine}
	running := t.busy || t.unanswered.hasLines()
	attached := len(t.attached) > 0
	t.attached = nil
	first := !attached && running && t.unanswered.shouldStop(l.key, time.Now())
	t.line.mu.Unlock()
	switch {
	case attached:
		t.show(func() { t.print(t.style.dim, textDropped) })
	case first:
		t.sender.say(l)
	case !running:
		t.show(func() { t.print(t.style.dim, textNothingRuns) })
	}
}

// setSize tells the line editor the size of the terminal.
func (t *terminal) setSize(fd int) {
	if width, height, err := term.GetSize(fd); err == nil && width > 0 {
		t.line.mu.Lock()
		defer t.line.mu.Unlock()
		t.line.resize(width, height)
	}
}

// followSize tells the line editor each new size of the terminal, until ctx ends.
func (t *terminal) followSize(ctx context.Context, fd int) {
	changed := make(chan os.Signal, 1)
	signal.Notify(changed, syscall.SIGWINCH)
	defer signal.Stop(changed)
	for {
		t.setSize(fd)
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
	}
}

// timestamp returns the time of a delivery; "" if it is recent.
func timestamp(d control.Delivery) string {
	if time.Since(d.At) < time.Minute {
		return ""
	}
	return d.At.Local().Format("Mon 15:04 ")
}
