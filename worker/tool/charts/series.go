package charts

import "math"

const (
	lineWidth   = 5.0
	markRadius  = 8.0
	dashLength  = 18.0
	maxMarked   = 40  // most points of a line whose points are marked
	maxBigMarks = 300 // most points of a scatter chart with large marks
)

// drawSeries draws lines or marks.
func (d *drawing) drawSeries() {
	for n, s := range d.series {
		style := styleOf(n)
		if d.kind == kindScatter {
			d.drawMarks(s, style)
			continue
		}
		marked := len(s.points) <= maxMarked
		for _, run := range s.runs() {
			d.drawLine(d.thin(d.spots(run)), style)
			if marked || len(run) == 1 {
				for _, at := range d.spots(run) {
					d.mark(at, markRadius, style)
				}
			}
		}
	}
}

// runs cuts a series at its gaps.
func (s series) runs() (runs [][]point) {
	var run []point
	for _, p := range s.points {
		if !math.IsNaN(p.y) {
			run = append(run, p)
			continue
		}
		if len(run) > 0 {
			runs, run = append(runs, run), nil
		}
	}
	if len(run) > 0 {
		runs = append(runs, run)
	}
	return runs
}

func (d *drawing) spots(points []point) (line []spot) {
	for _, p := range points {
		line = append(line, spot{d.px(p.x), d.py(p.y)})
	}
	return line
}

// thin keeps only the first, last, lowest and highest spot of each column of pixels. They look the
// same as all.
func (d *drawing) thin(line []spot) (thin []spot) {
	for i := 0; i < len(line); {
		end, low, high := i, i, i
		for ; end < len(line) && math.Floor(line[end].x) == math.Floor(line[i].x); end++ {
			if line[end].y < line[low].y {
				low = end
			}
			if line[end].y > line[high].y {
				high = end
			}
		}
		kept := -1
		for _, n := range []int{i, min(low, high), max(low, high), end - 1} {
			if n > kept {
				thin, kept = append(thin, line[n]), n
			}
		}
		i = end
	}
	return thin
}

func (d *drawing) drawLine(line []spot, s style) {
	if !s.second {
		d.stroke(line, lineWidth, s.ink)
		return
	}
	for _, part := range dashed(line, dashLength, dashLength*0.7) {
		d.stroke(part, lineWidth, s.ink)
	}
}

// drawMarks draws the points of a scatter chart.
func (d *drawing) drawMarks(s series, style style) {
	radius := markRadius + 1
	if d.points() > maxBigMarks {
		radius = markRadius * 0.55
	}
	for _, run := range s.runs() {
		for _, at := range d.spots(run) {
			d.mark(at, radius, style)
		}
	}
}

// mark draws a point. Points of the second ten series are hollow.
func (d *drawing) mark(at spot, radius float64, s style) {
	d.fill([][]spot{circle(at, radius)}, s.ink)
	if s.second {
		d.fill([][]spot{circle(at, radius*0.55)}, whiteInk)
	}
}
