package filehistory

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

const manyFiles = 20_000

// reportCPU reports the processor time of the measured operations. This time hardly depends on how
// busy the machine is. reportCPU returns a function that pauses the count and one that goes on.
func reportCPU(b *testing.B) (pause, resume func()) {
	used := func() (d time.Duration) {
		var u syscall.Rusage
		if syscall.Getrusage(syscall.RUSAGE_SELF, &u) == nil {
			d = time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
		return d
	}
	total, since := time.Duration(0), used()
	pause = func() {
		b.StopTimer()
		total += used() - since
	}
	resume = func() {
		since = used()
		b.StartTimer()
	}
	b.Cleanup(func() { b.ReportMetric(float64(total.Microseconds())/1000/float64(b.N), "cpu-ms/op") })
	return pause, resume
}

// fill makes many files of a few hundred bytes each in the home.
func (f *fixture) fill(files int) {
	for i := range files {
		f.write(fmt.Sprintf("d%d/s%d/file%d.md", i%20, i%200, i), strings.Repeat(fmt.Sprint("line ", i, "\n"), 1+i%40))
	}
}

// BenchmarkProgram_20000UnchangedFiles measures the work around a program without changes.
func BenchmarkProgram_20000UnchangedFiles(b *testing.B) {
	f := newFixture(b)
	f.fill(manyFiles)
	f.keepAll()
	f.program(func() {})
	pause, _ := reportCPU(b)
	for b.Loop() {
		f.program(func() {})
	}
	pause()
	whole, start := b.Elapsed(), time.Now()
	for range b.N {
		f.walk()
		f.walk()
	}
	b.ReportMetric((whole-time.Since(start)).Seconds()*1000/float64(b.N), "ms-added")
}

// BenchmarkLoad_20000Files measures the load of the index.
func BenchmarkLoad_20000Files(b *testing.B) {
	f := newFixture(b)
	f.fill(manyFiles)
	f.keepAll()
	pause, _ := reportCPU(b)
	for b.Loop() {
		f.reopen()
		f.check(f.h.do(func(*store) error { return nil }))
	}
	pause()
	var with, without runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&with)
	f.check(f.h.unload())
	runtime.GC()
	runtime.ReadMemStats(&without)
	b.ReportMetric(float64(with.HeapAlloc-without.HeapAlloc)/1e6, "MB-loaded")
}

// BenchmarkRebuild_20000Files measures a load without an index file.
func BenchmarkRebuild_20000Files(b *testing.B) {
	f := newFixture(b)
	f.fill(manyFiles)
	f.keepAll()
	pause, _ := reportCPU(b)
	for b.Loop() {
		f.close()
		f.check(os.Remove(f.history + "/" + indexName))
		f.open()
		f.check(f.h.do(func(*store) error { return nil }))
	}
	pause()
}

// BenchmarkKeep_64MiB measures how fast the history keeps new text that compresses to a third.
func BenchmarkKeep_64MiB(b *testing.B) {
	f := newFixture(b, func(o *Options) { o.Room = 1 << 40 })
	const files, size = 64, 1 << 20
	words := strings.Fields(strings.Repeat("the quick brown fox jumps over a lazy dog and runs away ", 100))
	random := rand.New(rand.NewPCG(1, 2))
	b.SetBytes(files * size)
	pause, resume := reportCPU(b)
	for b.Loop() {
		pause()
		for i := range files {
			var text strings.Builder
			for text.Len() < size {
				fmt.Fprint(&text, words[random.IntN(len(words))], random.IntN(1000), " ")
			}
			f.write(fmt.Sprint("file", i), text.String())
		}
		tree := f.walk()
		resume()
		p, err := f.h.BeginProgram(context.Background(), tree)
		f.check(err)
		if n := p.NotKept().Count; n > 0 {
			b.Logf("%d files are not kept within 2 s", n)
		}
		p.Drop()
	}
	pause()
}

// BenchmarkUndo_20000Files measures the undo of a program that has deleted the home.
func BenchmarkUndo_20000Files(b *testing.B) {
	f := newFixture(b)
	f.fill(manyFiles)
	f.keepAll()
	pause, resume := reportCPU(b)
	for i := 0; b.Loop(); i++ {
		pause()
		span := f.program(func() {
			for d := range 20 {
				f.check(os.RemoveAll(f.path(fmt.Sprint("d", d))))
			}
		})
		resume()
		if undone := f.undo(span, false, fmt.Sprint("undo ", i)); undone.Restored.Count < manyFiles {
			b.Fatalf("got %+v", undone)
		}
	}
	pause()
}
