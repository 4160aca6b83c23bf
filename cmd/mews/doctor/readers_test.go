package doctor

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each missing program is named with its package. Mews works without them.
func TestFileReaders_MissingPrograms_AreNamed(t *testing.T) {
	dir := t.TempDir()
	add := func(programs ...string) {
		for _, name := range programs {
			if err := os.WriteFile(filepath.Join(dir, name), nil, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, step := range []struct {
		add  []string
		want []string
	}{
		{nil, []string{"pdftotext", "poppler-utils", "ffmpeg"}},
		{[]string{"ffmpeg", "ffprobe", "pdftotext"}, []string{"pdftoppm", "poppler-utils"}},
		{[]string{"pdftoppm"}, []string{"heif-convert", "libheif-examples"}},
		{[]string{"heif-convert"}, nil},
	} {
		add(step.add...)
		_, err := missingReaders([]string{"/nowhere", dir})
		if (err == nil) != (step.want == nil) || err != nil && !errors.As(err, new(*warning)) {
			t.Errorf("with %q: %v", step.add, err)
		}
		for _, word := range step.want {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("with %q: %v, want %s in it", step.add, err, word)
			}
		}
	}
}
