package claim_test

import (
	"strings"
	"testing"
	"time"

	"mews/supervisor/claim"
)

// hostile lists texts that a test repeats many times. They would slow down a reader whose time
// grows with the square of the length.
var hostile = []string{
	"I ", "I saved ", "I have ", "saved ", "Reminder set ", "Done ", "your file has been ", "ich habe ", "habe gelöscht ",
	"gelöscht ", "a", "datei", ".", "1.", "Dr.", "1. März ", "\"", "“", "`", "```\n", "> ", "*", "'", "i'", "he ", "j'ai ", ",",
	"\n", "? ", "last ", "last week ", "n't ", "\xff", "a.b/", "notes.md ", "und ", "I saved notes.md and ",
}

// check finds the claims of a text. The test fails if a kind is listed twice, or if a claim's
// sentence is not in the text.
func check(t testing.TB, text string) {
	seen := map[claim.DeedKind]bool{}
	for _, c := range claim.FindClaims(text) {
		if seen[c.Kind] || !strings.Contains(text, c.Sentence) || c.Sentence == "" {
			t.Errorf("%.40q: claim %+.80v is there twice, or not in the text", text, c)
		}
		seen[c.Kind] = true
	}
}

func TestFindClaims_HostileTexts_AreBounded(t *testing.T) {
	for _, piece := range hostile {
		check(t, strings.Repeat(piece, 40_000/len(piece)))
	}
}

func FuzzFindClaims(f *testing.F) {
	for _, a := range answers(f) {
		f.Add(a.text)
	}
	for _, piece := range hostile {
		f.Add(strings.Repeat(piece, 3))
	}
	f.Fuzz(func(t *testing.T, text string) { check(t, text) })
}

// BenchmarkFindClaims_HostileTexts shows how much longer the worst hostile text takes if it is ten
// times as long. The result should be about 10. A time that grows with the square of the length
// would give 100.
func BenchmarkFindClaims_HostileTexts(b *testing.B) {
	took := func(text string) time.Duration {
		begun := time.Now()
		claim.FindClaims(text)
		return time.Since(begun)
	}
	worst, longest := 0.0, time.Duration(0)
	for b.Loop() {
		for _, piece := range hostile {
			short := strings.Repeat(piece, 4000/len(piece))
			once, tenfold := time.Hour, time.Hour
			for range 5 {
				once, tenfold = min(once, took(short)), min(tenfold, took(strings.Repeat(short, 10)))
			}
			worst, longest = max(worst, float64(tenfold)/float64(once)), max(longest, tenfold)
		}
	}
	b.ReportMetric(worst, "times")
	b.ReportMetric(float64(longest.Microseconds()), "µs-40KB")
}

// BenchmarkFindClaims reads 4 KB of answers in four languages.
func BenchmarkFindClaims(b *testing.B) {
	list := answers(b)
	var text strings.Builder
	for i := 0; text.Len() < 4096; i++ {
		text.WriteString(list[i%4*100+i/4].text + "\n")
	}
	md := text.String()[:4096]
	b.SetBytes(int64(len(md)))
	b.ReportAllocs()
	for b.Loop() {
		claim.FindClaims(md)
	}
}

// If a form were listed under two verbs, it would randomly count for one verb or the other.
func TestLexicon_VerbForms_HaveOneMeaning(t *testing.T) {
	for _, twice := range claim.DuplicateVerbForms() {
		t.Error(twice)
	}
}
