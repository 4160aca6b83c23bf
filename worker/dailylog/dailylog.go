// Package dailylog keeps the conversation of a user and the assistant as Markdown in the home, one
// file a day. Prompts contain no part of these logs.
package dailylog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"
	"time"

	"mews/protocol"
	"mews/protocol/foreign"
	"mews/worker/workspace"
)

// LogsFolder is the folder of the logs in a home.
const LogsFolder = "logs"

// maxTail bounds the end of a log that is searched for an exchange, in bytes.
const maxTail = 4 << 20

// Log holds the logs of a home.
type Log struct {
	Files *workspace.Workspace
	Zone  *time.Location // time zone in which days begin
	// Versions are the earlier versions of the logs, which forgetting deletes too; nil means none.
	Versions Versions

	mu sync.Mutex // held while a log is read and written
}

// AddExchange appends an exchange to the log of its day, unless it is already there.
func (l *Log) AddExchange(_ context.Context, p protocol.LogParameters) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	p.At = p.At.In(l.Zone)
	name := path.Join(LogsFolder, p.At.Format(time.DateOnly)+".md")
	tail, err := l.tail(name)
	if err != nil || bytes.Contains(tail, []byte(TurnMark(p.Turn))) {
		return err
	}
	text := FormatExchange(p)
	if len(tail) > 0 {
		text = "\n" + text
	}
	_, err = l.Files.AppendFile(name, []byte(text))
	return err
}

// tail returns the end of a log; "" if there is no log.
func (l *Log) tail(name string) ([]byte, error) {
	f, err := l.Files.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() // the file was only read, so an error of Close loses nothing
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-maxTail), maxTail))
}

// TurnMark returns the mark in the heading of a turn's exchange. Only that heading contains the
// mark.
func TurnMark(turn int64) string { return fmt.Sprintf("<!-- turn %d -->", turn) }

// FormatExchange formats an exchange as in a log. Its time is shown in the zone of p.At.
func FormatExchange(p protocol.LogParameters) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s, %s %s\n", p.At.Format("15:04"), p.Channel, TurnMark(p.Turn))
	for _, said := range p.Said {
		who, text := textYou, plain(said.Text)
		if said.World {
			who, text = textWorld, "> "+strings.ReplaceAll(foreign.Clean(text), "\n", "\n> ")
		}
		fmt.Fprintf(&b, "\n**%s**\n\n%s\n", who, text)
	}
	if p.Answer != "" {
		fmt.Fprintf(&b, "\n**%s**\n\n%s\n", textAssistant, plain(p.Answer))
	}
	for i, line := range p.Effects {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "- %s\n", strings.ReplaceAll(plain(line), "\n", " "))
	}
	return b.String()
}

// plain escapes comments in a text, so that no text can pass for a mark.
func plain(text string) string { return strings.ReplaceAll(strings.TrimSpace(text), "<!--", "&lt;!--") }
