package command_test

import (
	"regexp"
	"slices"
	"testing"
	"unicode/utf16"

	"mews/supervisor/command"
)

func TestMenu_FitsBotAPILimits(t *testing.T) {
	want := []string{"help", "new", "stop", "settings", "lock", "resend", "status", "model", "models", "usage",
		"grants", "invite", "allow", "disallow"}
	shape := regexp.MustCompile(`^[a-z0-9_]{1,32}$`) // the Bot API accepts only these names (BotCommand)
	var names []string
	for _, entry := range newRig(t).newCommands().Menu(true) {
		names = append(names, entry.Name)
		if n := len(utf16.Encode([]rune(entry.Summary))); n == 0 || n > 256 || !shape.MatchString(entry.Name) {
			t.Errorf("no entry that Telegram takes: /%s - %s", entry.Name, entry.Summary)
		}
	}
	// the menu may have other commands between the wanted commands
	others := func(name string) bool { return !slices.Contains(want, name) }
	if slices.Contains(names, "clear") || slices.Contains(names, "stats") {
		t.Errorf("there are %v, and other names of commands among them", names)
	}
	if slices.Contains(names, "start") || !slices.Equal(slices.DeleteFunc(slices.Clone(names), others), want) {
		t.Errorf("there are %v, want %v in this order, and no start", names, want)
	}
}

func TestTurnEndingCommandNames_IncludeAliases(t *testing.T) {
	if got, want := command.TurnEndingCommandNames(), []string{"new", "clear", "stop"}; !slices.Equal(got, want) {
		t.Errorf("these end turns: %v, want %v", got, want)
	}
}

func TestMenu_Result_IsCopy(t *testing.T) {
	commands := newRig(t).newCommands()
	commands.Menu(true)[0].Summary = "changed"
	if got := commands.Menu(true)[0].Summary; got != "this list; /help WORD explains a command or a topic" {
		t.Errorf("a caller changed it to %q", got)
	}
}
