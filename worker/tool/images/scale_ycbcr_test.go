package images

import (
	"image"
	"math/rand/v2"
	"testing"
)

func TestScale_YCbCrPlanes_MatchColours(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		sw, sh := 20+rng.IntN(200), 20+rng.IntN(200)
		w, h := 1+rng.IntN(sw), 1+rng.IntN(sh)
		src := image.NewYCbCr(image.Rect(0, 0, sw+16, sh+16), image.YCbCrSubsampleRatio420).
			SubImage(image.Rect(0, 0, sw, sh)).(*image.YCbCr)
		for i := range src.Y {
			src.Y[i] = byte(60 + i%src.YStride + rng.IntN(8))
		}
		for i := range src.Cb {
			src.Cb[i], src.Cr[i] = byte(100+i%src.CStride/2), byte(150-i%src.CStride/2)
		}
		got, err := scaleYCbCr(t.Context(), src, w, h)
		if err != nil {
			t.Fatal(err)
		}
		want, err := scale(t.Context(), src, w, h)
		if err != nil {
			t.Fatal(err)
		}
		for y := range h {
			for x := range w {
				if !near(got, x, y, want.At(x, y)) {
					t.Fatalf("%d x %d as %d x %d: at %d, %d %v, want %v", sw, sh, w, h, x, y, got.At(x, y), want.At(x, y))
				}
			}
		}
	}
}
