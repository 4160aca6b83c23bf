package hostcall

import (
	"bufio"
	"bytes"
	"cmp"
	"image"
	_ "image/jpeg" // so that image.DecodeConfig knows JPEG
	_ "image/png"  // so that image.DecodeConfig knows PNG
	"io"
	"net/http"
	"path"
	"strings"

	"mews/supervisor"
)

const (
	sniffBytes = 512 // bytes that http.DetectContentType reads
	// bytes within which a picture must state its size, even after a thumbnail
	maxPictureHeader = 1 << 20
)

// DetectMediaType returns the type of a file by its bytes. The file's name decides only between
// types that begin with the same bytes. A file is a picture only if its picture header is valid.
func DetectMediaType(in Spool, f supervisor.File) (string, error) {
	file, _, err := in.OpenBlob(f.SHA256)
	if err != nil {
		return "", err
	}
	defer file.Close()
	r := bufio.NewReaderSize(io.LimitReader(file, maxPictureHeader), sniffBytes)
	head, err := r.Peek(sniffBytes)
	if err != nil && err != io.EOF {
		return "", err
	}
	found := sniff(head)
	if found == "image/png" || found == "image/jpeg" {
		if size, _, err := image.DecodeConfig(r); err != nil || min(size.Width, size.Height) < 1 {
			return supervisor.MediaTypeUnknown, nil
		}
	}
	return cmp.Or(mediaTypesByExtension[found][strings.ToLower(path.Ext(f.Name))], found), nil
}

// sniff returns the media type that a file's first bytes show.
func sniff(head []byte) string {
	for _, is := range []func([]byte) string{oggType, mp4Type, mp3Type} {
		if found := is(head); found != "" {
			return found
		}
	}
	found, _, _ := strings.Cut(http.DetectContentType(head), ";")
	return found
}

// oggType distinguishes Opus from other audio in Ogg. (RFC 7845, 3: the first page has only the
// identification header.)
func oggType(head []byte) string {
	const header = 28 // length of an Ogg page's header if the page has one segment (RFC 3533, 6)
	if len(head) > header && string(head[:4]) == "OggS" && bytes.HasPrefix(head[header:], []byte("OpusHead")) {
		return supervisor.MediaTypeVoice
	}
	return ""
}

// mp4Types maps the major brand of an MP4 file to its media type. (MP4 Registration Authority.)
var mp4Types = map[string]string{
	"M4A ": "audio/mp4", "M4B ": "audio/mp4",
	"isom": supervisor.MediaTypeMP4, "iso2": supervisor.MediaTypeMP4, "iso4": supervisor.MediaTypeMP4, "iso5": supervisor.MediaTypeMP4,
	"iso6": supervisor.MediaTypeMP4, "mp41": supervisor.MediaTypeMP4, "mp42": supervisor.MediaTypeMP4, "avc1": supervisor.MediaTypeMP4,
	"M4V ": supervisor.MediaTypeMP4, "MSNV": supervisor.MediaTypeMP4,
	"qt  ": "video/quicktime", "heic": "image/heic", "heix": "image/heic", "mif1": "image/heif", "avif": "image/avif",
}

func mp4Type(head []byte) string {
	if len(head) < 12 || string(head[4:8]) != "ftyp" {
		return ""
	}
	return mp4Types[string(head[8:12])]
}

// mp3Type recognises an MP3 file without an ID3 tag by its first frame. (ISO 11172-3, 2.4.1.3: 11
// bits of sync, then version, layer, bit rate and sampling rate. Some values of these fields are
// invalid.)
func mp3Type(head []byte) string {
	if len(head) < 4 || head[0] != 0xFF || head[1]&0xE6 != 0xE2 || head[1]&0x18 == 0x08 || head[2]&0xF0 == 0xF0 ||
		head[2]&0xF0 == 0 || head[2]&0x0C == 0x0C {
		return ""
	}
	return "audio/mpeg"
}

// mediaTypesByExtension decides by the extension between types that begin with the same bytes.
var mediaTypesByExtension = map[string]map[string]string{
	"text/plain": {
		".csv": "text/csv", ".md": "text/markdown", ".ics": "text/calendar", ".vcf": "text/vcard", ".json": "application/json",
		".html": "text/html", ".svg": "image/svg+xml",
	},
	"text/xml": {".svg": "image/svg+xml"},
	"application/zip": {
		".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
		".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
		".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
		".odt":  "application/vnd.oasis.opendocument.text", ".ods": "application/vnd.oasis.opendocument.spreadsheet",
		".epub": "application/epub+zip",
	},
}
