package images

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mews/protocol"
	"mews/worker"
	"mews/worker/workspace"
)

// view calls the tool for a file with these bytes.
func view(t *testing.T, data []byte) (worker.Result, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "it"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(dir, protocol.FilePolicy{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := ws.Close(); err != nil {
			t.Error(err)
		}
	})
	return New(ws, Convert).Tools()[0].Run(t.Context(), worker.Call{Arguments: []byte(`{"path":"it"}`)})
}

// seen returns the decoded picture that the model would see.
func seen(t *testing.T, r worker.Result) image.Image {
	t.Helper()
	if len(r.Images) != 1 {
		t.Fatalf("got %d pictures", len(r.Images))
	}
	p := r.Images[0]
	m, kind, err := image.Decode(bytes.NewReader(p.Data))
	if err != nil {
		t.Fatal(err)
	}
	if "image/"+kind != p.MediaType || m.Bounds().Dx() != p.Width || m.Bounds().Dy() != p.Height {
		t.Errorf("it is said to be %s, %d x %d, and is %s, %v", p.MediaType, p.Width, p.Height, kind, m.Bounds())
	}
	if max(p.Width, p.Height) > maxEdge || len(p.Data) > protocol.MaxImageBytes {
		t.Errorf("%d x %d in %d bytes is too much", p.Width, p.Height, len(p.Data))
	}
	return m
}

// near reports whether a pixel has a colour, as far as JPEG keeps it.
func near(m image.Image, x, y int, want color.Color) bool {
	r, g, b, _ := m.At(x, y).RGBA()
	wr, wg, wb, _ := want.RGBA()
	for _, d := range []int{int(r) - int(wr), int(g) - int(wg), int(b) - int(wb)} {
		if max(d, -d) > 0x2000 {
			return false
		}
	}
	return true
}

var (
	red, green = color.RGBA{255, 0, 0, 255}, color.RGBA{0, 255, 0, 255}
	blue, gray = color.RGBA{0, 0, 255, 255}, color.RGBA{128, 128, 128, 255}
)

// corners makes a picture whose first row begins red and ends green. Its last row begins blue and
// ends gray.
func corners(w, h int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.SetRGBA(x, y, [2][2]color.RGBA{{red, green}, {blue, gray}}[2*y/h][2*x/w])
		}
	}
	return m
}

func pngOf(t testing.TB, m image.Image) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := png.Encode(&buf, m); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func jpegOf(t testing.TB, m image.Image, quality int) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := jpeg.Encode(&buf, m, &jpeg.Options{Quality: quality}); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestShow_SmallPicture_KeepsItsBytes(t *testing.T) {
	for kind, data := range map[string][]byte{
		"image/png": pngOf(t, corners(40, 30)), "image/jpeg": jpegOf(t, corners(40, 30), 90),
	} {
		got, err := view(t, data)
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		seen(t, got)
		if p := got.Images[0]; p.MediaType != kind || !bytes.Equal(p.Data, data) {
			t.Errorf("%s became %s of %d bytes", kind, p.MediaType, len(p.Data))
		}
		if got.Brief != "40 x 30" || !strings.HasPrefix(got.Text, "it: a ") || strings.Contains(got.Text, "shown as") {
			t.Errorf("got %q, %q", got.Brief, got.Text)
		}
	}
}

func TestShow_LargePicture_IsScaledDown(t *testing.T) {
	for _, test := range []struct {
		kind               string
		w, h, wantW, wantH int
	}{
		{"image/png", 1600, 400, 1568, 392}, {"image/jpeg", 400, 3136, 200, 1568},
		{"image/png", 20000, 3, 1568, 1}, {"image/jpeg", 3, 20000, 1, 1568},
	} {
		data := pngOf(t, corners(test.w, test.h))
		if test.kind == "image/jpeg" {
			data = jpegOf(t, corners(test.w, test.h), 90)
		}
		got, err := view(t, data)
		if err != nil {
			t.Fatalf("%v: %v", test, err)
		}
		m, p := seen(t, got), got.Images[0]
		if p.Width != test.wantW || p.Height != test.wantH || p.MediaType != test.kind {
			t.Errorf("%v: got %s, %d x %d", test, p.MediaType, p.Width, p.Height)
		}
		if min(p.Height, p.Width) > 100 && !(near(m, 20, 20, red) && near(m, p.Width-20, p.Height-20, gray)) {
			t.Errorf("%v: the colours are not where they were", test)
		}
		if !strings.HasSuffix(got.Text, fmt.Sprintf(", shown as %d x %d", test.wantW, test.wantH)) {
			t.Errorf("got %q", got.Text)
		}
	}
}

// TestScale_AnySize_KeepsMeanColour: scaling does not change the mean of the whole picture.
func TestScale_AnySize_KeepsMeanColour(t *testing.T) {
	for _, test := range [][4]int{{7, 5, 3, 2}, {100, 1, 33, 1}, {9, 9, 9, 9}, {1000, 700, 999, 699}, {64, 64, 1, 1}} {
		src := image.NewRGBA(image.Rect(0, 0, test[0], test[1]))
		random := rand.New(rand.NewPCG(1, 2))
		for i := range src.Pix {
			src.Pix[i] = byte(random.IntN(256))
		}
		dst, err := scale(t.Context(), src, test[2], test[3])
		if err != nil {
			t.Fatal(err)
		}
		for c := range 4 {
			if a, b := mean(src.Pix, c), mean(dst.Pix, c); a-b > 1 || b-a > 1 {
				t.Errorf("%v: channel %d was %.2f and is %.2f", test, c, a, b)
			}
		}
	}
}

func mean(pix []byte, channel int) float64 {
	sum := 0.0
	for i := channel; i < len(pix); i += 4 {
		sum += float64(pix[i])
	}
	return sum / float64(len(pix)/4)
}

func TestScale_ContextEnds_Stops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := scale(ctx, corners(4, 4), 2, 2); err == nil {
		t.Error("it went on")
	}
}

// TestShow_Noise_FitsTheLimit: noise compresses badly in every format. The picture is still shown,
// within an API's size limit.
func TestShow_Noise_FitsTheLimit(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	noise := image.NewRGBA(image.Rect(0, 0, 200, 200))
	for _, photo := range []bool{true, false} {
		for i := range noise.Pix {
			noise.Pix[i] = byte(random.IntN(256)) | byte(i%4/3*255)
		}
		sizes := map[string]int{} // size of the shown picture by limit
		for _, most := range []int{1 << 20, 50_000, 30_000} {
			data, kind, err := encode(noise, photo, most)
			if err != nil || len(data) > most {
				t.Fatalf("%d bytes, at most %d: %v", len(data), most, err)
			}
			sizes[kind]++
		}
		if photo && sizes["image/jpeg"] != 3 || !photo && (sizes["image/png"] != 1 || sizes["image/jpeg"] != 2) {
			t.Errorf("photograph %v: %v", photo, sizes)
		}
	}
}

func TestShow_Transparency_IsKept(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 3000, 20))
	got, err := view(t, pngOf(t, m))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, alpha := seen(t, got).At(5, 5).RGBA(); alpha != 0 {
		t.Errorf("alpha is %d", alpha)
	}
}

func TestShow_Animation_ShowsFirstFrame(t *testing.T) {
	frame := func(c color.Color) *image.Paletted {
		m := image.NewPaletted(image.Rect(0, 0, 10, 10), color.Palette{c})
		return m
	}
	var buf bytes.Buffer
	movie := &gif.GIF{Image: []*image.Paletted{frame(red), frame(blue)}, Delay: []int{1, 1}}
	if err := gif.EncodeAll(&buf, movie); err != nil {
		t.Fatal(err)
	}
	got, err := view(t, buf.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if !near(seen(t, got), 5, 5, red) || got.Images[0].MediaType != "image/png" {
		t.Errorf("got %s", got.Images[0].MediaType)
	}
}

// tinyWebP is a lossless WebP of one red pixel.
const tinyWebP = "UklGRh4AAABXRUJQVlA4TBEAAAAvAAAAAAfQ//73v/+BiOh/AAA="

func TestShow_WebP_IsShown(t *testing.T) {
	data, err := base64.StdEncoding.DecodeString(tinyWebP)
	if err != nil {
		t.Fatal(err)
	}
	got, err := view(t, data)
	if err != nil {
		t.Fatal(err)
	}
	if m := seen(t, got); m.Bounds().Dx() != 1 || got.Images[0].MediaType == "image/webp" {
		t.Errorf("got %s, %v", got.Images[0].MediaType, m.Bounds())
	}
}

// pngHead returns the head of a PNG of this size, without any pixels.
func pngHead(w, h uint32, depth, colors byte) []byte {
	head := binary.BigEndian.AppendUint32([]byte("IHDR"), w)
	head = append(binary.BigEndian.AppendUint32(head, h), depth, colors, 0, 0, 0)
	out := append([]byte("\x89PNG\r\n\x1a\n"), 0, 0, 0, 13)
	return binary.BigEndian.AppendUint32(append(out, head...), crc32.ChecksumIEEE(head))
}

func TestShow_BadFile_IsRefused(t *testing.T) {
	whole := pngOf(t, corners(100, 100))
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"text": {[]byte("hello"), "view it: it is no PNG, JPEG, GIF, WebP, BMP or TIFF image;" +
			" convert it to one of these"},
		"nothing": {nil, "view it: it is no PNG, JPEG, GIF, WebP, BMP or TIFF image; convert it to one" +
			" of these"},
		"half a file": {whole[:len(whole)/2],
			"view it: it looks like a PNG image, but it is damaged or of a kind that can't be opened"},
		"a head alone": {whole[:9],
			"view it: it looks like a PNG image, but it is damaged or of a kind that can't be opened"},
		"too many pixels":   {pngHead(10000, 5001, 8, 2), "view it: it has 10000 x 5001 pixels, and at most 50 million"},
		"a bomb":            {pngHead(1<<31-1, 1<<31-1, 8, 2), "view it: it "},
		"more than fits":    {progressiveHead(7000, 7000), "view it: its 7000 x 7000 pixels would take 735 MB of memory, and at most 536"},
		"a file over 20 MB": {append(whole, make([]byte, maxFile)...), "view it: the file is over 20 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := view(t, test.data)
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

// progressiveHead returns a progressive JPEG without pixels.
func progressiveHead(w, h uint16) []byte {
	head := []byte{0xff, 0xd8, 0xff, 0xc2, 0, 17, 8, byte(h >> 8), byte(h), byte(w >> 8), byte(w), 3}
	for c := range byte(3) {
		head = append(head, c+1, 0x11, 0)
	}
	return append(head, 0xff, 0xda, 0, 2)
}

func TestView_MissingFile_SaysSo(t *testing.T) {
	ws, err := workspace.Open(t.TempDir(), protocol.FilePolicy{})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	for _, arguments := range []string{`{"path":"none.png"}`, `{"path":"../x.png"}`, `{}`, `{"path":1}`, `{"file":"x"}`} {
		if got, err := New(ws, Convert).Tools()[0].Run(t.Context(),
			worker.Call{Arguments: []byte(arguments)}); err == nil {
			t.Errorf("%s: got %+v", arguments, got)
		}
	}
}

// TestView_OtherSpaceInName_FindsFile: a screenshot's name has a narrow no-break space, which
// models do not write.
func TestView_OtherSpaceInName_FindsFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "Shot 1.05\u202fPM.png"), pngOf(t, corners(40, 30)), 0o600); err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(dir, protocol.FilePolicy{})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	got, err := New(ws, Convert).Tools()[0].Run(t.Context(), worker.Call{Arguments: []byte(`{"path":"Shot 1.05 ` +
		`PM.png"}`)})
	if err != nil || len(got.Images) != 1 || !strings.HasPrefix(got.Text, "There is no Shot 1.05 PM.png. ") {
		t.Errorf("got %q, %v", got.Text, err)
	}
}
