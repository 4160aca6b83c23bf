package images

import (
	"bytes"
	"encoding/binary"
	"iter"
)

// jpegSegments yields the segments of a JPEG before its pixels, each with its marker. It stops at
// the first error in the file.
func jpegSegments(data []byte) iter.Seq2[byte, []byte] {
	return func(yield func(marker byte, content []byte) bool) {
		for at := 2; at+4 <= len(data) && data[at] == 0xff; {
			marker, size := data[at+1], int(binary.BigEndian.Uint16(data[at+2:]))
			if marker == 0xff { // a fill byte before a marker
				at++
				continue
			}
			if marker == 0xda || size < 2 || at+2+size > len(data) || !yield(marker, data[at+4:at+2+size]) {
				return
			}
			at += 2 + size
		}
	}
}

// orientation returns how the pixels of a file lie, as in EXIF.
func (o imageInfo) orientation(data []byte) int {
	switch o.kind {
	case "image/jpeg":
		return orientation(data)
	case "image/tiff":
		return max(1, tiffOrientation(data))
	}
	return 1
}

// orientation returns how the pixels of a JPEG lie: 1 to 8, as in EXIF. 1 means upright, or that
// the file does not tell.
func orientation(data []byte) int {
	for marker, content := range jpegSegments(data) {
		if marker != 0xe1 {
			continue
		}
		if found := exifOrientation(content); found != 0 {
			return found
		}
	}
	return 1
}

// exifOrientation reads the orientation in a segment of a JPEG. It returns 0 if there is none.
func exifOrientation(segment []byte) int {
	tiff, ok := bytes.CutPrefix(segment, []byte("Exif\x00\x00"))
	if !ok {
		return 0
	}
	return tiffOrientation(tiff)
}

// tiffOrientation reads the tag 0x0112 of the first directory of a TIFF file. It returns 0 if there
// is no valid tag.
func tiffOrientation(tiff []byte) int {
	if len(tiff) < 8 {
		return 0
	}
	var order binary.ByteOrder = binary.BigEndian
	if tiff[0] == 'I' {
		order = binary.LittleEndian
	}
	at := int64(order.Uint32(tiff[4:]))
	if at+2 > int64(len(tiff)) {
		return 0
	}
	count := int64(order.Uint16(tiff[at:]))
	for i := range count {
		entry := at + 2 + 12*i
		if entry+12 > int64(len(tiff)) {
			return 0
		}
		if order.Uint16(tiff[entry:]) == 0x0112 {
			if value := int(order.Uint16(tiff[entry+8:])); value >= 1 && value <= 8 {
				return value
			}
			return 0
		}
	}
	return 0
}
