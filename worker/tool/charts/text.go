package charts

import (
	"fmt"
	"image"
	"image/color"
	"slices"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// missingGlyph stands for a character that the font lacks.
const missingGlyph = '□'

// typesetter draws text in one font. The font has the letters of Latin, Greek and Cyrillic.
type typesetter struct {
	font    *opentype.Font
	face    map[float64]font.Face // by size in pixels
	buffer  sfnt.Buffer
	missing []rune // characters that the font lacks, each once
}

func newTypesetter() (*typesetter, error) {
	parsed, err := opentype.Parse(goregular.TTF)
	return &typesetter{font: parsed, face: map[float64]font.Face{}}, err
}

// sized returns the font in a size.
func (t *typesetter) sized(size float64) font.Face {
	if f, known := t.face[size]; known {
		return f
	}
	// the error is for impossible options alone
	f, _ := opentype.NewFace(t.font, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
	t.face[size] = f
	return f
}

// drawable replaces the characters that the font lacks, and remembers them.
func (t *typesetter) drawable(text string) string {
	return strings.Map(func(r rune) rune {
		if i, err := t.font.GlyphIndex(&t.buffer, r); err == nil && i != 0 {
			return r
		}
		if !slices.Contains(t.missing, r) {
			t.missing = append(t.missing, r)
		}
		return missingGlyph
	}, text)
}

// width returns the width of a drawable text in pixels.
func (t *typesetter) width(text string, size float64) float64 {
	return float64(font.MeasureString(t.sized(size), text)) / 64
}

// cut shortens a text to a width, with an ellipsis.
func (t *typesetter) cut(text string, size, width float64) string {
	if t.width(text, size) <= width {
		return text
	}
	runes := []rune(text)
	low, high := 0, len(runes)
	for low < high {
		middle := (low + high + 1) / 2
		if t.width(strings.TrimRight(string(runes[:middle]), " ")+"…", size) <= width {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return strings.TrimRight(string(runes[:low]), " ") + "…"
}

// wrap breaks a text into at most that many lines. The last one is cut.
func (t *typesetter) wrap(text string, size, width float64, most int) (lines []string) {
	line := ""
	words := strings.Fields(text)
	for i, word := range words {
		longer := strings.TrimSpace(line + " " + word)
		if line == "" || t.width(longer, size) <= width {
			line = longer
			continue
		}
		if len(lines) == most-1 {
			line = strings.Join(append([]string{line}, words[i:]...), " ")
			break
		}
		lines, line = append(lines, t.cut(line, size, width)), word
	}
	if line != "" {
		lines = append(lines, t.cut(line, size, width))
	}
	return lines
}

// anyCut reports whether one of the texts does not fit into that many lines.
func (t *typesetter) anyCut(texts []string, size, width float64, lines int) bool {
	return slices.ContainsFunc(texts, func(text string) bool {
		return slices.ContainsFunc(t.wrap(text, size, width, lines), func(line string) bool {
			return strings.HasSuffix(line, "…") && !strings.Contains(text, line)
		})
	})
}

// alignment says which part of a text stands at its x.
type alignment float64

const (
	alignLeft   alignment = 0
	alignCentre alignment = 0.5
	alignRight  alignment = 1
)

// draw writes a drawable text with its baseline at y.
func (t *typesetter) draw(img *image.RGBA, text string, size float64, x, y float64, a alignment, c color.Color) {
	x -= t.width(text, size) * float64(a)
	d := font.Drawer{Dst: img, Src: image.NewUniform(c), Face: t.sized(size),
		Dot: fixed.Point26_6{X: fixed.Int26_6(x * 64), Y: fixed.Int26_6(y * 64)}}
	d.DrawString(text)
}

// missingText tells the model which characters of a picture are not drawn; "" means none.
func (p picture) missingText() string {
	if len(p.missing) == 0 {
		return ""
	}
	const most = 10
	shown := string(p.missing[:min(len(p.missing), most)])
	if len(p.missing) > most {
		shown += "…"
	}
	return fmt.Sprintf("The font lacks %s: drawn as %c. "+
		"It has Latin, Greek and Cyrillic letters; write the labels in those.",
		shown, missingGlyph)
}
