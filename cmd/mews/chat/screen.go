package chat

import (
	"fmt"
	"strings"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/control"
)

// style is how kinds of lines look.
type style struct {
	prompt, dim, warn, reset string
}

// styleFor has no colours where they are not wanted (no-color.org) or not understood.
func styleFor(getenv func(string) string) style {
	if getenv("NO_COLOR") != "" || getenv("TERM") == "dumb" {
		return style{}
	}
	return style{prompt: "\x1b[1;36m", dim: "\x1b[2m", warn: "\x1b[33m", reset: "\x1b[0m"}
}

// Attached greets, or tells that the supervisor is back.
func (t *terminal) Attached(a control.Attached, again bool) {
	t.show(func() {
		if again {
			t.printLine(t.style.dim, textBack)
			return
		}
		t.print(t.style.dim, fmt.Sprintf(textGreeting, a.Version, a.User, a.Home))
		t.print(t.style.dim, fmt.Sprintf(textModel, a.Model))
		if a.Walls.Weak() {
			t.print(t.style.warn, fmt.Sprintf(textWalls, a.Walls.Line()))
		}
		if t.hints {
			t.print(t.style.dim, textHints)
		}
	})
}

// Lost tells that the supervisor went away.
func (t *terminal) Lost(error) {
	t.show(func() { t.printLine(t.style.dim, fmt.Sprintf(textGone, t.chat.StartCommand())) })
}

// Deliver shows what is final. Of an answer that is on the screen already, it shows only what is missing.
func (t *terminal) Deliver(d control.Delivery) bool {
	t.show(func() {
		if d.Kind != supervisor.DeliveryNotice {
			for _, key := range append(d.Also, d.Key) {
				t.unanswered.answered(key)
			}
		}
		text := stripControls(d.Text)
		switch {
		case d.Kind == supervisor.DeliveryNotice:
			t.printLine(t.style.warn, timestamp(d)+text)
		case d.Kind == supervisor.DeliveryAnswer && d.Inbound == t.inbound && strings.HasPrefix(text, t.shown):
			t.print("", text[len(t.shown):])
		default:
			t.printLine("", timestamp(d)+text)
		}
		t.freshLine()
		t.showBelow(d)
		if d.Kind == supervisor.DeliveryAnswer {
			t.inbound, t.shown, t.busy = 0, "", false
		}
	})
	return true
}

// showBelow shows a delivery's files and buttons.
func (t *terminal) showBelow(d control.Delivery) {
	t.choices = choicesOf(d)
	for _, line := range append(fileLines(d), t.choices.lines...) {
		t.print("", line+"\n")
	}
	if t.choices.any() {
		t.print(t.style.dim, textChoose)
	}
}

// Show shows what happens at the moment.
func (t *terminal) Show(s control.Progress) {
	if s.Turn == 0 {
		return // the turn's delivery says how it ended
	}
	t.stream(func() {
		if s.Inbound != t.inbound {
			t.inbound, t.shown = s.Inbound, ""
		}
		t.busy = true
		for _, line := range s.Tools {
			t.showTool(line)
		}
		t.appendReply(s)
	})
}

// appendReply adds to the reply on the screen. What is taken back can't be unsaid on a terminal, so a line says that it was.
func (t *terminal) appendReply(s control.Progress) {
	text := stripControls(s.Text)
	switch {
	case s.Offset == 0 && strings.HasPrefix(text, t.shown):
		text = text[len(t.shown):]
	case s.Offset == 0 && t.shown != "":
		t.printLine(t.style.dim, textRestarted)
		t.shown = ""
	}
	if text != "" {
		t.print("", text)
		t.shown += text
	}
}

// toolMarks begin a tool's line, by what happened.
var toolMarks = map[string]string{
	string(protocol.ToolBegan):      "· ",
	string(protocol.ToolProgressed): "  ",
	string(protocol.ToolEnded):      "✓ ",
}

func (t *terminal) showTool(line control.ToolLine) {
	mark := toolMarks[line.State]
	if line.Failed {
		mark = "✗ "
	}
	t.printLine(t.style.dim, strings.TrimRight(stripControls(mark+line.Tool+" "+line.Text), " \n")+"\n")
}

// show has what print something that stands alone, and sets the prompt behind it.
func (t *terminal) show(what func()) {
	t.draw(func() (prompted bool) {
		what()
		if t.busy && !t.choices.any() {
			return false
		}
		t.freshLine()
		return true
	})
}

// stream has what print a part of something that goes on; there is no prompt meanwhile.
func (t *terminal) stream(what func()) {
	t.draw(func() (prompted bool) {
		what()
		return false
	})
}

// draw has what print, and say whether the prompt is shown behind that.
func (t *terminal) draw(what func() (prompted bool)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	prompted := what()
	t.line.print(t.out.String(), prompted)
	t.out.Reset()
}

func (t *terminal) freshLine() {
	midLine := !strings.HasSuffix(t.out.String(), "\n")
	if t.out.Len() == 0 {
		midLine = t.line.midLine()
	}
	if midLine {
		t.out.WriteString("\n")
	}
}

// print prints behind what was printed before. look is one of style's, or "".
func (t *terminal) print(look, text string) {
	if text == "" {
		return
	}
	line, ended := strings.CutSuffix(text, "\n")
	if look != "" {
		line = look + line + t.style.reset
	}
	if ended {
		line += "\n"
	}
	t.out.WriteString(line)
}

// printLine prints at the beginning of a line.
func (t *terminal) printLine(look, text string) {
	t.freshLine()
	t.print(look, text)
}
