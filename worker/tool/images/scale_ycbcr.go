package images

import (
	"context"
	"image"
)

// scaleYCbCr scales a photograph in YCbCr, the usual format of decoded photographs, with a fourth
// of the colours (4:2:0). Scaling its three planes takes half the time of scaling four colours, and
// the encoder needs no conversion of the planes.
func scaleYCbCr(ctx context.Context, src *image.YCbCr, w, h int) (*image.YCbCr, error) {
	dst := image.NewYCbCr(image.Rect(0, 0, w, h), image.YCbCrSubsampleRatio420)
	sw, sh := src.Rect.Dx(), src.Rect.Dy()
	half := func(n int) int { return (n + 1) / 2 }
	for _, p := range []struct{ from, to plane }{
		{plane{src.Y, src.YStride, sw, sh}, plane{dst.Y, dst.YStride, w, h}},
		{plane{src.Cb, src.CStride, half(sw), half(sh)}, plane{dst.Cb, dst.CStride, half(w), half(h)}},
		{plane{src.Cr, src.CStride, half(sw), half(sh)}, plane{dst.Cr, dst.CStride, half(w), half(h)}},
	} {
		if err := p.to.scaleFrom(ctx, p.from); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

// plane holds one value of all pixels, row by row.
type plane struct {
	pix          []byte
	stride, w, h int
}

// scaleFrom fills a plane with the means of a larger plane's areas.
func (p plane) scaleFrom(ctx context.Context, src plane) error {
	columns, rows := pixelShares(src.w, p.w), pixelShares(src.h, p.h)
	line, sum := make([]float32, p.w+1), make([]float32, p.w+1)
	for y, share := range rows {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		clear(line)
		row := src.pix[y*src.stride:][:len(columns)]
		for x, c := range columns {
			v, to := float32(row[x]), line[c.at:c.at+2]
			to[0] += v * c.first
			to[1] += v * c.second
		}
		addRow(sum, line, share.first)
		if y+1 == len(rows) || rows[y+1].at != share.at {
			store(p.pix[share.at*p.stride:], sum[:p.w])
			clear(sum)
			addRow(sum, line, share.second)
		}
	}
	return nil
}
