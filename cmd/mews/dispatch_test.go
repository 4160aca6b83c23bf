package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// runMews runs a command line on an empty state folder.
func runMews(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	var written, complained bytes.Buffer
	code = dispatch(t.Context(), console{in: os.Stdin, out: &written, err: &complained}, args)
	return code, written.String(), complained.String()
}

func TestDispatch_MistypedVerb_NamesNearVerbs(t *testing.T) {
	for line, want := range map[string]string{
		"statsu":         "Did you mean: mews status\n",
		"Status":         "Did you mean: mews status\n",
		"stat":           "Did you mean: mews status\n",
		"usr":            "Did you mean: mews user\n",
		"re":             "Did you mean: mews reload, mews restore, mews review\n",
		"chta":           "Did you mean: mews chat\n",
		"docter":         "Did you mean: mews doctor\n",
		"user ad":        "Did you mean: mews user add\n",
		"user delet mum": "Did you mean: mews user delete\n",
		"totp enrol":     "Did you mean: mews totp enroll\n",
		"help statsu":    "Did you mean: mews help status\n",
		"stop":           "Did you mean: Ctrl-C where Mews runs, or mews service stop\n",
		"invite bob":     "Did you mean: mews user invite NAME\n",
		"reminders":      "Did you mean: mews job\n",
		"logs":           "Did you mean: mews service logs\n",
		"run --chta":     "Did you mean: mews run --chat\n",
		"status --jsn":   "Did you mean: mews status --json\n",
		"github add":     "mews github add needs OWNER/REPO\n",
		"voice test":     "mews voice test needs FILE\n",
		"user show":      "mews user show needs NAME\n",
		"search":         "mews search needs WORDS\n",
		"frobnicate":     "\nMews: an assistant",
		"user frobnic":   "\nUsage:\n\n  mews user list",
	} {
		code, out, errs := runMews(t, strings.Fields(line)...)
		if code != exitUsage || out != "" || !strings.Contains(errs, want) {
			t.Errorf("mews %s: exit %d, printed %q and %q, want %q", line, code, out, errs, want)
		}
	}
}

func TestDispatch_HelpAndVersion_GoToStdout(t *testing.T) {
	lines := map[string]string{
		"--help": "Usage: mews VERB", "-h": "Usage: mews VERB", "-v": "mews dev", "-V": "mews dev",
		"-version": "mews dev",
		"help run": "Usage: mews run", "user help": "mews user add", "totp --help": "mews totp enroll",
		"user add --help": "Usage: mews user add", "voice test --help": "Usage: mews voice test",
		"job add --help": "Usage: mews job", "status --json -h": "Usage: mews status",
	}
	for _, name := range verbNames() {
		lines[name+" --help"] = "Usage:"
	}
	for line, want := range lines {
		code, out, errs := runMews(t, strings.Fields(line)...)
		if code != 0 || errs != "" || !strings.Contains(out, want) {
			t.Errorf("mews %s: exit %d, printed %q and %q, want %q on standard output", line, code, out, errs, want)
		}
	}
}

func TestVerbs_JSONFlag_PrintsOneJSONValue(t *testing.T) {
	wrong := filepath.Join(t.TempDir(), "mews.yaml")
	if err := os.WriteFile(wrong, []byte("log: {level: loud}\nlisten: here\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"check --json":                    `"problems": []`,
		"check --json --config " + wrong:  `1: log.level: got \"loud\"`,
		"check --json --config /missing":  `read configuration: open /missing`,
		"voice --json":                    `"name": "espeak-ng"`,
		"version --json":                  `"version": "dev"`,
		"doctor --json --config " + wrong: `"mark": "BAD"`,
	} {
		code, out, errs := runMews(t, strings.Fields(line)...)
		if failed := strings.Contains(line, "--config"); (code != 0) != failed || !json.Valid([]byte(out)) ||
			!strings.Contains(out, want) {
			t.Errorf("mews %s: exit %d, printed %q and %q, want %s", line, code, out, errs, want)
		}
	}
}
