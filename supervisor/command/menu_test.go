package command_test

import (
	"regexp"
	"slices"
	"testing"
	"unicode/utf16"

	"mews/supervisor/command"
)

func TestTheMenuIsTheSameInEveryLanguage(t *testing.T) {
	menu := command.Menu()
	want := []string{"help", "new", "stop", "status", "model", "models", "settings", "usage", "grants", "lock", "invite", "allow",
		"disallow", "resend"}
	shape := regexp.MustCompile(`^[a-z0-9_]{1,32}$`) // of the Bot API's BotCommand
	for _, language := range []string{"", "de", "es", "fr"} {
		var names []string
		for i, entry := range menu[language] {
			names = append(names, entry.Name)
			if n := len(utf16.Encode([]rune(entry.Summary))); n == 0 || n > 256 || !shape.MatchString(entry.Name) {
				t.Errorf("%q is no entry that Telegram takes: /%s - %s", language, entry.Name, entry.Summary)
			}
			if language != "" && entry.Summary == menu[""][i].Summary {
				t.Errorf("/%s in %q is in English", entry.Name, language)
			}
		}
		if !slices.Equal(names, want) {
			t.Errorf("in %q are %v, want %v", language, names, want)
		}
	}
	if len(menu) != 4 {
		t.Errorf("there are %d languages", len(menu))
	}
}

func TestAMenuIsTheCallersOwn(t *testing.T) {
	command.Menu()[""][0].Summary = "changed"
	if got := command.Menu()[""][0].Summary; got != "this list" {
		t.Errorf("a caller changed it to %q", got)
	}
}
