package images

import (
	"bytes"
	"encoding/binary"
)

// stripJPEG returns a JPEG without segments that do not concern the pixels, such as EXIF with
// location and device, and without bytes after its end. It keeps APP0 and APP14, which tell how to
// decode the colours.
func stripJPEG(data []byte) []byte {
	out := bytes.NewBuffer(make([]byte, 0, len(data)))
	out.Write(data[:2])
	for at := 2; at+1 < len(data); {
		marker := data[at+1]
		switch {
		case data[at] != 0xff || marker == 0x00 || marker >= 0xd0 && marker <= 0xd7: // segments of the pixels
			next := bytes.IndexByte(data[at+1:], 0xff)
			if next < 0 {
				next = len(data) - at - 1
			}
			out.Write(data[at : at+1+next])
			at += 1 + next
		case marker == 0xff: // a fill byte before a marker
			at++
		case marker == 0xd9 || at+4 > len(data):
			out.Write([]byte{0xff, 0xd9})
			return out.Bytes()
		default:
			end := min(at+2+int(binary.BigEndian.Uint16(data[at+2:])), len(data))
			if marker < 0xe1 || marker == 0xee || marker > 0xef && marker != 0xfe {
				out.Write(data[at:end])
			}
			at = max(end, at+2)
		}
	}
	return out.Bytes()
}

// pngChunks are the chunks with the pixels and the meaning of their colours (PNG 1.2, 4.1 and 4.2).
// A colour profile is left out, because it would name the device.
var pngChunks = map[string]bool{
	"IHDR": true, "PLTE": true, "IDAT": true, "IEND": true, "tRNS": true, "cHRM": true, "gAMA": true, "sBIT": true, "sRGB": true,
}

// stripPNG returns a PNG without its other chunks, such as text and EXIF, and without bytes after
// its end.
func stripPNG(data []byte) []byte {
	// numbers of bytes; the frame of a chunk is its length, type and checksum
	const signature, frame = 8, 12
	out := bytes.NewBuffer(make([]byte, 0, len(data)))
	out.Write(data[:signature])
	for at := signature; at+frame <= len(data); {
		kind := string(data[at+4 : at+8])
		end := int64(at) + frame + int64(binary.BigEndian.Uint32(data[at:]))
		if end > int64(len(data)) {
			break
		}
		if pngChunks[kind] {
			out.Write(data[at:end])
		}
		if at = int(end); kind == "IEND" {
			break
		}
	}
	return out.Bytes()
}
