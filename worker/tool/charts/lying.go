package charts

import "math"

// maxBesides is the most room for the texts beside lying bars, in pixels.
const maxBesides = 460

// arrangeLying finds the place of lying bars: the texts are on the left, the values run to the
// right.
func (d *drawing) arrangeLying() {
	t, widest := d.fonts, 0.0
	for n, text := range d.texts {
		d.texts[n] = t.cut(text, labelSize, maxBesides)
		widest = math.Max(widest, t.width(d.texts[n], labelSize))
	}
	d.y = newValueScale(d.values, d.whole, true, 5)
	ends := t.width(d.y.ticks[len(d.y.ticks)-1].label, labelSize) / 2
	d.left, d.right = margin+widest+20, pictureWidth-margin-math.Max(8, ends)
	d.top += 8
	if d.xTitle = t.cut(d.xTitle, labelSize, pictureWidth-2*margin); d.xTitle != "" {
		d.top += lineHeight + 4
	}
	below := 16 + lineHeight + d.legendHeight() + margin/2
	if d.yTitle = t.cut(d.yTitle, labelSize, pictureWidth-2*margin); d.yTitle != "" {
		below += lineHeight + 4
	}
	rows := float64(len(d.texts)) * math.Max(lyingBar+8, lyingBar+lyingMore*float64(len(d.series)-1))
	d.bottom = math.Max(pictureHeight-below, d.top+math.Max(plotHeight, rows))
	d.height = int(d.bottom + below)
}

// vx returns where a value of lying bars stands.
func (d *drawing) vx(value float64) float64 { return d.left + d.y.position(value)*(d.right-d.left) }

func (d *drawing) drawLyingFrame() {
	d.text(d.xTitle, labelSize, margin, d.top-16, alignLeft, inkLabel)
	for _, tick := range d.y.ticks {
		x := math.Round(d.vx(tick.at))
		d.box(x-1, d.top, x+1, d.bottom, inkGrid)
		d.text(tick.label, labelSize, x, d.bottom+16+labelSize, alignCentre, inkLabel)
	}
	slot := (d.bottom - d.top) / float64(len(d.texts))
	for n, text := range d.texts {
		d.text(text, labelSize, d.left-20, d.top+(float64(n)+0.5)*slot+labelSize*0.36, alignRight, inkLabel)
	}
	d.text(d.yTitle, labelSize, (d.left+d.right)/2, d.bottom+16+2*lineHeight, alignCentre, inkLabel)
}

func (d *drawing) drawLyingBars(bars []bar) {
	slot, zero, text := (d.bottom-d.top)/float64(len(d.texts)), d.vx(0), d.valueText()
	for _, b := range bars {
		y0, y1 := d.top+b.begin*slot, d.top+b.end*slot
		if y1-y0 > 6 && len(d.series) > 1 {
			y1 -= 2 // bars of one slot stay apart
		}
		x := d.vx(b.value)
		d.box(math.Min(x, zero), y0, math.Max(x, zero), y1, b.fill)
		if len(bars) > maxValueTexts {
			continue
		}
		label := text(b.value)
		room := d.fonts.width(label, labelSize) + 24
		at, align, ink := x+12, alignLeft, inkDark
		if b.value < 0 {
			at, align = x-12, alignRight
		}
		if b.value >= 0 && x+room > d.right || b.value < 0 && x-room < d.left { // inside the bar
			at, align, ink = x-12, alignRight, whiteInk
			if b.value < 0 {
				at, align = x+12, alignLeft
			}
		}
		d.text(label, labelSize, at, (y0+y1)/2+labelSize*0.36, align, ink)
	}
	d.box(math.Round(zero)-1, d.top, math.Round(zero)+1, d.bottom, inkAxis)
}
