package images

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image/jpeg"
	"image/png"
	"slices"
	"testing"
)

// withText puts a text chunk before the end of a PNG.
func withText(file []byte, text string) []byte {
	chunk := append([]byte("tEXt"), text...)
	framed := binary.BigEndian.AppendUint32(nil, uint32(len(text)))
	framed = binary.BigEndian.AppendUint32(append(framed, chunk...), crc32.ChecksumIEEE(chunk))
	end := len(file) - 12
	return slices.Concat(file[:end], framed, file[end:])
}

// TestStrip_Metadata_IsRemoved: a picture that is shown unchanged contains only its pixels. Even
// bytes after the pixels are removed.
func TestStrip_Metadata_IsRemoved(t *testing.T) {
	jpegFile, pngFile := jpegOf(t, corners(80, 40), 95), pngOf(t, corners(80, 40))
	exif := oriented(jpegFile, binary.BigEndian, 1)
	comment := slices.Concat(jpegFile[:2], []byte("\xff\xfe\x00\x0ca comment!"), jpegFile[2:])
	for name, c := range map[string]struct{ file, want []byte }{
		"a plain JPEG":        {jpegFile, jpegFile},
		"EXIF":                {exif, jpegFile},
		"a comment":           {comment, jpegFile},
		"a JPEG and a ZIP":    {append(slices.Clone(jpegFile), "PK\x03\x04secret"...), jpegFile},
		"a plain PNG":         {pngFile, pngFile},
		"text":                {withText(pngFile, "Location\x0040.4 N, 3.7 W"), pngFile},
		"a PNG and a program": {append(slices.Clone(pngFile), "#!/bin/sh"...), pngFile},
	} {
		got, err := view(t, c.file)
		if err != nil || !bytes.Equal(got.Images[0].Data, c.want) {
			t.Errorf("%s: %d bytes, %v, want %d", name, len(got.Images[0].Data), err, len(c.want))
		}
	}
}

// FuzzStripMetadata: a decodable picture stays the same, and nothing panics.
func FuzzStripMetadata(f *testing.F) {
	f.Add(jpegOf(f, corners(16, 8), 80))
	f.Add(oriented(jpegOf(f, corners(16, 8), 80), binary.LittleEndian, 6))
	f.Add(pngOf(f, corners(16, 8)))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 8 {
			return
		}
		if c, err := jpeg.DecodeConfig(bytes.NewReader(data)); err == nil && c.Width*c.Height < 1<<16 {
			_, before := jpeg.Decode(bytes.NewReader(data))
			if _, after := jpeg.Decode(bytes.NewReader(stripJPEG(data))); before == nil && after != nil {
				t.Errorf("no JPEG any more: %v", after)
			}
		}
		if c, err := png.DecodeConfig(bytes.NewReader(data)); err == nil && c.Width*c.Height < 1<<16 {
			_, before := png.Decode(bytes.NewReader(data))
			if _, after := png.Decode(bytes.NewReader(stripPNG(data))); before == nil && after != nil {
				t.Errorf("no PNG any more: %v", after)
			}
		}
	})
}
