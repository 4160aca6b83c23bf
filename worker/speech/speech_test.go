package speech

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/worker/program"
)

// TestTranscribe_EachFormat_HearsAllOnce: every sound is in the transcript once, in every kind of
// file. It does not matter where the recording is cut.
func TestTranscribe_EachFormat_HearsAllOnce(t *testing.T) {
	for name, test := range map[string]struct {
		file    string
		sources []string
		text    string
		seconds int
		pieces  int
	}{
		"a note": {"note.ogg", []string{tone(440, 1), quiet(1), tone(880, 2)}, "440 hertz. 880 hertz.", 4,
			1},
		"a song":            {"song.mp3", []string{tone(440, 1), quiet(1), tone(660, 1)}, "440 hertz. 660 hertz.", 3, 1},
		"an m4a":            {"memo.m4a", []string{tone(440, 2)}, "440 hertz.", 3, 1},
		"a name":            {"uploads/2026-11-20/-file:,'\" ü.ogg", []string{tone(440, 1)}, "440 hertz.", 1, 1},
		"silence":           {"none.ogg", []string{quiet(3)}, "", 3, 0},
		"silence in flac":   {"none.flac", []string{quiet(200)}, "", 200, 0},
		"cut at silences":   {"long.ogg", []string{tone(440, 100), quiet(2), tone(660, 100), quiet(2), tone(880, 100)}, "440 hertz. 660 hertz. 880 hertz.", 304, 3},
		"a silent piece":    {"gap.ogg", []string{tone(440, 10), quiet(300), tone(880, 10)}, "440 hertz. 880 hertz.", 320, 2},
		"no silence at all": {"hum.ogg", []string{tone(440, 170)}, "440 hertz. 440 hertz.", 170, 2},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			if err := os.MkdirAll(filepath.Dir(filepath.Join(f.home, test.file)), 0o755); err != nil {
				t.Fatal(err)
			}
			f.record(test.file, test.sources...)
			heard := 0
			f.Programs = hookedPrograms{f.runner, func(p program.Program) {
				if p.Name == "whisper-cli" {
					heard++
				}
			}}
			r := f.mustTranscribe(test.file, f.whisper(map[string]any{}))
			if r.Text != test.text || r.Failure != "" || r.Seconds < test.seconds || r.Seconds > test.seconds+1 || heard != test.pieces {
				t.Errorf("%+v in %d pieces", r, heard)
			}
			if slices.Equal(f.reportedProgress, nil) != (test.pieces == 0) || !slices.IsSorted(f.reportedProgress) {
				t.Errorf("it has come to %v", f.reportedProgress)
			}
			if r.Text != "" && r.Language != "en" {
				t.Errorf("language %q", r.Language)
			}
		})
	}
}

// hookedPrograms runs programs, and calls a function before each program.
type hookedPrograms struct {
	ProgramRunner
	do func(program.Program)
}

func (b hookedPrograms) Run(ctx context.Context, p program.Program) error {
	b.do(p)
	return b.ProgramRunner.Run(ctx, p)
}

// TestWhisperCommand_HasOptionsAndTimeout checks the command line, the priority and the time limit
// of a piece.
func TestWhisperCommand_HasOptionsAndTimeout(t *testing.T) {
	f := newFixture(t)
	f.record("note.ogg", tone(440, 10))
	var asked []program.Program
	f.Programs = hookedPrograms{f.runner, func(p program.Program) { asked = append(asked, p) }}
	e := f.whisper(map[string]any{})
	e.Language = "de"
	if r := f.mustTranscribe("note.ogg", e); r.Text != "440 hertz." || r.Language != "de" {
		t.Errorf("%+v", r)
	}
	p := asked[1]
	want := fmt.Sprintf("-m %s -l de -t %d -f T/piece.wav -oj -of T/piece -pp", e.Model, max(1, runtime.NumCPU()/2))
	if got := strings.ReplaceAll(strings.Join(p.Args, " "), f.Temp, "T"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if left := p.Timeout - 90*time.Second; left < 0 || left > time.Second {
		t.Errorf("a piece of 10 s has %v, want 60 s and three times its length", p.Timeout)
	}
	for _, p := range asked {
		if p.Nice != 15 {
			t.Errorf("%s: nice %d", p.Name, p.Nice)
		}
	}
	e.Threads, e.Language = 3, ""
	f.Done, asked = nil, nil
	r := f.mustTranscribe("note.ogg", e)
	if r.Failure != "" || !strings.Contains(strings.Join(asked[1].Args, " "), " -l auto -t 3 ") {
		t.Errorf("asked with %q", asked[1].Args)
	}
}

// TestTranscribe_EachFailure_IsReported: each failure has its kind, with the program's words.
func TestTranscribe_EachFailure_IsReported(t *testing.T) {
	whisper := func(does map[string]any) func(*fixture) protocol.SpeechEngine {
		return func(f *fixture) protocol.SpeechEngine { return f.whisper(does) }
	}
	named := func(program, model string) func(*fixture) protocol.SpeechEngine {
		return func(*fixture) protocol.SpeechEngine {
			return protocol.SpeechEngine{Engine: "whisper", Program: program, Model: model}
		}
	}
	command := func(line ...string) func(*fixture) protocol.SpeechEngine {
		return func(*fixture) protocol.SpeechEngine { return protocol.SpeechEngine{Engine: "command", Command: line} }
	}
	none := map[string]any{}
	for name, test := range map[string]struct {
		file   string
		engine func(*fixture) protocol.SpeechEngine
		want   protocol.SpeechFailure
		detail string
	}{
		"no program": {"note.ogg", named("whisper-none", ""), protocol.SpeechFailureNoProgram,
			"whisper-none: it is not installed"},
		"no command": {"note.ogg", command("/nowhere/hear", "{wav}"), protocol.SpeechFailureNoProgram,
			"/nowhere/hear: it is not installed"},
		"an empty command": {"note.ogg", command(), protocol.SpeechFailureNoProgram, "no command is set"},
		"no model": {"note.ogg", named("", "/nowhere/ggml.bin"), protocol.SpeechFailureNoModel,
			"failed to initialize whisper context"},
		"invalid model": {"note.ogg", named("", "/etc/passwd"), protocol.SpeechFailureNoModel,
			"failed to initialize whisper context"},
		"a model without tensors": {"note.ogg", whisper(nil), protocol.SpeechFailureNoModel,
			"no tensors loaded from model file"},
		"exit status": {"note.ogg", whisper(map[string]any{"exit": 7}), protocol.SpeechFailureProgramFailed,
			"exit 7: error: it was told to"},
		"no JSON": {"note.ogg", whisper(map[string]any{"json": "["}),
			protocol.SpeechFailureProgramFailed, "progress"},
		"killed": {"note.ogg", whisper(map[string]any{"kill": true}),
			protocol.SpeechFailureOutOfMemory, "killed"},
		"no memory": {"note.ogg", whisper(map[string]any{"abort": "alloc_tensor_range: failed to allocate CPU buffer of size 147365888"}), protocol.SpeechFailureOutOfMemory, "CPU buffer"},
		"it aborts": {"note.ogg", whisper(map[string]any{"abort": "GGML_ASSERT(false)"}),
			protocol.SpeechFailureProgramFailed, "aborted: GGML_ASSERT(false)"},
		// the program ends with status 0 and writes no words
		"invalid language":          {"note.ogg", command("whisper-cli", "-bogus"), "", ""},
		"no file":                   {"nothing.ogg", whisper(none), protocol.SpeechFailureNoFile, "no such file"},
		"a folder":                  {"folder.ogg", whisper(none), protocol.SpeechFailureNoSound, "folder"},
		"out of the home":           {"../note.ogg", whisper(none), protocol.SpeechFailureNoSound, "out of the folder"},
		"an empty file":             {"empty.ogg", whisper(none), protocol.SpeechFailureNoSound, "End of file"},
		"a zip":                     {"zip.ogg", whisper(none), protocol.SpeechFailureNoSound, "End of file"},
		"a list of other files":     {"list.ogg", whisper(none), protocol.SpeechFailureNoSound, "Invalid"},
		"a stream of another place": {"hls.ogg", whisper(none), protocol.SpeechFailureNoSound, "Invalid argument"},
		"moving pictures alone":     {"film.mp4", whisper(none), protocol.SpeechFailureNoSound, "map"},
		"cut off":                   {"half.ogg", whisper(none), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.makeBrokenRecordings()
			r := f.mustTranscribe(test.file, test.engine(f))
			if r.Failure != test.want || !strings.Contains(r.Detail, test.detail) || strings.ContainsAny(r.Detail, "\n\t") || test.want != "" && r.Text != "" {
				t.Errorf("%+v, want %s with %q", r, test.want, test.detail)
			}
		})
	}
}

// makeBrokenRecordings makes broken recordings.
func (f *fixture) makeBrokenRecordings() {
	f.t.Helper()
	f.record("note.ogg", tone(440, 2))
	note, err := os.ReadFile(filepath.Join(f.home, "note.ogg"))
	if err != nil {
		f.t.Fatal(err)
	}
	for name, content := range map[string]string{
		"empty.ogg": "",
		"zip.ogg":   "PK\x03\x04" + strings.Repeat("\x00", 5000),
		"list.ogg":  "ffconcat version 1.0\nfile note.ogg\n",
		"hls.ogg":   "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nnote.ogg\n#EXT-X-ENDLIST\n",
		"half.ogg":  string(note[:len(note)/2]),
	} {
		if err := os.WriteFile(filepath.Join(f.home, name), []byte(content), 0o644); err != nil {
			f.t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(f.home, "folder.ogg"), 0o755); err != nil {
		f.t.Fatal(err)
	}
	f.ffmpeg("film.mp4", "-f", "lavfi", "-i", "color=size=16x16:duration=1")
}

// TestTranscribe_TimeUpOrStopped_KillsAll: the program and all its processes are killed.
func TestTranscribe_TimeUpOrStopped_KillsAll(t *testing.T) {
	f := newFixture(t)
	f.record("note.ogg", tone(440, 2))
	e := f.whisper(map[string]any{"sleep": true})
	f.Programs = shortTimeoutPrograms{f.runner, "whisper-cli"}
	if r := f.mustTranscribe("note.ogg", e); r.Failure != protocol.SpeechFailureTimeout || !strings.Contains(r.Detail,
		"whisper-cli: no end after") {
		t.Errorf("%+v", r)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped by the person")
	f.Programs = hookedPrograms{f.runner, func(p program.Program) {
		if p.Name == "whisper-cli" {
			cancel(stopped)
		}
	}}
	r, err := f.Transcribe(ctx, protocol.TranscribeParameters{Path: "note.ogg", Seconds: 60, Engine: e})
	if !errors.Is(err, stopped) || r.Failure != "" {
		t.Errorf("%+v, %v", r, err)
	}
}

// shortTimeoutPrograms runs programs, and gives one program little time.
type shortTimeoutPrograms struct {
	ProgramRunner
	name string
}

func (s shortTimeoutPrograms) Run(ctx context.Context, p program.Program) error {
	if p.Name == s.name {
		p.Timeout = 500 * time.Millisecond
	}
	return s.ProgramRunner.Run(ctx, p)
}

// TestTranscribe_TooLong_IsRefused: a recording that is too long is refused, even if its file is
// small.
func TestTranscribe_TooLong_IsRefused(t *testing.T) {
	f := newFixture(t)
	f.ffmpeg("hours.flac", "-f", "lavfi", "-i", "anullsrc=r=1000:cl=mono", "-t", "36000", "-frame_size", "65535", "-compression_level", "0")
	info, err := os.Stat(filepath.Join(f.home, "hours.flac"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > 20_000 {
		t.Errorf("10 hours of nothing take %d bytes", info.Size())
	}
	if r := f.mustTranscribe("hours.flac", f.whisper(map[string]any{})); r.Failure != protocol.SpeechFailureTooLong ||
		r.Detail != "longer than 3600 s" || len(f.requestedPieces) > 0 {
		t.Errorf("%+v, begun %v", r, f.requestedPieces)
	}
}

// TestTranscribe_OtherSpaceInName_FindsFile: a recording is found although its name has another
// kind of space. The result names the file that was found.
func TestTranscribe_OtherSpaceInName_FindsFile(t *testing.T) {
	f := newFixture(t)
	f.record("v\u00a01.ogg", tone(440, 3))
	if r := f.mustTranscribe("v 1.ogg", f.whisper(map[string]any{})); r.Failure != "" ||
		r.Recording != "v\u00a01.ogg" || r.Seconds != 3 {
		t.Errorf("%+v", r)
	}
	if r := f.mustTranscribe("v\u00a01.ogg", f.whisper(map[string]any{})); r.Failure != "" || r.Recording != "" {
		t.Errorf("%+v", r)
	}
}

// A channel may omit the fraction of a second at the end. (Telegram gives whole seconds.)
func TestTranscribe_SlightlyTooLong_IsAccepted(t *testing.T) {
	f := newFixture(t)
	f.record("note.ogg", tone(440, 3)+".6")
	r, err := f.Transcribe(t.Context(), protocol.TranscribeParameters{Path: "note.ogg", Seconds: 3, Engine: f.whisper(map[string]any{})})
	if err != nil || r.Failure != "" || r.Seconds != 3 {
		t.Errorf("%+v, %v", r, err)
	}
	if most := slices.Max(f.reportedProgress); most > 3 {
		t.Errorf("%d seconds of 3 were gone through", most)
	}
}

// TestTranscript_InventedWords_AreRemoved: the recording is not transcribed again. Lines for
// silence are removed, as in a transcript of a local program.
func TestTranscript_InventedWords_AreRemoved(t *testing.T) {
	f := newFixture(t)
	f.record("note.ogg", tone(440, 3))
	f.record("quiet.ogg", quiet(3))
	if err := os.WriteFile(filepath.Join(f.home, "broken.ogg"), []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("Buy 3.14 litres, i.e. milk. Then go home? ", 100)
	for name, c := range map[string]struct{ file, heard, want, path string }{
		"words":          {"note.ogg", " Buy milk.\nAnd bread!  ", "Buy milk. And bread!", ""},
		"silence":        {"quiet.ogg", "Thank you for watching.", "", ""},
		"repeated line":  {"note.ogg", "Buy milk. " + strings.Repeat("Thank you. ", 6) + "Bye.", "Buy milk. Bye.", ""},
		"in Japanese":    {"note.ogg", "牛乳。" + strings.Repeat("ご視聴ありがとう。", 6), "牛乳。", ""},
		"a version":      {"note.ogg", "It is 1.1.1.1.1.1.1.1 now", "It is 1.1.1.1.1.1.1.1 now", ""},
		"no words":       {"note.ogg", "[BLANK_AUDIO]", "", ""},
		"not to be read": {"broken.ogg", "Buy milk.", "Buy milk.", ""},
		"a long one":     {"note.ogg", long, strings.TrimSpace(long), "note.ogg.txt"},
	} {
		r, err := f.Transcribe(t.Context(), protocol.TranscribeParameters{Path: c.file, Seconds: 2,
			ServerText: &protocol.TranscribedPiece{Text: c.heard, Language: "en"}})
		if err != nil || r.Failure != "" || r.Text != c.want || r.Path != c.path || (r.Language == "") != (c.want == "") || r.Seconds != 2 {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	if kept, err := os.ReadFile(filepath.Join(f.home, "note.ogg.txt")); err != nil || string(kept) != strings.TrimSpace(long)+"\n" {
		t.Errorf("kept are %d bytes, %v", len(kept), err)
	}
}

// TestTranscribe_NoFFmpeg_NamesReason: the failure names ffmpeg, not the recogniser.
func TestTranscribe_NoFFmpeg_NamesReason(t *testing.T) {
	f := newFixture(t)
	f.record("note.ogg", tone(440, 1))
	f.runner.Environment.Path = "/nowhere"
	if r := f.mustTranscribe("note.ogg", f.whisper(map[string]any{})); r.Failure != protocol.SpeechFailureNoFFmpeg {
		t.Errorf("%+v", r)
	}
}

// TestTranscribe_Killed_ContinuesAfterPiece: stored pieces are not done again, and the killed
// worker's files are removed.
func TestTranscribe_Killed_ContinuesAfterPiece(t *testing.T) {
	f := newFixture(t)
	f.record("long.ogg", tone(440, 100), quiet(2), tone(660, 100), quiet(2), tone(880, 100))
	gone := errors.New("the supervisor has gone")
	e := f.whisper(map[string]any{})
	f.onNext = func(piece int) error {
		if piece == 2 {
			return gone
		}
		return nil
	}
	p := protocol.TranscribeParameters{Path: "long.ogg", Seconds: 600, Engine: e}
	if _, err := f.Transcribe(t.Context(), p); !errors.Is(err, gone) {
		t.Fatalf("ended with %v", err)
	}
	want := []protocol.TranscribedPiece{{Text: "440 hertz.", Language: "en"}, {Text: "660 hertz.", Language: "en"}}
	if !slices.Equal(f.Done, want) {
		t.Errorf("kept %v", f.Done)
	}
	if err := os.MkdirAll(f.Temp, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(f.Temp, "sound.pcm"), []byte("left"), 0o600); err != nil {
		t.Fatal(err)
	}
	f.onNext = nil
	r := f.mustTranscribe("long.ogg", e)
	if r.Text != "440 hertz. 660 hertz. 880 hertz." || !slices.Equal(f.requestedPieces, []int{2}) {
		t.Errorf("%+v, begun %v", r, f.requestedPieces)
	}
	f.Done = slices.Repeat(want, 2) // pieces of another version of ffmpeg, which has cut the recording more often
	if r := f.mustTranscribe("long.ogg", e); r.Text != "440 hertz. 660 hertz. 440 hertz. 660 hertz." || f.requestedPieces != nil {
		t.Errorf("%+v, begun %v", r, f.requestedPieces)
	}
}

// TestTranscribe_LongText_IsKeptInFile: a long text is written to a file beside the recording. No
// existing file is replaced.
func TestTranscribe_LongText_IsKeptInFile(t *testing.T) {
	f := newFixture(t)
	f.record("note.ogg", tone(440, 2))
	text := strings.TrimSpace(strings.Repeat("words и слова ", 300))
	e := f.whisper(map[string]any{"lines": []string{text}})
	if err := os.WriteFile(filepath.Join(f.home, "note.ogg.txt"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 { // a second run keeps the same file
		f.Done = nil
		r := f.mustTranscribe("note.ogg", e)
		kept, err := os.ReadFile(filepath.Join(f.home, r.Path))
		if r.Path != "note.ogg-2.txt" || err != nil || string(kept) != text+"\n" || r.Text != text {
			t.Errorf("%d bytes beside it at %q, %v", len(kept), r.Path, err)
		}
	}
	f.Done = nil
	e = f.whisper(map[string]any{"lines": []string{strings.Repeat("a", protocol.LongSpeechTextCharacters)}})
	if r := f.mustTranscribe("note.ogg", e); r.Path != "" || len(r.Text) != protocol.LongSpeechTextCharacters {
		t.Errorf("a text that is not long lies at %q", r.Path)
	}
}

// TestCommandEngine_RunsAnyRecogniser runs a recogniser by a configured command line.
func TestCommandEngine_RunsAnyRecogniser(t *testing.T) {
	f := newFixture(t)
	f.record("note.ogg", tone(440, 2))
	e := protocol.SpeechEngine{Engine: "command", Language: "fr", Threads: 2, Model: "m.bin",
		Command: []string{"sh", "-c", `head -c 4 "$1"; shift; printf '\n[BLANK_AUDIO]\n%s, %s, %s' "$@"; echo nothing >&2`, "-", "{wav}", "{language}", "{threads}", "x{model}"}}
	if r := f.mustTranscribe("note.ogg", e); r.Text != "RIFF fr, 2, xm.bin" || r.Language != "fr" {
		t.Errorf("%+v", r)
	}
	f.Done = nil
	e.Command = []string{"sh", "-c", "yes ж; true"}
	f.Programs = shortTimeoutPrograms{f.runner, "sh"}
	if r := f.mustTranscribe("note.ogg", e); r.Failure != protocol.SpeechFailureTimeout {
		t.Errorf("%+v", r)
	}
}

// BenchmarkTranscribeWithoutPrograms measures a note of 10 s without the time of ffmpeg and
// whisper-cli.
func BenchmarkTranscribeWithoutPrograms(b *testing.B) {
	f := newFixture(b)
	f.record("note.ogg", tone(440, 4), quiet(1), tone(660, 5))
	e := f.whisper(map[string]any{})
	var theirs time.Duration
	f.Programs = timedPrograms{f.runner, &theirs}
	b.ResetTimer()
	for b.Loop() {
		r, err := f.Transcribe(b.Context(), protocol.TranscribeParameters{Path: "note.ogg", Seconds: 60, Engine: e})
		if err != nil || r.Text != "440 hertz. 660 hertz." {
			b.Fatal(r, err)
		}
	}
	b.ReportMetric(float64((b.Elapsed()-theirs).Microseconds())/1000/float64(b.N), "ours-ms/op")
}

// timedPrograms runs programs, and adds up their time.
type timedPrograms struct {
	ProgramRunner
	took *time.Duration
}

func (t timedPrograms) Run(ctx context.Context, p program.Program) error {
	began := time.Now()
	defer func() { *t.took += time.Since(began) }()
	return t.ProgramRunner.Run(ctx, p)
}

// TestStderrReader_KeepsMostTellingLine: the stderrParser keeps the line that explains the failure,
// in bounded memory.
func TestStderrReader_KeepsMostTellingLine(t *testing.T) {
	for said, want := range map[string]string{
		"a\nb":                      "b",
		"error: x\nusage\n":         "error: x",
		"10%\r20%\r":                "20%",
		strings.Repeat("x", 1<<20):  strings.Repeat("x", maxLine),
		"\n\n":                      "",
		"Error: a\nerror: b\nother": "error: b",
	} {
		l := &stderrParser{}
		for chunk := range slices.Chunk([]byte(said), 7) {
			_, _ = l.Write(bytes.Clone(chunk))
		}
		if l.close(); l.last != want {
			t.Errorf("%.40q: %.40q, want %.40q", said, l.last, want)
		}
	}
}
