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
	// maxHistoryLine is the maximum size of a stored line, in bytes.
	maxHistoryLine = 8 << 10
)

// lineHistory has the lines typed before, newest first. It is stored in a file of the account. If
// that file can't be read or written, the chat works without it.
type lineHistory struct {
	path  string // path of the history's file; "" means that nothing is stored
	lines []string
}

// openHistory reads $XDG_STATE_HOME/mews/history. The default of that folder is ~/.local/state.
func openHistory(getenv func(string) string) *lineHistory {
	base := getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(base) {
		home, err := os.UserHomeDir()
		if err != nil {
			return &lineHistory{}
		}
		base = filepath.Join(home, ".local", "state")
	}
	h := &lineHistory{path: filepath.Join(base, "mews", "history")}
	text, err := os.ReadFile(h.path)
	if err != nil {
		return h
	}
	oldest := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for _, line := range slices.Backward(oldest) {
		if len(h.lines) < maxHistory && isStorable(line) {
			h.lines = append(h.lines, line)
		}
	}
	if len(oldest) > 2*maxHistory {
		h.shorten()
	}
	return h
}

// shorten rewrites the file with only the remembered lines.
func (h *lineHistory) shorten() {
	var b strings.Builder
	for _, line := range slices.Backward(h.lines) {
		b.WriteString(line + "\n")
	}
	shorter := h.path + ".new"
	if os.WriteFile(shorter, []byte(b.String()), 0o600) == nil {
		_ = os.Rename(shorter, h.path) // an error does not matter: the next start tries again
	}
}

// isStorable reports whether a line may be stored. Lines with a code for the gate or an invitation
// may not.
func isStorable(line string) bool {
	return line != "" && len(line) <= maxHistoryLine && !strings.Contains(line, "\n") && !holdsCode(line)
}

// holdsCode reports whether a line is a code, or contains one that is valid for longer than a
// minute.
func holdsCode(line string) bool {
	return access.IsCode(line) || access.ContainsRecoveryCode(line) || inviteShape.MatchString(line)
}

// inviteShape matches /start with an argument, and an invitation's code anywhere.
var inviteShape = regexp.MustCompile(`(?i)^\s*/start(?:@\w+)?\s+\S|\b[A-Z2-7]{26}\b`)

// Add remembers a line. A single line is also stored as a line of the file. A pasted text of
// several lines is not stored.
func (h *lineHistory) Add(line string) {
	line = strings.TrimSpace(line)
	if !isStorable(line) || len(h.lines) > 0 && h.lines[0] == line {
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
	// errors do not matter: the chat works without a history
	_, _ = f.WriteString(line + "\n")
}

// Len returns the number of lines.
func (h *lineHistory) Len() int { return len(h.lines) }

// At returns a line; 0 is the newest.
func (h *lineHistory) At(i int) string { return h.lines[i] }
