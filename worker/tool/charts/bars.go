package charts

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"
	"time"
)

var whiteInk = color.RGBA{0xff, 0xff, 0xff, 0xff}

const (
	barShare      = 0.8 // share of a slot that its bars take
	maxValueTexts = 12  // most bars with their values written at them
	maxLyingBars  = 60
	lyingBar      = 40.0 // least height of a slot with one lying bar, in pixels
	lyingMore     = 20.0 // height of a further bar
)

// useCategories makes slots of the x values, because bars stand side by side.
func (c *chart) useCategories() error {
	if c.axis != axisCategory {
		var all []float64
		for _, s := range c.series {
			for _, p := range s.points {
				all = append(all, p.x)
			}
		}
		slices.Sort(all)
		all = slices.Compact(all)
		for _, s := range c.series {
			for n := range s.points {
				at, _ := slices.BinarySearch(all, s.points[n].x)
				s.points[n].x = float64(at)
			}
		}
		c.categories, c.axis = c.slotTexts(all), axisCategory
	}
	for _, s := range c.series {
		for n := 1; n < len(s.points); n++ {
			if at := s.points[n].x; at == s.points[n-1].x {
				name := s.name
				if name != "" {
					name = " of " + quote(name)
				}
				return fmt.Errorf("%w: two values%s for %s; add them up, or give one", errTwoValues, name,
					quote(c.categories[int(at)]))
			}
		}
	}
	return nil
}

var errTwoValues = errors.New("a bar shows one value")

// slotTexts writes numbers or times for the slots of bars.
func (c *chart) slotTexts(all []float64) (texts []string) {
	layout := "2 Jan"
	if c.axis == axisTime {
		firsts, years, months := true, map[int]bool{}, true
		for _, x := range all {
			at := timeAt(x)
			years[at.Year()] = true
			firsts, months = firsts && at.Day() == 1, months && at.Month() == time.January
		}
		switch {
		case firsts && months && c.dated:
			layout = "2006"
		case firsts && c.dated:
			layout = "Jan"
		}
		if len(years) > 1 && layout != "2006" {
			layout += " 2006"
		}
		if !c.dated {
			layout += " 15:04"
		}
	}
	format := tickFormat(0, math.Max(math.Abs(c.span.low), math.Abs(c.span.high)))
	for _, x := range all {
		if c.axis == axisTime {
			texts = append(texts, timeAt(x).Format(layout))
		} else {
			texts = append(texts, format(x))
		}
	}
	return texts
}

// bar is one bar: its place across the slots, and its value.
type bar struct {
	begin, end float64 // from 0 to the number of slots
	value      float64
	fill       color.RGBA
}

// bars returns all bars.
func (d *drawing) bars() (bars []bar) {
	width := barShare / float64(len(d.series))
	for n, s := range d.series {
		for _, p := range s.points {
			if math.IsNaN(p.y) {
				continue
			}
			begin := p.x + (1-barShare)/2 + float64(n)*width
			bars = append(bars, bar{begin, begin + width, p.y, styleOf(n).bar()})
		}
	}
	return bars
}

// valueText returns the function that writes values at their bars.
func (d *drawing) valueText() func(float64) string {
	return tickFormat(0, math.Max(math.Abs(d.values.low), math.Abs(d.values.high)))
}

// drawBars draws standing or lying bars.
func (d *drawing) drawBars() {
	bars, text := d.bars(), d.valueText()
	if d.lying {
		d.drawLyingBars(bars)
		return
	}
	slot := (d.right - d.left) / float64(len(d.texts))
	zero := d.py(0)
	for _, b := range bars {
		x0, x1 := d.left+b.begin*slot, d.left+b.end*slot
		if x1-x0 > 6 && len(d.series) > 1 {
			x1 -= 2 // bars of one slot stay apart
		}
		y := d.py(b.value)
		d.box(x0, math.Min(y, zero), math.Max(x1, x0+1), math.Max(y, zero), b.fill)
		label := text(b.value)
		if len(bars) > maxValueTexts || d.fonts.width(label, labelSize) > (x1-x0)+16 {
			continue
		}
		at := y - 10
		if b.value < 0 {
			at = y + labelSize + 2
		}
		d.text(label, labelSize, (x0+x1)/2, at, alignCentre, inkDark)
	}
	d.box(d.left, math.Round(zero)-1, d.right, math.Round(zero)+1, inkAxis)
}

// textsAreLong reports whether the texts of slots are easier to read beside lying bars.
func (d *drawing) textsAreLong() bool {
	if len(d.texts)*len(d.series) > maxLyingBars || len(d.texts) < 2 {
		return false
	}
	slot := (pictureWidth - 4.0*margin) / float64(len(d.texts))
	return d.fonts.anyCut(d.texts, slotSizes[len(slotSizes)-1], slot-slotGap, 2)
}

// boundsWithTexts returns the bounds of the values, with room for the numbers at few bars.
func (d *drawing) boundsWithTexts() bounds {
	b := d.values
	if d.kind != kindBar || len(d.bars()) > maxValueTexts {
		return b
	}
	all := b.with(0)
	room := (all.high - all.low) * 0.07
	if b.high > 0 {
		b.high += room
	}
	if b.low < 0 {
		b.low -= room
	}
	return b
}
