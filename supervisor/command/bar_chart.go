package command

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

// chartBar is one bar of a chart.
type chartBar struct {
	Label string  // text below the bar in ASCII; left out if there is no space
	Value float64 // height of the bar, never negative
}

// Sizes in pixels. Telegram shows a picture of this width without scaling it down.
const (
	chartWidth, chartHeight   = 800, 360
	chartLeft, chartRight     = 78, 12
	chartTop, chartBottom     = 40, 30
	plotWidth, plotHeight     = chartWidth - chartLeft - chartRight, chartHeight - chartTop - chartBottom
	barGap                    = 3 // space between two bars
	letterWidth, letterAscent = 7, 11
)

// Colours, as indexes into chartPalette.
const (
	chartWhite = iota
	chartGrey
	chartBlue
	chartBlack
)

var chartPalette = color.Palette{color.RGBA{0xff, 0xff, 0xff, 0xff}, color.RGBA{0xd8, 0xd8, 0xd8, 0xff},
	color.RGBA{0x2b, 0x6c, 0xb0, 0xff}, color.RGBA{0x20, 0x20, 0x20, 0xff}}

// chartPicture is the picture of a chart, on which the methods draw.
type chartPicture struct{ *image.Paletted }

// drawBars draws a bar chart as a PNG, with a title above it and a scale beside it. format formats
// the numbers of the scale. The same arguments give the same bytes.
func drawBars(title string, bars []chartBar, format func(float64) string) ([]byte, error) {
	p := chartPicture{image.NewPaletted(image.Rect(0, 0, chartWidth, chartHeight), chartPalette)}
	most := 0.0
	for _, b := range bars {
		most = max(most, b.Value)
	}
	step := scaleStep(most)
	full := max(step, math.Ceil(most/step)*step)
	p.text(chartLeft, chartTop-18, title)
	p.scale(step, full, format)
	p.bars(bars, full)
	var b bytes.Buffer
	if err := png.Encode(&b, p); err != nil {
		return nil, fmt.Errorf("draw a chart of %d bars: %w", len(bars), err)
	}
	return b.Bytes(), nil
}

// scaleLines is the approximate number of lines in a scale.
const scaleLines = 4

// scaleStep returns the distance between two lines of a scale. The scale ends at the number most.
// The distance is 1, 2 or 5 times a power of ten, for about scaleLines lines. If most is 0, the
// distance is 1.
func scaleStep(most float64) float64 {
	if most <= 0 || math.IsInf(most, 0) || math.IsNaN(most) {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(most/scaleLines)))
	for _, times := range []float64{1, 2, 5} {
		if times*power*scaleLines >= most {
			return times * power
		}
	}
	return 10 * power
}

// scale draws the lines of the scale, each with its number.
func (p chartPicture) scale(step, full float64, format func(float64) string) {
	for i := 0; float64(i) <= full/step+0.5; i++ {
		y := chartTop + plotHeight - int(math.Round(float64(i)*step/full*plotHeight))
		p.fill(image.Rect(chartLeft, y, chartWidth-chartRight, y+1), chartGrey)
		label := format(float64(i) * step)
		p.text(chartLeft-8-letterWidth*len(label), y+letterAscent/2-1, label)
	}
}

func (p chartPicture) bars(bars []chartBar, full float64) {
	free := chartLeft // left edge of the space for the next label
	for i, b := range bars {
		from, to := chartLeft+i*plotWidth/len(bars), chartLeft+(i+1)*plotWidth/len(bars)
		tall := int(math.Round(b.Value / full * plotHeight))
		if b.Value > 0 {
			tall = max(1, tall)
		}
		p.fill(image.Rect(from+barGap, chartTop+plotHeight-tall, max(from+barGap+1, to-barGap), chartTop+plotHeight),
			chartBlue)
		at := (from + to - letterWidth*len(b.Label)) / 2
		if end := at + letterWidth*len(b.Label); at >= free && end <= chartWidth {
			p.text(at, chartHeight-chartBottom+letterAscent+6, b.Label)
			free = end + 2*letterWidth
		}
	}
	p.fill(image.Rect(chartLeft, chartTop+plotHeight, chartWidth-chartRight, chartTop+plotHeight+1), chartBlack)
}

func (p chartPicture) fill(where image.Rectangle, index uint8) {
	draw.Draw(p, where, image.NewUniform(chartPalette[index]), image.Point{}, draw.Src)
}

// text draws a line of text with its baseline at y.
func (p chartPicture) text(x, y int, line string) {
	d := font.Drawer{
		Dst:  p,
		Src:  image.NewUniform(chartPalette[chartBlack]),
		Face: basicfont.Face7x13,
		Dot:  fixed.P(x, y),
	}
	d.DrawString(line)
}
