package document

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"mews/worker/parse"
)

// fuzzParser runs the parser of a kind over any bytes. The parser must end. Its body must be
// bounded, and as long as its header says.
func fuzzParser(f *testing.F, kind parse.Kind, seeds ...string) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var b bytes.Buffer
		if err := runBytes(parsers[kind], data, &b); err != nil {
			if failed := failureOf(err); failed.Error() == "" {
				t.Errorf("the failure %+v has no text", failed)
			}
			return
		}
		head, body, _ := strings.Cut(b.String(), "\n")
		var h parse.Header
		if err := json.Unmarshal([]byte(head), &h); err != nil || h.Validate(kind) != nil {
			t.Fatalf("the header %q: %v, %v", head, err, h.Validate(kind))
		}
		want := h.Text
		for _, file := range h.Files {
			want += file.Size
		}
		if len(body) > parse.MaxOutput || want > 0 && int64(len(body)) != want {
			t.Errorf("%d bytes after the header %q", len(body), head)
		}
		if h.Names != nil && strings.Count(body, "\n") > maxListed {
			t.Errorf("%d lines are listed", strings.Count(body, "\n"))
		}
	})
}

// runBytes runs a parser over bytes in memory. Unlike runParser, it does not recover from a panic.
func runBytes(run parser, data []byte, to io.Writer) error {
	out := newOutput(to)
	if err := run(source{bytes.NewReader(data), int64(len(data))}, out); err != nil && err != errFull {
		return err
	}
	return out.to.Flush()
}

func FuzzZip(f *testing.F) {
	fuzzParser(
		f,
		parse.KindZip,
		"PK\x05\x06"+string(make([]byte, 18)),
		string(
			makeZip(f, map[string]string{"word/document.xml": tableXML}),
		),
		string(makeZip(f, map[string]string{"a": "b"})),
	)
}

func FuzzTar(f *testing.F) {
	fuzzParser(f, parse.KindTar, string(append(make([]byte, 257), "ustar\x0000"...)))
}

func FuzzGzip(f *testing.F) {
	fuzzParser(f, parse.KindGzip, "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00")
}

func FuzzHTML(f *testing.F) {
	fuzzParser(
		f,
		parse.KindHTML,
		"<title>a</title><p>b<a href=http://c>d</a><table><tr><td>e<table><tr><th colspan=3>f</table></table>",
		"<ol><li>a<ul><li>b</ul></ol><pre>c\n d</pre><script>e</script>",
		"\xff\xfe<\x00p\x00",
	)
}

func FuzzRTF(f *testing.F) {
	fuzzParser(
		f,
		parse.KindRTF,
		`{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset204 A;}}\f0 \'cf\u8364?{\*\x y}\par\trowd\intbl a\cell `+
			`b\cell\row}`,
		`{\rtf1\bin9 x}`,
		`{\rtf1\u-10179?\u-8704?}`,
	)
}

func FuzzNotebook(f *testing.F) { fuzzParser(f, parse.KindNotebook, notebookJSON, `{"cells":[]}`) }

func FuzzMail(f *testing.F) {
	fuzzParser(f, parse.KindMail, trip, "Subject: =?utf-8?b?YQ==?=\n\nhello",
		"Content-Type: text/html; charset=iso-2022-jp\n\n\x1b$B<p>", "Content-Transfer-Encoding: base64\n\nYQ==")
}

func FuzzPicture(f *testing.F) {
	fuzzParser(
		f,
		parse.KindPicture,
		string(bmpOf(f)),
		string(tiffOf(f)),
		"GIF89a",
		"\xff\xd8\xff\xe0",
		"\x89PNG\r\n\x1a\n",
	)
}

// FuzzOffice checks that the reader of each office format ends, for any document.
func FuzzOffice(f *testing.F) {
	f.Add([]byte(`<w:p><w:r><w:t>a &amp; b</w:t><w:tab/></w:r></w:p>`), []byte(`<sst><si><t>a</t></si></sst>`))
	f.Add([]byte(`<row><c r="B2" t="s"><f>A1</f><v>0</v></c></row>`), []byte(`<cellXfs><xf numFmtId="14"/></cellXfs>`))
	f.Add([]byte(`<workbook><sheet name="a" id="r"/></workbook>`), []byte(`<Relationship Id="r" Target="s.xml"/>`))
	f.Add([]byte(`<rootfile full-path="xl/s.xml"/>`), []byte(`<item id="a" href="styles.xml"/><itemref idref="a"/>`))
	f.Add([]byte(tableXML), []byte(`<tbl><tr><tc><tbl><tr><tc><t>a</t></tc></tr></tbl></tc></tr></tbl>`))
	f.Fuzz(func(t *testing.T, one, two []byte) {
		for _, format := range zipFormats {
			var b bytes.Buffer
			z := zip.NewWriter(&b)
			for name, data := range map[string][]byte{
				format.marker: one, "ppt/slides/slide1.xml": two, "xl/_rels/workbook.xml.rels": two,
				"xl/sharedStrings.xml": two,
				"xl/styles.xml":        two, "xl/s.xml": two,
			} {
				w, err := z.Create(name)
				if err == nil {
					_, err = w.Write(data)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := z.Close(); err != nil {
				t.Fatal(err)
			}
			r, err := openZip(source{bytes.NewReader(b.Bytes()), int64(b.Len())})
			if err != nil {
				t.Fatal(err)
			}
			_ = format.write(r, &lines{to: io.Discard})
			sheet := &workbook{shared: []string{"a"}, dates: []bool{true}}
			_ = sheet.writeSheet(bytes.NewReader(one), &lines{to: io.Discard})
		}
	})
}
