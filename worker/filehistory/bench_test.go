package filehistory

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"
)

const manyFiles = 20_000

// fill makes a home with many files of some hundred bytes.
func (f *fixture) fill(files int) {
	for i := range files {
		f.write(fmt.Sprintf("d%d/s%d/file%d.md", i%20, i%200, i), strings.Repeat(fmt.Sprint("line ", i, "\n"), 1+i%40))
	}
}

// BenchmarkProgram_20000UnchangedFiles measures everything around a program that changes nothing.
func BenchmarkProgram_20000UnchangedFiles(b *testing.B) {
	f := newFixture(b)
	f.fill(manyFiles)
	f.keepAll()
	f.program(func() {})
	for b.Loop() {
		f.program(func() {})
	}
}

// BenchmarkLoad_20000Files measures the load of the index.
func BenchmarkLoad_20000Files(b *testing.B) {
	f := newFixture(b)
	f.fill(manyFiles)
	f.keepAll()
	for b.Loop() {
		f.reopen()
		f.check(f.h.do(func(*store) error { return nil }))
	}
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
	for b.Loop() {
		f.close()
		f.check(os.Remove(f.history + "/" + indexName))
		f.open()
		f.check(f.h.do(func(*store) error { return nil }))
	}
}

// BenchmarkKeep_64MiB measures how fast new bytes are kept, of text that compresses to a third.
func BenchmarkKeep_64MiB(b *testing.B) {
	f := newFixture(b, func(o *Options) { o.Room = 1 << 40 })
	const files, size = 64, 1 << 20
	words := strings.Fields(strings.Repeat("the quick brown fox jumps over a lazy dog and runs away ", 100))
	random := rand.New(rand.NewPCG(1, 2))
	b.SetBytes(files * size)
	for b.Loop() {
		b.StopTimer()
		for i := range files {
			var text strings.Builder
			for text.Len() < size {
				fmt.Fprint(&text, words[random.IntN(len(words))], random.IntN(1000), " ")
			}
			f.write(fmt.Sprint("file", i), text.String())
		}
		tree := f.walk()
		b.StartTimer()
		p, err := f.h.BeginProgram(context.Background(), tree)
		f.check(err)
		if n := p.NotKept().Count; n > 0 {
			b.Fatalf("%d files are not kept", n)
		}
		p.Drop()
	}
}

// BenchmarkUndo_20000Files measures the undo of a program that has deleted the home.
func BenchmarkUndo_20000Files(b *testing.B) {
	f := newFixture(b)
	f.fill(manyFiles)
	f.keepAll()
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		span := f.program(func() {
			for d := range 20 {
				f.check(os.RemoveAll(f.path(fmt.Sprint("d", d))))
			}
		})
		b.StartTimer()
		if undone := f.undo(span, false, fmt.Sprint("undo ", i)); undone.Restored.Count < manyFiles {
			b.Fatalf("got %+v", undone)
		}
	}
}
