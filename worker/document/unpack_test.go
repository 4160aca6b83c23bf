package document

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"
)

// TestUnpack_SheetReadAgain_CountsTowardLimit: a hostile spreadsheet may name the same sheet many
// times.
func TestUnpack_SheetReadAgain_CountsTowardLimit(t *testing.T) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range map[string]string{
		"xl/workbook.xml":            "<w>" + strings.Repeat(`<sheet name="a" id="1"/>`, 100) + "</w>",
		"xl/_rels/workbook.xml.rels": `<r><Relationship Id="1" Target="s.xml"/></r>`,
		"xl/s.xml":                   `<row r="` + strings.Repeat("1", 100<<10) + `"/>`,
	} {
		part, err := w.Create(name)
		if err == nil {
			_, err = io.WriteString(part, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for left, fits := range map[int64]bool{20 << 20: true, 1 << 20: false} {
		z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil {
			t.Fatal(err)
		}
		err = writeSheets(&zipFile{Reader: z, left: left}, &lines{to: io.Discard})
		if fits != (err == nil) || !fits && !strings.Contains(err.Error(), "over 64 MiB") {
			t.Errorf("with %d bytes: %v", left, err)
		}
	}
}
