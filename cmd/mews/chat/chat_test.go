package chat

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/term"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/control"
)

func FuzzCleanText(f *testing.F) {
	for _, s := range []string{"", "plain\n\ttext", "\x1b[31mred\x1b[0m", "a\x00b\x7fc\u0080d\u009fe", "ä€𝄞", "\xff\x1b"} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, s string, at int) {
		got := stripControls(s)
		if !utf8.ValidString(got) {
			t.Errorf("%q is not UTF-8", got)
		}
		for _, r := range got {
			if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
				t.Errorf("%q holds %U", got, r)
			}
		}
		// stripControls must give the same text for the whole as for its two parts one after the
		// other.
		if at >= 0 && at <= len(s) && utf8.ValidString(s[:at]) && utf8.ValidString(s[at:]) && stripControls(s[:at])+stripControls(s[at:]) != got {
			t.Errorf("%q in two pieces looks otherwise", s)
		}
	})
}

// echoAnswers answers n messages with their own words.
func (p *rig) echoAnswers(n int) (done func()) {
	var echoing sync.WaitGroup
	echoing.Go(func() {
		for range n {
			in := <-p.accepted
			p.accepted <- in
			p.answer("re: " + in.Text)
		}
	})
	return echoing.Wait
}

func TestPipe_PrintsOnlyAnswers(t *testing.T) {
	p := newRig(t)
	p.live()
	p.notice("something from before")
	defer p.echoAnswers(4)()
	var out bytes.Buffer
	err := runPipe(t.Context(), Console{Out: &out, Err: io.Discard}, strings.NewReader("one\n\n  two \r\n/help\nlast, without an end"), p.socket, Options{})
	if err != nil || out.String() != "re: one\nre: two\nre: /help\nre: last, without an end\n" {
		t.Errorf("printed was %q, %v", out.String(), err)
	}
	if n := p.waiting(); n != 1 {
		t.Errorf("%d deliveries wait, want only what the pipe had not asked for", n)
	}
}

func TestPipe_SupervisorRestart_Continues(t *testing.T) {
	p := newRig(t)
	end := p.live()
	var answering sync.WaitGroup
	answering.Go(func() {
		turn, s := p.begin(p.nextInbound())
		end()
		p.finish(turn, s, "here I am")
		p.live()
		p.answer("and here")
	})
	var out bytes.Buffer
	if err := runPipe(t.Context(), Console{Out: &out, Err: io.Discard}, strings.NewReader("one\ntwo\n"), p.socket, Options{}); err != nil {
		t.Error(err)
	}
	answering.Wait()
	if out.String() != "here I am\nand here\n" || p.waiting() != 0 {
		t.Errorf("printed was %q, %d wait", out.String(), p.waiting())
	}
}

func TestPipe_RefusedLine_Fails(t *testing.T) {
	p := newRig(t)
	var gone *control.NotRunningError
	err := runPipe(t.Context(), Console{Out: &bytes.Buffer{}, Err: io.Discard}, strings.NewReader("hello"), p.socket, Options{})
	if !errors.As(err, &gone) {
		t.Errorf("with nothing running: %v", err)
	}
	p.live()
	defer p.echoAnswers(2)()
	var out, refusals bytes.Buffer
	con := Console{Out: &out, Err: &refusals}
	err = runPipe(t.Context(), con, strings.NewReader("one\na\x00b\nthree"), p.socket, Options{})
	if err == nil || out.String() != "re: one\nre: three\n" || !strings.Contains(refusals.String(), "not text") {
		t.Errorf("a line that is refused: %v and %q, beside %q", err, refusals.String(), out.String())
	}
	broken := iotest.ErrReader(errors.New("the disk is gone"))
	if err := runPipe(t.Context(), con, broken, p.socket, Options{}); err == nil ||
		!strings.Contains(err.Error(), "the disk is gone") {
		t.Errorf("input that breaks: %v", err)
	}
}

func TestPipe_PrintsNoEscapeSequences(t *testing.T) {
	p := newRig(t)
	p.live()
	var answering sync.WaitGroup
	answering.Go(func() { p.answer("\x1b]0;evil\x07\x1b[2Jred\r\n\ttab \u009b1m end") })
	var out bytes.Buffer
	err := runPipe(t.Context(), Console{Out: &out, Err: io.Discard}, strings.NewReader("hello"), p.socket, Options{})
	answering.Wait()
	if err != nil || out.String() != "]0;evil[2Jred\n\ttab 1m end\n" {
		t.Errorf("printed was %q, %v", out.String(), err)
	}
}

const (
	ctrlCKey = "\x03"
	ctrlDKey = "\x04"
	upKey    = "\x1b[A"
)

func sitting(t *testing.T) (*rig, string) {
	t.Helper()
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	t.Setenv("NO_COLOR", "1")
	return newRig(t), filepath.Join(state, "mews", "history")
}

func TestTerminal_Stream_ShowsTextAndTools(t *testing.T) {
	p, _ := sitting(t)
	p.live()
	d := p.startTerminal(Options{Hints: true})
	d.expect("You are ann; your folder is /homes/ann.")
	d.expect("make run")
	d.expect(prompt)
	d.press("list my files\r")
	in := p.nextInbound()
	if in.Text != "list my files" {
		t.Errorf("accepted was %q", in.Text)
	}
	turn, s := p.begin(in)
	s.AppendText("I lo")
	d.expect("I lo")
	s.AppendText("ok.")
	d.expect("ok.")
	s.CommitStep("I look.")
	s.ShowTool(protocol.TurnEvent{Call: "c", Tool: "list_files", Kind: protocol.EventToolBegan, Text: "."})
	d.expect("\r\n· list_files .\r\n")
	s.ShowTool(protocol.TurnEvent{Call: "c", Tool: "list_files", Kind: protocol.EventToolEnded, Text: "3 files"})
	d.expect("✓ list_files 3 files\r\n")
	s.ShowTool(protocol.TurnEvent{Call: "d", Tool: "read_file", Kind: protocol.EventToolEnded, Text: "no such file",
		Failed: true})
	d.expect("✗ read_file no such file\r\n")
	s.AppendText("Three files.")
	d.expect("Three files.")
	p.finish(turn, s, "I look.\n\nThree files.\n\n(And a postscript.)")
	d.expect("(And a postscript.)\r\n")
	d.expect(prompt)
	if n := strings.Count(d.screen(), "Three files."); n != 1 {
		t.Errorf("the answer is on the screen %d times", n)
	}
	d.press("/status\r")
	p.answer("all is well")
	d.expect("all is well\r\n" + prompt)
	p.notice("by the way")
	d.expect("by the way")
}

func TestTerminal_RestartedAnswer_IsMarked(t *testing.T) {
	p, _ := sitting(t)
	p.live()
	d := p.startTerminal(Options{})
	d.press("hello\r")
	turn, s := p.begin(p.nextInbound())
	s.AppendText("Hello, An")
	d.expect("Hello, An")
	s.ResetStep()
	d.expect("\r\n(The text above no longer counts. The answer starts again.)\r\n")
	s.AppendText("Good morning.")
	d.expect("Good morning.")
	p.finish(turn, s, "Good morning.")
	d.expect("\r\n" + prompt)
}

func TestTerminal_ModelText_CantControlScreen(t *testing.T) {
	p, _ := sitting(t)
	p.live()
	d := p.startTerminal(Options{})
	d.press("hello\r")
	turn, s := p.begin(p.nextInbound())
	s.AppendText("one\x1b]0;ev")
	s.AppendText("il\x07\x1b[2Jtwo")
	s.ShowTool(protocol.TurnEvent{Call: "c", Tool: "bad\x1b[5m", Kind: protocol.EventToolBegan, Text: "x\x1b[6m"})
	d.expect("two")
	p.finish(turn, s, "one\x1b]0;evil\x07\x1b[2Jtwo\x1b[?25lthree")
	d.expect("three")
	p.notice("\x1b[7mnotice")
	d.expect("notice")
	for _, bad := range []string{"\x1b]", "\x07", "\x1b[2J", "\x1b[?25l", "\x1b[5m", "\x1b[6m", "\x1b[7m"} {
		if strings.Contains(d.screen(), bad) {
			t.Errorf("%q reached the terminal", bad)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if n := strings.Count(d.emulator.TextWithCursor(), "two"); n != 1 {
		t.Errorf("the answer is on the screen %d times", n)
	}
}

func TestCtrlC_StopsAnswer(t *testing.T) {
	p, _ := sitting(t)
	p.live()
	d := p.startTerminal(Options{})
	d.expect(prompt)
	d.press(ctrlCKey)
	d.expect("(Nothing is running. Ctrl-D leaves.)")
	d.press("hello\r")
	turn, s := p.begin(p.nextInbound())
	s.AppendText("On and on")
	d.expect("On and on")
	d.press(ctrlCKey)
	if in := p.nextInbound(); in.Text != "/stop" || in.Kind != supervisor.KindCommand {
		t.Errorf("accepted was the %s %q", in.Kind, in.Text)
	}
	p.finish(turn, s, "On and on\n\n(Stopped.)")
	d.expect("(Stopped.)")
	d.press(ctrlCKey)
	d.expect("(Nothing is running.")
	if len(d.left) != 0 {
		t.Error("Ctrl-C ended the chat")
	}
}

func TestLeaveCommand_EndsChat(t *testing.T) {
	for name, keys := range map[string]string{"Ctrl-D": ctrlDKey, "/quit": "/quit\r", "/exit": "/exit\r"} {
		t.Run(name, func(t *testing.T) {
			p, _ := sitting(t)
			p.live()
			d := p.startTerminal(Options{})
			d.expect(prompt)
			p.notice("good bye")
			d.expect("good bye")
			d.press(keys)
			if err := d.waitEnd(); err != nil {
				t.Error(err)
			}
			if n := p.waiting(); n != 0 {
				t.Errorf("%d deliveries are left for the next chat, although they were seen", n)
			}
		})
	}
}

func TestSupervisorAway_TypedLines_AreSentLater(t *testing.T) {
	p, _ := sitting(t)
	end := p.live()
	d := p.startTerminal(Options{})
	d.expect(prompt)
	end()
	d.expect("(Mews does not answer.")
	d.press("one\rtwo\r")
	p.live()
	d.expect("(Mews is back.)")
	p.answer("first")
	d.expect("first")
	p.answer("second")
	d.expect("second")
}

func TestSupervisorAway_Leave_EndsChat(t *testing.T) {
	p, _ := sitting(t)
	end := p.live()
	d := p.startTerminal(Options{})
	d.expect(prompt)
	end()
	d.expect("(Mews does not answer.")
	d.press("hello?\rlook\r" + ctrlDKey)
	want := fmt.Sprintf(textUnsent, "2 lines were", "hello?\n  look")
	if err := d.waitEnd(); err == nil || err.Error() != want {
		t.Errorf("the chat ended with %v, want %q", err, want)
	}
}

func TestSupervisorAway_NoUnsentLine_LeaveSucceeds(t *testing.T) {
	p, _ := sitting(t)
	end := p.live()
	d := p.startTerminal(Options{})
	d.press("hello\r")
	p.answer("Hello.")
	d.expect("Hello.")
	end()
	d.expect("(Mews does not answer.")
	d.press(ctrlDKey)
	p.must(d.waitEnd())
}

func TestJoinChat_Failure_RestoresTerminal(t *testing.T) {
	p, _ := sitting(t)
	keys, tty, err := pty.Open()
	p.must(err)
	defer keys.Close()
	defer tty.Close()
	before, err := term.GetState(int(tty.Fd()))
	p.must(err)
	var gone *control.NotRunningError
	if err := runTerminal(t.Context(), Console{In: tty, Out: tty}, p.socket, Options{}); !errors.As(err, &gone) {
		t.Errorf("ended with %v", err)
	}
	after, err := term.GetState(int(tty.Fd()))
	p.must(err)
	if d := cmp.Diff(fmt.Sprintf("%+v", before), fmt.Sprintf("%+v", after)); d != "" {
		t.Errorf("the terminal's mode has changed: %s", d)
	}
	keys.Write([]byte("\n")) // ends the read that waits for a key
}

// fullDiskInbox is an inbox on a full disk.
type fullDiskInbox struct{}

func (fullDiskInbox) StoreInbound(context.Context, supervisor.Inbound, ...supervisor.Attachment) (supervisor.Inbound,
	error) {
	return supervisor.Inbound{}, &supervisor.Error{Code: supervisor.CodeUnavailable, Message: "The disk is full."}
}

func TestTerminal_RefusedLine_IsReported(t *testing.T) {
	p, _ := sitting(t)
	p.options.Inbox = fullDiskInbox{}
	p.live()
	d := p.startTerminal(Options{})
	d.press("hello\r")
	d.expect("Not sent: The disk is full. Press ↑ to get your line back.")
}

func TestPaste_SeveralLines_IsOneMessage(t *testing.T) {
	p, _ := sitting(t)
	p.live()
	d := p.startTerminal(Options{})
	d.expect(prompt)
	d.press("\x1b[200~one\rtwo\rthree\x1b[201~\r")
	if in := p.nextInbound(); in.Text != "one\ntwo\nthree" {
		t.Errorf("accepted was %q", in.Text)
	}
}

func TestArrowUp_RecallsEarlierLines(t *testing.T) {
	p, path := sitting(t)
	p.live()
	d := p.startTerminal(Options{})
	d.expect(prompt)
	for _, text := range []string{"first", "second", "second"} {
		d.press(text + "\r")
		p.answer("re: " + text)
		d.expect("re: " + text)
	}
	d.press(ctrlDKey)
	p.must(d.waitEnd())
	kept, err := os.ReadFile(path)
	if err != nil || string(kept) != "first\nsecond\n" {
		t.Errorf("the file holds %q, %v", kept, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
	d = p.startTerminal(Options{})
	d.expect(prompt)
	d.press(upKey + upKey + "\r")
	if in := p.nextInbound(); in.Text != "first" {
		t.Errorf("accepted was %q", in.Text)
	}
}

func TestTwoTerminals_LineOfOther_IsMarked(t *testing.T) {
	p := newRig(t)
	p.live()
	first, second := p.startTerminal(Options{}), p.startTerminal(Options{})
	first.expect("Model:")
	second.expect("Model:")
	first.press("how many?\r")
	second.expect("From another terminal: how many?")
	p.answer("seven")
	second.expect("seven")
	first.expect("seven")
	if strings.Contains(first.screen(), "another terminal") {
		t.Errorf("a terminal shows its own line as another's:\n%s", first.screen())
	}
}
