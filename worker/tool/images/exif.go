package images

import "encoding/binary"

// orientation is how a JPEG says that its pixels lie: 1 to 8, as EXIF has it; 1, which is upright, where it says nothing.
func orientation(data []byte) int {
	for at := 2; at+4 <= len(data) && data[at] == 0xff; {
		marker, size := data[at+1], int(binary.BigEndian.Uint16(data[at+2:]))
		switch {
		case marker == 0xff: // a fill byte before a marker
			at++
			continue
		case marker == 0xda || size < 2 || at+2+size > len(data): // the pixels begin, or it is broken
			return 1
		case marker == 0xe1:
			if found := exifOrientation(data[at+4 : at+2+size]); found != 0 {
				return found
			}
		}
		at += 2 + size
	}
	return 1
}

// exifOrientation reads the tag 0x0112 of the first directory of a TIFF header; 0 where there is none that is one.
func exifOrientation(segment []byte) int {
	const intro = "Exif\x00\x00"
	if len(segment) < len(intro)+8 || string(segment[:len(intro)]) != intro {
		return 0
	}
	tiff := segment[len(intro):]
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
