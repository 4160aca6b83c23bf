package main

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pictureFolder has the pictures of the README and the manual. They are drawn from real runs, and
// are not compiled into the program.
const pictureFolder = "manual/pictures"

// maxPicture limits the size of a picture, in bytes.
const maxPicture = 40 << 10

// TestManualPictures_EqualRealRuns compares the pictures with real runs. If MEWS_PICTURES is
// set, it writes the new pictures into that folder instead, as in `make pictures`.
func TestManualPictures_EqualRealRuns(t *testing.T) {
	for name, draw := range map[string]func(*testing.T) string{
		"terminal.svg": func(t *testing.T) string { return drawTerminal("mews run --chat", terminalLines(t)) },
		"telegram.svg": func(t *testing.T) string { return drawChat(telegramChat(t)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			picture := draw(t)
			if len(picture) > maxPicture {
				t.Errorf("%d bytes, want at most %d", len(picture), maxPicture)
			}
			if folder := os.Getenv("MEWS_PICTURES"); folder != "" {
				if err := os.WriteFile(filepath.Join(folder, name), []byte(picture), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			kept, err := os.ReadFile(filepath.Join(pictureFolder, name))
			if err != nil {
				t.Fatal(err)
			}
			now, then := linesOf(picture), linesOf(string(kept))
			if slices.ContainsFunc(now, func(line string) bool { return strings.HasPrefix(line, "Walls: ") }) {
				t.Skip("on this machine the walls are weaker than in the picture, and the chat says so")
			}
			if d := cmp.Diff(then, now); d != "" {
				t.Errorf("Mews says something else (+) than the picture (-): draw it anew with `make pictures`\n%s", d)
			}
		})
	}
}

var (
	pictureLine = regexp.MustCompile(`<text[^>]*>(.*)</text>`)
	pictureMark = regexp.MustCompile(`<[^>]*>`)
)

// linesOf returns the texts of a picture. It omits the lines of tools, because their order varies.
func linesOf(picture string) (lines []string) {
	for _, m := range pictureLine.FindAllStringSubmatch(picture, -1) {
		line := html.UnescapeString(pictureMark.ReplaceAllString(m[1], ""))
		if !optionalLine.MatchString(line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// varying lists texts that differ in each run, and their substitutes in a picture.
var varying = []struct {
	pattern *regexp.Regexp
	stand   string
}{
	{regexp.MustCompile(`/\S+/state/mews/homes/\w+`), "/home/ann/.local/state/mews/homes/ann"},
	{regexp.MustCompile(`^Mews test\. You are \w+;`), "Mews. You are ann;"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d`), "2026-03-14 09:26"},
	{regexp.MustCompile(`[A-Z][a-z]{2} \d{1,2} [A-Z][a-z]{2} \d{4} 09:00 .*\)`), "Sun 15 Mar 2026 09:00 UTC (+00:00)"},
	{regexp.MustCompile(`\d+\.\d s`), "0.0 s"},
}

// substitute replaces the varying texts.
func substitute(text string) string {
	for _, v := range varying {
		text = v.pattern.ReplaceAllString(text, v.stand)
	}
	return text
}

// picture is an SVG that is drawn from top to bottom.
type picture struct{ strings.Builder }

// add adds an element. Texts among its values are escaped.
func (p *picture) add(format string, values ...any) {
	for i, v := range values {
		if text, ok := v.(string); ok {
			values[i] = html.EscapeString(text)
		}
	}
	fmt.Fprintf(p, format+"\n", values...)
}

// file returns the picture as a file, with a title for screen readers.
func (p *picture) file(width, height int, title string) string {
	const form = `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" ` +
		`role="img">` + "<title>%[3]s</title>\n%[4]s</svg>\n"
	return fmt.Sprintf(form, width, height, html.EscapeString(title), p)
}
