package receive_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
	"mews/worker/receive"
)

// pdf makes a PDF with a number of pages. Each page holds a text, or a rectangle if text is empty.
func pdf(pages int, text string) []byte {
	var b bytes.Buffer
	var at []int
	object := func(format string, args ...any) {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(at), fmt.Sprintf(format, args...))
	}
	b.WriteString("%PDF-1.4\n")
	object("<< /Type /Catalog /Pages 2 0 R >>")
	var kids strings.Builder
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 4+2*i)
	}
	object("<< /Type /Pages /Kids [%s] /Count %d >>", &kids, pages)
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	for i := range pages {
		content := "1 0 0 rg 100 100 200 300 re f"
		if text != "" {
			content = fmt.Sprintf("BT /F1 24 Tf 72 700 Td (%s %d) Tj ET", text, i+1)
		}
		object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Resources << /Font << /F1 3 0 R >> >> >>", 5+2*i)
		object("<< /Length %d >>\nstream\n%s\nendstream", len(content), content)
	}
	end := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, offset := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, end)
	return b.Bytes()
}

// makeZip makes a ZIP archive of these files, in the order of their names.
func makeZip(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(files[name]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func tarOf(t testing.TB, names ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range names {
		err := w.WriteHeader(&tar.Header{Name: name, Size: 3, Mode: 0o600})
		if err == nil {
			_, err = w.Write([]byte("abc"))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zipped(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// film makes a film with ffmpeg and these arguments.
func film(t testing.TB, name string, args ...string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	out, err := exec.Command("ffmpeg", slices.Concat([]string{"-v", "error"}, args, []string{file})...).CombinedOutput()
	if err != nil {
		t.Fatalf("ffmpeg: %v\n%s", err, out)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

const wordXML = `<?xml version="1.0"?><w:document xmlns:w="x" xmlns:mc="y"><w:body>
<w:p><w:pPr><w:t>no</w:t></w:pPr><w:r><w:t>Dear </w:t></w:r><w:r><w:t>Ann &amp; Bob,</w:t></w:r></w:p>
<w:p><w:r><w:t>one</w:t><w:tab/><w:t>two</w:t><w:br/><w:t>three</w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>
<mc:AlternateContent><mc:Choice><w:p><w:t>box</w:t></w:p></mc:Choice><mc:Fallback><w:p><w:t>box</w:t></w:p></mc:Fallback></mc:AlternateContent>
</w:body></w:document>`

var spreadsheet = map[string]string{
	"xl/workbook.xml": `<workbook xmlns:r="r"><sheets><sheet name="Costs" r:id="rId2"/><sheet name="Empty" r:id="rId1"/></sheets></workbook>`,
	"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/>` +
		`<Relationship Id="rId2" Target="/xl/worksheets/sheet2.xml"/></Relationships>`,
	"xl/sharedStrings.xml":     `<sst><si><t>What</t></si><si><r><t>Rent, </t></r><r><t>"cold"</t></r><rPh><t>aloud</t></rPh></si></sst>`,
	"xl/styles.xml":            `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="[Red]yyyy\-mm"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs></styleSheet>`,
	"xl/worksheets/sheet1.xml": `<worksheet><sheetData/></worksheet>`,
	"xl/worksheets/sheet2.xml": `<worksheet><sheetData><row><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>When</t></is></c></row>` +
		`<row><c r="A2" t="s"><v>1</v></c><c r="B2"><f>1+1</f><v>850.5</v></c><c r="C2" s="1"><v>46000</v></c><c r="D2" t="b"><v>1</v></c>` +
		`<c r="E2" s="2"><v>46000.5</v></c></row></sheetData></worksheet>`,
}

func TestDocuments_EachFormat_IsQuoted(t *testing.T) {
	h := newHome(t, "")
	odt := makeZip(t, map[string]string{"mimetype": "application/vnd.oasis.opendocument.text",
		"content.xml": `<o xmlns:text="t"><text:h>Plan</text:h> <text:p>a<text:tab/>b<text:s/>c<text:span>d</text:span></text:p></o>`})
	slides := makeZip(t, map[string]string{"ppt/presentation.xml": "<p/>", "ppt/slides/slide1.xml": `<a:p><a:t>First</a:t></a:p>`,
		"ppt/slides/slide2.xml": `<a:p><a:t>Second</a:t></a:p>`})
	for name, c := range map[string]struct {
		data       []byte
		kind, text string
	}{
		"a.pdf": {pdf(2, "Page"), "a PDF document", "Page 1\n\n\fPage 2\n\n\f"},
		"a.docx": {makeZip(t, map[string]string{"word/document.xml": wordXML}), "a Word document",
			"Dear Ann & Bob,\none\ttwo\nthree\nbox\n"},
		"a.xlsx": {makeZip(t, spreadsheet), "a spreadsheet, its sheets as CSV",
			"Costs:\nWhat,,When\n\"Rent, \"\"cold\"\"\",850.5,2025-12-09,TRUE,2025-12-09 12:00:00\nFormulas:\nB2:" +
				" =1+1\n\nEmpty:\n\n"},
		"a.odt":  {odt, "an OpenDocument file", "Plan\na\tb cd\n"},
		"a.pptx": {slides, "a presentation", "Slide 1:\nFirst\n\nSlide 2:\nSecond\n\n"},
	} {
		got := h.receiveOne(name, c.data)
		want := fmt.Sprintf("[File %s: %s, ", day+name, c.kind)
		if text := texts(got); got.Failure != "" || !strings.HasPrefix(text, want) ||
			!strings.Contains(text, "=====\n"+strings.TrimRight(strings.ReplaceAll(c.text, "\f", "\n"), "\n")+"\n=====\n[All of it is in "+day+name+".txt.]\n") {
			t.Errorf("%s: got %q %q", name, got.Failure, text)
		}
		if diff := cmp.Diff(c.text, h.files()[day+name+".txt"]); diff != "" {
			t.Errorf("%s.txt: %s", name, diff)
		}
		if again := h.receiveOne(name, c.data); again.Path != got.Path || len(h.files()[day+name+"-2.txt"]) > 0 {
			t.Errorf("%s: again: %+v", name, again)
		}
	}
	if n := len(h.files()); n != 10 {
		t.Errorf("there are %d files, want 10", n)
	}
	long := h.receiveOne("long.pdf", pdf(2000, "A page of a long book"))
	if all := h.files()[day+"long.pdf.txt"]; len(texts(long)) > 17<<10 || strings.Count(all, "\f") != 2000 {
		t.Errorf("a long one: %d bytes are shown, and %d pages kept", len(texts(long)), strings.Count(all, "\f"))
	}
}

// TestReceive_Markup_IsReadAsText: markup is read as text, by its ending or its first bytes. The
// file stays unchanged, and its text is stored beside it. Plain text is shown unchanged.
func TestReceive_Markup_IsReadAsText(t *testing.T) {
	h := newHome(t, "")
	page := "<!doctype html><title>T</title><p>a &amp; b</p>"
	photo := strings.Repeat("QUJD", 100<<10)
	for name, c := range map[string]struct{ data, kind, text string }{
		"a.html":       {page, "a web page (HTML)", "# T\n\na & b"},
		"page":         {page, "a web page (HTML)", "# T\n\na & b"},
		"a.rtf":        {`{\rtf1 one\par two}`, "a rich text document (RTF)", "one\ntwo"},
		"rich.doc":     {`{\rtf1 one\par two}`, "a rich text document (RTF)", "one\ntwo"},
		"a.ipynb":      {`{"cells":[{"cell_type":"markdown","source":["# A"]}]}`, "a Jupyter notebook", "# A"},
		"a.eml":        {"Subject: =?utf-8?q?=C3=9C?=\r\n\r\nhello\r\n", "a mail", "Subject: Ü\n\nhello"},
		"notes.txt":    {page, "text", page},
		"a.go":         {"package a // <html>", "text", "package a // <html>"},
		"a.vcf":        {"BEGIN:VCARD\nFN:Ann\nEND:VCARD\n", "text", "BEGIN:VCARD\nFN:Ann\nEND:VCARD"},
		"broken.ipynb": {"{", "text", "{"},
		"broken.eml":   {"no header here", "text", "no header here"},
		"photo.vcf": {"BEGIN:VCARD\nPHOTO;ENCODING=b:" + photo + "\nFN:Ann\nEND:VCARD\n", "text",
			"BEGIN:VCARD\nPHOTO;ENCODING=b:[307.2 KB left out]\nFN:Ann\nEND:VCARD"},
	} {
		got := h.receiveOne(name, []byte(c.data))
		beside := ""
		if c.kind != "text" {
			beside = "[All of it is in " + day + name + ".txt.]\n"
		}
		want := "[File " + day + name + ": " + c.kind + ", "
		if text := texts(got); got.Failure != "" || !strings.HasPrefix(text, want) || !strings.Contains(text,
			"=====\n"+c.text+"\n=====\n"+beside) {
			t.Errorf("%s: got %q %q", name, got.Failure, text)
		}
		if kept := h.files()[day+name]; kept != c.data {
			t.Errorf("%s was kept as %q", name, kept)
		}
	}
}

// TestMail_Attachments_AreKept: attachments become files beside the mail, and its line names them.
func TestMail_Attachments_AreKept(t *testing.T) {
	h := newHome(t, "")
	mail := strings.ReplaceAll(`Subject: x
Content-Type: multipart/mixed; boundary=b

--b

see below
--b
Content-Type: application/pdf
Content-Disposition: attachment; filename="../a [1].pdf"

%PDF-1.4
--b--
`, "\n", "\r\n")
	for range 2 { // the second round repeats the first, as after a crash
		got := h.receiveOne("m.eml", []byte(mail))
		want := "[All of it is in " + day + "m.eml.txt. Its attachments are kept: " + day +
			"m.eml-a (1).pdf (8 bytes).]"
		if text := texts(got); got.Failure != "" || !strings.Contains(text, want) {
			t.Errorf("got %q %q", got.Failure, text)
		}
		if all := h.files(); len(all) != 3 || all[day+"m.eml-a (1).pdf"] != "%PDF-1.4" {
			t.Errorf("there is %q", all)
		}
	}
	h.ws.SetQuota(fullQuota{})
	if got := h.receiveOne("full.eml", []byte(mail)); got.Path != "" || !strings.Contains(got.Failure,
		"the folder is full") {
		t.Errorf("got %+v", got)
	}
}

// TestPictures_EachFormat_IsShown: phones' and scanners' pictures are shown, too.
func TestPictures_EachFormat_IsShown(t *testing.T) {
	h := newHome(t, "")
	dir := t.TempDir()
	convert := func(name string, args ...string) []byte {
		file := filepath.Join(dir, name)
		if out, err := exec.Command(args[0], append(args[1:], file)...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", args[0], err, out)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	source := filepath.Join(dir, "source.png")
	if err := os.WriteFile(source, film(t, "a.png", "-f", "lavfi", "-i", "testsrc=size=1600x1200", "-frames:v", "1"),
		0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		data []byte
		kind string
	}{
		"IMG_1.HEIC": {convert("a.heic", "heif-enc", "-q", "40", source, "-o"), "a HEIC image"},
		"a.avif":     {convert("a.avif", "heif-enc", "-A", "-q", "40", source, "-o"), "an AVIF image"},
		"a.bmp":      {convert("a.bmp", "ffmpeg", "-v", "error", "-i", source), "a BMP image, 1600 x 1200 pixels"},
		"scan.tiff":  {convert("a.tiff", "ffmpeg", "-v", "error", "-i", source), "a TIFF image, 1600 x 1200 pixels"},
	} {
		got := h.receiveOne(name, c.data)
		if got.Failure != "" || pictures(got) != 1 || !strings.Contains(texts(got), c.kind) {
			t.Errorf("%s: got %q, %d pictures, %q", name, got.Failure, pictures(got), texts(got))
			continue
		}
		if image := got.Parts[1].Image; image.Width != 1568 || image.Height != 1176 {
			t.Errorf("%s: it is %d x %d", name, image.Width, image.Height)
		}
	}
}

// TestPDF_Scanned_ShowsFirstPages: a PDF without text is shown by its first pages.
func TestPDF_Scanned_ShowsFirstPages(t *testing.T) {
	h := newHome(t, "")
	for pages, want := range map[int]int{1: 1, 6: 4} {
		got := h.receiveOne("scan.pdf", pdf(pages, ""))
		if pictures(got) != want || !strings.Contains(texts(got), fmt.Sprintf("its first pages as pictures: %d.]", want)) || got.Failure != "" {
			t.Errorf("%d pages: %d pictures, %q %q", pages, pictures(got), texts(got), got.Failure)
		}
		if image := got.Parts[1].Image; image.Width != 1212 || image.Height != 1568 || image.Validate() != nil {
			t.Errorf("a page is %+v", image)
		}
	}
}

func TestArchives_Names_AreListed(t *testing.T) {
	h := newHome(t, "")
	many := map[string]string{}
	var names []string
	for i := range 300 {
		many[fmt.Sprintf("f%03d", i)] = ""
		names = append(names, fmt.Sprintf("f%03d", i))
	}
	for name, c := range map[string]struct {
		data       []byte
		head, text string
	}{
		"a.zip": {makeZip(t, map[string]string{"../x\n": "abc", "b/c.txt": "1"}), "a ZIP archive with 2 names, ",
			"=====\n\"../x\\n\"  3 bytes\nb/c.txt  1 byte"},
		"many.zip": {makeZip(t, many), "a ZIP archive with 300 names, ", "f199  0 bytes\n=====\n[100 more file " +
			"names are left out.]\n"},
		"a.tar": {tarOf(t, "a", "b"), "a tar archive with 2 names, ", "=====\na  3 bytes\nb  3 bytes\n=====\n"},
		"a.tgz": {zipped(t, tarOf(t, "a")), "a compressed tar archive with 1 name, ", "=====\na  3 bytes\n=====\n"},
		"many.tgz": {zipped(t, tarOf(t, names...)), "a compressed tar archive with 200 names, ", "=====\n[There " +
			"may be more file names.]\n"},
		"half.tar": {tarOf(t, "a", "b")[:1300], "a tar archive with 1 name, ", "=====\n[The rest of the archive is " +
			"damaged.]\n"},
		"x.gz": {zipped(t, []byte("no tar")), "gzip-compressed, ", "bytes.]\n"},
	} {
		got := h.receiveOne(name, c.data)
		if text := texts(got); got.Failure != "" || !strings.HasPrefix(text, "[File "+day+name+": "+c.head) || !strings.Contains(text, c.text) {
			t.Errorf("%s: got %q %q", name, got.Failure, text)
		}
		if got := h.files(); len(got) != 1 {
			t.Errorf("%s: it was unpacked: %d files", name, len(got))
		}
		if err := os.RemoveAll(filepath.Join(h.dir, "uploads")); err != nil {
			t.Fatal(err)
		}
	}
}

// TestReceive_AudioAndVideo_HaveDuration: recordings are left to the transcription, and films show
// a frame.
func TestReceive_AudioAndVideo_HaveDuration(t *testing.T) {
	h := newHome(t, "")
	tone := []string{"-f", "lavfi", "-i", "sine=duration=3"}
	moving := []string{"-f", "lavfi", "-i", "testsrc=duration=3:size=320x240:rate=5"}
	long := film(t, "a.mp3", "-f", "lavfi", "-i", "anullsrc=r=8000:cl=mono", "-t", "601", "-b:a", "8k")
	voice := film(t, "a.ogg", append(tone, "-c:a", "libopus")...)
	both := film(t, "a.mp4", slices.Concat(moving, tone, []string{"-shortest"})...)
	silent := film(t, "a.mp4", moving...)
	webm := film(t, "a.webm", append(moving, "-c:v", "libvpx")...)
	cover := film(t, "a.mp3", slices.Concat(tone, []string{"-f", "lavfi", "-i", "color=size=16x16:duration=0.1", "-map", "0", "-map", "1",
		"-c:v", "mjpeg", "-frames:v", "1", "-disposition:v", "attached_pic"})...)
	for name, c := range map[string]struct {
		file     protocol.ArrivedFile
		seconds  int
		pictures int
		text     string
	}{
		"a voice message": {protocol.ArrivedFile{Kind: protocol.AttachmentVoice, Seconds: 14,
			Blob: h.blobs.put(voice)}, 4, 0, ""},
		"a voice message of less": {protocol.ArrivedFile{Kind: protocol.AttachmentVoice, Seconds: 1,
			Blob: h.blobs.put(voice)}, 4, 0, ""},
		"a broken voice message": {protocol.ArrivedFile{Kind: protocol.AttachmentVoice, Seconds: 7,
			Blob: h.blobs.put([]byte("OggS\x00"))}, 7, 0, ""},
		"a voice message of unknown": {h.file(protocol.AttachmentVoice, "", voice), 4, 0, ""},
		"a round video":              {protocol.ArrivedFile{Kind: protocol.AttachmentVideoNote, Seconds: 3, Blob: h.blobs.put(both)}, 3, 0, ""},
		"an audio file":              {h.file(protocol.AttachmentAudio, "a.mp3", cover), 4, 0, ""},
		"a recording as a document":  {h.file(protocol.AttachmentDocument, "a.ogg", voice), 4, 0, ""},
		"a long one":                 {h.file(protocol.AttachmentAudio, "a.mp3", long), 0, 0, "an MP3 recording, 10 minutes and"},
		"a video":                    {h.file(protocol.AttachmentVideo, "a.mp4", both), 3, 1, "an MP4 video, 3 seconds, "},
		"a video without sound":      {h.file(protocol.AttachmentVideo, "a.mp4", silent), 0, 1, "an MP4 video, 3 seconds, "},
		"an animation": {h.file(protocol.AttachmentAnimation, "", silent), 0, 1, "One frame of the " +
			"video.]"},
		"a moving sticker": {protocol.ArrivedFile{Kind: protocol.AttachmentSticker, MediaType: "video/webm",
			Blob: h.blobs.put(webm)}, 0, 1, "sticker.webm"},
		"text sent as film": {h.file(protocol.AttachmentVideo, "a.mp4", []byte("hello")), 0, 0, "text, 5 bytes"},
	} {
		got := h.takes(c.file)
		if got.Failure != "" || got.Seconds != c.seconds && got.Seconds != c.seconds-1 || pictures(got) != c.pictures || !strings.Contains(texts(got), c.text) || c.text == "" && got.Parts != nil {
			t.Errorf("%s: got %q, %d seconds, %d pictures, %q", name, got.Failure, got.Seconds, pictures(got), texts(got))
		}
	}
}

// TestMeasureMedia_EqualsPlayerSizes: MeasureMedia returns the lengths and sizes that players show.
func TestMeasureMedia_EqualsPlayerSizes(t *testing.T) {
	h := newHome(t, "")
	tone := []string{"-f", "lavfi", "-i", "sine=duration=3"}
	moving := []string{"-f", "lavfi", "-i", "testsrc=duration=3:size=320x240:rate=5"}
	flat := film(t, "a.mp4", moving...)
	// This matrix in a track's header rotates the film by a quarter turn. (ISO 14496-12, 8.3.2.)
	track := bytes.Index(flat, []byte("tkhd"))
	one, zero, minus := "\x00\x01\x00\x00", "\x00\x00\x00\x00", "\xff\xff\x00\x00"
	turned := string(flat[:track]) + strings.Replace(string(flat[track:]), one+zero+zero+zero+one, zero+one+zero+minus+zero, 1)
	for name, c := range map[string]struct {
		data string
		want protocol.MediaSize
	}{
		"a.ogg":               {string(film(t, "a.ogg", append(tone, "-c:a", "libopus")...)), protocol.MediaSize{Seconds: 3}},
		"a.mp3":               {string(film(t, "a.mp3", tone...)), protocol.MediaSize{Seconds: 3}},
		"b/file:\"ü.m4a":      {string(film(t, "a.m4a", tone...)), protocol.MediaSize{Seconds: 3}},
		"-i.mp4":              {string(flat), protocol.MediaSize{Seconds: 3, Width: 320, Height: 240}},
		"from a phone.mp4":    {turned, protocol.MediaSize{Seconds: 3, Width: 240, Height: 320}},
		"a film by name.mp4":  {"hello", protocol.MediaSize{}},
		"a broken one.mp4":    {string(flat[:100]), protocol.MediaSize{}},
		"a picture.png":       {string(pngHead(9, 9)), protocol.MediaSize{}},
		"not there/a.mp4":     {"", protocol.MediaSize{}},
		"no bytes at all.mp3": {"", protocol.MediaSize{}},
	} {
		if !strings.HasPrefix(name, "not") {
			h.write(name, c.data)
		}
		got := receive.MeasureMedia(t.Context(), h.ws, h.programs, name)
		if got.Seconds == c.want.Seconds+1 && got.Seconds > 1 {
			got.Seconds-- // an encoder makes the recording a few milliseconds longer
		}
		if got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
	if got := receive.MeasureMedia(t.Context(), h.ws, nil, "a.ogg"); got != (protocol.MediaSize{}) {
		t.Errorf("without programs: got %+v", got)
	}
}

// TestReceive_MissingProgram_IsNamed: the file is kept, and the failure names the missing program.
func TestReceive_MissingProgram_IsNamed(t *testing.T) {
	h := newHome(t, t.TempDir())
	mp4 := film(t, "a.mp4", "-f", "lavfi", "-i", "testsrc=duration=1:size=32x32:rate=5")
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"a.pdf": {pdf(1, "x"), "poppler-utils"}, "a.mp4": {mp4, "ffmpeg"},
		"a.heic": {[]byte("\x00\x00\x00\x18ftypheic\x00\x00"), "libheif-examples"},
	} {
		got := h.receiveOne(name, c.data)
		if !slices.Equal(got.Missing, []string{c.want}) || got.Path != day+name || got.Parts != nil ||
			!strings.Contains(got.Failure, "Debian's package "+c.want) {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}
