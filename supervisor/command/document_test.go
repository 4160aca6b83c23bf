package command

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestTheReadmeListsTheCommands: a document that no test reads will rot.
func TestTheReadmeListsTheCommands(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	want.WriteString("| in the chat | what it does |\n| --- | --- |\n")
	for _, row := range table {
		fmt.Fprintf(&want, "| `/%s` | %s |\n", row.Name, row.help())
	}
	if !strings.Contains(string(readme), want.String()+"\n") {
		t.Errorf("README.md does not hold this table, and this alone:\n%s", want.String())
	}
}
