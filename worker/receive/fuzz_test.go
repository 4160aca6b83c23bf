package receive

import (
	"archive/zip"
	"bytes"
	"io"
	"testing"

	"mews/protocol"
	"mews/worker/workspace"
)

// newReading returns a maker of readings: each has a file in memory and a new folder.
func newReading(f *testing.F) func(data []byte) *reading {
	ws, err := workspace.Open(f.TempDir(), protocol.FilePolicy{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := ws.Close(); err != nil {
			f.Error(err)
		}
	})
	return func(data []byte) *reading {
		r := &receiver{Options: Options{Home: ws}, textRoom: maxText}
		return &reading{receiver: r, path: "uploads/x", file: bytes.NewReader(data), size: int64(len(data))}
	}
}

// FuzzArchives: the readers end on any bytes, and list no more names than they may.
func FuzzArchives(f *testing.F) {
	read := newReading(f)
	f.Add([]byte("PK\x05\x06" + string(make([]byte, 18))))
	f.Add(append(make([]byte, 257), "ustar\x0000"...))
	f.Add([]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, try := range []readFunc{readZip, readTar, readGzip} {
			one := read(data)
			_ = try(t.Context(), one)
			for _, p := range one.result.Parts {
				if bytes.Count([]byte(p.Text), []byte("\n")) > maxListed+4 {
					t.Errorf("%d bytes are quoted", len(p.Text))
				}
			}
		}
	})
}

// FuzzOffice: the reader of each format ends on any document.
func FuzzOffice(f *testing.F) {
	f.Add([]byte(`<w:p><w:r><w:t>a &amp; b</w:t><w:tab/></w:r></w:p>`), []byte(`<sst><si><t>a</t></si></sst>`))
	f.Add([]byte(`<row><c r="B2" t="s"><v>0</v></c></row>`), []byte(`<cellXfs><xf numFmtId="14"/></cellXfs>`))
	f.Add([]byte(`<workbook><sheet name="a" id="r"/></workbook>`), []byte(`<Relationship Id="r" Target="s.xml"/>`))
	f.Fuzz(func(t *testing.T, one, two []byte) {
		for _, format := range officeFormats {
			var b bytes.Buffer
			z := zip.NewWriter(&b)
			for name, data := range map[string][]byte{
				format.marker: one, "ppt/slides/slide1.xml": two, "xl/_rels/workbook.xml.rels": two, "xl/sharedStrings.xml": two,
				"xl/styles.xml": two, "xl/s.xml": two,
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
			r, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
			if err != nil {
				t.Fatal(err)
			}
			_ = format.write(&zipFile{Reader: r, ctx: t.Context(), left: maxUnpacked}, &lines{ctx: t.Context(), to: io.Discard})
			_ = (&workbook{shared: []string{"a"}, dates: []bool{true}}).writeSheet(bytes.NewReader(one), &lines{ctx: t.Context(), to: io.Discard})
		}
	})
}
