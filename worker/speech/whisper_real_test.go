package speech

import (
	"cmp"
	"os"
	"os/exec"
	"strings"
	"testing"

	"mews/protocol"
)

// realWhisper returns the path of whisper.cpp's own whisper-cli from MEWS_WHISPER. If MEWS_WHISPER
// is not set, it skips the test.
func realWhisper(t *testing.T) string {
	t.Helper()
	program := os.Getenv("MEWS_WHISPER")
	if program == "" {
		t.Log("not run: it needs whisper.cpp's whisper-cli; `make whisper-test` builds it and runs this")
	}
	return program
}

// TestFakeWhisper_HasOptionsOfRealOne: the stand-in takes exactly the arguments of the real
// program.
func TestFakeWhisper_HasOptionsOfRealOne(t *testing.T) {
	program := realWhisper(t)
	if program == "" {
		return
	}
	kept, err := os.ReadFile("testdata/whisper-help.txt")
	if err != nil {
		t.Fatal(err)
	}
	help, err := exec.Command(program, "--help").CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	if want, got := optionNames(string(kept)), optionNames(string(help)); want != got {
		t.Errorf("kept:\n%s\nreal:\n%s", want, got)
	}
}

// optionNames returns the options in a help text, one a line, without the machine's defaults.
func optionNames(help string) string {
	var b strings.Builder
	for line := range strings.Lines(help) {
		if names, _, ok := strings.Cut(line, "["); ok && strings.HasPrefix(strings.TrimSpace(names), "-") {
			b.WriteString(strings.Join(strings.Fields(names), " ") + "\n")
		}
	}
	return b.String()
}

// TestRealWhisper_NoTensors_ExitsWithZero: the model has a header and no tensors.
func TestRealWhisper_NoTensors_ExitsWithZero(t *testing.T) {
	program := realWhisper(t)
	if program == "" {
		return
	}
	f := newFixture(t)
	f.record("note.ogg", tone(440, 2))
	empty := writeModel(t, nil)
	for name, test := range map[string]struct {
		language, model string
		limit           string // option of ulimit; "" means no limit
		want            protocol.SpeechFailure
		detail          string
	}{
		"no tensors":  {"auto", empty, "", protocol.SpeechFailureNoModel, "no tensors loaded"},
		"cut off":     {"en", writeModel(t, []byte("\x02\x00\x00\x00")), "", protocol.SpeechFailureNoModel, ""},
		"no file":     {"en", "/nowhere/ggml.bin", "", protocol.SpeechFailureNoModel, "failed to initialize"},
		"no model":    {"en", "/etc/passwd", "", protocol.SpeechFailureNoModel, "failed to initialize"},
		"no memory":   {"en", empty, "-d 100000", protocol.SpeechFailureOutOfMemory, "llocate"},
		"no language": {"xx", empty, "", protocol.SpeechFailureProgramFailed, "unknown language"},
	} {
		t.Run(name, func(t *testing.T) {
			f.Done = nil
			e := protocol.SpeechEngine{Engine: "whisper", Program: program, Model: test.model, Language: test.language}
			if test.limit != "" {
				e.Program = limited(t, program, test.limit)
			}
			r := f.mustTranscribe("note.ogg", e)
			if r.Failure != test.want || !strings.Contains(r.Detail, test.detail) {
				t.Errorf("%+v, want %s with %q", r, test.want, test.detail)
			}
			t.Logf("%s: %s", r.Failure, r.Detail)
		})
	}
	out, err := exec.Command(program, "-bogus").CombinedOutput()
	t.Logf("an argument that it does not know: %v, %s", err, cmp.Or(strings.SplitN(string(out), "\n", 2)[0], "nothing"))
}

// limited makes a program that runs the real whisper-cli within a limit.
func limited(t *testing.T, program, limit string) string {
	t.Helper()
	name := t.TempDir() + "/whisper-cli"
	if err := os.WriteFile(name, []byte("#!/bin/bash\nulimit "+limit+"\nexec "+program+" \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestRealModel_Sentences_AreUnderstood uses the model in MEWS_WHISPER_MODEL. It prints the word
// error rate and the speed.
func TestRealModel_Sentences_AreUnderstood(t *testing.T) {
	model := os.Getenv("MEWS_WHISPER_MODEL")
	if model == "" {
		t.Skip("optional: MEWS_WHISPER_MODEL names no model")
	}
	requirePrograms(t, "espeak-ng", "ffmpeg")
	hearOrders(t, protocol.SpeechEngine{Engine: "whisper", Program: realWhisper(t), Model: model, Language: "en"})
}
