package images

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"

	"mews/protocol"
)

// format is a type of picture that can be decoded.
type format struct {
	name          string
	config        func(io.Reader) (image.Config, error)
	decode        func(io.Reader) (image.Image, error)
	bytesPerPixel func(image.Config, []byte) int // most bytes of memory for a pixel while the picture is decoded
	universal     func(image.Config, []byte) bool
	strip         func([]byte) []byte // returns a file with only its pixels; nil if no file of the format is universal
	photo         bool                // a picture in this format is usually a photograph
}

// formats are the picture formats by media type. universal reports whether every model API takes
// the file: some APIs take no animated GIF, and llama.cpp's reader (stb_image) knows no WebP.
var formats = map[string]format{
	"image/png":  {"PNG", png.DecodeConfig, png.Decode, pngBytes, always, stripPNG, false},
	"image/jpeg": {"JPEG", jpeg.DecodeConfig, jpeg.Decode, jpegBytes, universalJPEG, stripJPEG, true},
	"image/gif":  {"GIF", gif.DecodeConfig, gif.Decode, func(image.Config, []byte) int { return 1 }, never, nil, false},
	"image/webp": {"WebP", webp.DecodeConfig, webp.Decode, func(image.Config, []byte) int { return webpBytes }, never,
		nil, true},
	"image/bmp":  {"BMP", bmp.DecodeConfig, bmp.Decode, bmpBytes, never, nil, false},
	"image/tiff": {"TIFF", tiff.DecodeConfig, tiff.Decode, tiffBytes, never, nil, true},
}

// detectType returns the media type of a picture; "" if formats has no such format.
func detectType(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte("BM")):
		return "image/bmp"
	case bytes.HasPrefix(data, []byte("II*\x00")), bytes.HasPrefix(data, []byte("MM\x00*")):
		return "image/tiff"
	}
	return protocol.DetectImageType(data)
}

func always(image.Config, []byte) bool { return true }
func never(image.Config, []byte) bool  { return false }

// universalJPEG reports whether a JPEG's pixels are upright, and not in the four colours of
// printing, which few readers know.
func universalJPEG(c image.Config, data []byte) bool {
	return c.ColorModel != color.CMYKModel && orientation(data) == 1
}

// pngBytes is the size of a pixel in the types that image/png decodes to.
func pngBytes(c image.Config, _ []byte) int {
	switch c.ColorModel {
	case color.RGBA64Model, color.NRGBA64Model:
		return 8
	case color.Gray16Model:
		return 2
	}
	return 4
}

// bmpBytes is the size of a pixel in the types that bmp decodes to.
func bmpBytes(c image.Config, _ []byte) int {
	if _, paletted := c.ColorModel.(color.Palette); paletted {
		return 1
	}
	return 4
}

// tiffBytes counts the pixels twice: a strip may hold all pixels, and is unpacked before it is
// decoded.
func tiffBytes(c image.Config, _ []byte) int {
	if _, paletted := c.ColorModel.(color.Palette); paletted || c.ColorModel == color.GrayModel {
		return 2
	}
	switch c.ColorModel {
	case color.Gray16Model:
		return 4
	case color.RGBA64Model, color.NRGBA64Model:
		return 16
	}
	return 8
}

// webpBytes is the memory for a pixel of a lossless WebP. The pixel is in memory both before and
// after a transform. A lossy WebP takes half.
const webpBytes = 8

// jpegBytes counts one byte for each colour. A progressive JPEG also has four bytes of coefficients
// for each colour of each pixel. All coefficients are read before the first pixel.
func jpegBytes(c image.Config, data []byte) int {
	colors := 3
	switch c.ColorModel {
	case color.GrayModel:
		colors = 1
	case color.CMYKModel, color.RGBAModel:
		colors = 8 // the decoder joins two pictures of four colours each
	}
	if progressive(data) {
		return 5 * colors
	}
	return colors
}

// progressive reports whether a JPEG may be progressive. A JPEG with the frame marker SOF0 or SOF1
// is not progressive.
func progressive(data []byte) bool {
	for marker := range jpegSegments(data) {
		if marker == 0xc0 || marker == 0xc1 {
			return false
		}
	}
	return true
}

// qualities are the qualities of a JPEG, tried in order until the picture is small enough.
var qualities = []int{85, 70, 50, 30}

// encode encodes a picture as a PNG. It makes a JPEG of a photograph, or if the PNG would have more
// than most bytes.
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
	data, err = encodeJPEG(src, most)
	return data, "image/jpeg", err
}

// encodeJPEG encodes a picture in the best quality that makes it small enough.
func encodeJPEG(src image.Image, most int) ([]byte, error) {
	var buf bytes.Buffer
	for _, quality := range qualities {
		buf.Reset()
		if err := jpeg.Encode(&buf, src, &jpeg.Options{Quality: quality}); err != nil {
			return nil, err
		}
		if buf.Len() <= most {
			break
		}
	}
	return buf.Bytes(), nil
}

// onWhite puts a picture on white in place, because a JPEG has no transparency.
func onWhite(src *image.RGBA) *image.RGBA {
	for at := 0; at+3 < len(src.Pix); at += 4 {
		ground := 255 - src.Pix[at+3]
		for c := range 3 {
			src.Pix[at+c] += ground // the colours are already multiplied by alpha
		}
		src.Pix[at+3] = 255
	}
	return src
}
