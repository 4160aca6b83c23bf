package charts

import (
	"image"
	"image/color"
	"image/draw"
	"math"

	"golang.org/x/image/vector"
)

// spot is a place of a picture, in pixels.
type spot struct{ x, y float64 }

// canvas is a picture that is being drawn.
type canvas struct {
	typesetter *typesetter
	img        *image.RGBA
	raster     vector.Rasterizer
}

func newCanvas(t *typesetter, width, height int) *canvas {
	c := &canvas{typesetter: t, img: image.NewRGBA(image.Rect(0, 0, width, height))}
	draw.Draw(c.img, c.img.Rect, image.White, image.Point{}, draw.Src)
	return c
}

// text writes a drawable text with its baseline at y.
func (c *canvas) text(text string, size, x, y float64, a alignment, ink color.Color) {
	c.typesetter.draw(c.img, text, size, x, y, a, ink)
}

// box fills an upright rectangle.
func (c *canvas) box(x0, y0, x1, y1 float64, fill color.Color) {
	c.fill([][]spot{{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}}, fill)
}

// fill fills polygons, which may overlap, with smooth edges.
func (c *canvas) fill(polygons [][]spot, fill color.Color) {
	x, y := noBounds(), noBounds()
	for _, p := range polygons {
		for _, s := range p {
			x, y = x.with(s.x), y.with(s.y)
		}
	}
	area := image.Rect(int(math.Floor(x.low)), int(math.Floor(y.low)), int(math.Ceil(x.high)), int(math.Ceil(y.high)))
	area = area.Intersect(c.img.Rect)
	if area.Empty() {
		return
	}
	c.raster.Reset(area.Dx(), area.Dy())
	at := func(s spot) (float32, float32) {
		return float32(s.x - float64(area.Min.X)), float32(s.y - float64(area.Min.Y))
	}
	for _, p := range polygons {
		turned := signedArea(p) < 0 // areas of polygons add up only if all run the same way round
		for i := range p {
			s := p[i]
			if turned {
				s = p[len(p)-1-i]
			}
			if px, py := at(s); i == 0 {
				c.raster.MoveTo(px, py)
			} else {
				c.raster.LineTo(px, py)
			}
		}
		c.raster.ClosePath()
	}
	c.raster.Draw(c.img, area, image.NewUniform(fill), image.Point{})
}

func signedArea(p []spot) (sum float64) {
	for i, a := range p {
		b := p[(i+1)%len(p)]
		sum += a.x*b.y - b.x*a.y
	}
	return sum
}

// circle returns a polygon like a circle.
func circle(at spot, radius float64) []spot { return polygon(at, radius, 20) }

func polygon(at spot, radius float64, corners int) (p []spot) {
	for i := range corners {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(corners))
		p = append(p, spot{at.x + radius*cos, at.y + radius*sin})
	}
	return p
}

// stripWidth is the width of the strips in which a long line is filled, in pixels. Narrow strips
// waste little work beside the line.
const stripWidth = 48

// maxRoundJoints is the most spots of a line whose joints are round. Nobody sees the joints of a
// longer line.
const maxRoundJoints = 500

// stroke draws a line through spots.
func (c *canvas) stroke(line []spot, width float64, ink color.Color) {
	var polygons [][]spot
	begin, corners := 0.0, 20
	if len(line) > maxRoundJoints {
		corners = 6
	}
	flush := func() {
		if len(polygons) > 0 {
			c.fill(polygons, ink)
			polygons = polygons[:0]
		}
	}
	for i, s := range line {
		if i == 0 {
			polygons, begin = append(polygons, polygon(s, width/2, corners)), s.x
			continue
		}
		if math.Abs(s.x-begin) > stripWidth {
			flush()
			begin = s.x
		}
		from := line[i-1]
		if length := math.Hypot(s.x-from.x, s.y-from.y); length > 0 {
			dx, dy := (s.y-from.y)/length*width/2, (from.x-s.x)/length*width/2
			polygons = append(polygons, []spot{
				{from.x + dx, from.y + dy}, {s.x + dx, s.y + dy}, {s.x - dx, s.y - dy}, {from.x - dx, from.y - dy}})
		}
		polygons = append(polygons, polygon(s, width/2, corners))
	}
	flush()
}

// dashed returns the parts of a line that are drawn if it is dashed.
func dashed(line []spot, on, off float64) (parts [][]spot) {
	part, drawing, left := line[:1:1], true, on // left is the rest of this dash or gap
	for i, to := range line[1:] {
		for from := line[i]; ; {
			length := math.Hypot(to.x-from.x, to.y-from.y)
			if length <= left {
				left -= length
				part = append(part, to)
				break
			}
			from = spot{from.x + (to.x-from.x)*left/length, from.y + (to.y-from.y)*left/length}
			if drawing {
				parts = append(parts, append(part, from))
			}
			part, drawing, left = []spot{from}, !drawing, off
			if drawing {
				left = on
			}
		}
	}
	if drawing && len(part) > 1 {
		parts = append(parts, part)
	}
	return parts
}
