package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mews/supervisor/release"
)

// command runs a command of the program and returns its output.
func command(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := run(&out, args); err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return out.String()
}

func TestIndex_SecondRelease_RaisesTheNumber(t *testing.T) {
	dir := t.TempDir()
	keys, out := filepath.Join(dir, "keys"), filepath.Join(dir, "out")
	command(t, "keys", keys)
	key, public, previous := filepath.Join(keys, "key-1"), filepath.Join(keys, "public"), ""
	trusted, err := readPublic(public)
	if err != nil {
		t.Fatal(err)
	}
	notes := filepath.Join(dir, "notes")
	if err := errors.Join(os.Mkdir(out, 0o700), os.WriteFile(notes, []byte("- Faster.\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for i, version := range []string{"v1.0.0", "v1.1.0"} {
		for _, platform := range []string{"linux-amd64", "linux-arm64"} {
			name := filepath.Join(out, "mews-"+version+"-"+platform+".tar.gz")
			if err := os.WriteFile(name, []byte(version+platform), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		text := command(t, "index", key, public, previous, notes, out, version, public)
		x, err := release.ParseIndex([]byte(text), trusted)
		if err != nil || x.Number != i+1 || len(x.Releases) != 2*(i+1) || x.Releases[0].Notes != "- Faster." ||
			x.Releases[1].Platform != "linux/arm64" {
			t.Fatalf("%+v, %v", x, err)
		}
		previous = filepath.Join(dir, "previous")
		if err := os.WriteFile(previous, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCommands_WrongArguments_SayWhy(t *testing.T) {
	dir := t.TempDir()
	keys, others := filepath.Join(dir, "keys"), filepath.Join(dir, "others")
	command(t, "keys", keys)
	command(t, "keys", others)
	archive := filepath.Join(dir, "mews-v1.0.0-linux-amd64.tar.gz")
	if err := os.WriteFile(archive, []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"want keys DIR": {"pack"},
		"exists":        {"keys", keys},
		"is no private key": {"index",
			filepath.Join(keys, "public"), filepath.Join(keys, "public"), "", "", dir, "v1.0.0", ""},
		"is no version": {"index",
			filepath.Join(keys, "key-1"), filepath.Join(keys, "public"), "", "", dir, "dev", ""},
		"has no archive": {"index",
			filepath.Join(keys, "key-1"), filepath.Join(keys, "public"), "", "", dir, "v2.0.0", ""},
		"signs with none of": {"index",
			filepath.Join(others, "key-1"), filepath.Join(keys, "public"), "", "", dir, "v1.0.0", ""},
	} {
		if err := run(&bytes.Buffer{}, args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", args, err, want)
		}
	}
}
