package workspace

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// TestSwappedLinks_Race_ReachNothingOutside replaces a folder by a link to the canary and back,
// over and over, while files are written and read below it.
func TestSwappedLinks_Race_ReachNothingOutside(t *testing.T) {
	ws, canary := newWorkspace(t)
	before := outsideOf(t, canary)
	dir := filepath.Join(filepath.Dir(canary), "folder")
	must(t, os.Mkdir(filepath.Join(dir, "swap"), 0o755))
	must(t, os.Symlink(canary, filepath.Join(dir, "decoy")))
	ctx, cancel := context.WithCancel(t.Context())
	var swaps int
	var wait sync.WaitGroup
	wait.Go(func() {
		for ; ctx.Err() == nil; swaps++ {
			err := unix.Renameat2(unix.AT_FDCWD, dir+"/swap", unix.AT_FDCWD, dir+"/decoy", unix.RENAME_EXCHANGE)
			if err != nil {
				t.Error(err)
				return
			}
		}
	})
	tried, done := 0, 0
	count := func(err error) {
		tried++
		if err == nil {
			done++
		}
	}
	const enough, atMost = 800, 40_000 // minimum and maximum of attempts until both outcomes occurred
	for tried < enough || tried < atMost && (done == 0 || done == tried) {
		_, err := ws.WriteFile("swap/bird", []byte("dead"), ModeReplace)
		count(err)
		_, err = ws.AppendFile("swap/bird", []byte("dead"))
		count(err)
		if f, err := ws.Open("swap/bird"); err == nil {
			held := make([]byte, 5)
			n, _ := f.Read(held)
			must(t, f.Close())
			if string(held[:n]) == "alive" {
				t.Fatal("the canary was read")
			}
		}
	}
	cancel()
	wait.Wait()
	t.Logf("%d of %d writes went through, %d swaps", done, tried, swaps)
	if after := outsideOf(t, canary); after != before {
		t.Fatalf("what is outside was\n%s\nand is\n%s", before, after)
	}
}
