package chat

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/control"
	"mews/supervisor/sqlite"
)

var yesNo = [][]supervisor.Button{{{Text: "Go on", Press: "q:1:once"}, {Text: "Stop\x1b[2J\n", Press: "q:1:deny"}}, {{Text: "Help", Press: "/help"}}}

// ask sends ann a question.
func (p *rig) ask(text string) supervisor.Delivery {
	p.Helper()
	c := supervisor.Conversation{User: "ann", Channel: supervisor.ChannelTerminal}
	d, err := p.db.Outbox().SendNotice(p.Context(), supervisor.Delivery{Conversation: c, Text: text, Buttons: yesNo,
		Files: []supervisor.File{{SHA256: strings.Repeat("ab", 32), Size: 12 << 10, Name: "a\x1b.png", MediaType: "image/png", Caption: "an\na"}}})
	p.must(err)
	p.feeds.NotifyDelivery(d.Conversation.ID)
	return d
}

// answerPress answers the next accepted inbound, which must be the given press.
func (p *rig) answerPress(press, text string) {
	p.Helper()
	in := p.nextInbound()
	if in.Kind != supervisor.KindPress || in.Text != press {
		p.Errorf("accepted was the %s %q, want the press %q", in.Kind, in.Text, press)
	}
	_, err := p.db.Outbox().AnswerCommand(p.Context(), in.ID, supervisor.Delivery{Text: text})
	p.must(err)
	p.feeds.NotifyDelivery(in.Conversation.ID)
}

func TestChoices_TypedNumber_PressesButton(t *testing.T) {
	c := choicesOf(control.Delivery{ID: 7, Buttons: yesNo})
	if d := cmp.Diff([]string{"  1) Go on   2) Stop[2J", "  3) Help"}, c.lines); d != "" {
		t.Error(d)
	}
	for text, want := range map[string]outgoing{
		"1": {key: "k", text: "1", delivery: 7, press: "q:1:once"}, "2": {key: "k", text: "2", delivery: 7, press: "q:1:deny"}, "3": {key: "k", text: "3", delivery: 7, press: "/help"},
		"4": {key: "k", text: "4"}, "0": {key: "k", text: "0"}, "-1": {key: "k", text: "-1"}, "01": {key: "k", text: "01"}, "+1": {key: "k", text: "+1"},
		"1.": {key: "k", text: "1."}, "Go on": {key: "k", text: "Go on"}, "": {key: "k", text: ""}, "123456": {key: "k", text: "123456"},
	} {
		if d := cmp.Diff(want, c.line("k", text), cmp.AllowUnexported(outgoing{})); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
	if got := (choices{}).line("k", "1"); got.press != "" {
		t.Errorf("with nothing to choose it is %+v", got)
	}
}

func TestTerminal_Number_AnswersQuestion(t *testing.T) {
	p, _ := sitting(t)
	p.live()
	d := p.startTerminal(Options{})
	d.expect(prompt)
	d.press("do it\r")
	turn, s := p.begin(p.nextInbound())
	s.AppendText("I ask.")
	d.expect("I ask.")
	p.ask("May I?")
	d.expect("May I?\r\n[a.png, 12.3 KB: files can be seen on Telegram, not here] an a\r\n  1) Go on   2) Stop[2J\r\n  3) Help\r\n")
	d.expect("(Type a number to choose; any other line is a message.)\r\n" + prompt)
	d.press("4\r")
	four := p.nextInbound()
	if four.Kind != supervisor.KindText || four.Text != "4" {
		t.Errorf("accepted was the %s %q", four.Kind, four.Text)
	}
	d.press("1\r")
	p.answerPress("q:1:once", "Going on.")
	d.expect("Going on.\r\n")
	p.finish(turn, s, "I ask.\n\nDone.")
	d.expect("Done.")
	turn, s = p.begin(four)
	p.finish(turn, s, "four")
	d.expect("four")
	d.press("1\r")
	if in := p.answer("one"); in.Kind != supervisor.KindText {
		t.Errorf("a number with nothing to choose is a %s", in.Kind)
	}
	d.expect("one")
	d.press(ctrlDKey)
	p.must(d.waitEnd())
	if strings.Contains(d.screen(), "\x1b[2J") {
		t.Error("a button commands the terminal")
	}
}

func TestTerminal_RefusedPress_IsReported(t *testing.T) {
	p, _ := sitting(t)
	p.options.Inbox = fullDiskInbox{}
	p.live()
	d := p.startTerminal(Options{})
	d.expect(prompt)
	p.ask("May I?")
	d.expect("2) Stop")
	d.press("2\r")
	d.expect("Not sent: The disk is full.")
}

func TestPipe_Number_AnswersQuestion(t *testing.T) {
	p := newRig(t)
	p.live()
	var answering sync.WaitGroup
	answering.Go(func() {
		turn, s := p.begin(p.nextInbound())
		p.ask("May I?")
		p.answerPress("q:1:once", "Going on.")
		p.finish(turn, s, "Done.")
		p.answer("two")
	})
	var out, told bytes.Buffer
	err := runPipe(t.Context(), Console{Out: &out, Err: &told}, strings.NewReader("do it\n1\n2\n"), p.socket, Options{})
	answering.Wait()
	if err != nil || out.String() != "Going on.\nDone.\ntwo\n" || p.waiting() != 0 {
		t.Errorf("printed was %q, %v; %d wait", out.String(), err, p.waiting())
	}
	const question = "mews: May I?\n[a.png, 12.3 KB: files can be seen on Telegram, not here] an a\n  1) Go on   2) Stop[2J\n  3) Help\n"
	if told.String() != question {
		t.Errorf("told was %q", told.String())
	}
}

// A line that is no number is a message. The message waits until the line before it is answered.
func TestPipe_LineDuringQuestion_Waits(t *testing.T) {
	p := newRig(t)
	p.live()
	var answering sync.WaitGroup
	answering.Go(func() {
		turn, s := p.begin(p.nextInbound())
		p.ask("May I?")
		p.finish(turn, s, "Nobody answered.")
		p.answer("hello")
	})
	var out bytes.Buffer
	err := runPipe(t.Context(), Console{Out: &out, Err: io.Discard}, strings.NewReader("do it\nhello\n"), p.socket, Options{})
	answering.Wait()
	if err != nil || out.String() != "Nobody answered.\nhello\n" {
		t.Errorf("printed was %q, %v", out.String(), err)
	}
}

// A turn sends a file before its answer. The pipe must not take the file for the answer, although
// the file carries the same key.
func TestPipe_FileBeforeAnswer_KeepsWaiting(t *testing.T) {
	p := newRig(t)
	p.live()
	var answering sync.WaitGroup
	answering.Go(func() {
		in := p.nextInbound()
		turn, s := p.begin(in)
		call := protocol.ToolCall{ID: "c", Name: "send_file", Arguments: []byte("{}")}
		_, err := p.db.Turns().CommitStep(t.Context(), sqlite.Step{Turn: turn.ID, Model: "offline",
			Message: protocol.Message{Role: protocol.RoleAssistant, Parts: []protocol.ContentPart{{Call: &call}}}})
		p.must(err)
		p.must(p.db.Turns().CommitCallStart(t.Context(), turn.ID, call.ID))
		f := supervisor.File{SHA256: strings.Repeat("ab", 32), Size: 7, Name: "a.png", MediaType: "image/png"}
		p.must(p.db.Blobs().AddOwner(t.Context(), "ann", protocol.BlobRef{SHA256: f.SHA256, Size: f.Size}, turn.ID))
		_, err = p.db.Turns().SendMessage(t.Context(), turn.ID, call.ID,
			supervisor.Delivery{Files: []supervisor.File{f}})
		p.must(err)
		p.feeds.NotifyDelivery(in.Conversation.ID)
		_, err = p.db.Turns().Finish(context.Background(), sqlite.TurnEnding{Turn: turn.ID, Why: protocol.TurnEndDone,
			State: supervisor.InboundAnswered, Text: "Sent.", Unanswered: "It was not run."})
		p.must(err)
		s.Close()
	})
	var out, told bytes.Buffer
	err := runPipe(t.Context(), Console{Out: &out, Err: &told}, strings.NewReader("send it\n"), p.socket, Options{})
	answering.Wait()
	if err != nil || out.String() != "Sent.\n" || told.String() != "mews: [a.png, 7 bytes: files can be seen on Telegram, not here]\n" {
		t.Errorf("printed was %q beside %q, %v", out.String(), told.String(), err)
	}
}

func TestPipe_Number_PressesButtonOfAnswer(t *testing.T) {
	p := newRig(t)
	p.live()
	var answering sync.WaitGroup
	answering.Go(func() {
		in := p.nextInbound()
		_, err := p.db.Outbox().AnswerCommand(t.Context(), in.ID, supervisor.Delivery{Text: "Which?", Buttons: yesNo})
		p.must(err)
		p.feeds.NotifyDelivery(in.Conversation.ID)
		p.answerPress("/help", "Help.")
	})
	var out bytes.Buffer
	err := runPipe(t.Context(), Console{Out: &out, Err: io.Discard}, strings.NewReader("/which\n3\n"), p.socket, Options{})
	answering.Wait()
	if err != nil || out.String() != "Which?\n  1) Go on   2) Stop[2J\n  3) Help\nHelp.\n" {
		t.Errorf("printed was %q, %v", out.String(), err)
	}
}

func TestTerminal_SecondFactorCode_IsNotStored(t *testing.T) {
	env := func(string) string { return t.TempDir() }
	h := openHistory(env)
	for _, text := range []string{"123456", " 123 456 ", "123-456", "12345", "1234567", "code 123456"} {
		h.Add(text)
	}
	want := []string{"code 123456", "1234567", "12345"}
	if d := cmp.Diff(want, h.lines); d != "" {
		t.Error(d)
	}
}
