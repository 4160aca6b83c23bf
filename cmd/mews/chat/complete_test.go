package chat

import (
	"bufio"
	"io"
	"strings"
	"testing"
)

func TestTabKey_CompletesCommand(t *testing.T) {
	commands := append([]string{"help", "history", "remind", "reload", "status", "stop"}, localCommands...)
	for typed, want := range map[string]string{
		"/rem\t": "/remind ", "/rem\tx": "/remind x", "/st\t": "/st", "/sta\t": "/status ", "/h\t": "/h",
		"/he\t": "/help ",
		"/re\t": "/re", "/x\t": "/x", "/at\t": "/attach ", "/q\t": "/quit ", "re\t": "re", " /rem\t": " /rem",
		"/remind to\t": "/remind to", "/stop\t": "/stop ", "a /rem\t": "a /rem",
	} {
		e := &lineEditor{keys: bufio.NewReader(strings.NewReader(typed + "\r")), out: io.Discard,
			history: &lineHistory{}, width: 80, height: 24, commands: commands}
		if got, err := e.ReadLine(); got != want || err != nil {
			t.Errorf("%q: got %q, %v, want %q", typed, got, err, want)
		}
	}
}

// TestTabKey_SeveralCommands_AreListed checks that Tab lists the commands above the line.
func TestTabKey_SeveralCommands_AreListed(t *testing.T) {
	p, _ := sitting(t)
	p.live()
	d := p.startTerminal(Options{})
	d.expect("On Telegram: @mews_bot, https://t.me/mews_bot")
	d.expectScreen("> |")
	d.press("/re\t")
	d.expectScreen("/reload /remind\n> /re|")
	d.press("l\t\t")
	d.expectScreen("/reload /remind\n> /reload |")
}
