package main_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPropertyTests_EachPackage_FixesSeed: a run of property tests with random seeds could fail by
// luck.
func TestPropertyTests_EachPackage_FixesSeed(t *testing.T) {
	draws, fixes := map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir(moduleRoot(t), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		dir := filepath.Dir(path)
		draws[dir] = draws[dir] || strings.Contains(string(text), "\t\"pgregory.net/rapid\"\n")
		fixes[dir] = fixes[dir] || strings.Contains(string(text), "\t_ \"mews/internal/fixedseed\"\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, draw := range draws {
		if draw && !fixes[dir] {
			t.Errorf("%s: a test imports rapid, but none imports fixedseed", dir)
		}
	}
}
