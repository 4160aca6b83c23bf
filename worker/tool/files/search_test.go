package files

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"mews/protocol"
)

func TestSearchFiles_Query_ShowsMatches(t *testing.T) {
	utf16, _ := encodeAll("milk in wide letters\n", encodingUTF16LE)
	d := newFixture(t, protocol.FilePolicy{Exclude: []string{"secret"}}, map[string]string{
		"a.md": "Buy milk\nand bread\n\nmore Milk\n", "notes/b.txt": "no\nmilk\n", "c.bin": "milk\x00", "secret/d": "milk",
		"wide.txt": string(utf16), "latin.txt": "gr\xf6\xdfe\r\n", ".trash/s-1/e": "milk", "ctx": "1\n2\nX\n4\nX\n6\n7\n8\n9\nX\n",
	})
	for _, c := range []struct{ arguments, text, brief string }{
		{
			`{"query":"milk"}`, "a.md:1: Buy milk\na.md:4: more Milk\nnotes/b.txt:2: milk\nwide.txt:1: milk in wide letters\n" +
				"4 matches in 3 files.", "4 matches in 3 files",
		},
		{`{"query":"Milk","case_sensitive":true}`, "a.md:4: more Milk\n1 match in 1 file.", "1 match in 1 file"},
		{`{"query":"milk","glob":"*.txt","path":"notes"}`, "notes/b.txt:2: milk\n1 match in 1 file.", "1 match in 1 file"},
		{`{"query":"milk","path":"a.md","limit":1}`, "a.md:1: Buy milk\n1 match in 1 file; " +
			"stopped at 1: narrow the query, path or glob, or raise limit.", "1 match in 1 file"},
		{`{"query":"milk","path":"notes","limit":1}`, "notes/b.txt:2: milk\n1 match in 1 file.", "1 match in 1 file"},
		{`{"query":"^(buy|more)\\s+\\w+$","regexp":true}`, "a.md:1: Buy milk\na.md:4: more Milk\n2 matches in 1 file.", "2 matches in 1 file"},
		{`{"query":"GRÖSSE"}`, "No line of 6 files matches \"GRÖSSE\".", "no matches"},
		{`{"query":"GRÖßE"}`, "latin.txt:1: größe\n1 match in 1 file.", "1 match in 1 file"},
		{`{"query":"e$","regexp":true,"glob":"latin.txt"}`, "latin.txt:1: größe\n1 match in 1 file.", "1 match in 1 file"},
		{
			`{"query":"X","path":"ctx","context":1}`, "ctx-2- 2\nctx:3: X\nctx-4- 4\nctx:5: X\nctx-6- 6\n--\nctx-9- 9\nctx:10: X\n" +
				"3 matches in 1 file.", "3 matches in 1 file",
		},
		{`{"query":"milk","path":".trash"}`, ".trash/s-1/e:1: milk\n1 match in 1 file.", "1 match in 1 file"},
	} {

		if r := d.mustRun("search_files", c.arguments, c.text); r.Brief != c.brief {
			t.Errorf("%s: brief %q, want %q", c.arguments, r.Brief, c.brief)
		}
	}
	d.mustFail("search_files", `{"query":""}`, "search .: the query is empty")
	d.mustFail("search_files", `{"query":"(","regexp":true}`, "not a regular expression")
	d.mustFail("search_files", `{"query":"a\nb"}`, "more than one line")
	d.mustFail("search_files", `{"query":"x","path":"secret"}`, "no such file or folder")
	d.mustFail("search_files", `{"query":"`+strings.Repeat("x", 1001)+`"}`, "at most 1000")
}

func TestSearch_LongLines_KeepAnswerShort(t *testing.T) {
	long := strings.Repeat("ä", 10_000) + "needle" + strings.Repeat("ö", 10_000)
	d := newFixture(t, protocol.FilePolicy{}, map[string]string{
		"long": long + "\n", "huge": strings.Repeat("x", 3*blockSize) + "needle\nsecond needle\n",
		"many": strings.Repeat("hay "+strings.Repeat("-", 300)+"\n", 3000),
	})
	r, err := d.call("search_files", `{"query":"needle"}`)
	if err != nil || strings.Count(r.Text, "needle") != 3 || len(r.Text) > 1200 || !utf8.ValidString(r.Text) ||
		!strings.Contains(r.Text, "huge:2: second needle\n") || !strings.Contains(r.Text, "äneedleö") {
		t.Fatalf("%d bytes: %s, %v", len(r.Text), r.Text, err)
	}
	r, err = d.call("search_files", `{"query":"hay","limit":100000,"context":10}`)
	if err != nil || len(r.Text) > maxAnswer+2*maxShown*maxContext || !strings.Contains(r.Text, "the answer is too long") {
		t.Fatalf("%d bytes, %v", len(r.Text), err)
	}
}

func TestFiles_TwentyThousand_AreListedAndSearched(t *testing.T) {
	d := newFixture(t, protocol.FilePolicy{}, nil)
	manyFiles(t, d, 20_000)
	r, err := d.call("list_files", `{"recursive":true}`)
	if err != nil || r.Brief != "20,000 files, 200 folders" || strings.Count(r.Text, "\n") != listLimit ||
		!strings.HasSuffix(r.Text, "... and 20,000 more of 20,000 files and 200 folders; narrow it with path or pattern, or raise limit.") {
		t.Fatalf("list: %q, %v", r.Brief, err)
	}
	d.mustRun("search_files", `{"query":"note 19999 "}`,
		"d199/f99.md:2: this is note 19999 of many\n1 match in 1 file.")
}

// manyFiles makes n small files, 100 in a folder.
func manyFiles(tb testing.TB, d *fixture, n int) {
	tb.Helper()
	for i := range n {
		if i%100 == 0 {
			if err := os.Mkdir(d.path(fmt.Sprintf("d%d", i/100)), 0o755); err != nil {
				tb.Fatal(err)
			}
		}
		name := d.path(fmt.Sprintf("d%d/f%d.md", i/100, i%100))
		if err := os.WriteFile(name, fmt.Appendf(nil, "# Title\nthis is note %d of many\n", i), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
}

func FuzzMatcher(f *testing.F) {
	f.Add("milk", "Buy MILK now", false, false)
	f.Add("größe", "GRÖSSE größe", false, false)
	f.Add("a+$", "baa", true, true)
	f.Fuzz(func(t *testing.T, query, line string, isRegexp, caseSensitive bool) {
		m, err := newMatcher(query, isRegexp, caseSensitive)
		if err != nil {
			return
		}
		from, to := m.find([]byte(line))
		if from >= 0 && (to < from || to > len(line) || !m.mayMatch([]byte(line))) {
			t.Fatalf("%q in %q: %d to %d", query, line, from, to)
		}
		if caseSensitive && !isRegexp && strings.Contains(line, query) != (from >= 0) {
			t.Fatalf("%q in %q: %d", query, line, from)
		}
		shown := cutAround([]byte(line), max(from, 0), max(to, 0))
		if len(shown) > maxShown+6 || utf8.ValidString(line) && !utf8.ValidString(shown) {
			t.Fatalf("%q is shown as %q", line, shown)
		}
	})
}

func BenchmarkSearch100K(b *testing.B) {
	d := newFixture(b, protocol.FilePolicy{}, nil)
	manyFiles(b, d, 100_000)
	for b.Loop() {
		if r, err := d.call("search_files", `{"query":"note 99999 "}`); err != nil || r.Brief != "1 match in 1 file" {
			b.Fatal(r.Brief, err)
		}
	}
}

func BenchmarkList100K(b *testing.B) {
	d := newFixture(b, protocol.FilePolicy{}, nil)
	manyFiles(b, d, 100_000)
	for b.Loop() {
		if r, err := d.call("list_files", `{"recursive":true}`); err != nil || r.Brief != "100,000 files, 1,000 folders" {
			b.Fatal(r.Brief, err)
		}
	}
}

func BenchmarkSearch64MB(b *testing.B) {
	d := newFixture(b, protocol.FilePolicy{}, map[string]string{"log": strings.Repeat("a line of a log like any other\n", 64<<20/31)})
	b.SetBytes(64 << 20)
	for b.Loop() {
		if _, err := d.call("search_files", `{"query":"Needle"}`); err != nil {
			b.Fatal(err)
		}
	}
}
