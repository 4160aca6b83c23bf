package spelling_test

import (
	"strings"
	"testing"

	"mews/config/spelling"
)

func TestNearest_FindsSimilarName(t *testing.T) {
	names := []string{"state", "log", "models", "worker", "limits", "users", "files", "api_key"}
	for word, want := range map[string]string{
		"model": "models", "user": "users", "State": "state", "apikey": "api_key", "stat": "state", "workers": "worker",
		"telegram": "", "x": "", "lo": "log",
	} {
		if got := spelling.NearestName(word, names); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
}

func TestNearNames_ListsCompletionsOrNearest(t *testing.T) {
	names := []string{"voice", "voices", "github", "github", "grants"}
	for word, want := range map[string]string{
		"voi": "voice voices", "gi": "github", "grant": "grants", "githbu": "github", "": "", "nothing": "",
	} {
		if got := strings.Join(spelling.NearNames(word, names), " "); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
}

func TestCompleteName_AmbiguousPrefix_IsEmpty(t *testing.T) {
	names := []string{"voice", "voices", "github", "github", "grants"}
	for word, want := range map[string]string{
		"voice": "voice", "voices": "voices", "voi": "", "gi": "github", "g": "", "": "", "x": "",
	} {
		if got := spelling.CompleteName(word, names); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
}
