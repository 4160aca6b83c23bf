package charts

import "math"

const (
	keyWidth  = 46.0 // width of the sample of a line, bar or mark
	keyGap    = 12.0
	legendGap = 40.0 // room between two names
)

// legendRow is a row of names below the chart.
type legendRow []legendEntry

type legendEntry struct {
	series int
	name   string
	x      float64
}

// legendRows sets the names of the series in rows. They stand in columns of equal width.
func (d *drawing) legendRows() (rows []legendRow) {
	const room = pictureWidth - 2*margin
	widest := 0.0
	names := make([]string, len(d.names))
	for n, name := range d.names {
		names[n] = d.fonts.cut(name, labelSize, room/2-keyWidth-keyGap-legendGap)
		widest = math.Max(widest, d.fonts.width(names[n], labelSize))
	}
	column := keyWidth + keyGap + widest + legendGap
	columns := max(1, min(len(names), int((room+legendGap)/column)))
	for n, name := range names {
		if n%columns == 0 {
			rows = append(rows, nil)
		}
		row := &rows[len(rows)-1]
		*row = append(*row, legendEntry{n, name, margin + float64(n%columns)*column})
	}
	return rows
}

// legendHeight returns the room of the legend, with the gap above it.
func (d *drawing) legendHeight() float64 {
	if len(d.legend) == 0 {
		return 0
	}
	return float64(len(d.legend))*(lineHeight+4) + 20
}

func (d *drawing) drawLegend() {
	y := float64(d.height) - margin/2 - float64(len(d.legend))*(lineHeight+4) + 26
	for _, row := range d.legend {
		for _, e := range row {
			style, middle := styleOf(e.series), y-labelSize*0.36
			switch d.kind {
			case kindBar:
				d.box(e.x+8, middle-14, e.x+keyWidth-8, middle+14, style.bar())
			case kindScatter:
				d.mark(spot{e.x + keyWidth/2, middle}, markRadius+3, style)
			default:
				d.drawLine([]spot{{e.x, middle}, {e.x + keyWidth, middle}}, style)
			}
			d.text(e.name, labelSize, e.x+keyWidth+keyGap, y, alignLeft, inkDark)
		}
		y += lineHeight + 4
	}
}
