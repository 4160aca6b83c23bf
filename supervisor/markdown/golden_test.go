package markdown_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/supervisor"
	"mews/supervisor/markdown"
)

// splitLimit is the limit for the documents named split-*.
const splitLimit = 160

// shown returns the readable form for golden files: the text, and its marks below.
func shown(t supervisor.RichText) string {
	var b strings.Builder
	b.WriteString(t.Text + "\n")
	for _, e := range t.Entities {
		fmt.Fprintf(&b, "-- %s %d+%d %q", e.Type, e.Offset, e.Length, covered(t.Text, e))
		if e.URL+e.Language != "" {
			b.WriteString(" " + e.URL + e.Language)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// renderAs renders a document as its name demands.
func renderAs(name, md string) string {
	switch {
	case strings.HasPrefix(name, "growing-"):
		return shown(markdown.RenderGrowing(md))
	case strings.HasPrefix(name, "split-"):
		var parts []string
		for _, p := range markdown.SplitMessage(markdown.Render(md), splitLimit) {
			parts = append(parts, shown(p))
		}
		return strings.Join(parts, "==========\n")
	}
	return shown(markdown.Render(md))
}

// TestRender_Documents_MatchGoldenFiles renders texts of models. Documents named growing-* are
// unfinished; documents named split-* are cut.
func TestRender_Documents_MatchGoldenFiles(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.md")
	if err != nil || len(paths) < 60 {
		t.Fatalf("%d documents, %v", len(paths), err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".md")
		t.Run(name, func(t *testing.T) {
			md, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			text := string(md)
			if strings.HasPrefix(name, "growing-") {
				text = strings.TrimSuffix(text, "\n")
			}
			compare(t, "testdata/"+name+".golden", renderAs(name, text))
			for _, fault := range faults(markdown.Render(text)) {
				t.Error(fault)
			}
		})
	}
}

func compare(t *testing.T, path, got string) {
	t.Helper()
	if os.Getenv("MEWS_UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
