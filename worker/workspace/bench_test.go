package workspace

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"mews/protocol"
)

func benchWorkspace(b *testing.B) *Workspace {
	ws, err := Open(b.TempDir(), protocol.FilePolicy{Exclude: []string{".git/**", "**/docs/**"}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := ws.Close(); err != nil {
			b.Error(err)
		}
	})
	return ws
}

func BenchmarkWrite4K(b *testing.B) {
	ws, data := benchWorkspace(b), make([]byte, 4<<10)
	for b.Loop() {
		if _, err := ws.WriteFile("notes/a.md", data, ModeReplace); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSystemWrite4K measures the disk alone: a file and its name, both synced.
func BenchmarkSystemWrite4K(b *testing.B) {
	dir, data := b.TempDir(), make([]byte, 4<<10)
	folder, err := os.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer folder.Close()
	for b.Loop() {
		f, err := os.Create(filepath.Join(dir, "temporary"))
		if err == nil {
			_, err = f.Write(data)
		}
		if err != nil || f.Sync() != nil || f.Close() != nil {
			b.Fatal(err)
		}
		if os.Rename(filepath.Join(dir, "temporary"), filepath.Join(dir, "a.md")) != nil || folder.Sync() != nil {
			b.Fatal("rename and sync")
		}
	}
}

func BenchmarkRead4K(b *testing.B) {
	ws := benchWorkspace(b)
	if _, err := ws.WriteFile("notes/2026/a.md", make([]byte, 4<<10), ModeReplace); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		f, err := ws.Open("notes/2026/a.md")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, f); err != nil || f.Close() != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWalk10K(b *testing.B) {
	ws := benchWorkspace(b)
	for i := range 10_000 {
		name := filepath.Join(ws.dir, string(rune('a'+i%26)), string(rune('a'+i/26%26)), string(rune('a'+i/676)))
		if os.MkdirAll(filepath.Dir(name), 0o755) != nil || os.WriteFile(name, nil, 0o644) != nil {
			b.Fatal(name)
		}
	}
	for b.Loop() {
		if err := ws.Walk(context.Background(), ".", func(e Entry) error { return e.Err }); err != nil {
			b.Fatal(err)
		}
	}
}
