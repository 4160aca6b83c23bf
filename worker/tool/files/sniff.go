package files

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// headSize is the number of a file's first bytes that are read to detect its type.
const headSize = 8 << 10

// encoding is the encoding of a file's text.
type encoding string

const (
	encodingUTF8    encoding = "UTF-8"        // invalid bytes are read as Windows-1252
	encodingBOM     encoding = "UTF-8 (BOM)"  // UTF-8 with a byte order mark, which is no part of the text
	encodingUTF16LE encoding = "UTF-16 LE"    // UTF-16 with a byte order mark, low byte first
	encodingUTF16BE encoding = "UTF-16 BE"    // UTF-16 with a byte order mark, high byte first
	encoding1252    encoding = "Windows-1252" // Windows' superset of the printable characters of Latin-1
)

// byteOrderMarks are the byte order marks.
var byteOrderMarks = []struct {
	bytes    string
	encoding encoding
}{
	{"\xef\xbb\xbf", encodingBOM}, {"\xff\xfe", encodingUTF16LE}, {"\xfe\xff", encodingUTF16BE},
}

// magicNumbers are bytes near the beginning of well-known binary files.
var magicNumbers = []struct {
	at    int
	bytes string
	kind  string
}{
	{0, "\x89PNG\r\n\x1a\n", "a PNG image"}, {0, "\xff\xd8\xff", "a JPEG image"}, {0, "GIF8", "a GIF image"},
	{8, "WEBP", "a WebP image"}, {4, "ftypheic", "a HEIC image"}, {4, "ftypheix", "a HEIC image"},
	{4, "ftypmif1", "a HEIC image"}, {4, "ftypmsf1", "a HEIC image"}, {4, "ftyphevc", "a HEIC image"},
	{4, "ftypavif", "an AVIF image"}, {4, "ftypavis", "an AVIF image"},
	{0, "II*\x00", "a TIFF image"}, {0, "MM\x00*", "a TIFF image"}, {0, "%PDF-", "a PDF document"},
	{0, "PK\x03\x04", "a ZIP archive (or an office document)"}, {0, "PK\x05\x06", "an empty ZIP archive"},
	{0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an older office document"}, {0, "\x1f\x8b", "gzip-compressed"},
	{0, "BZh", "bzip2-compressed"}, {0, "\xfd7zXZ\x00", "xz-compressed"}, {0, "\x28\xb5\x2f\xfd", "Zstandard-compressed"},
	{0, "7z\xbc\xaf\x27\x1c", "a 7-Zip archive"}, {0, "Rar!\x1a\x07", "a RAR archive"}, {257, "ustar", "a tar archive"},
	{0, "ID3", "an MP3 recording"}, {0, "\xff\xfb", "an MP3 recording"}, {0, "\xff\xf3", "an MP3 recording"},
	{0, "\xff\xf1", "an AAC recording"}, {0, "\xff\xf9", "an AAC recording"}, {0, "OggS", "an Ogg recording"},
	{0, "fLaC", "a FLAC recording"}, {8, "WAVE", "a WAV recording"}, {4, "ftypM4A", "an M4A recording"},
	{4, "ftyp", "an MP4 video"}, {8, "AVI ", "an AVI video"}, {0, "\x1a\x45\xdf\xa3", "a Matroska or WebM video"},
	{0, "SQLite format 3\x00", "an SQLite database"}, {0, "\x7fELF", "a Linux program"}, {0, "MZ", "a Windows program"},
	{0, "\x00asm", "a WebAssembly program"}, {0, "\xca\xfe\xba\xbe", "a macOS program or Java class"},
}

// sniff returns the encoding of a file that begins with head, or the type of a binary file.
func sniff(head []byte) (enc encoding, binary string) {
	for _, m := range byteOrderMarks {
		if bytes.HasPrefix(head, []byte(m.bytes)) {
			return m.encoding, ""
		}
	}
	kind := binaryKind(head)
	switch {
	case looksBinary(head) && kind == "":
		return "", "binary"
	case looksBinary(head), kind == "a PDF document": // the first bytes of a PDF may all be printable
		return "", kind
	}
	return encodingUTF8, ""
}

// HeadSize is the number of a file's first bytes that are needed to find its type.
const HeadSize = headSize

// FileKind returns the type of a file, such as "a PNG image"; "" for text. The argument head is the
// beginning of the file. An unknown type is "binary".
func FileKind(head []byte) string {
	_, kind := sniff(head)
	return kind
}

// NewTextReader reads a file of any encoding as UTF-8. The file begins with head. The argument rest
// holds the bytes after head.
func NewTextReader(head []byte, rest io.Reader) io.Reader {
	d := &textDecoder{}
	enc, _ := sniff(head)
	d.reset(head, rest, enc)
	return d
}

// isBMP reports whether a file begins as a bitmap: two letters that may begin anything, and the
// size of the header after the file's own. (BITMAPFILEHEADER, BITMAPINFOHEADER and others)
func isBMP(head []byte) bool {
	sizes := []byte{12, 40, 52, 56, 64, 108, 124}
	return len(head) > 18 && string(head[:2]) == "BM" && bytes.IndexByte(sizes, head[14]) >= 0 &&
		string(head[15:18]) == "\x00\x00\x00"
}

func binaryKind(head []byte) string {
	if isBMP(head) {
		return "a BMP image"
	}
	for _, m := range magicNumbers {
		if len(head) >= m.at && bytes.HasPrefix(head[m.at:], []byte(m.bytes)) {
			return m.kind
		}
	}
	return ""
}

// looksBinary reports whether bytes cannot be text: one is a NUL, or more than one in ten is a
// control character other than white space, backspace and ESC.
func looksBinary(head []byte) bool {
	if bytes.IndexByte(head, 0) >= 0 {
		return true
	}
	strange := 0
	for _, c := range head {
		if c < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\b' && c != 0x1b || c == 0x7f {
			strange++
		}
	}
	return strange*10 > len(head)
}

// windows1252 are the characters 0x80 to 0x9f. The five unassigned bytes are control characters, as
// in the WHATWG's table. All other bytes mean the same as in Latin-1.
var windows1252 = [32]rune{
	0x20ac, 0x81, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8d, 0x017d,
	0x8f, 0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d,
	0x017e, 0x0178,
}

func decode1252(c byte) rune {
	if c >= 0x80 && c < 0xa0 {
		return windows1252[c-0x80]
	}
	return rune(c)
}

// decodeAll decodes a whole file. It fails if encodeAll would not restore the same bytes.
func decodeAll(raw []byte, enc encoding) (string, encoding, error) {
	var text string
	switch {
	case enc == encodingUTF16LE, enc == encodingUTF16BE:
		text = string(utf16.Decode(utf16Units(raw[2:], enc)))
	case utf8.Valid(raw): // the text keeps a byte order mark, if there is one
		return string(raw), enc, nil
	default:
		runes := make([]rune, len(raw))
		for i, c := range raw {
			runes[i] = decode1252(c)
		}
		text, enc = string(runes), encoding1252
	}
	back, err := encodeAll(text, enc)
	if err != nil || !bytes.Equal(back, raw) {
		return "", enc, fmt.Errorf("its text is damaged %s", enc)
	}
	return text, enc, nil
}

// encodeAll encodes a text as the bytes of a file.
func encodeAll(text string, enc encoding) ([]byte, error) {
	switch enc {
	case encodingUTF16LE, encodingUTF16BE:
		raw := []byte("\xff\xfe")
		if enc == encodingUTF16BE {
			raw = []byte("\xfe\xff")
		}
		for _, u := range utf16.Encode([]rune(text)) {
			raw = byteOrderOf(enc).AppendUint16(raw, u)
		}
		return raw, nil
	case encoding1252:
		return encode1252(text)
	}
	return []byte(text), nil
}

func encode1252(text string) ([]byte, error) {
	raw := make([]byte, 0, len(text))
	for _, r := range text {
		c, ok := byte(r), r < 0x80 || r >= 0xa0 && r <= 0xff
		for i, known := range windows1252 {
			if known == r {
				c, ok = byte(0x80+i), true
			}
		}
		if !ok {
			return nil, fmt.Errorf("it is written in Windows-1252, which has no %q; write it whole with write_file", r)
		}
		raw = append(raw, c)
	}
	return raw, nil
}
