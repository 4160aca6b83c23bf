package app

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"mews/supervisor/command"
)

// TestTheReadmesCommandsAreAsHelpHasThem: a document that no test reads will rot. /help alone has
// all of them.
func TestTheReadmesCommandsAreAsHelpHasThem(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, documented, found := strings.Cut(string(readme), "| in the chat | what it does |\n| --- | --- |\n")
	documented, _, ended := strings.Cut(documented, "\n\n")
	if !found || !ended {
		t.Fatal("README.md has no table of the commands")
	}
	commands, err := command.New(command.Options{Features: rows(describe(), commandRows)})
	if err != nil {
		t.Fatal(err)
	}
	start := commands.Find("start")
	table := append([]command.MenuEntry{{Name: start.Name, Summary: start.Help}}, commands.Menu(true)...)
	rows, next := strings.Split(documented, "\n"), 0
	for _, row := range table {
		if next < len(rows) && rows[next] == fmt.Sprintf("| `/%s` | %s |", row.Name, row.Summary) {
			next++
		}
	}
	if next < len(rows) {
		t.Errorf("README.md has %s, which /help has in other words, in another place or not at all", rows[next])
	}
}
