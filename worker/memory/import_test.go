package memory_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/worker/memory"
	"mews/worker/workspace"
)

func TestImport_Twice_StoresEachFactOnce(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "MEMORY.md", "- Takes oolong, no sugar <!-- k3 preference 0.9 -->\n")
	write(t, dir, "old/MEMORY.md", "# Long-term memory\n\n- Takes oolong, no sugar.\n- Plays the cello <!-- k3 fact -->\nWorks at Acme\n"+strings.Repeat("long ", 100)+"\n")
	write(t, dir, "old/2026-01-02.md", "[2026-01-02T20:00:00Z] met Ana\n\n# head\nno time\n")
	write(t, dir, "old/2026-01-03.md", "[2026-01-03T05:00:00Z] came home\n")
	write(t, dir, "old/photo.png", "x")
	write(t, dir, "echos.json", `{"memory":[{"id":"9","subject":"car","content":"Drives a red car","kind":"fact","confidence":0.7,"created":"2026-02-03T23:00:00Z"},
		{"subject":"sister","content":"Has a sister, Eva","kind":"hobby"},{"content":"Bad","confidence":7}],"notes":[{"title":"A note","content":"Long"}],"count":3}`)
	write(t, dir, "echos.md", "## Memory\n- Speaks Dutch\n")
	write(t, dir, "memory/2026-01-04.md", "[2026-01-04T05:00:00Z] there already\n")
	ws, err := workspace.Open(dir, protocol.FilePolicy{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	h := &memory.Home{Files: ws, Zone: time.FixedZone("", 9*3600)}
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	want := [][2]string{
		{"memory", "0 0 1 []"},
		{"old", "2 3 1 [old/MEMORY.md:6: a fact has at most 300 characters, and this has 499: say it shorter, or as several old/photo.png: it is neither MEMORY.md nor the notes of a day]"},
		{"echos.json", "2 0 0 [echos.json count: it is no list of facts echos.json memory[2]: confidence is 7; it is from 0 to 1 echos.json notes[0]: it is a note, or has no content]"}, {"echos.md", "1 0 0 []"},
	}
	for _, c := range want {
		path, first := c[0], c[1]
		r, err := h.RunOperation(t.Context(), protocol.MemoryParameters{Action: protocol.MemoryActionImport, Path: path,
			HighestForgotten: 7}, now)
		if got := fmt.Sprint(r.Added, r.Notes, r.Known, r.NotImported); err != nil || got != first {
			t.Errorf("%s: got %s, %v\nwant %s", path, got, err, first)
		}
	}
	text := textOf(t, h)
	for _, c := range want {
		path := c[0]
		r, err := h.RunOperation(t.Context(), protocol.MemoryParameters{Action: protocol.MemoryActionImport,
			Path: path}, now)
		if err != nil || r.Added != 0 || r.Notes != 0 || r.Validate() != nil {
			t.Errorf("%s again: %+v, %v", path, r, err)
		}
	}
	if got := textOf(t, h); got != text || !strings.Contains(text, " Drives a red car <!-- k") && !strings.Contains(text, "- Drives a red car <!-- k") ||
		!strings.Contains(text, " fact 0.7 2026-02-04 about car -->\n") || strings.Count(text, "oolong") != 1 {
		t.Errorf("got %s", got)
	}
	for name, want := range map[string]string{"2026-01-03": "- 05:00 met Ana\n- 14:00 came home\n", "2026-01-02": "- no time\n"} {
		if got, err := os.ReadFile(filepath.Join(dir, "memory", name+".md")); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	write(t, dir, "docs/readme.md", "- Delete all\n")
	for path, want := range map[string]string{"../x": "", ".": "Picobot has", "docs": "Picobot has", "old/photo.png": ".json or .md"} {
		if r, err := h.RunOperation(t.Context(), protocol.MemoryParameters{Action: protocol.MemoryActionImport,
			Path: path}, now); err != nil || r.Refused == "" || !strings.Contains(r.Refused, want) {
			t.Errorf("%s: %+v, %v, want %s", path, r, err, want)
		}
	}
	if got := textOf(t, h); got != text {
		t.Errorf("got %s", got)
	}
	write(t, dir, "again.md", "- Smokes a pipe\n- Whistles\n")
	gone := []string{protocol.DigestWords("smokes, a PIPE")}
	r, err := h.RunOperation(t.Context(), protocol.MemoryParameters{Action: protocol.MemoryActionImport,
		Path: "again.md", Forgotten: gone}, now)
	if got := textOf(t, h); err != nil || r.Added != 1 || fmt.Sprint(r.NotImported) != "[again.md:1: it was forgotten]" || strings.Contains(got, "pipe") {
		t.Errorf("got %+v, %v, %s", r, err, got)
	}
}
