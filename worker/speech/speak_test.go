package speech

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"mews/protocol"
	"mews/protocol/opus"
	"mews/worker/program"
)

// storedRecording holds a stored recording.
type storedRecording struct{ bytes.Buffer }

func (k *storedRecording) StoreBlob(_ context.Context, r io.Reader, most int64) (protocol.BlobRef, error) {
	n, err := io.Copy(k, io.LimitReader(r, most))
	return protocol.BlobRef{Size: n}, err
}

// speaker makes a speaker with the system's programs. A program in the folder programs takes the
// place of a system's program of the same name.
func speaker(t *testing.T, into RecordingStore) (s Speaker, programs string) {
	t.Helper()
	programs = t.TempDir()
	return Speaker{Blobs: into, Temp: t.TempDir(), Programs: &program.Runner{Children: program.NewChildren((*exec.Cmd).Start),
		Environment: program.Environment{Home: t.TempDir(), Path: programs + ":" + program.DefaultPath}}}, programs
}

// requirePrograms skips a test if programs are missing. The machine of the CI has all programs.
func requirePrograms(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
	}
}

// say makes a recording with espeak-ng, and returns the path of the file.
func say(t *testing.T, text string) (protocol.SpeakResult, string) {
	t.Helper()
	into := &storedRecording{}
	s, _ := speaker(t, into)
	r, err := s.Speak(t.Context(), protocol.SpeakParameters{Text: text, Voice: "en-us", Engine: protocol.VoiceEngine{Engine: "espeak"}})
	if err != nil || r.Failure != "" || r.Validate() != nil {
		t.Fatalf("%+v, %v, %v", r, err, r.Validate())
	}
	if left, err := os.ReadDir(s.Temp); err != nil || len(left) > 0 {
		t.Errorf("it leaves %v, %v", left, err)
	}
	ogg := filepath.Join(t.TempDir(), "voice.ogg")
	if err := os.WriteFile(ogg, into.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return r, ogg
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", name, err, out)
	}
	return string(out)
}

// TestSpeak_VoiceMessage_FitsTelegram: ffmpeg finds the codec, rate, channels, length and loudness
// that Telegram wants.
func TestSpeak_VoiceMessage_FitsTelegram(t *testing.T) {
	requirePrograms(t, "espeak-ng", "ffmpeg", "ffprobe")
	text := strings.TrimSpace(strings.Repeat("The quick brown fox jumps over the lazy dog. ", 11))
	r, ogg := say(t, text)
	about := run(t, "ffprobe", "-v", "error", "-show_entries", "stream=codec_name,sample_rate,channels:format=format_name,duration,bit_rate", ogg)
	for _, want := range []string{"codec_name=opus\n", "sample_rate=48000\n", "channels=1\n", "format_name=ogg\n"} {
		if !strings.Contains(about, want) {
			t.Errorf("it is not %q: %s", want, about)
		}
	}
	seconds := number(t, about, `duration=([\d.]+)`)
	if seconds < float64(r.Seconds)-1 || seconds > float64(r.Seconds)+1 || seconds < 15 || seconds > 60 {
		t.Errorf("%d characters take %.1f s, and %d are told", len(text), seconds, r.Seconds)
	}
	if rate := number(t, about, `bit_rate=(\d+)`); rate < 15_000 || rate > 45_000 {
		t.Errorf("it has %.0f bit/s", rate)
	}
	loud := run(t, "ffmpeg", "-nostdin", "-i", ogg, "-af", "volumedetect", "-f", "null", "-")
	if mean, top := number(t, loud, `mean_volume: (-?[\d.]+) dB`), number(t, loud, `max_volume: (-?[\d.]+) dB`); mean < -30 || mean > -12 || top < -12 {
		t.Errorf("its volume is %.1f dB, at most %.1f dB", mean, top)
	}
}

func number(t *testing.T, in, pattern string) float64 {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(in)
	if m == nil {
		t.Fatalf("no %s in %s", pattern, in)
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// grammar has the spoken sentences (JSGF).
const grammar = `#JSGF V1.0;
grammar orders;
public <order> = <verb> the <size> <colour> <thing> <time> ;
<verb> = open | close | clean | paint ;
<size> = big | small | old | new ;
<colour> = red | green | yellow | black ;
<thing> = window | kitchen | garden | table | bottle ;
<time> = today | tomorrow | yesterday | on monday | on sunday ;
`

// TestSpeak_VoiceMessage_IsUnderstood: a recogniser understands four words of five.
func TestSpeak_VoiceMessage_IsUnderstood(t *testing.T) {
	requirePrograms(t, "espeak-ng", "ffmpeg", "pocketsphinx_continuous")
	const model = "/usr/share/pocketsphinx/model/en-us/"
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "orders.jsgf"), []byte(grammar), 0o600); err != nil {
		t.Fatal(err)
	}
	said, heard := 0, 0
	for _, order := range []string{
		"open the big red window today", "close the small green kitchen tomorrow", "clean the old yellow garden yesterday",
		"paint the new black table on monday", "open the small yellow bottle on sunday", "paint the old red garden today",
		"clean the big black kitchen tomorrow", "close the new green table yesterday",
	} {
		_, ogg := say(t, order+".")
		wav := filepath.Join(dir, "heard.wav")
		run(t, "ffmpeg", "-nostdin", "-v", "error", "-y", "-i", ogg, "-ar", "16000", "-ac", "1", wav)
		words := run(t, "pocketsphinx_continuous", "-infile", wav, "-jsgf", filepath.Join(dir, "orders.jsgf"), "-hmm", model+"en-us",
			"-dict", model+"cmudict-en-us.dict", "-logfn", os.DevNull)
		got := map[string]bool{}
		for _, w := range strings.Fields(words) {
			got[w] = true
		}
		for _, w := range strings.Fields(order) {
			if said++; got[w] {
				heard++
			}
		}
	}
	t.Logf("%d of %d words were heard", heard, said)
	if heard*10 < said*8 {
		t.Errorf("%d of %d words were heard", heard, said)
	}
}

// TestSpeak_TextLikeCommandLine_IsSpoken: text that looks like an option, or like espeak-ng's
// markup, is spoken.
func TestSpeak_TextLikeCommandLine_IsSpoken(t *testing.T) {
	requirePrograms(t, "espeak-ng", "ffmpeg")
	for _, text := range []string{"--help", "-w /etc/passwd", "$(touch x); `touch y`", "<voice name=\"x\">hello</voice>"} {
		if r, _ := say(t, text); r.Seconds < 1 {
			t.Errorf("%q: %+v", text, r)
		}
	}
}

// writeStandIn writes a stand-in for a program.
func writeStandIn(t *testing.T, programs, name, script string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(programs, name), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
}

// TestSpeak_EachEngine_HasItsCommandLine: stand-ins accept the programs' options, write down their
// arguments, and make a recording.
func TestSpeak_EachEngine_HasItsCommandLine(t *testing.T) {
	requirePrograms(t, "espeak-ng", "ffmpeg")
	const piper = `echo "$@" | sed 's,/[^ ]*/,,g' >$HOME/said; while [ $# -gt 0 ]; do case $1 in
		-m|--model) shift 2;; -f|--output_file|--output-file) out=$2; shift 2;; *) exit 2;; esac; done
		cat >$HOME/text; espeak-ng -f $HOME/text -w "$out"`
	model := filepath.Join(t.TempDir(), "alan.onnx")
	if err := os.WriteFile(model, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		program, script, voice, want string
		engine                       protocol.VoiceEngine
	}{
		"piper": {"piper", piper, model, "--model alan.onnx --output_file voice.wav\n", protocol.VoiceEngine{Engine: "piper"}},
		"another piper": {"piper-2", piper, "en_GB-alan-medium", "--model en_GB-alan-medium --output_file voice.wav\n",
			protocol.VoiceEngine{Engine: "piper", Program: "piper-2"}},
		"command": {"say", `echo "$@" | sed 's,/[^ ]*/,,g' >$HOME/said; cp "$2" $HOME/text; espeak-ng -f "$2" -w "$5"`, "ann",
			"--in text --voice=ann --out voice.wav\n",
			protocol.VoiceEngine{Engine: "command", Command: []string{"say", "--in", "{text}", "--voice={voice}", "--out", "{wav}"}}},
	} {
		t.Run(name, func(t *testing.T) {
			into := &storedRecording{}
			s, programs := speaker(t, into)
			writeStandIn(t, programs, c.program, c.script)
			r, err := s.Speak(t.Context(), protocol.SpeakParameters{Text: "hello there", Voice: c.voice, Engine: c.engine})
			home := s.Programs.(*program.Runner).Environment.Home
			said, _ := os.ReadFile(filepath.Join(home, "said"))
			text, _ := os.ReadFile(filepath.Join(home, "text"))
			if err != nil || r.Failure != "" || r.Seconds < 1 || string(said) != c.want || string(text) != "hello there\n" {
				t.Errorf("%+v, %v; it was given %q and %q", r, err, said, text)
			}
		})
	}
}

func TestSpeak_EachFailure_IsReported(t *testing.T) {
	requirePrograms(t, "espeak-ng", "ffmpeg")
	for name, c := range map[string]struct {
		programs map[string]string
		engine   protocol.VoiceEngine
		voice    string
		want     protocol.SpeechFailure
		detail   string
	}{
		"no program": {nil, protocol.VoiceEngine{Engine: "piper"}, "x", protocol.SpeechFailureNoProgram,
			"piper: it is not installed"},
		"no such engine": {nil, protocol.VoiceEngine{Engine: "parrot"}, "", protocol.SpeechFailureNoProgram,
			"parrot"},
		"an empty command": {nil, protocol.VoiceEngine{Engine: "command"}, "", protocol.SpeechFailureNoProgram,
			"command"},
		"no model": {nil, protocol.VoiceEngine{Engine: "piper"}, "/nowhere/x.onnx",
			protocol.SpeechFailureNoModel, "/nowhere/x.onnx"},
		"no such voice": {nil, protocol.VoiceEngine{Engine: "espeak"}, "klingon-x",
			protocol.SpeechFailureProgramFailed, "espeak-ng: exit 1: Error: The specified espeak-ng voice does not exist."},
		"it fails": {map[string]string{"piper": "echo no memory for it >&2; exit 3"},
			protocol.VoiceEngine{Engine: "piper"}, "x", protocol.SpeechFailureProgramFailed,
			"piper: exit 3: no memory for it"},
		"it is killed": {map[string]string{"piper": "kill -9 $$"}, protocol.VoiceEngine{Engine: "piper"}, "x",
			protocol.SpeechFailureOutOfMemory, "killed"},
		"it writes nothing": {map[string]string{"piper": "exit 0"}, protocol.VoiceEngine{Engine: "piper"}, "x",
			protocol.SpeechFailureNoSound, "ffmpeg"},
		"it is no sound": {map[string]string{"piper": `echo hello >"$4"`}, protocol.VoiceEngine{Engine: "piper"},
			"x", protocol.SpeechFailureNoSound, "ffmpeg"},
		"ffmpeg is broken": {map[string]string{"ffmpeg": `eval "out=\${$#}"; echo hello >"$out"`},
			protocol.VoiceEngine{Engine: "espeak"}, "en", protocol.SpeechFailureNoSound, "not an Ogg file"},
	} {
		t.Run(name, func(t *testing.T) {
			s, programs := speaker(t, &storedRecording{})
			for name, script := range c.programs {
				writeStandIn(t, programs, name, script)
			}
			r, err := s.Speak(t.Context(), protocol.SpeakParameters{Text: "hello", Voice: c.voice, Engine: c.engine})
			if err != nil || r.Failure != c.want || !strings.Contains(r.Detail, c.detail) || r.Validate() != nil {
				t.Errorf("%+v, %v", r, err)
			}
			if left, err := os.ReadDir(s.Temp); err != nil || len(left) > 0 {
				t.Errorf("it leaves %v, %v", left, err)
			}
		})
	}
}

func TestSpeak_ContextEnds_Stops(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	s, programs := speaker(t, &storedRecording{})
	writeStandIn(t, programs, "piper", "sleep 1000")
	cancel(stopped)
	r, err := s.Speak(ctx, protocol.SpeakParameters{Text: "hello", Voice: "x", Engine: protocol.VoiceEngine{Engine: "piper"}})
	if !errors.Is(err, stopped) {
		t.Errorf("%+v, %v", r, err)
	}
}

func FuzzOpusSeconds(f *testing.F) {
	f.Add([]byte("OggS\x00\x04\x80\xbb\x00\x00\x00\x00\x00\x00"))
	f.Add([]byte("OggS"))
	f.Fuzz(func(t *testing.T, ogg []byte) {
		if n, err := opus.LengthInSeconds(bytes.NewReader(ogg)); err == nil && (n < 1 || n > 24*3600) {
			t.Errorf("%q: %d s", ogg, n)
		}
	})
}
