package charts

import (
	"bytes"
	"cmp"
	"image/color"
	"image/png"
	"math"
)

// Sizes of a picture, in pixels. A phone shows it at about a third of its width.
const (
	pictureWidth  = 1200
	pictureHeight = 800
	plotHeight    = 480 // least height of the area with the data
	margin        = 32
	titleSize     = 44
	labelSize     = 30
	lineHeight    = 38
)

var (
	inkDark  = color.RGBA{0x22, 0x22, 0x22, 0xff}
	inkAxis  = color.RGBA{0x66, 0x66, 0x66, 0xff}
	inkGrid  = color.RGBA{0xdd, 0xdd, 0xdd, 0xff}
	inkLabel = color.RGBA{0x44, 0x44, 0x44, 0xff}
)

// palette has the colours of the first ten series. They differ for colour-blind people too, as far
// as ten can.
var palette = []color.RGBA{
	{0x1f, 0x6f, 0xb4, 0xff}, {0xe0, 0x6c, 0x00, 0xff}, {0x22, 0x8b, 0x3c, 0xff}, {0xc6, 0x28, 0x28, 0xff},
	{0x7b, 0x4f, 0xa8, 0xff}, {0x8a, 0x5a, 0x44, 0xff}, {0xd8, 0x5f, 0xa8, 0xff}, {0x55, 0x55, 0x55, 0xff},
	{0x9a, 0x93, 0x12, 0xff}, {0x12, 0x9a, 0xab, 0xff},
}

// style is how a series looks. The second ten series have the colours of the first.
type style struct {
	ink    color.RGBA
	second bool // dashed lines, hollow marks and pale bars
}

func styleOf(series int) style {
	return style{ink: palette[series%len(palette)], second: series >= len(palette)}
}

// pale returns a colour mixed with white.
func (s style) pale() color.RGBA {
	mix := func(v uint8) uint8 { return uint8((int(v) + 255) / 2) }
	return color.RGBA{mix(s.ink.R), mix(s.ink.G), mix(s.ink.B), 0xff}
}

// bar returns the colour of bars.
func (s style) bar() color.RGBA {
	if s.second {
		return s.pale()
	}
	return s.ink
}

// picture is a drawn chart.
type picture struct {
	png           []byte
	width, height int
	missing       []rune // characters that the font lacks
}

// drawing is the state of a chart while it is drawn. Left, top, right and bottom bound the area
// with the data.
type drawing struct {
	*chart
	*canvas
	fonts                    *typesetter
	left, top, right, bottom float64
	height                   int
	titleLines               []string
	yTitle, xTitle           string
	names                    []string // of the series, drawable
	legend                   []legendRow
	x, y                     scale
	lying                    bool // bars lie, because their texts are long
	texts                    []string
	slotLines                int     // most lines of a text below a slot
	slotSize                 float64 // size of the texts below the slots
}

// draw draws the chart.
func (c *chart) draw() (picture, error) {
	t, err := newTypesetter()
	if err != nil {
		return picture{}, err
	}
	d := &drawing{chart: c, fonts: t}
	d.arrange()
	d.canvas = newCanvas(t, pictureWidth, d.height)
	d.drawFrame()
	if c.kind == kindBar {
		d.drawBars()
	} else {
		d.drawSeries()
	}
	d.drawLegend()
	var out bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, d.img)
	return picture{png: out.Bytes(), width: pictureWidth, height: d.height, missing: t.missing}, err
}

// arrange finds the place of everything.
func (d *drawing) arrange() {
	t := d.fonts
	d.titleLines = t.wrap(t.drawable(d.title), titleSize, pictureWidth-2*margin, 2)
	for _, s := range d.series {
		d.names = append(d.names, t.drawable(s.name))
	}
	d.yTitle, d.xTitle = t.drawable(d.yLabel), t.drawable(d.xLabel)
	if len(d.series) == 1 {
		d.yTitle = cmp.Or(d.yTitle, d.names[0])
	} else {
		d.legend = d.legendRows()
	}
	for _, text := range d.categories {
		d.texts = append(d.texts, t.drawable(text))
	}
	if d.kind == kindBar {
		d.lying = d.textsAreLong()
	}
	d.y = newValueScale(d.boundsWithTexts(), d.whole, d.kind == kindBar, 6)
	d.top = margin + float64(len(d.titleLines))*(titleSize+8)
	if d.lying {
		d.arrangeLying()
		return
	}
	if d.yTitle = t.cut(d.yTitle, labelSize, pictureWidth-2*margin); d.yTitle != "" {
		d.top += lineHeight + 4
	}
	d.top += labelSize
	widest := 0.0
	for _, tick := range d.y.ticks {
		widest = math.Max(widest, t.width(tick.label, labelSize))
	}
	d.left, d.right = margin+widest+16, pictureWidth-margin-8
	d.arrangeX()
	below := 16 + lineHeight*float64(d.slotLines)
	if d.xTitle = t.cut(d.xTitle, labelSize, d.right-d.left); d.xTitle != "" {
		below += lineHeight + 4
	}
	below += d.legendHeight() + margin/2
	d.bottom = math.Max(pictureHeight-below, d.top+plotHeight)
	d.height = int(d.bottom + below)
}

// arrangeX makes the scale of the x values and the lines below the axis.
func (d *drawing) arrangeX() {
	d.slotLines, d.slotSize = 1, labelSize
	switch d.axis {
	case axisTime:
		d.x = newTimeScale(d.span, d.dated, 8)
		for _, tick := range d.x.ticks {
			if tick.context != "" {
				d.slotLines = 2
			}
		}
	case axisNumber:
		d.x = newNumberScale(d.span, d.wholeX, 8)
		for most := 7; most > 2 && d.crowded(); most-- {
			d.x = newNumberScale(d.span, d.wholeX, most)
		}
	case axisCategory:
		d.x = scale{low: -0.5, high: float64(len(d.texts)) - 0.5}
		d.x.ticks, d.slotLines = d.categoryTicks()
	}
}

// crowded reports whether two labels of the x axis would touch.
func (d *drawing) crowded() bool {
	room := d.right - d.left
	for i, tick := range d.x.ticks[1:] {
		apart := (d.x.position(tick.at) - d.x.position(d.x.ticks[i].at)) * room
		if (d.fonts.width(tick.label, labelSize)+d.fonts.width(d.x.ticks[i].label, labelSize))/2+24 > apart {
			return true
		}
	}
	return false
}

// slotGap is the least room between the texts of two slots.
const slotGap = 20

// maxWrapped is the most slots whose texts are wrapped; of more slots some texts are left out.
const maxWrapped = 12

// slotSizes are the sizes of the texts below the slots, the preferred first.
var slotSizes = []float64{labelSize, 28, 26, 24}

// categoryTicks returns the texts below the axis: all of them on up to three lines if they fit,
// otherwise every second, third or further one.
func (d *drawing) categoryTicks() (ticks []tick, lines int) {
	slot := (d.right - d.left) / float64(len(d.texts))
	if len(d.texts) <= maxWrapped {
		for _, d.slotSize = range slotSizes {
			if !d.fonts.anyCut(d.texts, d.slotSize, slot-slotGap, 3) {
				break
			}
		}
		for n, text := range d.texts {
			ticks = append(ticks, tick{at: float64(n), label: text})
			lines = max(lines, len(d.fonts.wrap(text, d.slotSize, slot-slotGap, 3)))
		}
		return ticks, max(1, lines)
	}
	const longest = 260 // pixels of a text among many
	widest := 0.0
	for _, text := range d.texts {
		widest = math.Max(widest, math.Min(longest, d.fonts.width(text, labelSize)))
	}
	every := int(math.Ceil((widest + slotGap) / slot))
	for n := 0; n < len(d.texts); n += every {
		ticks = append(ticks, tick{at: float64(n), label: d.fonts.cut(d.texts[n], labelSize, longest)})
	}
	return ticks, 1
}

// px returns where an x value stands.
func (d *drawing) px(x float64) float64 { return d.left + d.x.position(x)*(d.right-d.left) }

// py returns where a y value stands.
func (d *drawing) py(y float64) float64 { return d.bottom - d.y.position(y)*(d.bottom-d.top) }

// drawFrame draws the title, the axes and their labels.
func (d *drawing) drawFrame() {
	for n, line := range d.titleLines {
		d.text(line, titleSize, margin, margin+float64(n)*(titleSize+8)+titleSize-6, alignLeft, inkDark)
	}
	if d.lying {
		d.drawLyingFrame()
		return
	}
	d.text(d.yTitle, labelSize, margin, d.top-labelSize, alignLeft, inkLabel)
	for _, tick := range d.y.ticks {
		y := math.Round(d.py(tick.at))
		ink := inkGrid
		if tick.at == 0 || tick.at == d.y.low {
			ink = inkAxis
		}
		d.box(d.left, y-1, d.right, y+1, ink)
		d.text(tick.label, labelSize, d.left-16, y+labelSize*0.36, alignRight, inkLabel)
	}
	for _, tick := range d.x.ticks {
		d.drawXTick(tick)
	}
	d.text(d.xTitle, labelSize, (d.left+d.right)/2, d.bottom+16+lineHeight*float64(d.slotLines)+lineHeight,
		alignCentre, inkLabel)
}

// drawXTick draws a label below the axis, on several lines if it is a text.
func (d *drawing) drawXTick(t tick) {
	at, top := d.px(t.at), d.bottom+16+labelSize
	lines := []string{t.label}
	switch {
	case t.context != "":
		lines = append(lines, t.context)
	case d.axis == axisCategory && len(d.texts) <= maxWrapped:
		lines = d.fonts.wrap(t.label, d.slotSize, (d.right-d.left)/float64(len(d.texts))-slotGap, 3)
	}
	if d.axis != axisCategory {
		d.box(math.Round(at)-1, d.bottom, math.Round(at)+1, d.bottom+10, inkAxis)
	}
	for n, line := range lines {
		half := d.fonts.width(line, d.slotSize) / 2
		x := math.Max(half+4, math.Min(at, pictureWidth-half-4)) // no text leaves the picture
		d.text(line, d.slotSize, x, top+float64(n)*lineHeight, alignCentre, inkLabel)
	}
}
