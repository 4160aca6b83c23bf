package chat

import (
	"fmt"
	"strings"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/control"
)

// prompt stands before a line that is being typed. It is written as any other output: the line editor would draw a prompt of its own
// into the middle of an answer that is still coming.
const prompt = "> "

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

// show has what write something that stands alone, and sets the prompt behind it.
func (t *terminal) show(what func()) {
	t.stream(func() {
		what()
		if t.busy && !t.choices.any() {
			return
		}
		t.freshLine()
		t.write(t.style.prompt + prompt + t.style.reset)
		t.promptShown = true
	})
}

// stream has what write a part of something that goes on; there is no prompt meanwhile.
func (t *terminal) stream(what func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.promptShown {
		t.write("\r\x1b[K")
		t.promptShown = false
	}
	what()
}

func (t *terminal) freshLine() {
	if t.midLine {
		t.write("\n")
		t.midLine = false
	}
}

// print writes where the cursor is. look is one of style's, or "".
func (t *terminal) print(look, text string) {
	if text == "" {
		return
	}
	line, ended := strings.CutSuffix(text, "\n")
	if look != "" {
		line = look + line + t.style.reset
	}
	if t.midLine = !ended; ended {
		line += "\n"
	}
	t.write(line)
}

// printLine writes at the beginning of a line.
func (t *terminal) printLine(look, text string) {
	t.freshLine()
	t.print(look, text)
}

// write goes through the line editor, which moves what is being typed out of the way. A screen that can't be written is
// noticed when it is read.
func (t *terminal) write(text string) { _, _ = t.line.Write([]byte(text)) }
