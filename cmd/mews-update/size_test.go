package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// maxLines bounds the lines of code of the program, without comments and empty lines. Most of them
// check errors, or continue after a kill. A longer program is too much to read before root trusts it.
const maxLines = 490

func TestProgram_Lines_StayFew(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			if line != "" && !strings.HasPrefix(line, "//") && !strings.HasSuffix(file, "_test.go") {
				n++
			}
		}
	}
	if n > maxLines || n < maxLines-50 {
		t.Errorf("mews-update has %d lines of code, want %d at most and the bound near it", n, maxLines)
	}
}
