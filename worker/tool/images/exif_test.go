package images

import (
	"encoding/binary"
	"image/color"
	"slices"
	"testing"
)

// oriented puts a segment with an orientation into a JPEG.
func oriented(jpeg []byte, order binary.AppendByteOrder, value uint16) []byte {
	tiff := []byte("II*\x00")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		tiff = []byte("MM\x00*")
	}
	tiff = order.AppendUint32(tiff, 8)
	tiff = order.AppendUint16(tiff, 2) // number of entries in the TIFF directory
	tiff = append(tiff, make([]byte, 12)...)
	tiff = order.AppendUint16(tiff, 0x0112)
	tiff = order.AppendUint16(tiff, 3) // type of the entry's value: short
	tiff = order.AppendUint32(tiff, 1)
	tiff = order.AppendUint16(tiff, value)
	tiff = append(tiff, 0, 0)
	segment := append([]byte("Exif\x00\x00"), tiff...)
	head := binary.BigEndian.AppendUint16([]byte{0xff, 0xd8, 0xff, 0xe1}, uint16(len(segment)+2))
	return slices.Concat(head, segment, jpeg[2:])
}

// TestShow_ExifOrientation_TurnsUpright: by EXIF 2.3 each orientation tells where the red corner
// lies in the file, and how the picture must be turned.
func TestShow_ExifOrientation_TurnsUpright(t *testing.T) {
	file := jpegOf(t, corners(80, 40), 95)
	// the corners, row by row from left to right
	for value, want := range map[uint16][4]color.Color{
		1: {red, green, blue, gray}, 2: {green, red, gray, blue}, 3: {gray, blue, green, red}, 4: {blue, gray, red, green},
		5: {red, blue, green, gray}, 6: {blue, red, gray, green}, 7: {gray, green, blue, red}, 8: {green, gray, red, blue},
		0: {red, green, blue, gray}, 9: {red, green, blue, gray},
	} {
		for _, order := range []binary.AppendByteOrder{binary.BigEndian, binary.LittleEndian} {
			got, err := view(t, oriented(file, order, value))
			if err != nil {
				t.Fatal(err)
			}
			m := seen(t, got)
			w, h := m.Bounds().Dx(), m.Bounds().Dy()
			if lies := value >= 5 && value <= 8; lies != (h > w) {
				t.Errorf("orientation %d: %d x %d", value, w, h)
			}
			for i, at := range [][2]int{{5, 5}, {w - 6, 5}, {5, h - 6}, {w - 6, h - 6}} {
				if !near(m, at[0], at[1], want[i]) {
					t.Errorf("orientation %d: corner %d is %v, want %v", value, i, m.At(at[0], at[1]), want[i])
				}
			}
		}
	}
}

func FuzzOrientation(f *testing.F) {
	file := []byte{0xff, 0xd8, 0xff, 0xda, 0, 2}
	f.Add(oriented(file, binary.BigEndian, 6))
	f.Add(oriented(file, binary.LittleEndian, 3))
	f.Add(progressiveHead(8, 8))
	f.Add([]byte("\xff\xd8\xff\xff\xff\xe1\x00\x02\xff\xe1\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got := orientation(data); got < 1 || got > 8 {
			t.Errorf("got %d", got)
		}
		progressive(data)
	})
}
