package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestVoiceVerb_ListsInstalledPrograms(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "mews.yaml")
	text := fmt.Sprintf("state: %[1]s/state\nspeech: {in: {program: sh, language: de}}\nusers: [{name: ann}]\n", dir)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if code := dispatch(t.Context(), console{in: os.Stdin, out: &out, err: &errs}, []string{"voice", "--config", file}); code != 0 {
		t.Fatalf("exit %d, %s", code, errs.String())
	}
	for _, want := range []string{"transcribed by whisper (speech.in, language de)", "  ffmpeg ", "  sh           /", "  espeak-ng ", "  piper ", "  model        none: name one"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("printed %q, want %q", out.String(), want)
		}
	}
}
