package main

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/worker"
	"mews/worker/tool/charts"
	"mews/worker/workspace"
)

// TestManualPictures_Chart_EqualsItsTable draws the table of the manual's page on charts, and
// compares the result with the page's picture. If MEWS_PICTURES is set, it writes the picture
// instead.
func TestManualPictures_Chart_EqualsItsTable(t *testing.T) {
	page, err := os.ReadFile("manual/guide/charts.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := examplesOf(string(page))
	i := slices.IndexFunc(blocks, func(b example) bool { return b.kind == "text" })
	if i < 0 {
		t.Fatal("the page has no table")
	}
	drawn := drawTable(t, strings.Join(blocks[i].lines, "\n"))
	if len(drawn) > 2*maxPicture {
		t.Errorf("%d bytes, want at most %d", len(drawn), 2*maxPicture)
	}
	if folder := os.Getenv("MEWS_PICTURES"); folder != "" {
		if err := os.WriteFile(filepath.Join(folder, "chart.png"), drawn, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	kept, err := os.ReadFile(filepath.Join(pictureFolder, "chart.png"))
	if err != nil {
		t.Fatal(err)
	}
	if n := differentPixels(t, drawn, kept); n > 1000 { // processors may round differently
		t.Errorf("%d pixels differ from the kept picture: draw it anew with `make pictures`", n)
	}
}

// drawTable draws a CSV file as the manual's page shows it.
func drawTable(t *testing.T, table string) []byte {
	t.Helper()
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "electricity.csv"), []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(home, protocol.FilePolicy{})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	call := worker.Call{Arguments: json.RawMessage(
		`{"kind":"line","title":"Electricity","csv":"electricity.csv","y_label":"kWh"}`)}
	result, err := charts.Tools(ws, time.UTC)[0].Run(t.Context(), call)
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := os.ReadFile(filepath.Join(home, result.Changes[0].Target))
	if err != nil {
		t.Fatal(err)
	}
	return drawn
}

// differentPixels counts the pixels in which two pictures differ visibly.
func differentPixels(t *testing.T, a, b []byte) (n int) {
	t.Helper()
	var pictures [2]*image.RGBA
	for i, data := range [][]byte{a, b} {
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		pictures[i] = img.(*image.RGBA)
	}
	if pictures[0].Rect != pictures[1].Rect {
		t.Fatalf("%v and %v", pictures[0].Rect, pictures[1].Rect)
	}
	for i, v := range pictures[0].Pix {
		if d := int(v) - int(pictures[1].Pix[i]); d < -16 || d > 16 {
			n++
		}
	}
	return n
}
