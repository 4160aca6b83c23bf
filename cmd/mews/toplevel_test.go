package main_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// topLevel lists all allowed entries of the module's root folder.
var topLevel = []string{
	"cmd", "supervisor", "worker", "protocol", "config", "deploy", "internal",
	"go.mod", "go.sum", "Makefile", "README.md", "LICENSE",
	".ci", ".github", ".gitignore",
}

// ignoredPatterns match entries that are no part of the project. .gitignore has the same patterns,
// except .git.
var ignoredPatterns = []string{".git", "bin", "mews.yaml", "*.test", "*.prof"}

func TestRepository_TopLevelEntries_AreAllowed(t *testing.T) {
	entries, err := os.ReadDir(moduleRoot(t))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, entry := range entries {
		name := entry.Name()
		found[name] = true
		ignored := slices.ContainsFunc(ignoredPatterns, func(pattern string) bool {
			matches, _ := filepath.Match(pattern, name) // can't fail: the patterns are constant and well formed
			return matches
		})
		if !ignored && !slices.Contains(topLevel, name) {
			t.Errorf("%s stands at the top level, where only these may: %v", name, topLevel)
		}
	}
	for _, name := range topLevel {
		if !found[name] {
			t.Errorf("%s is missing at the top level", name)
		}
	}
}
