package images

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/webp"
)

// format is a kind of picture that can be opened.
type format struct {
	name          string
	config        func(io.Reader) (image.Config, error)
	decode        func(io.Reader) (image.Image, error)
	bytesPerPixel func(image.Config, []byte) int // bytes of memory that a pixel takes while it is opened, at most
	universal     func(image.Config, []byte) bool
	photo         bool // it is a photograph more often than not
}

// formats are by the media type. Plain says that every API of models takes the file as it is: of a GIF some take a moving
// one and some do not, and llama.cpp's reader (stb_image) knows no WebP.
var formats = map[string]format{
	"image/png":  {"PNG", png.DecodeConfig, png.Decode, pngBytes, always, false},
	"image/jpeg": {"JPEG", jpeg.DecodeConfig, jpeg.Decode, jpegBytes, universalJPEG, true},
	"image/gif":  {"GIF", gif.DecodeConfig, gif.Decode, func(image.Config, []byte) int { return 1 }, never, false},
	"image/webp": {"WebP", webp.DecodeConfig, webp.Decode, func(image.Config, []byte) int { return webpBytes }, never, true},
}

func always(image.Config, []byte) bool { return true }
func never(image.Config, []byte) bool  { return false }

// universalJPEG is one whose pixels are upright, and not in the four colours of printing, which few can show.
func universalJPEG(c image.Config, data []byte) bool {
	return c.ColorModel != color.CMYKModel && orientation(data) == 1
}

// pngBytes is that of the types in which image/png gives the pixels.
func pngBytes(c image.Config, _ []byte) int {
	switch c.ColorModel {
	case color.RGBA64Model, color.NRGBA64Model:
		return 8
	case color.Gray16Model:
		return 2
	}
	return 4
}

// webpBytes is that of a lossless WebP: the pixels before and after a transform. A lossy one takes half.
const webpBytes = 8

// jpegBytes is one byte of each colour, and four of its coefficients where they all come before the first pixel does.
func jpegBytes(c image.Config, data []byte) int {
	colors := 3
	switch c.ColorModel {
	case color.GrayModel:
		colors = 1
	case color.CMYKModel, color.RGBAModel:
		colors = 8 // it is put together from two pictures
	}
	if progressive(data) {
		return 5 * colors
	}
	return colors
}

// progressive looks for the frame's marker, SOF2.
func progressive(data []byte) bool {
	for at := 2; at+4 <= len(data) && data[at] == 0xff && data[at+1] != 0xda; {
		if data[at+1] == 0xff {
			at++
			continue
		}
		if data[at+1] == 0xc2 {
			return true
		}
		at += 2 + int(binary.BigEndian.Uint16(data[at+2:]))
	}
	return false
}

// qualities of JPEG are tried in order until the picture is small enough.
var qualities = []int{85, 70, 50, 30}

// encode writes a picture as a PNG, or as a JPEG where it is a photograph or a PNG would be too large.
func encode(src *image.RGBA, photo bool, most int) (data []byte, kind string, err error) {
	var buf bytes.Buffer
	if !photo || !src.Opaque() {
		if err := png.Encode(&buf, src); err != nil {
			return nil, "", err
		}
		if buf.Len() <= most {
			return buf.Bytes(), "image/png", nil
		}
		src = onWhite(src)
	}
	for _, quality := range qualities {
		buf.Reset()
		if err := jpeg.Encode(&buf, src, &jpeg.Options{Quality: quality}); err != nil {
			return nil, "", err
		}
		if buf.Len() <= most {
			break
		}
	}
	return buf.Bytes(), "image/jpeg", nil
}

// onWhite puts a picture on a white ground in place: a JPEG has no transparency.
func onWhite(src *image.RGBA) *image.RGBA {
	for at := 0; at+3 < len(src.Pix); at += 4 {
		ground := 255 - src.Pix[at+3]
		for c := range 3 {
			src.Pix[at+c] += ground // the colours are multiplied by alpha already
		}
		src.Pix[at+3] = 255
	}
	return src
}
