package command

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math"
	"testing"
)

func drawnChart(t *testing.T, bars []chartBar) (image.Image, []byte) {
	t.Helper()
	text, err := drawBars("What it cost", bars, func(v float64) string { return fmt.Sprintf("$%.2f", v) })
	if err != nil {
		t.Fatal(err)
	}
	p, err := png.Decode(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return p, text
}

// barHeight returns the height in pixels of bar i of n, measured in the middle of the bar.
func barHeight(p image.Image, i, n int) (pixels int) {
	x := chartLeft + (2*i+1)*plotWidth/(2*n)
	for y := range chartHeight {
		if p.At(x, y) == chartPalette[chartBlue] {
			pixels++
		}
	}
	return pixels
}

func TestDrawBars_Heights_FollowValues(t *testing.T) {
	var bars []chartBar
	for i := range 30 {
		bars = append(bars, chartBar{Label: fmt.Sprintf("11-%02d", i+1), Value: float64(i) / 10})
	}
	bars[1].Value = 0.0000001
	p, text := drawnChart(t, bars)
	if size := p.Bounds().Size(); size != image.Pt(chartWidth, chartHeight) {
		t.Errorf("it is %v", size)
	}
	if len(text) > 8<<10 {
		t.Errorf("it has %d bytes", len(text))
	}
	// the scale ends at 3, which is 290 pixels high
	for i, want := range map[int]int{0: 0, 1: 1, 15: 145, 29: 280} {
		if got := barHeight(p, i, len(bars)); got != want {
			t.Errorf("bar %d is %d pixels tall, want %d", i, got, want)
		}
	}
	dark := false
	for x := chartLeft; x < chartWidth; x++ {
		for y := chartHeight - chartBottom + 2; y < chartHeight; y++ {
			dark = dark || p.At(x, y) == chartPalette[chartBlack]
		}
	}
	if !dark {
		t.Error("nothing stands below the bars")
	}
	if _, again := drawnChart(t, bars); !bytes.Equal(text, again) {
		t.Error("the same figures give another picture")
	}
}

func TestScaleStep_IsRoundNumber(t *testing.T) {
	for most, want := range map[float64]float64{0: 1, 1: 0.5, 3: 1, 2.9: 1, 4: 1, 4.1: 2, 8.5: 5, 20: 5, 21: 10,
		0.0007: 0.0002, 123456: 50000, math.Inf(1): 1} {
		if got := scaleStep(most); math.Abs(got-want) > want/1e6 {
			t.Errorf("up to %v the step is %v, want %v", most, got, want)
		}
	}
}

func TestDrawBars_NoValues_DrawsAxes(t *testing.T) {
	for _, bars := range [][]chartBar{nil, {{Label: "a"}}, make([]chartBar, 2000)} {
		p, _ := drawnChart(t, bars)
		if p.At(chartWidth/2, chartTop+plotHeight) != chartPalette[chartBlack] {
			t.Errorf("%d bars have no ground", len(bars))
		}
	}
}
