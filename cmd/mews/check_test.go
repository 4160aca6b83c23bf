package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mews/config"
)

const threePeople = `state: %[1]s/state
users:
  - {name: ann, role: admin, home: %[1]s/ann, budget: {day: 2.50}}
  - {name: ben, home: %[1]s/ben, totp: required}
  - {name: cleo, home: %[1]s/cleo, totp: off}
`

func TestCheckSaysWhatHoldsForAUser(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "mews.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, threePeople, dir), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if code := dispatch(t.Context(), console{in: os.Stdin, out: &out, err: &errs}, []string{"check", "--config", file}); code != 0 {
		t.Fatalf("exit %d, %s", code, errs.String())
	}
	for _, want := range []string{"/ann, budget $2.50 a day\n", "/ben, second factor required\n", "/cleo, second factor off\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("printed %q, want %q", out.String(), want)
		}
	}
	if got := limitsText(config.User{TOTP: config.TOTPOptional}); got != "" {
		t.Errorf("nothing is %q", got)
	}
}
