// Package chart draws small pictures of figures.
package chart

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"
)

// Bar is one bar of a chart.
type Bar struct {
	Label string  // below it, where there is room; ASCII
	Value float64 // not below 0
}

// Sizes in pixels. It is as wide as Telegram shows a picture without making it smaller.
const (
	width, height         = 800, 360
	left, right           = 78, 12
	top, bottom           = 40, 30
	plotWidth, plotHeight = width - left - right, height - top - bottom
	gap                   = 3 // between two bars
	letterWidth, ascent   = 7, 11
)

// The colours, as indexes into palette.
const (
	white = iota
	grey
	blue
	black
)

var palette = color.Palette{color.RGBA{0xff, 0xff, 0xff, 0xff}, color.RGBA{0xd8, 0xd8, 0xd8, 0xff},
	color.RGBA{0x2b, 0x6c, 0xb0, 0xff}, color.RGBA{0x20, 0x20, 0x20, 0xff}}

// picture is a chart while it is drawn.
type picture struct{ *image.Paletted }

// Bars draws bars side by side as a PNG, with title above them and a scale whose numbers format
// writes. The same figures give the same bytes.
func Bars(title string, bars []Bar, format func(float64) string) ([]byte, error) {
	p := picture{image.NewPaletted(image.Rect(0, 0, width, height), palette)}
	most := 0.0
	for _, b := range bars {
		most = max(most, b.Value)
	}
	step := stepOf(most)
	full := max(step, math.Ceil(most/step)*step)
	p.text(left, top-18, title)
	p.scale(step, full, format)
	p.bars(bars, full)
	var b bytes.Buffer
	if err := png.Encode(&b, p); err != nil {
		return nil, fmt.Errorf("draw a chart of %d bars: %w", len(bars), err)
	}
	return b.Bytes(), nil
}

// lines is about how many lines a scale has.
const lines = 4

// stepOf is the distance of two lines: 1, 2 or 5 times a power of ten, so that there are about
// lines lines. It is 1 where there is nothing to draw.
func stepOf(most float64) float64 {
	if most <= 0 || math.IsInf(most, 0) || math.IsNaN(most) {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(most/lines)))
	for _, times := range []float64{1, 2, 5} {
		if times*power*lines >= most {
			return times * power
		}
	}
	return 10 * power
}

// scale draws the lines and their numbers.
func (p picture) scale(step, full float64, format func(float64) string) {
	for i := 0; float64(i) <= full/step+0.5; i++ {
		y := top + plotHeight - int(math.Round(float64(i)*step/full*plotHeight))
		p.fill(image.Rect(left, y, width-right, y+1), grey)
		label := format(float64(i) * step)
		p.text(left-8-letterWidth*len(label), y+ascent/2-1, label)
	}
}

func (p picture) bars(bars []Bar, full float64) {
	free := left // where the next label may begin
	for i, b := range bars {
		from, to := left+i*plotWidth/len(bars), left+(i+1)*plotWidth/len(bars)
		tall := int(math.Round(b.Value / full * plotHeight))
		if b.Value > 0 {
			tall = max(1, tall)
		}
		p.fill(image.Rect(from+gap, top+plotHeight-tall, max(from+gap+1, to-gap), top+plotHeight), blue)
		at := (from + to - letterWidth*len(b.Label)) / 2
		if end := at + letterWidth*len(b.Label); at >= free && end <= width {
			p.text(at, height-bottom+ascent+6, b.Label)
			free = end + 2*letterWidth
		}
	}
	p.fill(image.Rect(left, top+plotHeight, width-right, top+plotHeight+1), black)
}

func (p picture) fill(where image.Rectangle, index uint8) {
	draw.Draw(p, where, image.NewUniform(palette[index]), image.Point{}, draw.Src)
}

// text writes a line whose letters stand on y.
func (p picture) text(x, y int, line string) {
	d := font.Drawer{Dst: p, Src: image.NewUniform(palette[black]), Face: basicfont.Face7x13, Dot: fixed.P(x, y)}
	d.DrawString(line)
}
