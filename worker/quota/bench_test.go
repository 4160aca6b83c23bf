package quota_test

import (
	"context"
	"testing"
	"time"

	"mews/protocol"
	"mews/worker/quota"
	"mews/worker/workspace"
)

// BenchmarkWrite writes 4 KiB, and then no bytes, through a workspace with and without a quota.
func BenchmarkWrite(b *testing.B) {
	b.Run("off", func(b *testing.B) { write(b, b.TempDir(), nil) })
	b.Run("on", func(b *testing.B) {
		dir := b.TempDir()
		write(b, dir, counting(b, dir))
	})
}

// BenchmarkCheckGrowth measures the check before each write, once there is a count.
func BenchmarkCheckGrowth(b *testing.B) {
	q := counting(b, b.TempDir())
	for b.Loop() {
		if err := q.CheckGrowth(4096); err != nil {
			b.Fatal(err)
		}
	}
}

func counting(b *testing.B, dir string) *quota.Quota {
	q, err := quota.New(quota.Options{Dir: dir, Limit: 1 << 40, Now: time.Now, Report: func(error) {}})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- q.Run(ctx) }()
	b.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil || q.Close() != nil {
			b.Error("close", err)
		}
	})
	return q
}

func write(b *testing.B, dir string, room workspace.Quota) {
	ws, err := workspace.Open(dir, protocol.FilePolicy{})
	if err != nil {
		b.Fatal(err)
	}
	defer ws.Close()
	if room != nil {
		ws.SetQuota(room)
	}
	data := make([]byte, 4<<10)
	for b.Loop() {
		if _, err := ws.WriteFile("notes/a.md", data, workspace.ModeReplace); err != nil {
			b.Fatal(err)
		}
		if _, err := ws.WriteFile("notes/a.md", data[:0], workspace.ModeReplace); err != nil {
			b.Fatal(err)
		}
	}
}
