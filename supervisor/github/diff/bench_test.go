package diff_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"mews/supervisor/github/diff"
)

// large returns a diff of some bytes or a little more. Its files, hunks and lines have usual
// lengths.
func large(size int) string {
	random := rand.New(rand.NewPCG(16, 4))
	var b strings.Builder
	for f := 0; b.Len() < size; f++ {
		fmt.Fprintf(&b, "diff --git a/d/f%d.go b/d/f%d.go\nindex 1111111..2222222 100644\n--- a/d/f%d.go\n+++ b/d/f%d.go\n", f, f, f, f)
		for h := range 1 + random.IntN(8) {
			var body strings.Builder
			before, after := 0, 0
			for range 7 + random.IntN(20) {
				mark := "   ++-"[random.IntN(6)]
				fmt.Fprintf(&body, "%c%s\n", mark, strings.Repeat("x ", random.IntN(36)))
				if mark != '+' {
					before++
				}
				if mark != '-' {
					after++
				}
			}
			fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@ func f%d() {\n%s", h*100+1, before, h*100+1, after, h, body.String())
		}
	}
	return b.String()
}

// readAll parses a diff and reads all its lines.
func readAll(tb testing.TB, text string) (files []diff.File, lines int) {
	files, err := diff.Parse(text)
	if err != nil {
		tb.Fatal(err)
	}
	for _, f := range files {
		for i := range f.Hunks {
			for range f.Hunks[i].Lines() {
				lines++
			}
		}
	}
	return files, lines
}

// BenchmarkParse parses a diff of 10 MB. It may take 200 ms, and memory of three times the diff's
// size, including the text.
func BenchmarkParse(b *testing.B) {
	text := large(10_000_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		readAll(b, text)
	}
}

// TestParse_AllocationsAreBounded allows memory of three times the text's size, including the text.
// It parses 2 MB of usual changes, and 2 MB of the smallest hunks.
func TestParse_AllocationsAreBounded(t *testing.T) {
	const size = 2_000_000
	var hunks strings.Builder
	hunks.WriteString("diff --git a/a b/a\n--- a/a\n+++ b/a\n")
	for i := 1; hunks.Len() < size; i += 8 {
		fmt.Fprintf(&hunks, "@@ -%d,7 +%d,7 @@\n \n \n \n-\n+a\n \n \n \n", i, i)
	}
	for _, text := range []string{large(size), hunks.String()} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		files, lines := readAll(t, text)
		runtime.ReadMemStats(&after)
		took := after.TotalAlloc - before.TotalAlloc
		t.Logf("%d bytes of %d files and %d lines: %d bytes more", len(text), len(files), lines, took)
		if took > 2*uint64(len(text)) {
			t.Errorf("%d bytes for a diff of %d", took, len(text))
		}
	}
}
