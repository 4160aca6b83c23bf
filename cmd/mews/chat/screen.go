package chat

import (
	"fmt"
	"slices"
	"strings"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/control"
	"mews/supervisor/markdown"
)

// Attached greets, or tells that the supervisor is back.
func (t *terminal) Attached(a control.Attached, again bool) {
	t.show(func() {
		t.home = a.Home
		if again {
			t.print(t.style.dim, textBack)
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
		t.showAttached(t.attached, true)
	})
}

// showAttached shows what is attached, and whether words for it are waited for.
func (t *terminal) showAttached(files []localFile, wait bool) {
	for _, f := range files {
		t.print(t.style.dim, fmt.Sprintf(textAttached, f.label))
	}
	if wait && len(files) > 0 {
		t.print(t.style.dim, textWordsFor)
	}
}

// Lost tells that the supervisor went away.
func (t *terminal) Lost(error) {
	t.show(func() { t.print(t.style.dim, fmt.Sprintf(textGone, t.chat.StartCommand())) })
}

// Deliver shows what is final. Of an answer that is on the screen already, it shows only what is
// missing.
func (t *terminal) Deliver(d control.Delivery) bool {
	t.show(func() {
		if d.Kind.Answers() {
			for _, key := range append(d.Also, d.Key) {
				t.unanswered.answered(key)
			}
		}
		text := stripControls(d.Text)
		switch {
		case d.Asks:
			t.endReply()
			t.print("", "")
			t.printMarkdown(t.style.prompt, textAsks, text)
		case d.Kind == supervisor.DeliveryNotice:
			t.printMarkdown(t.style.warn, timestamp(d), text)
		case d.Kind == supervisor.DeliveryAnswer && d.Inbound == t.inbound && strings.HasPrefix(text, t.shown):
			t.grow(text[len(t.shown):])
			t.endReply()
		default:
			t.endReply()
			t.printMarkdown("", timestamp(d), text)
		}
		t.showBelow(d)
		if d.Kind == supervisor.DeliveryAnswer {
			t.inbound, t.shown, t.busy = 0, "", false
		}
	})
	return true
}

// showBelow shows a delivery's files and buttons, and what its turn did.
func (t *terminal) showBelow(d control.Delivery) {
	for _, line := range effectLines(d) {
		t.print(t.style.dim, line)
	}
	t.choices = choicesOf(d)
	for _, line := range append(fileLines(d, t.home), t.choices.lines...) {
		t.print("", line)
	}
	if len(t.choices.presses) > 0 {
		t.print(t.style.dim, textsChoose[t.choices.words])
	}
}

// Show shows what happens at the moment.
func (t *terminal) Show(s control.Progress) {
	if s.Turn == 0 {
		return // the turn's delivery says how it ended
	}
	t.stream(func() {
		if s.Inbound != t.inbound {
			t.endReply()
			t.inbound, t.shown = s.Inbound, ""
		}
		t.busy = true
		for _, line := range s.Tools {
			t.showTool(line)
		}
		t.appendReply(s)
	})
}

// appendReply adds to the reply on the screen. What is taken back can't be unsaid on a terminal, so
// a line says that it was.
func (t *terminal) appendReply(s control.Progress) {
	text := stripControls(s.Text)
	switch {
	case s.Offset == 0 && strings.HasPrefix(text, t.shown):
		text = text[len(t.shown):]
	case s.Offset == 0 && t.shown != "":
		t.endReply()
		t.print(t.style.dim, textRestarted)
		t.shown = ""
	}
	t.grow(text)
}

// grow adds to the reply.
func (t *terminal) grow(text string) {
	if text == "" {
		return
	}
	t.shown += text
	settled, _ := t.reply.add(text, t.view(""))
	t.rows = append(t.rows, settled...)
}

// endReply ends what has come of the reply: what is shown next stands below it.
func (t *terminal) endReply() { t.rows = append(t.rows, t.reply.finish(t.view(""))...) }

// lineRoom is how many rows of the screen a growing reply leaves to what is typed meanwhile.
const lineRoom = 4

// view is the screen as it is now.
func (t *terminal) view(base string) view {
	return view{t.style, base, t.line.width, max(1, t.line.height-lineRoom)}
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
	t.endReply()
	t.print(t.style.dim, strings.TrimRight(stripControls(mark+line.Tool+" "+line.Text), " \n"))
}

// show has what print something that stands alone, and sets the prompt behind it.
func (t *terminal) show(what func()) {
	t.draw(func() (prompted bool) {
		what()
		return !t.busy || t.choices.any()
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
	t.line.mu.Lock()
	defer t.line.mu.Unlock()
	prompted := what()
	t.line.print(t.rows, t.reply.shown, prompted)
	t.rows = nil
}

// print prints lines. look is one of style's, or "".
func (t *terminal) print(look, text string) {
	t.put(t.view(look).render(supervisor.RichText{Text: strings.TrimSuffix(text, "\n")}))
}

// printMarkdown prints Markdown behind the time.
func (t *terminal) printMarkdown(look, time, text string) {
	rich := markdown.Columns(t.line.width).Render(text)
	for i := range rich.Entities {
		rich.Entities[i].Offset += len(time)
	}
	rich.Text = time + rich.Text
	t.put(t.view(look).render(rich))
}

// put puts rows below what is shown of a reply.
func (t *terminal) put(rows []row) {
	t.rows = slices.Concat(t.rows, t.reply.shown, rows)
	t.reply.keep()
}
