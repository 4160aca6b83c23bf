package app

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mews/supervisor/command"
)

var documentedCommand = regexp.MustCompile("(?m)^\\| `/.*$")

// The tables of commands in the guide must match those of /help.
func TestGuide_CommandTables_MatchHelp(t *testing.T) {
	page, err := os.ReadFile("../../cmd/mews/manual/guide/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	commands, err := command.New(command.Options{Features: collect(describeFeatures(), commandRows)})
	if err != nil {
		t.Fatal(err)
	}
	start := commands.FindCommand("start")
	var want []string
	for _, row := range append(commands.Menu(true), command.MenuEntry{Name: start.Name, Summary: start.Help}) {
		want = append(want, fmt.Sprintf("| `/%s` | %s |", row.Name, row.Summary))
	}
	got := documentedCommand.FindAllString(string(page), -1)
	for _, row := range want {
		if !slices.Contains(got, row) {
			t.Errorf("guide/commands.md lacks %s", row)
		}
	}
	if len(got) != len(want) {
		t.Errorf("guide/commands.md has %d commands, want %d", len(got), len(want))
	}
	got = slices.DeleteFunc(got, func(row string) bool { return strings.HasPrefix(row, "| `/start`") })
	if !slices.Equal(got, want[:len(want)-1]) {
		t.Errorf("guide/commands.md has its commands in another order than /help, want\n%s", strings.Join(want, "\n"))
	}
}
