package receive_test

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"mews/protocol"
)

// pngHead returns the head of a PNG of this size. The pixels are missing.
func pngHead(w, h uint32) []byte {
	chunk := append([]byte("IHDR"), binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)...)
	chunk = append(chunk, 8, 6, 0, 0, 0)
	framed := append(binary.BigEndian.AppendUint32([]byte("\x89PNG\r\n\x1a\n"), 13), chunk...)
	return binary.BigEndian.AppendUint32(framed, crc32.ChecksumIEEE(chunk))
}

// TestReceive_HostileFile_IsKeptAndBounded: each file is kept unchanged. The model gets a sentence
// or a bounded text, and reading takes little memory.
func TestReceive_HostileFile_IsKeptAndBounded(t *testing.T) {
	h := newHome(t, "")
	word := func(xml string) []byte { return makeZip(t, map[string]string{"word/document.xml": xml}) }
	sheet := func(name, xml string) []byte {
		return makeZip(t, map[string]string{"xl/workbook.xml": `<w><sheet name="a" id="1"/></w>`,
			"xl/_rels/workbook.xml.rels": `<r><Relationship Id="1" Target="s.xml"/></r>`, name: xml})
	}
	var names bytes.Buffer // an archive's list of many names without files
	for range 200_000 {
		names.WriteString("PK\x01\x02" + strings.Repeat("\x00", 42))
	}
	entries := uint16(200_000 % (1 << 16))
	manyNames := slices.Concat([]byte("PK\x03\x04\x00"), names.Bytes(), []byte("PK\x05\x06\x00\x00\x00\x00"),
		binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(nil, entries), entries),
		binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, uint32(names.Len())), 5), []byte{0, 0})
	var endless bytes.Buffer
	if err := tar.NewWriter(&endless).WriteHeader(&tar.Header{Name: "a", Size: 1 << 40}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		data []byte
		says string // part of the failure's text; "" means no failure
		text string // part of the text for the model
	}{
		"pixels.png":   {pngHead(50_000, 50_000), "50000 x 50000 pixels", ""},
		"cut.png":      {pngHead(100, 100), "damaged", ""},
		"bomb.docx":    {word("<w:t>" + strings.Repeat(" ", 2<<20) + "</w:t>"), "damaged", ""},
		"deep.docx":    {word(strings.Repeat("<a>", 1<<19)), "There is no text in it.", ""},
		"attributes":   {word("<a" + strings.Repeat(` b=""`, 1<<20) + ">"), "damaged", ""},
		"laughs.docx":  {word(`<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;">]><w:t>&c;</w:t>`), "damaged", ""},
		"outside.docx": {word(`<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><w:t>&b;</w:t>`), "damaged", ""},
		"shared.xlsx":  {sheet("xl/sharedStrings.xml", strings.Repeat("<si></si>", 600_000)), "too much", ""},
		"columns.xlsx": {sheet("xl/s.xml", strings.Repeat(`<row><c r="XFD1"><v>1</v></c></row>`, 3000)), "",
			"The first 20 MiB of it are in"},
		"names.zip":  {manyNames, "Its list of names is too long.", ""},
		"broken.zip": {[]byte("PK\x03\x04\x00garbage"), "It is damaged, or of a kind that can't be opened.", ""},
		"bomb.tgz": {append(zipped(t, endless.Bytes()), bytes.Repeat(zipped(t, make([]byte, 1<<20)), 300)...), "",
			"The rest of the archive is damaged."},
		"broken.pdf":    {[]byte("%PDF-1.4\ngarbage"), "damaged", ""},
		"pages.pdf":     {pdf(10_000, "Page"), "", "All of it is in"},
		"broken.ogg":    {[]byte("OggS\x00" + strings.Repeat("\xff\x00", 1000)), "damaged", ""},
		"playlist.mp4":  {[]byte("\x00\x00\x00\x18ftypmp42\x00#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n"), "damaged", ""},
		"broken.heic":   {[]byte("\x00\x00\x00\x18ftypheic\x00\x00"), "damaged", ""},
		"polyglot.html": {append(photo(t, 16, 16), "<script>alert(1)</script>PK\x03\x04"...), "", "a JPEG image, 16 x 16 pixels"},
		"polyglot.pdf":  {append([]byte("\x00MZ%PDF-1.4"), pdf(1, "x")...), "", "a file of another kind"},
	} {
		t.Run(name, func(t *testing.T) {
			f := h.file(protocol.AttachmentDocument, name, c.data)
			runtime.GC()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got := h.takes(f)
			runtime.ReadMemStats(&after)
			if !strings.Contains(got.Failure, c.says) || (c.says == "") != (got.Failure == "") || c.says != "" && got.Parts != nil || !strings.Contains(texts(got), c.text) {
				t.Errorf("got %q %.300q", got.Failure, texts(got))
			}
			if kept, err := os.ReadFile(filepath.Join(h.dir, got.Path)); err != nil || got.Path != day+name || !bytes.Equal(kept, c.data) {
				t.Errorf("it was not kept as it is: %q, %v", got.Path, err)
			}
			if grown := (int64(after.HeapSys) - int64(before.HeapSys)) >> 20; grown > 150 {
				t.Errorf("it took %d MiB", grown)
			}
		})
	}
	for name := range h.files() {
		if strings.Contains(name, ".tmp") {
			t.Errorf("there is %s", name)
		}
	}
}
