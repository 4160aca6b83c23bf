package document

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	_ "image/jpeg"
	_ "image/png"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"mews/worker/parse"
)

// corner returns a picture that is red in its upper left quarter, and green elsewhere.
func corner() image.Image {
	m := image.NewRGBA(image.Rect(0, 0, 40, 20))
	for y := range 20 {
		for x := range 40 {
			m.Set(x, y, color.RGBA{G: 255, A: 255})
			if x < 20 && y < 10 {
				m.Set(x, y, color.RGBA{R: 255, A: 255})
			}
		}
	}
	return m
}

func bmpOf(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := bmp.Encode(&b, corner()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func tiffOf(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := tiff.Encode(&b, corner(), &tiff.Options{Compression: tiff.Deflate}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// turned returns a TIFF that says that its pixels lie on their side (tag 0x0112, value 6).
func turned(t testing.TB) []byte {
	t.Helper()
	data := tiffOf(t)
	at := binary.LittleEndian.Uint32(data[4:])
	count := int(binary.LittleEndian.Uint16(data[at:]))
	directory := binary.LittleEndian.AppendUint16(nil, uint16(count+1))
	turn := []byte{0x12, 0x01, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0}
	for i := range count {
		entry := data[int(at)+2+12*i:][:12]
		if turn != nil && binary.LittleEndian.Uint16(entry) > 0x0112 { // the entries are sorted
			directory, turn = append(directory, turn...), nil
		}
		directory = append(directory, entry...)
	}
	binary.LittleEndian.PutUint32(data[4:], uint32(len(data)))
	return append(append(data, directory...), 0, 0, 0, 0)
}

func TestPicture_BMPAndTIFF_AreConverted(t *testing.T) {
	for name, c := range map[string]struct {
		data   []byte
		format string
		red    image.Point // position of a red pixel
		w, h   int
	}{
		"a bitmap":    {bmpOf(t), "BMP", image.Pt(5, 5), 40, 20},
		"a TIFF":      {tiffOf(t), "TIFF", image.Pt(5, 5), 40, 20},
		"on its side": {turned(t), "TIFF", image.Pt(15, 5), 20, 40},
	} {
		got, err := parseBytes(t, parse.KindPicture, c.data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		p := got.Picture
		m, _, err := image.Decode(bytes.NewReader([]byte(got.body)))
		if err != nil || p.Format != c.format || p.Width != c.w || p.Height != c.h || p.FileWidth != 40 ||
			p.FileHeight != 20 {
			t.Errorf("%s: got %+v, %v", name, p, err)
			continue
		}
		if r, g, _, _ := m.At(c.red.X, c.red.Y).RGBA(); r < 0xc000 || g > 0x4000 {
			t.Errorf("%s: the colour at %v is %x, %x", name, c.red, r, g)
		}
	}
}
