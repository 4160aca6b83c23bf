package shell

import (
	"fmt"
	"strings"
	"time"
)

// formatDuration formats a duration for people: "0.2 s", "3 s", "12 min".
func formatDuration(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 10*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f min", d.Minutes())
}

// validText turns a program's output into valid UTF-8 without NUL, which some receivers of the text
// do not accept.
func validText(raw string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(raw, "\uFFFD"), "\x00", "\uFFFD")
}

// oneLine returns a text as one short line, as a terminal would show it.
func oneLine(text string) string {
	const longest = 60
	line := newScreen(1, 2*longest)
	line.noWrap = true
	for part := range strings.FieldsSeq(text) {
		_, _ = line.Write([]byte(part + " "))
	}
	runes := []rune(validText(line.rowText(0)))
	if len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return string(runes)
}
