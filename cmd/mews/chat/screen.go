package chat

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/control"
	"mews/supervisor/markdown"
)

// ShowConnected greets the user, or tells that the supervisor is back.
func (t *terminal) ShowConnected(a control.JoinChatResult, again bool) {
	t.show(func() {
		t.home, t.line.commands = a.Home, append(slices.Clone(localCommands), a.Commands...)
		if again {
			t.print(t.style.dim, textBack)
			return
		}
		t.print(t.style.dim, fmt.Sprintf(textGreeting, a.Version, a.User, a.Home))
		if a.HasTelegram {
			t.print(t.style.dim, telegramText(a.Bot))
		}
		t.print(t.style.dim, fmt.Sprintf(textModel, a.Model))
		if a.Walls.IsWeak() {
			t.print(t.style.warn, fmt.Sprintf(textWalls, a.Walls.Summary()))
		}
		if t.hints {
			t.print(t.style.dim, textHints+t.modelHint())
		}
		t.showAttached(t.attached, true)
	})
}

// modelHint says how to get a real model.
func (t *terminal) modelHint() string {
	if t.configFile != "" {
		return fmt.Sprintf(textRealModelFile, t.configFile)
	}
	return textRealModel
}

// telegramText names the bot on Telegram.
func telegramText(bot string) string {
	if bot == "" {
		return textTelegramStarts
	}
	return fmt.Sprintf(textTelegram, bot)
}

// showAttached shows the attached files. If wait is true, it adds that the files are sent with the
// next line.
func (t *terminal) showAttached(files []localFile, wait bool) {
	for _, f := range files {
		t.print(t.style.dim, fmt.Sprintf(textAttached, f.label))
	}
	if wait && len(files) > 0 {
		t.print(t.style.dim, textWordsFor)
	}
}

// ShowLine shows a line that was typed in another terminal.
func (t *terminal) ShowLine(l control.Line) {
	t.show(func() {
		t.print(t.style.dim, fmt.Sprintf(textOtherTerminal, stripControls(cmp.Or(l.Text, textOnlyFiles))))
	})
}

// ShowConnectionLost tells that the supervisor went away.
func (t *terminal) ShowConnectionLost(error) {
	t.show(func() { t.print(t.style.dim, fmt.Sprintf(textGone, t.chat.ServiceStartCommand())) })
}

// ShowDelivery shows a delivery. If the answer is already on the screen, it shows only the rest.
func (t *terminal) ShowDelivery(d control.Delivery) bool {
	t.show(func() {
		if d.Kind.IsAnswer() {
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
		case d.Kind == supervisor.DeliveryAnswer && d.Inbound == t.inbound && strings.HasPrefix(text, t.shownText):
			t.grow(text[len(t.shownText):])
			t.endReply()
		default:
			t.endReply()
			t.printMarkdown("", timestamp(d), text)
		}
		t.showBelow(d)
		if d.Kind == supervisor.DeliveryAnswer {
			t.inbound, t.shownText, t.busy = 0, "", false
		}
	})
	return true
}

// showBelow shows a delivery's files, buttons and effects.
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

// ShowProgress shows the tools and the growing reply of a running turn.
func (t *terminal) ShowProgress(s control.Progress) {
	if s.Turn == 0 {
		return // the turn's delivery tells how it ended
	}
	t.stream(func() {
		if s.Inbound != t.inbound {
			t.endReply()
			t.inbound, t.shownText = s.Inbound, ""
		}
		t.busy = true
		for _, line := range s.Tools {
			t.showTool(line)
		}
		t.appendReply(s)
	})
}

// appendReply adds text to the reply on the screen. A terminal can't remove text that was taken
// back, so a line says that the removed text does not count.
func (t *terminal) appendReply(s control.Progress) {
	text := stripControls(s.Text)
	switch {
	case s.Offset == 0 && strings.HasPrefix(text, t.shownText):
		text = text[len(t.shownText):]
	case s.Offset == 0 && t.shownText != "":
		t.endReply()
		t.print(t.style.dim, textRestarted)
		t.shownText = ""
	}
	t.grow(text)
}

// grow adds text to the reply.
func (t *terminal) grow(text string) {
	if text == "" {
		return
	}
	t.shownText += text
	settled, _ := t.reply.add(text, t.view(""))
	t.rows = append(t.rows, settled...)
}

// endReply makes the reply final: the next output is below it.
func (t *terminal) endReply() { t.rows = append(t.rows, t.reply.finish(t.view(""))...) }

// lineRoom is how many rows of the screen a growing reply leaves for the typed line.
const lineRoom = 4

// view returns how Markdown is shown now: on this screen, with base as the style of the whole text.
func (t *terminal) view(base string) view {
	return view{t.style, base, t.line.width, max(1, t.line.height-lineRoom)}
}

// toolMarks are the marks before a tool's line, by its event.
var toolMarks = map[string]string{
	string(protocol.EventToolBegan):    "· ",
	string(protocol.EventToolProgress): "  ",
	string(protocol.EventToolEnded):    "✓ ",
}

func (t *terminal) showTool(line control.ToolLine) {
	mark := toolMarks[line.State]
	if line.Failed {
		mark = "✗ "
	}
	t.endReply()
	t.print(t.style.dim, strings.TrimRight(stripControls(mark+line.Tool+" "+line.Text), " \n"))
}

// show prints separate output by calling what, and then shows the prompt.
func (t *terminal) show(what func()) {
	t.draw(func() (prompted bool) {
		what()
		return !t.busy || t.choices.hasAny()
	})
}

// stream prints a part of continuing output by calling what, without a prompt.
func (t *terminal) stream(what func()) {
	t.draw(func() (prompted bool) {
		what()
		return false
	})
}

// draw prints by calling what, and shows the prompt if what returns true.
func (t *terminal) draw(what func() (prompted bool)) {
	t.line.mu.Lock()
	defer t.line.mu.Unlock()
	prompted := what()
	t.line.print(t.rows, t.reply.shown, prompted)
	t.rows = nil
}

// print prints lines in the style look; "" means no style.
func (t *terminal) print(look, text string) {
	t.put(t.view(look).render(supervisor.RichText{Text: strings.TrimSuffix(text, "\n")}))
}

// printMarkdown prints Markdown after the time.
func (t *terminal) printMarkdown(look, time, text string) {
	rich := markdown.RendererForWidth(t.line.width).Render(text)
	for i := range rich.Entities {
		rich.Entities[i].Offset += len(time)
	}
	rich.Text = time + rich.Text
	t.put(t.view(look).render(rich))
}

// put adds rows below the shown part of a reply.
func (t *terminal) put(rows []row) {
	t.rows = slices.Concat(t.rows, t.reply.shown, rows)
	t.reply.finishShown()
}
