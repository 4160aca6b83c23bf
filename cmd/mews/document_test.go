package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestTheReadmeListsTheVerbs: a document that no test reads will rot. What a verb does is said more
// fully there than in the help.
func TestTheReadmeListsTheVerbs(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := string(text)
	listed := strings.Count(readme, "\n| `mews ")
	for _, v := range verbs() {
		if row := strings.TrimRight(fmt.Sprintf("\n| `mews %s %s", v.name, helps[v.name].usage), " ") + "` |"; !strings.Contains(readme, row) {
			t.Errorf("README.md has no row %q", row)
		}
	}
	if listed != len(verbs()) {
		t.Errorf("README.md lists %d verbs; there are %d", listed, len(verbs()))
	}
}
