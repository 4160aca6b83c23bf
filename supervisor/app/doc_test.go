package app

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The package's documentation names only files that exist.
func TestPackageDoc_NamesOnlyExistingFiles(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(text), "\n"); lines >= 40 {
		t.Errorf("the way is told in %d lines; fewer than 40 are wanted", lines)
	}
	files := regexp.MustCompile(`\b(?:supervisor|worker)/[a-z_/]+\.go\b`).FindAllString(string(text), -1)
	if len(files) < 15 {
		t.Errorf("only %d files are named", len(files))
	}
	for _, file := range files {
		if _, err := os.Stat(filepath.Join("..", "..", file)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	for n, step := range strings.Split(string(text), "\n//  ")[1:] {
		if regexp.MustCompile(`^[0-9]+\. `).MatchString(step) && !regexp.MustCompile(`\.go\b`).MatchString(step) {
			t.Errorf("step %d names no file: %q", n+1, step)
		}
	}
}
