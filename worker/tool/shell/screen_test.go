package shell

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// displayOf returns the display of some output on a screen of 4 rows and 10 columns. | is the
// cursor.
func displayOf(text string) string {
	s := newScreen(4, 10)
	_, _ = s.Write([]byte(text))
	s.put(s.cursor.row, s.cursor.col, "|", 1)
	return s.shown(100)
}

func TestScreen_Sequences_EqualXterm(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"text", "ab\r\ncd", "ab\ncd|"},
		{"a new line alone", "ab\ncd", "ab\n  cd|"},
		{"back", "abc\bX", "abX|"},
		{"back beyond the edge", "a\b\b\b", "|"},
		{"tab", "a\tb", "a       b|"},
		{"tabs stop at the edge", "a\t\t\tb", "a        |"},
		{"it wraps when there is more", "0123456789", "012345678|"},
		{"wrapped", "0123456789a", "0123456789\na|"},
		{"no wrap", "\x1b[?7l0123456789abc", "012345678|"},
		{"it scrolls", "1\r\n2\r\n3\r\n4\r\n5", "1\n2\n3\n4\n5|"},
		{"position", "\x1b[2;3Hx", "\n  x|"},
		{"position beyond", "\x1b[99;99Hx", "\n\n\n         |"},
		{"home", "abc\x1b[Hx", "x|c"},
		{"moves", "\x1b[3;5H\x1b[Aa\x1b[2Db\x1b[Bc\x1b[Cd", "\n   ba\n    c d|"},
		{"column and row", "\x1b[5Gx\x1b[3dy", "    x\n\n     y|"},
		{"erase to the end", "abcdef\x1b[3G\x1b[K", "ab|"},
		{"erase to the cursor", "abcdef\x1b[3G\x1b[1K", "  |def"},
		{"erase the line", "abcdef\x1b[2K", "      |"},
		{"erase below", "a\r\nb\r\nc\x1b[2;1H\x1b[J", "a\n|"},
		{"erase above", "a\r\nb\r\nc\x1b[2;1H\x1b[1J", "\n|\nc"},
		{"erase all", "a\r\nb\x1b[2J", "\n |"},
		{"erase some", "abcdef\x1b[2G\x1b[3X", "a|  ef"},
		{"insert", "abcdef\x1b[2G\x1b[2@", "a| bcdef"},
		{"delete", "abcdef\x1b[2G\x1b[2P", "a|ef"},
		{"insert mode", "abc\x1b[1G\x1b[4hxy\x1b[4lz", "xyz|c"},
		{"insert lines", "1\r\n2\r\n3\x1b[2;1H\x1b[L", "1\n|\n2\n3"},
		{"delete lines", "1\r\n2\r\n3\r\n4\x1b[2;1H\x1b[2M", "1\n|"},
		{"scroll a region", "1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[3;1H\nx", "1\n3\nx|\n4"},
		{"a region keeps its history to itself", "1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[3;1H\n\n\n", "1\n\n|\n4"},
		{"scroll up", "1\r\n2\r\n3\r\n4\x1b[2S", "1\n2\n3\n4\n\n |"},
		{"scroll down", "1\r\n2\r\n3\r\n4\x1b[2T", "\n\n1\n2|"},
		{"reverse feed", "1\r\n2\x1b[H\x1bM", "|\n1\n2"},
		{"save and restore", "\x1b[2;2H\x1b7\x1b[4;4Hx\x1b8y", "\n y|\n\n   x"},
		{"origin", "\x1b[2;3r\x1b[?6hx\x1b[9;1Hy", "\nx\ny|"},
		{"colours are nothing", "\x1b[1;31mred\x1b[0m \x1b[38;2;1;2;3mx\x1b[m", "red x|"},
		{"a title is nothing", "\x1b]0;title\x07a\x1b]2;title\x1b\\b", "ab|"},
		{"a string of the device is nothing", "\x1bP1;2|abc\x1b\\a", "a|"},
		{"a string that is broken off", "\x1b]0;title\x1b[2Ca", "  a|"},
		{"cancelled", "\x1b[12\x18a", "a|"},
		{"a control within a sequence", "ab\x1b[\r2Cx", "abx|"},
		{"unknown sequences", "\x1b[>4;2m\x1b[?2004h\x1b[5 q\x1b=\x1b>\x1b#8\x1b%Ga", "a|"},
		{"UTF-8", "äöü€", "äöü€|"},
		{"not UTF-8", "a\xffb\xe2\x82c", "a�b�c|"},
		{"wide characters", "世界x", "世界x|"},
		{"half of one is covered", "世界\x1b[2Gx", " x|"},
		{"half of one, the first", "世界\x1b[1Gx\x1b[9G", "x 界    |"},
		{"a wide one at the edge wraps", "012345678世", "012345678\n世|"},
		{"marks", "e\u0301x", "e\u0301x|"},
		{"lines of boxes", "\x1b(0lqqk\x1b(Bq", "┌──┐q|"},
		{"repeat", "ab\x1b[3b", "abbbb|"},
		{"the alternate screen and back", "main\x1b[?1049hother\x1b[?1049l", "main|"},
		{"the alternate screen", "main\x1b[?1049h\x1b[Hother", "other|"},
		{"which has no history", "main\x1b[?1049h\x1b[H1\n\n\n\n\n\n", "\n\n\n |"},
		{"reset", "abc\x1b[2;3r\x1bcx", "x|"},
	} {
		if diff := cmp.Diff(test.want, displayOf(test.text)); diff != "" {
			t.Errorf("%s: %q (- wanted, + shown):\n%s", test.name, test.text, diff)
		}
	}
}

// TestScreen_SplitOutput_LooksTheSame: any split of the output gives the same screen.
func TestScreen_SplitOutput_LooksTheSame(t *testing.T) {
	text := "世\x1b[2;3H€x\x1b]0;t\x1b\\y\x1b[?1049h\x1b(0q\x1b(Bé"
	want := displayOf(text)
	s := newScreen(4, 10)
	for i := range len(text) {
		_, _ = s.Write([]byte{text[i]})
	}
	s.put(s.cursor.row, s.cursor.col, "|", 1)
	if diff := cmp.Diff(want, s.shown(100)); diff != "" {
		t.Error(diff)
	}
}

func TestScreen_Queries_AreAnswered(t *testing.T) {
	s := newScreen(4, 10)
	_, _ = s.Write([]byte("ab\x1b[6n\x1b[5n\x1b[c"))
	if got, want := string(s.answer), "\x1b[1;3R\x1b[0n\x1b[?6c"; got != want {
		t.Errorf("answered %q, want %q", got, want)
	}
	_, _ = s.Write([]byte(strings.Repeat("\x1b[6n", 1000)))
	if len(s.answer) > maxAnswer {
		t.Errorf("%d bytes wait to be answered", len(s.answer))
	}
}

func TestScreen_Resize_KeepsText(t *testing.T) {
	lines := "1\r\n2\r\n3\r\n4\r\nfive"
	for _, test := range []struct {
		rows, cols  int
		text        string
		want, above string
	}{
		{6, 20, lines, "2\n3\n4\nfive", "1\n2\n3\n4\nfive"},
		{2, 20, lines, "4\nfive", "1\n2\n3\n4\nfive"},
		{2, 2, lines, "4\nfi", "1\n2\n3\n4\nfi"},
		{2, 20, "1\r\n2", "1\n2", "1\n2"}, // the screen has room below the cursor
		{2, 20, lines + "\x1b[?1049h\x1b[Hother\x1b[?1049l", "4\nfive", "1\n2\n3\n4\nfive"},
	} {
		s := newScreen(4, 10)
		_, _ = s.Write([]byte(test.text))
		s.resizeTo(test.rows, test.cols)
		if s.shown(0) != test.want || s.shown(100) != test.above {
			t.Errorf("%q at %dx%d: %q with %q, want %q with %q",
				test.text, test.rows, test.cols, s.shown(0), s.shown(100), test.want, test.above)
		}
	}
	// The main screen is resized while the alternate screen is visible.
	s := newScreen(4, 10)
	_, _ = s.Write([]byte(lines + "\x1b[?1049h\x1b[Hother"))
	s.resizeTo(2, 20)
	_, _ = s.Write([]byte("\x1b[?1049l!"))
	if got, want := s.shown(100), "1\n2\n3\n4\nfive!"; got != want {
		t.Errorf("behind the alternate screen: %q, want %q", got, want)
	}
}

func TestScreen_ScrolledLines_GoToHistory(t *testing.T) {
	s := newScreen(4, 10)
	for i := range 3000 {
		_, _ = fmt.Fprintf(s, "%d\r\n", i)
	}
	lines := strings.Split(s.shown(10_000), "\n")
	if lines[0] != "1997" || len(lines) != maxHistory+3 || len(s.history) > maxHistory*11/10 {
		t.Errorf("%d lines from %s on, %d kept", len(lines), lines[0], len(s.history))
	}
	if len(s.fresh) > maxFresh+utf8.UTFMax {
		t.Errorf("%d bytes of new text", len(s.fresh))
	}
}

func TestKeySequence_NamedKeys_SendCodes(t *testing.T) {
	for names, want := range map[string]string{
		"enter": "\r", "Ctrl-C": "\x03", "^d": "\x04", "up down": "\x1b[A\x1b[B", "f1 F12": "\x1bOP\x1b[24~", "alt-x": "\x1bx",
		"ctrl-space": "\x00", "ctrl-[": "\x1b", `ctrl-\`: "\x1c", "": "", " esc  tab ": "\x1b\t", "shift-tab": "\x1b[Z",
		"alt-enter": "\x1b\r", "^^": "\x1e",
	} {
		if got, err := keySequence(names, false); err != nil || got != want {
			t.Errorf("%q: %q %v, want %q", names, got, err, want)
		}
	}
	if got, _ := keySequence("up home shift-tab delete", true); got != "\x1bOA\x1bOH\x1b[Z\x1b[3~" {
		t.Errorf("as an application wants them: %q", got)
	}
	for _, names := range []string{"x", "ctrl-", "ctrl-1", "alt-", "alt-nothing", "enter,tab", "ctrl-enter"} {
		if got, err := keySequence(names, false); err == nil {
			t.Errorf("%q: %q", names, got)
		}
	}
}

// FuzzScreen: the screen stays valid for any output, at any size.
func FuzzScreen(f *testing.F) {
	for _, seed := range []string{
		"a\x1b[2;3r\x1b[9T\x1b[9S\x1b[L\x1b[M", "世\x1b[P\x1b[@\x1b[X界", "\x1b[?1049h\x1b[?6h\x1b[;5H\x1b7\x1b8\x1bM\x1bc",
		"\x1b]0;x\x07\x1bPq\x1b\\\x1b(0q", "\xe4\xb8\x1b[99999999999b\x1b[1;;;;2m\x1b[:::h", "e\u0301\u200d\ufe0f👩‍👩‍👧",
		"\x1b[3g\x1b[!p\x1b[6n\x1b[2;2H\x1b[1J\x1b[Z\x1b[I\x1b[4h界",
	} {
		f.Add([]byte(seed), uint8(3), uint8(7), uint8(2), uint8(12))
	}
	f.Fuzz(func(t *testing.T, p []byte, rows, cols, newRows, newCols uint8) {
		s := newScreen(minRows+int(rows)%10, minCols+int(cols)%20)
		_, _ = s.Write(p)
		sound(t, s)
		s.resizeTo(minRows+int(newRows)%10, minCols+int(newCols)%20)
		sound(t, s)
		_, _ = s.Write(p)
		sound(t, s)
	})
}

func sound(t *testing.T, s *screen) {
	t.Helper()
	if s.cursor.row < 0 || s.cursor.row >= s.rows || s.cursor.col < 0 || s.cursor.col >= s.cols {
		t.Fatalf("the cursor is at %d, %d of %d, %d", s.cursor.row, s.cursor.col, s.rows, s.cols)
	}
	if s.top < 0 || s.top >= s.bottom || s.bottom > s.rows {
		t.Fatalf("rows %d to %d of %d scroll", s.top, s.bottom, s.rows)
	}
	if len(s.lines) != s.rows {
		t.Fatalf("%d rows, want %d", len(s.lines), s.rows)
	}
	for _, line := range s.lines {
		if len(line) != s.cols {
			t.Fatalf("%d columns, want %d", len(line), s.cols)
		}
	}
	if text := s.shown(maxHistory); !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\x1b\x7f") {
		t.Fatalf("shown: %q", text)
	}
}
