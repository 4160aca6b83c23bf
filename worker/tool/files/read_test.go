package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"mews/protocol"
	"mews/protocol/amount"
)

func numbered(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func TestReadFile_EachCall_ShowsLines(t *testing.T) {
	d := newFixture(t, protocol.FilePolicy{}, map[string]string{
		"short.md": "one\ntwo\nthree", "long.txt": numbered(1, 5000), "empty": "", "wide": strings.Repeat("ä", 200_000) + "\nend\n",
		"many": strings.Repeat(strings.Repeat("x", 1023)+"\n", 400), "nl": "\n", "crlf": "a\r\nb\r\n",
	})
	for _, c := range []struct{ arguments, text, brief string }{
		{`{"path":"short.md"}`, "one\ntwo\nthree", "3 lines"},
		{`{"path":"/short.md","start_line":0,"end_line":0}`, "one\ntwo\nthree", "3 lines"},
		{`{"path":"short.md","start_line":2,"end_line":2}`, "short.md: line 2 of 3\ntwo\n", "line 2 of 3"},
		{`{"path":"short.md","start_line":2}`, "short.md: lines 2-3 of 3\ntwo\nthree", "lines 2-3 of 3"},
		{`{"path":"short.md","start_line":1,"end_line":99}`, "one\ntwo\nthree", "3 lines"},
		{`{"path":"empty"}`, "empty: empty\n", "empty"},
		{`{"path":"nl"}`, "\n", "1 line"},
		{`{"path":"crlf"}`, "a\r\nb\r\n", "2 lines"},
		{`{"path":"long.txt"}`, "long.txt: lines 1-2000 of 5,000; go on with start_line 2001\n" + numbered(1, 2000), "lines 1-2000 of 5,000"},
		{`{"path":"long.txt","start_line":4999}`, "long.txt: lines 4999-5000 of 5,000\n" + numbered(4999, 5000), "lines 4999-5000 of 5,000"},
		{
			`{"path":"long.txt","start_line":2,"end_line":4000}`,
			"long.txt: lines 2-2001 of 5,000; go on with start_line 2002\n" + numbered(2, 2001), "lines 2-2001 of 5,000",
		},
		{
			`{"path":"many"}`, "many: lines 1-256 of 400; go on with start_line 257\n" +
				strings.Repeat(strings.Repeat("x", 1023)+"\n", 256), "lines 1-256 of 400",
		},
		{
			`{"path":"wide"}`, "wide: line 1 of 2; line 1 is longer than is shown; go on with start_line 2\n" +
				strings.Repeat("ä", maxExcerpt/2), "line 1 of 2",
		},
	} {
		if r := d.mustRun("read_file", c.arguments, c.text); r.Brief != c.brief {
			t.Errorf("%s: brief %q, want %q", c.arguments, r.Brief, c.brief)
		}
	}
	d.mustFail("read_file", `{"path":"short.md","start_line":4}`, "read short.md: it has 3 lines, and start_line is 4")
	d.mustFail("read_file", `{"path":"short.md","start_line":3,"end_line":2}`, "no lines 3 to 2")
	d.mustFail("read_file", `{"path":"missing.md"}`, "read missing.md: there is no such file or folder")
	d.mustFail("read_file", `{"path":"."}`, "it is a folder")
}

func TestReadFile_EachEncoding_IsDecoded(t *testing.T) {
	utf16LE, _ := encodeAll("größe 😀\n", encodingUTF16LE)
	utf16BE, _ := encodeAll("größe 😀\n", encodingUTF16BE)
	for _, c := range []struct{ name, bytes, text string }{
		{"plain UTF-8", "größe 😀\n", "größe 😀\n"},
		{"UTF-8 with a mark", "\xef\xbb\xbfgröße\n", "größe\n"},
		{"UTF-16 LE", string(utf16LE), "f: read as UTF-16 LE\ngröße 😀\n"},
		{"UTF-16 BE", string(utf16BE), "f: read as UTF-16 BE\ngröße 😀\n"},
		{"Latin-1", "gr\xf6\xdfe\n", "f: read as Windows-1252\ngröße\n"},
		{"Windows-1252", "\x93quote\x94 \x80 5\n", "f: read as Windows-1252\n“quote” € 5\n"},
		{"Latin-1 far down", strings.Repeat("ascii\n", 1500) + "\xf6\n", "f: read as Windows-1252\n" + strings.Repeat("ascii\n", 1500) + "ö\n"},
		{"half a character at the end", "a\xc3", "f: read as Windows-1252\naÃ"},
		{"half a unit at the end", "\xff\xfea\x00b", "f: read as UTF-16 LE\na\uFFFD"},
		{"colours of a terminal", "\x1b[31mred\x1b[0m\n", "\x1b[31mred\x1b[0m\n"},
		{"NUL far down", strings.Repeat("ascii\n", 1500) + "\x00\n", strings.Repeat("ascii\n", 1500) + "\uFFFD\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			newFixture(t, protocol.FilePolicy{}, map[string]string{"f": c.bytes}).mustRun("read_file", `{"path":"f"}`, c.text)
		})
	}
}

func TestRead_BinaryFile_ShowsOnlyItsType(t *testing.T) {
	for bytes, kind := range map[string]string{
		"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR":     "not text but a PNG image, 16 bytes; look at it with view_image",
		"%PDF-1.7\nall printable":                 "not text but a PDF document",
		"SQLite format 3\x00":                     "an SQLite database",
		"\x00\x01\x02":                            "not text but binary, 3 bytes",
		"\x01\x02\x03 few":                        "binary",
		"RIFF\x00\x00\x00\x00WEBPVP8 ":            "a WebP image",
		strings.Repeat("a\x00", 257/2) + "-ustar": "a tar archive",
	} {
		newFixture(t, protocol.FilePolicy{}, map[string]string{"f": bytes}).mustFail("read_file", `{"path":"f"}`, "read f: it is ", kind)
	}
	for _, text := range []string{"ID3 is a tag format\n", "MZ is how programs begin\n", "BZhello\n", "GIF8 and others\n"} {
		newFixture(t, protocol.FilePolicy{}, map[string]string{"f": text}).mustRun("read_file", `{"path":"f"}`, text)
	}
}

// allocated runs f and returns the number of bytes allocated meanwhile.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestRead_TwoGigabytes_TakesLittleMemory(t *testing.T) {
	d := newFixture(t, protocol.FilePolicy{}, map[string]string{"log": numbered(1, 20_000), "zeros": ""})
	for _, name := range []string{"log", "zeros"} {
		// a sparse file: it takes no room on the disk
		if err := os.Truncate(d.path(name), 2<<30); err != nil {
			t.Fatal(err)
		}
	}
	used := allocated(func() {
		d.mustFail("read_file", `{"path":"zeros"}`, "read zeros: it is not text but binary, 2.1 GB")
		d.mustRun("read_file", `{"path":"log","start_line":15001,"end_line":15002}`,
			"log: lines 15001-15002 of very many\n"+numbered(15001, 15002))
		r, err := d.call("read_file", `{"path":"log","start_line":20001}`)
		if err != nil || !strings.HasPrefix(r.Text, "log: line 20001 of very many; line 20001 is longer than is shown") {
			t.Errorf("the line of zeros: %.100q, %v", r.Text, err)
		}
		r, err = d.call("search_files", `{"query":"line 19999","path":"zeros"}`)
		if err != nil || !strings.HasPrefix(r.Text, "No line of 1 file matches") {
			t.Errorf("search: %.100q, %v", r.Text, err)
		}
	})
	if used > 8<<20 {
		t.Errorf("%s were allocated for it", amount.FormatBytes(int64(used)))
	}
	d.mustFail("edit_file", `{"path":"log","old_text":"line 1","new_text":"x"}`, "edit log: it is larger than")
}

func TestRead_SeveralPaths_ShowsAllFiles(t *testing.T) {
	d := newFixture(t, protocol.FilePolicy{}, map[string]string{"a": "one\n", "b": "two", "c.bin": "\x00", "e": ""})
	r := d.mustRun("read_file", `{"paths":["a","b","missing","c.bin","e"]}`, "=== a ===\none\n=== b ===\ntwo\n"+
		"=== missing ===\ncould not read missing: there is no such file or folder\n"+
		"=== c.bin ===\ncould not read c.bin: it is not text but binary, 1 byte\n=== e ===\ne: empty\n")
	if r.Brief != "3 files, 2 could not be read" {
		t.Errorf("brief %q", r.Brief)
	}
	d.mustRun("read_file", `{"path":"b","paths":["a"]}`, "=== b ===\ntwo\n=== a ===\none\n")
	d.mustRun("read_file", `{"paths":["a"]}`, "one\n")
	d.mustFail("read_file", `{"paths":[]}`, "the path is empty")
	d.mustFail("read_file", `{"path":"a","paths":["b"`+strings.Repeat(`,"b"`, 19)+`]}`, "read 21 files: at most 20")
	d.put("three", numbered(1, 3))
	d.mustRun("read_file", `{"paths":["three","b"],"start_line":2,"end_line":2}`, "=== three ===\nthree: line 2 of 3\nline 2\n"+
		"=== b ===\ncould not read b: it has 1 line, and start_line is 2\n")
	d.mustFail("read_file", `{"paths":["x","../y"]}`, "read x: there is no such file", "leads out")
	d.put("big", strings.Repeat("0123456789abcde\n", 1<<16))
	big, err := d.call("read_file", `{"paths":["big","a","big","big"]}`)
	if err != nil || len(big.Text) > maxExcerpt+1000 || !strings.Contains(big.Text, "=== a ===\none\n") ||
		strings.Count(big.Text, "go on with start_line 2001") != 3 {
		t.Errorf("three big ones and a small one: %s, %v", amount.FormatBytes(int64(len(big.Text))), err)
	}
}

func TestRead_ContextEnds_Stops(t *testing.T) {
	d := newFixture(t, protocol.FilePolicy{}, map[string]string{"a": numbered(1, 10)})
	stop := errors.New("stopped by the person")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	for arguments, tool := range map[string]string{
		`{"path":"a"}`: "read_file", `{"paths":["a","a"]}`: "read_file", `{}`: "list_files", `{"query":"line"}`: "search_files",
	} {
		if _, err := d.callWith(ctx, tool, arguments); !errors.Is(err, stop) {
			t.Errorf("%s: %v", tool, err)
		}
	}
}

// FuzzDecode gives any bytes to the decoder, whole and byte by byte. The text is the same, valid
// and without NUL. encodeAll makes the same bytes from decodeAll's text.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{"", "plain", "gr\xf6\xdfe", "\xef\xbb\xbfx", "\xff\xfea\x00\x3d\xd8", "\xfe\xff\xd8\x3d\xde\x00", "a\xe2\x82", "\x00"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		head := raw[:min(len(raw), headSize)]
		enc, binary := sniff(head)
		if binary != "" {
			return
		}
		var whole, slow textDecoder
		whole.reset(head, strings.NewReader(string(raw[len(head):])), enc)
		got, err := io.ReadAll(&whole)
		if err != nil || !utf8.Valid(got) || strings.ContainsRune(string(got), 0) {
			t.Fatalf("%q became %q, %v", raw, got, err)
		}
		mark := len(raw) - len(strings.TrimPrefix(string(head), markOf(enc))) - (len(raw) - len(head))
		slow.reset(raw[:mark], iotest.OneByteReader(strings.NewReader(string(raw[mark:]))), enc)
		if again, err := io.ReadAll(&slow); err != nil || string(again) != string(got) {
			t.Fatalf("%q became %q at once and %q byte by byte, %v", raw, got, again, err)
		}
		if text, enc, err := decodeAll(raw, enc); err == nil {
			if back, err := encodeAll(text, enc); err != nil || string(back) != string(raw) {
				t.Fatalf("%q came back as %q, %v", raw, back, err)
			}
		}
	})
}

func markOf(enc encoding) string {
	for _, m := range byteOrderMarks {
		if m.encoding == enc {
			return m.bytes
		}
	}
	return ""
}
