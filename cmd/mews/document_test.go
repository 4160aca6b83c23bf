package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestVerbsPage_EachVerb_HasItsUsage compares the manual's table of verbs with the texts of the
// help.
func TestVerbsPage_EachVerb_HasItsUsage(t *testing.T) {
	const name = "manual/admin/verbs.md"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	listed := strings.Count(page, "\n| `mews ")
	for _, v := range verbs() {
		if row := strings.TrimRight(fmt.Sprintf("\n| `mews %s %s", v.name, helps[v.name].usage), " ") + "` |"; !strings.Contains(page, row) {
			t.Errorf("%s has no row %q", name, row)
		}
	}
	if listed != len(verbs()) {
		t.Errorf("%s lists %d verbs; there are %d", name, listed, len(verbs()))
	}
}
