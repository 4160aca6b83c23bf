package chat

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"mews/supervisor/access"
)

const (
	// maxHistory is how many lines the arrow keys go back.
	maxHistory = 500
	// maxHistoryLine is how long a line may be that is kept, in bytes.
	maxHistoryLine = 8 << 10
)

// history is what was typed before, newest first, kept in a file of the person's own. The chat goes
// on where that can't be read or written.
type history struct {
	path  string // "" keeps nothing
	lines []string
}

// openHistory reads it from $XDG_STATE_HOME/mews/history, below ~/.local/state where that is not
// set.
func openHistory(getenv func(string) string) *history {
	base := getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(base) {
		home, err := os.UserHomeDir()
		if err != nil {
			return &history{}
		}
		base = filepath.Join(home, ".local", "state")
	}
	h := &history{path: filepath.Join(base, "mews", "history")}
	text, err := os.ReadFile(h.path)
	if err != nil {
		return h
	}
	oldest := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for _, line := range slices.Backward(oldest) {
		if len(h.lines) < maxHistory && fitsHistory(line) {
			h.lines = append(h.lines, line)
		}
	}
	if len(oldest) > 2*maxHistory {
		h.shorten()
	}
	return h
}

// shorten has the file hold what is remembered, and no more.
func (h *history) shorten() {
	var b strings.Builder
	for _, line := range slices.Backward(h.lines) {
		b.WriteString(line + "\n")
	}
	shorter := h.path + ".new"
	if os.WriteFile(shorter, []byte(b.String()), 0o600) == nil {
		_ = os.Rename(shorter, h.path) // as above: if not now, then the next time
	}
}

// fitsHistory says whether a line is kept in the file. One with a code that opens the gate or lets
// somebody in is not.
func fitsHistory(line string) bool {
	return line != "" && len(line) <= maxHistoryLine && !strings.Contains(line, "\n") && !holdsCode(line)
}

// holdsCode says whether a line is a code, or has a code in it that is good for longer than a
// minute.
func holdsCode(line string) bool {
	return access.IsCode(line) || access.ContainsRecovery(line) || inviteShape.MatchString(line)
}

// inviteShape is /start with anything behind it, or an invite's code anywhere.
var inviteShape = regexp.MustCompile(`(?i)^\s*/start(?:@\w+)?\s+\S|\b[A-Z2-7]{26}\b`)

// Add remembers a line. Lines are kept one to a line of the file; a pasted text of several is not
// kept.
func (h *history) Add(line string) {
	line = strings.TrimSpace(line)
	if !fitsHistory(line) || len(h.lines) > 0 && h.lines[0] == line {
		return
	}
	h.lines = slices.Insert(h.lines, 0, line)
	h.lines = h.lines[:min(len(h.lines), maxHistory)]
	if h.path == "" || os.MkdirAll(filepath.Dir(h.path), 0o711) != nil {
		return
	}
	f, err := os.OpenFile(h.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	// as above: a history that can't be kept is no reason not to chat
	_, _ = f.WriteString(line + "\n")
}

// Len is how many lines there are.
func (h *history) Len() int { return len(h.lines) }

// At is a line, 0 the newest.
func (h *history) At(i int) string { return h.lines[i] }
