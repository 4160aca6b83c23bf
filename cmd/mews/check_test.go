package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const threePeople = `state: %[1]s/state
users:
  - {name: ann, role: admin, home: %[1]s/ann, budget: {day: 2.50}}
  - {name: ben, home: %[1]s/ben, totp: required}
  - {name: cleo, home: %[1]s/cleo, totp: off}
`

func TestCheck_Users_ShowTheirLimits(t *testing.T) {
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
}

// TestCheck_MissingFilesFolder_IsNamed: `mews check` names a missing folder of the Bot API server
// before a large file comes.
func TestCheck_MissingFilesFolder_IsNamed(t *testing.T) {
	dir := t.TempDir()
	file, files := filepath.Join(dir, "mews.yaml"), filepath.Join(dir, "bot-api")
	text := fmt.Sprintf("state: %[1]s/state\ntelegram: {token: %[2]s, api_url: \"http://127.0.0.1:8081\", files: %[1]s/bot-api}\n"+
		"users: [{name: ann, telegram: 42}]\n", dir, "42:TEST-token-of-a-bot-that-is-not-there")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	check := func() (string, int) {
		var out, errs bytes.Buffer
		code := dispatch(t.Context(), console{in: os.Stdin, out: &out, err: &errs}, []string{"check", "--config", file})
		return errs.String(), code
	}
	if said, code := check(); code == 0 || !strings.Contains(said, "telegram.files: "+files+" can't be read: no such file or directory") {
		t.Errorf("exit %d, %s", code, said)
	}
	if err := os.Mkdir(files, 0o700); err != nil {
		t.Fatal(err)
	}
	if said, code := check(); code != 0 {
		t.Errorf("exit %d, %s", code, said)
	}
}
