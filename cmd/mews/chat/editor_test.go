package chat

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"mews/cmd/mews/chat/chattest"
)

// expectScreen waits until the screen ends with the lines of want; | is the cursor.
func (d *terminalUser) expectScreen(want string) {
	d.Helper()
	give := time.After(testTimeout)
	for {
		d.mu.Lock()
		text := d.emulator.TextWithCursor()
		d.mu.Unlock()
		if strings.HasSuffix("\n"+text, "\n"+want) {
			return
		}
		select {
		case <-d.more:
		case <-give:
			d.Fatalf("the screen does not end with\n%s\nit is\n%s", want, text)
		}
	}
}

// startAtPrompt starts a chat at an empty line.
func startAtPrompt(t *testing.T) *terminalUser {
	t.Helper()
	p, _ := sitting(t)
	p.live()
	d := p.startTerminal(Options{})
	d.expectScreen("> |")
	return d
}

const (
	ctrlAKey, ctrlEKey, ctrlKKey, ctrlUKey, ctrlWKey = "\x01", "\x05", "\x0b", "\x15", "\x17"
	leftKey, rightKey, downKey                       = "\x1b[D", "\x1b[C", "\x1b[B"
	backspaceKey, deleteKey                          = "\x7f", "\x1b[3~"
	beginPaste, endPaste                             = "\x1b[200~", "\x1b[201~"
)

// alphabet returns n letters.
func alphabet(n int) string { return strings.Repeat("abcdefghijklmnopqrstuvwxyz", n/26+1)[:n] }

func TestEditor_LongLine_IsEditedInRows(t *testing.T) {
	d := startAtPrompt(t)
	long := alphabet(138)
	d.press(long)
	d.expectScreen("> " + long[:78] + "\n" + long[78:] + "|")
	d.press(ctrlAKey + "X")
	d.expectScreen("> X|" + long[:77] + "\n" + long[77:])
	d.press(ctrlEKey + strings.Repeat(leftKey, 61))
	d.expectScreen("> X" + long[:77] + "\n|" + long[77:])
	d.press(leftKey)
	d.expectScreen("> X" + long[:76] + "|" + long[76:77] + "\n" + long[77:])
	d.press(rightKey + rightKey + backspaceKey + deleteKey)
	d.expectScreen("> X" + long[:77] + "\n|" + long[79:])
	d.press(ctrlUKey)
	d.expectScreen("> |" + long[79:])
	d.press(ctrlKKey)
	d.expectScreen("> |")
	d.press("still here\r")
	if in := d.nextInbound(); in.Text != "still here" {
		t.Errorf("accepted was %q", in.Text)
	}
}

func TestCtrlC_ClearsLine(t *testing.T) {
	d := startAtPrompt(t)
	long := alphabet(138)
	d.press(long)
	d.expectScreen("> " + long[:78] + "\n" + long[78:] + "|")
	d.press(leftKey + ctrlCKey)
	d.expectScreen("> |")
	d.press("hello\r")
	in := d.nextInbound()
	if in.Text != "hello" {
		t.Errorf("accepted was %q", in.Text)
	}
	turn, s := d.begin(in)
	s.AppendText("On and on")
	d.expectScreen("On and on|")
	d.press("no, wa")
	d.expectScreen("On and on\n> no, wa|")
	d.press(ctrlCKey)
	d.expectScreen("On and on|")
	d.press(ctrlCKey)
	if in := d.nextInbound(); in.Text != "/stop" {
		t.Errorf("accepted was %q", in.Text)
	}
	d.finish(turn, s, "On and on")
}

func TestEditor_WordKeys_CrossRows(t *testing.T) {
	d := startAtPrompt(t)
	d.press(strings.Repeat("word ", 20))
	row := strings.Repeat("word ", 16)[:78]
	d.expectScreen("> " + row + "\nd word word word word |")
	d.press(strings.Repeat(ctrlWKey, 5))
	d.expectScreen("> " + strings.Repeat("word ", 15) + "|")
	d.press("\x1bb\x1bbX\x1b[1;5CY\x1bd\x1b[1;3D")
	d.expectScreen("> " + strings.Repeat("word ", 13) + "|XwordY")
}

func TestEditor_ComposedLetters_MoveAsOne(t *testing.T) {
	for _, apart := range []bool{false, true} {
		d := startAtPrompt(t)
		d.mu.Lock()
		d.emulator.Apart = apart
		d.mu.Unlock()
		d.press(strings.Repeat("漢字", 30) + "a")
		row := strings.Repeat("漢字", 19) + "漢"
		rest := "字" + strings.Repeat("漢字", 10) + "a"
		d.expectScreen("> " + row + "\n" + rest + "|")
		d.press(ctrlAKey + "x" + rightKey)
		d.expectScreen("> x漢|字" + strings.TrimPrefix(strings.TrimSuffix(row, "漢"), "漢字") + "\n漢" + rest)
		d.press(ctrlAKey + ctrlKKey + "e\u0301 👨‍👩‍👧z")
		d.expectScreen("> e\u0301 👨‍👩‍👧z|")
		d.press(leftKey + "|")
		d.expectScreen("> e\u0301 👨‍👩‍👧||z")
		d.press(backspaceKey + backspaceKey)
		d.expectScreen("> e\u0301 |z")
		d.press(leftKey + leftKey)
		d.expectScreen("> |e\u0301 z")
		d.press(deleteKey)
		d.expectScreen("> | z")
		d.press("🇩🇪\r")
		if in := d.nextInbound(); in.Text != "🇩🇪 z" {
			t.Errorf("accepted was %q", in.Text)
		}
	}
}

func TestEditor_AnswerWhileTyping_KeepsLine(t *testing.T) {
	d := startAtPrompt(t)
	d.press("hello\r")
	turn, s := d.begin(d.nextInbound())
	s.AppendText("I lo")
	d.expectScreen("I lo|")
	long := alphabet(100)
	d.press(long + leftKey)
	d.expectScreen("I lo\n> " + long[:78] + "\n" + long[78:99] + "|" + long[99:])
	s.AppendText("ok at " + strings.Repeat("漢", 35))
	look := "I look at " + strings.Repeat("漢", 35)
	d.expectScreen(look + "\n> " + long[:78] + "\n" + long[78:99] + "|" + long[99:])
	s.AppendText(", all\nof it.")
	look = strings.TrimSuffix(look, "漢") + "\n漢, all\nof it."
	d.expectScreen(look + "\n> " + long[:78] + "\n" + long[78:99] + "|" + long[99:])
	d.press(ctrlUKey)
	d.expectScreen(look + "\n> |" + long[99:])
	d.press(deleteKey)
	d.expectScreen(look + "|")
	s.AppendText(" Yes")
	d.press("?")
	d.expectScreen(look + " Yes\n> ?|")
	d.finish(turn, s, "I look at "+strings.Repeat("漢", 35)+", all\nof it. Yes")
	d.notice(strings.Repeat("line\n", 30) + alphabet(160))
	d.expectScreen("line\nline\n" + alphabet(160)[:80] + "\n" + alphabet(160)[80:] + "\n> ?|")
}

func TestPaste_IsShownAndSentUnchanged(t *testing.T) {
	d := startAtPrompt(t)
	d.press("so: " + beginPaste + "one\r\n\ttwo\x1b[31m\x07\nthree" + endPaste + ".")
	d.expectScreen("> so: one\n        two[31m\nthree.|")
	d.press(upKey + downKey + ctrlAKey)
	d.expectScreen("> |so: one\n        two[31m\nthree.")
	d.press("\r")
	if in := d.nextInbound(); in.Text != "so: one\n\ttwo[31m\nthree." {
		t.Errorf("accepted was %q", in.Text)
	}
}

// The screen shows the part around the cursor.
func TestPaste_HigherThanScreen_ShowsCursor(t *testing.T) {
	d := startAtPrompt(t)
	d.press(beginPaste + "first" + strings.Repeat("\nline", 50) + endPaste)
	d.expectScreen(strings.TrimPrefix(strings.Repeat("\nline", 23), "\n") + "|")
	d.press(ctrlAKey)
	d.expectScreen("> |first" + strings.Repeat("\nline", 22))
	d.press(ctrlKKey)
	d.expectScreen("> |")
}

// The screen showed only a part of the line while it was edited.
func TestEditor_SentMultiRowLine_ShowsItsEnd(t *testing.T) {
	d := startAtPrompt(t)
	d.press(beginPaste + "first" + strings.Repeat("\nline", 50) + "\nlast" + endPaste + ctrlAKey)
	d.expectScreen("> |first" + strings.Repeat("\nline", 22))
	d.press("\r")
	d.answer("re: last")
	d.expectScreen("line\nlast\nre: last\n> |")
}

func TestEditor_Resize_RewrapsLine(t *testing.T) {
	d := startAtPrompt(t)
	long := alphabet(138)
	d.press(long + leftKey)
	d.expectScreen("> " + long[:78] + "\n" + long[78:137] + "|" + long[137:])
	for _, cols := range []int{50, 100} {
		d.mu.Lock()
		d.emulator.Resize(cols, 24)
		d.mu.Unlock()
		d.must(pty.Setsize(d.tty, &pty.Winsize{Rows: 24, Cols: uint16(cols)}))
		// the kernel sends this signal only for a controlling terminal
		d.must(syscall.Kill(os.Getpid(), syscall.SIGWINCH))
		rows := "> " + long[:cols-2] + "\n"
		rest := long[cols-2:]
		if len(rest) > cols {
			rows, rest = rows+rest[:cols]+"\n", rest[cols:]
		}
		d.expectScreen(rows + rest[:len(rest)-1] + "|" + rest[len(rest)-1:])
	}
}

func TestArrowDown_AtNewest_RestoresTypedLine(t *testing.T) {
	d := startAtPrompt(t)
	d.press("first\r")
	d.answer("re: first")
	d.expectScreen("re: first\n> |")
	d.press("second" + upKey)
	d.expectScreen("> first|")
	d.press(upKey + downKey)
	d.expectScreen("> second|")
	d.press(downKey + "\x1b[15~\x1bx\x1b\x1b[D\x00")
	d.expectScreen("> secon|d")
	d.press("\x0c")
	d.expectScreen("> secon|d")
}

// A user may type faster than the program reads.
func TestCtrlC_IsHandledAfterEarlierInput(t *testing.T) {
	var interrupts atomic.Int32
	e := &lineEditor{keys: bufio.NewReader(strings.NewReader("\x03hang\r\x03\x03on\x03off\n\xff")), out: io.Discard,
		history:     &lineHistory{},
		onInterrupt: func() { interrupts.Add(1) }}
	for i, want := range []string{"hang", "off"} {
		if text, err := e.ReadLine(); text != want || err != nil || interrupts.Load() != int32(1+2*i) {
			t.Errorf("read %q after %d interrupts, %v", text, interrupts.Load(), err)
		}
	}
	if _, err := e.ReadLine(); !errors.Is(err, io.EOF) {
		t.Errorf("ended with %v", err)
	}
}

// FuzzLineEditor: for any keyboard input, the line is printable text, and the terminal gets only
// known sequences.
func FuzzLineEditor(f *testing.F) {
	f.Add("hello\x1b[D\x7f\x17\x1b[200~a\rb\x1b[201~\r", uint8(80))
	f.Add("e\u0301漢\x01👨‍👩‍👧\x06\x04\x0c\x03", uint8(3))
	f.Add("é\xe6\x01\xa2\x01👨\u200d👩\u202c👧\n\x04\f\x03", uint8(0)) // a mark that joins no character
	f.Fuzz(func(t *testing.T, typed string, width uint8) {
		if len(typed) > 1000 {
			return // skip: the input is too slow to draw, and tests nothing new
		}
		cols, rows := max(2, int(width)), 24
		screen := chattest.NewScreen(t, cols, rows)
		e := &lineEditor{keys: bufio.NewReader(strings.NewReader(typed)), out: screen, history: &lineHistory{},
			onInterrupt: func() {}, onAboveFinal: func() {}}
		e.resize(cols, rows)
		e.print(nil, []row{{text: "so"}}, true)
		for {
			text, err := e.ReadLine()
			if err != nil {
				return
			}
			if text != strings.ToValidUTF8(text, "") || stripControls(text) != text {
				t.Errorf("the line is %q", text)
			}
			e.print([]row{{text: "and"}}, []row{{text: "so"}}, true)
		}
	})
}
