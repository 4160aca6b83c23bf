package shell

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"mews/worker"
)

// prompt opens a terminal with a shell whose prompt is only "$ ".
func (b *fixture) prompt() {
	b.t.Helper()
	b.write(".bashrc", "PS1='$ '\n")
	r := b.mustRun("terminal", "action", "open", "wait_for", "$ ")
	wantContains(b.t, r.Text, "terminal 1 (bash), 24 rows, 80 cols, running; cursor at row 1, column 3\n$")
}

// waited is the longest wait for a terminal in tests, in seconds.
const waited = 20

// mustShow types into the only terminal, and waits for a text.
func (b *fixture) mustShow(text, keys, wanted string) string {
	b.t.Helper()
	r := b.mustRun("terminal", "action", "send", "text", text, "keys", keys, "wait_for", wanted, "wait", waited)
	if strings.Contains(r.Text, "has not appeared") {
		b.t.Fatalf("%q and %q: %q is missing in:\n%s", text, keys, wanted, r.Text)
	}
	return r.Text
}

// TestTerminal_Shell_AnswersUntilExit uses a shell from its first prompt to its end.
func TestTerminal_Shell_AnswersUntilExit(t *testing.T) {
	b := newFixture(t, nil)
	b.prompt()
	// The shell keeps its variables until the next call.
	b.mustRun("terminal", "action", "send", "text", "x=42; cd /tmp", "keys", "enter")
	wantContains(t, b.mustShow("echo $x in $PWD, $TERM", "enter", "42 in /tmp, xterm"),
		"\n$ echo $x in $PWD, $TERM\n42 in /tmp, xterm\n$")

	// The program learns the terminal's size.
	wantContains(t, b.mustShow("stty size", "enter", "24 80"), "\n24 80\n")
	b.mustRun("terminal", "action", "send", "text", `trap 'echo now $(stty size)' WINCH`, "keys", "enter")
	r := b.mustRun("terminal", "action", "resize", "rows", 30, "cols", 100, "wait", 1)
	wantContains(t, r.Text, "30 rows, 100 cols")
	b.mustRun("terminal", "action", "send", "keys", "enter")
	r = b.mustRun("terminal", "action", "read", "wait_for", "now 30 100", "wait", waited)
	wantContains(t, r.Text, "now 30 100\n")

	// A program is interrupted, a reading program gets the end of input, and keys arrive.
	b.mustShow("echo begun; sleep 1000", "enter", "\nbegun")
	wantContains(t, b.mustShow("", "ctrl-c", "$ "), "^C")
	b.mustShow("cd; echo begun; cat > typed", "enter", "\nbegun")
	b.mustRun("terminal", "action", "send", "text", "hello", "keys", "enter ctrl-d")
	b.mustShow("wc -c typed", "enter", "\n6 typed")
	b.mustShow("", "ctrl-l", "$")
	b.mustShow("", "up up", "$ cd; echo begun; cat > typed")
	b.mustShow("", "ctrl-c", "$ ")

	// The shell ends. The result says so, its screen can be read, and typing fails.
	r = b.mustRun("terminal", "action", "send", "text", "exit 3", "keys", "enter", "wait_for", "never shown", "wait", waited)
	wantContains(t, r.Text, "ended: exit 3", `"never shown" has not appeared`)
	wantContains(t, b.mustRun("terminal", "action", "read").Text, "ended: exit 3", "exit 3\n")
	b.mustFail("terminal", "it is ended; open another one", "action", "send", "id", 1, "text", "x")
	wantContains(t, b.mustRun("terminal", "action", "list").Text, "terminal 1 (bash), 30 rows, 100 cols, ended: exit 3")
}

// TestTerminal_FullScreenProgram_LeavesNoTrace: a program that draws on the whole screen is shown
// as a user sees it, and leaves no trace.
func TestTerminal_FullScreenProgram_LeavesNoTrace(t *testing.T) {
	b := newFixture(t, nil)
	b.write("draw", `
printf '\033[?1049h\033[H\033[2J\033[?1h'
printf '\033[2;3H+----+\033[3;3H| hi |\033[4;3H+----+\033[24;1H\033[7mkey?\033[0m'
IFS= read -rsn3 key
printf '\033[3;5H%q' "$key"
read -rsn1 key
printf '\033[?1049l\033[?1l'
`)
	b.prompt()
	b.mustRun("terminal", "action", "send", "text", "bash draw", "keys", "enter", "wait_for", "key?", "wait", waited)
	// The program asked for arrow keys in application mode, and gets such a key.
	text := b.mustShow("", "up", `$'\EOA'`)
	wantContains(t, text, "\n\n  +----+\n  | $'\\EOA'\n  +----+\n", "\nkey?")
	b.mustReturnToPrompt("q", "+----+")
}

// TestTerminal_Pager_CanBeReadAndQuit uses a program that many machines have.
func TestTerminal_Pager_CanBeReadAndQuit(t *testing.T) {
	if _, err := os.Stat("/usr/bin/less"); err != nil {
		t.Skip("it needs /usr/bin/less: on Debian, apt-get install less")
	}
	b := newFixture(t, nil)
	b.write("poem", strings.Repeat("line\n", 99)+"the last line\n")
	b.prompt()
	b.mustShow("less poem", "enter", "line\nline\n")
	wantContains(t, b.mustShow("G", "", "(END)"), "line\nthe last line\n(END)")
	b.mustReturnToPrompt("q", "the last line")
}

// mustReturnToPrompt types something that returns to the prompt and removes a text from the screen.
func (b *fixture) mustReturnToPrompt(text, gone string) {
	b.t.Helper()
	b.mustShow(text, "", "$ ") // this may be the prompt at which the program was started
	if shown := b.mustShow("echo b''ack", "enter", "\nback\n$"); strings.Contains(shown, gone) {
		b.t.Fatalf("after %q:\n%s", text, shown)
	}
}

// TestTerminal_CursorQuery_IsAnswered: a program that asks for the cursor's position gets an
// answer.
func TestTerminal_CursorQuery_IsAnswered(t *testing.T) {
	b := newFixture(t, nil)
	r := b.mustRun("terminal", "action", "open", "command",
		`stty -echo; printf 'abc\033[6n'; IFS= read -rsd R answer; printf '\nit said %q\n' "$answer"; sleep 1000`,
		"wait_for", "it said", "wait", waited)
	wantContains(t, r.Text, `it said $'\E[1;4'`)
}

// TestTerminal_EndedAtOnce_KeepsOutput: the output of a program that ends at once is complete.
func TestTerminal_EndedAtOnce_KeepsOutput(t *testing.T) {
	b := newFixture(t, nil)
	for range 10 {
		r := b.mustRun("terminal", "action", "open", "command", "seq 100; printf last", "rows", 5, "cols", 20, "wait_for", "last", "wait", waited)
		wantContains(t, r.Text, "98\n99\n100\nlast")
	}
	b.mustFail("terminal", "no terminal is open", "action", "read", "id", 1) // a terminal that has ended is dropped
}

// TestTerminal_ClosedAndReopened_ShowsOutput: a program may close its terminal and open it again.
// Its output is shown then, and the program does not hang, even if it writes very much.
func TestTerminal_ClosedAndReopened_ShowsOutput(t *testing.T) {
	b := newFixture(t, nil)
	r := b.mustRun("terminal", "action", "open", "wait", waited, "wait_for", "\n30000\nend", "command",
		`exec <&- >&- 2>&-; sleep 0.5; exec >/dev/tty; seq 30000; echo end; sleep 1000`)
	wantContains(t, r.Text, "running; cursor at", "\n30000\nend")
	if strings.Contains(r.Text, "has not appeared") {
		t.Error(r.Text)
	}
	// Closing works for a terminal that no process has open, too.
	r = b.mustRun("terminal", "action", "open", "wait", waited, "wait_for", "left", "command",
		`echo left; exec <&- >&- 2>&-; sleep 1000`)
	wantContains(t, r.Text, "terminal 2 ", "running; cursor at")
	wantContains(t, b.mustRun("terminal", "action", "close", "id", 2).Text, "was closed")
}

// TestTerminals_Fifth_IsRefused: the refusal of a fifth terminal names the open terminals.
func TestTerminals_Fifth_IsRefused(t *testing.T) {
	b := newFixture(t, nil)
	b.mustFail("terminal", "no terminal is open", "action", "read")
	for range 4 {
		b.mustRun("terminal", "action", "open", "command", "cat", "wait", 0.01)
	}
	b.mustFail("terminal", "4 are open, and that is the most: terminal 1 (cat), terminal 2 (cat), terminal 3 (cat), terminal 4 (cat)",
		"action", "open")
	b.mustFail("terminal", "open are: terminal 1 (cat)", "action", "read")
	b.mustFail("terminal", "there is no terminal 9", "action", "read", "id", 9)
	wantContains(t, b.mustRun("terminal", "action", "close", "id", 2).Text, "terminal 2 (cat) was closed")
	b.mustRun("terminal", "action", "close", "id", 2)
	b.mustFail("terminal", "terminal 2 (cat): it is closed; open another one", "action", "send", "id", 2, "text", "x")
	wantContains(t, b.mustRun("terminal", "action", "open", "command", "cat").Text, "terminal 5 (cat)")
	// Ended terminals do not count.
	b.mustRun("terminal", "action", "close", "id", 1)
	for range 2 * maxKnown {
		b.mustRun("terminal", "action", "open", "command", "exit", "wait", 0.01)
		b.mustRun("terminal", "action", "close", "id", b.shell.terminals.newest)
	}
	if n := len(b.shell.terminals.known); n > maxKnown {
		t.Errorf("%d terminals are remembered", n)
	}
}

func TestCloseTerminal_LeavesNoProcess(t *testing.T) {
	for name, command := range map[string]string{
		"one":                  `echo pids $$; exec sleep 1000`,
		"ignores all":          `trap '' TERM HUP INT; echo pids $$; while :; do sleep 0.1; done`,
		"in the background":    `nohup sleep 1000 & echo pids $$ $!; wait`,
		"left the session":     `setsid sleep 1000 & echo pids $$ $!; wait`,
		"left all behind":      `(setsid env -i sleep 1000 & echo pids $$ $!); cat`,
		"closed its own files": `setsid sleep 1000 & echo pids $$ $!; exec >/dev/null 2>&1 </dev/null; sleep 1000`,
	} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, nil)
			r := b.mustRun("terminal", "action", "open", "command", command, "wait_for", "pids ", "wait", waited)
			_, text, _ := strings.Cut(r.Text, "\npids ")
			line, _, _ := strings.Cut(text, "\n")
			b.mustRun("terminal", "action", "close")
			wantEnded(t, numbers(t, line)...)
		})
	}
}

// TestEndTurn_ClosesItsTerminalsOnly: the programs in these terminals end too. Terminals of other
// turns go on.
func TestEndTurn_ClosesItsTerminalsOnly(t *testing.T) {
	b := newFixture(t, nil)
	for turn, command := range []string{"sleep 1000", "sleep 1001", "sleep 1002"} {
		call := worker.Call{Turn: int64(turn % 2), Progress: func(string) {},
			Arguments: arguments("action", "open", "command", command, "wait", 0.01)}
		if _, err := b.tools["terminal"].Run(t.Context(), call); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.shell.DescribeTerminals(); got != "terminal 1 (sleep), terminal 2 (sleep), terminal 3 (sleep)" {
		t.Errorf("running are %q", got)
	}
	b.shell.EndTurnPrograms(0)
	if got := b.shell.ListTerminals(); len(got) != 1 || got[0].ID != 2 || got[0].Program != "sleep 1001" ||
		got[0].Turn == 0 {
		t.Errorf("running are %+v", got)
	}
	if got := b.shell.DescribeTerminals(); got != "terminal 2 (sleep)" {
		t.Errorf("after the end of a turn %q run", got)
	}
	b.mustFail("terminal", "closed because the person stopped the turn", "action", "send", "id", 1, "text", "x")
}

// TestTerminal_Unused_IsClosed: the next result says that the unused terminal was closed.
func TestTerminal_Unused_IsClosed(t *testing.T) {
	b := newFixture(t, func(o *Options) { o.limits.idle = 100 * time.Millisecond })
	b.mustRun("terminal", "action", "open", "command", "cat", "wait", 0.01)
	b.shell.terminals.mu.Lock()
	done := b.shell.terminals.known[1].done
	b.shell.terminals.mu.Unlock()
	<-done
	b.mustFail("terminal", "terminal 1 (cat): it is closed because nobody used it; open another one", "action", "send", "id", 1, "text", "x")
}

func TestTerminal_WaitCancelled_ProgramGoesOn(t *testing.T) {
	b := newFixture(t, nil)
	b.mustRun("terminal", "action", "open", "command", "cat", "wait", 0.01)
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped by the person")
	ended := make(chan error)
	go func() {
		_, err := b.call(ctx, "terminal", "action", "read", "wait_for", "never", "wait", 30)
		ended <- err
	}()
	cancel(stopped)
	if err := <-ended; !errors.Is(err, stopped) {
		t.Errorf("ended with %v", err)
	}
	r := b.mustRun("terminal", "action", "send", "text", "on", "keys", "enter", "wait_for", "on\non", "wait", waited)
	wantContains(t, r.Text, "running", "on\non")
}

// TestWaitFor_EarlierText_IsIgnored: only text that appears after the call counts.
func TestWaitFor_EarlierText_IsIgnored(t *testing.T) {
	b := newFixture(t, nil)
	b.mustRun("terminal", "action", "open", "command", "echo done; read; sleep 0.5; echo done; cat", "wait_for", "done", "wait", waited)
	r := b.mustRun("terminal", "action", "send", "keys", "enter", "wait_for", "done", "wait", waited)
	wantContains(t, r.Text, "done\n\ndone")
}

func TestTerminal_BadArguments_AreRefused(t *testing.T) {
	b := newFixture(t, nil)
	b.mustFail("terminal", `there is no action "fly"`, "action", "fly")
	b.mustFail("terminal", "want 2 to 200 rows and 10 to 400 cols", "action", "open", "rows", 1)
	b.mustFail("terminal", "want 2 to 200 rows", "action", "resize")
	b.mustFail("terminal", "want 0 to 30 seconds", "action", "read", "wait", 31)
	b.mustFail("terminal", "want 0 to 30 seconds", "action", "read", "wait", -1)
	b.mustFail("terminal", "give text, keys or both", "action", "send")
	b.mustFail("terminal", "at most 65.5 KB", "action", "send", "text", strings.Repeat("x", maxText+1))
	b.mustFail("terminal", "NUL", "action", "open", "command", "a\x00")
	b.mustRun("terminal", "action", "open", "command", "stty raw -echo; echo ready; sleep 1000", "wait_for", "ready", "wait", waited)
	b.mustFail("terminal", `there is no key "any"`, "action", "send", "keys", "any")
	b.mustFail("terminal", "its program took", "action", "send", "text", strings.Repeat("x", maxText))
}
