package chat

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mews/supervisor/access"
)

func TestLineHistory_DropsOldestLines(t *testing.T) {
	state := t.TempDir()
	env := func(name string) string { return map[string]string{"XDG_STATE_HOME": state}[name] }
	h := openHistory(env)
	for i := range 2*maxHistory + 1 {
		h.Add(fmt.Sprint("line ", i))
	}
	for _, text := range []string{"", "  ", "two\nlines", strings.Repeat("x", maxHistoryLine+1)} {
		h.Add(text)
	}
	if h.Len() != maxHistory || h.At(0) != "line 1000" {
		t.Errorf("%d lines, the newest %q", h.Len(), h.At(0))
	}
	h = openHistory(env)
	if h.Len() != maxHistory || h.At(0) != "line 1000" || h.At(maxHistory-1) != "line 501" {
		t.Errorf("read back: %d lines from %q to %q", h.Len(), h.At(0), h.At(h.Len()-1))
	}
	kept, err := os.ReadFile(h.path)
	if n := strings.Count(string(kept), "\n"); err != nil || n != maxHistory {
		t.Errorf("the file has %d lines, %v", n, err)
	}
	h.Add("one more")
	if again := openHistory(env); again.At(0) != "one more" || again.At(1) != "line 1000" {
		t.Errorf("then %q, %q", again.At(0), again.At(1))
	}
}

// The file contains no code that opens a gate. A code that an older version stored is removed.
func TestLineHistory_StoresNoCodes(t *testing.T) {
	state := t.TempDir()
	env := func(name string) string { return map[string]string{"XDG_STATE_HOME": state}[name] }
	h := openHistory(env)
	recovery, _ := access.NewRecoveryCodes()
	invite, _ := access.NewInviteCode()
	codes := []string{"123456", "Code: 123 456.", recovery[0].Reveal(), strings.ToLower(recovery[1].Reveal()), invite.Reveal(),
		"it is " + recovery[2].Reveal() + ", I think", "/start " + invite.Reveal(), "/START@mews_bot x", "my invite: " + invite.Reveal()}
	for _, text := range append(codes, "/start", "/settings") {
		h.Add(text)
	}
	kept, err := os.ReadFile(h.path)
	if err != nil || string(kept) != "/start\n/settings\n" || h.Len() != 2 {
		t.Errorf("the file holds %q, and %q are remembered, %v", kept, h.lines, err)
	}
	if err := os.WriteFile(h.path, []byte(strings.Join(codes, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if again := openHistory(env); again.Len() != 0 {
		t.Errorf("read back are %q", again.lines)
	}
}

// If the history's file can't be written, the chat still remembers lines until it ends.
func TestLineHistory_UnwritableFile_KeepsLines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h := openHistory(func(string) string { return file })
	h.Add("hello")
	if h.Len() != 1 || h.At(0) != "hello" {
		t.Errorf("remembered are %q", h.lines)
	}
}
