package images

import (
	"context"
	"image"
	"image/draw"
)

// shownSize returns the shown size of a picture of w by h pixels: the same shape, the longest edge
// at most maxEdge.
func shownSize(w, h int) (int, int) {
	longest := max(w, h)
	if longest <= maxEdge {
		return w, h
	}
	return max(1, (w*maxEdge+longest/2)/longest), max(1, (h*maxEdge+longest/2)/longest)
}

// scale makes a picture smaller. Each new pixel is the mean of its area. scale reads one row at a
// time, so it needs memory only for the new picture. A filter of x/image would need 32 bytes for
// each new column of each old row.
func scale(ctx context.Context, src image.Image, w, h int) (*image.RGBA, error) {
	from := src.Bounds()
	dst := image.NewRGBA(image.Rect(0, 0, w, h))
	row := image.NewRGBA(image.Rect(0, 0, from.Dx(), 1))
	columns, rows := pixelShares(from.Dx(), w), pixelShares(from.Dy(), h)
	line, sum := make([]float32, 4*(w+1)), make([]float32, 4*(w+1))
	for y, share := range rows {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		draw.Draw(row, row.Bounds(), src, image.Pt(from.Min.X, from.Min.Y+y), draw.Src)
		scaleRow(line, row.Pix, columns)
		addRow(sum, line, share.first)
		if y+1 == len(rows) || rows[y+1].at != share.at {
			store(dst.Pix[share.at*dst.Stride:], sum[:4*w])
			clear(sum)
			addRow(sum, line, share.second)
		}
	}
	return dst, nil
}

// pixelShare holds the shares of an old pixel for the new pixel at, and for the new pixel after
// that.
type pixelShare struct {
	at            int
	first, second float32
}

// pixelShares divides n old pixels among m new pixels; m is at most n.
func pixelShares(n, m int) []pixelShare {
	out := make([]pixelShare, n)
	part := float32(m) / float32(n)
	for i := range out {
		at := i * m / n
		// The old pixel ends at (i+1)*m/n. The part beyond at+1 goes to the next new pixel.
		beyond := max(0, (i+1)*m-(at+1)*n)
		second := float32(beyond) / float32(n)
		out[i] = pixelShare{at, part - second, second}
	}
	return out
}

// scaleRow scales one row of pixels.
func scaleRow(line []float32, row []byte, columns []pixelShare) {
	clear(line)
	for x, share := range columns {
		old, to := row[4*x:4*x+4], line[4*share.at:4*share.at+8]
		for c := range 4 {
			v := float32(old[c])
			to[c] += v * share.first
			to[4+c] += v * share.second
		}
	}
}

func addRow(sum, line []float32, weight float32) {
	for i, v := range line {
		sum[i] += v * weight
	}
}

func store(pix []byte, sum []float32) {
	for i, v := range sum {
		pix[i] = byte(min(v+0.5, 255))
	}
}

// rotate turns a picture upright, given EXIF's orientation.
func rotate(src *image.RGBA, orientation int) *image.RGBA {
	if orientation < 2 || orientation > 8 {
		return src
	}
	w, h := src.Rect.Dx(), src.Rect.Dy()
	size := image.Rect(0, 0, w, h)
	if orientation >= 5 {
		size = image.Rect(0, 0, h, w)
	}
	dst := image.NewRGBA(size)
	for y := range h {
		for x := range w {
			to := rotations[orientation](x, y, w, h)
			copy(dst.Pix[dst.PixOffset(to.X, to.Y):][:4], src.Pix[src.PixOffset(x, y):][:4])
		}
	}
	return dst
}

// rotations return the position of a pixel in the upright picture, by orientation (EXIF 2.3).
var rotations = map[int]func(x, y, w, h int) image.Point{
	2: func(x, y, w, _ int) image.Point { return image.Pt(w-1-x, y) },
	3: func(x, y, w, h int) image.Point { return image.Pt(w-1-x, h-1-y) },
	4: func(x, y, _, h int) image.Point { return image.Pt(x, h-1-y) },
	5: func(x, y, _, _ int) image.Point { return image.Pt(y, x) },
	6: func(x, y, _, h int) image.Point { return image.Pt(h-1-y, x) },
	7: func(x, y, w, h int) image.Point { return image.Pt(h-1-y, w-1-x) },
	8: func(x, y, w, _ int) image.Point { return image.Pt(y, w-1-x) },
}
