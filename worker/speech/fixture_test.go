package speech

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mews/protocol"
	"mews/worker/program"
	"mews/worker/workspace"
)

// fixture is a home with the programs that may run in it: the system's, and a stand-in for
// whisper-cli.
type fixture struct {
	t      testing.TB
	home   string
	runner *program.Runner
	*Transcriber
	requestedPieces  []int                 // numbers of the requested pieces
	reportedProgress []int                 // reported progress, in seconds
	onNext           func(piece int) error // hook before each piece; nil means that every piece may begin
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	home := t.TempDir()
	ws, err := workspace.Open(home, protocol.FilePolicy{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := ws.Close(); err != nil {
			t.Error(err)
		}
	})
	kept, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, home: home}
	f.runner = &program.Runner{
		Children:    program.NewChildren((*exec.Cmd).Start),
		Environment: program.Environment{Home: home, Path: kept + ":" + program.DefaultPath},
	}
	f.Transcriber = &Transcriber{Pieces: f, Programs: f.runner, Files: ws, Home: home, Temp: filepath.Join(t.TempDir(), "speech")}
	return f
}

// CommitPiece accepts or refuses a piece like the supervisor.
func (f *fixture) CommitPiece(_ context.Context, p protocol.OperationPiece) error {
	if err := p.Validate(len(f.Done), p.Done != nil, 3600); err != nil && p.Done == nil {
		f.t.Error(err)
	}
	if p.Done != nil {
		f.Done = append(f.Done, *p.Done)
	}
	if p.Piece != len(f.Done) {
		f.t.Errorf("piece %d is begun after %d", p.Piece, len(f.Done))
	}
	if p.Piece == p.Total {
		return nil
	}
	f.requestedPieces = append(f.requestedPieces, p.Piece)
	if f.onNext != nil {
		return f.onNext(p.Piece)
	}
	return nil
}

func (f *fixture) ReportProgress(_ context.Context, seconds int) error {
	f.reportedProgress = append(f.reportedProgress, seconds)
	return nil
}

// whisper returns the engine with a model in whisper.cpp's format. The part after the model's
// header tells the stand-in what to do; nil means a model without tensors.
func (f *fixture) whisper(does map[string]any) protocol.SpeechEngine {
	f.t.Helper()
	var tensors []byte
	if does != nil {
		var err error
		if tensors, err = json.Marshal(does); err != nil {
			f.t.Fatal(err)
		}
	}
	return protocol.SpeechEngine{Engine: "whisper", Model: writeModel(f.t, tensors)}
}

// writeModel writes a model of the base kind: the whole header, then the tensors. Whisper looks up
// the last three words of the vocabulary.
func writeModel(t testing.TB, tensors []byte) string {
	t.Helper()
	const words, mels, bins = 51864, 80, 201
	b := binary.LittleEndian.AppendUint32(nil, 0x67676d6c)
	for _, v := range []uint32{words, 1500, 512, 8, 6, 448, 512, 8, 6, mels, 1, mels, bins} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	b = append(b, make([]byte, 4*mels*bins)...)
	b = binary.LittleEndian.AppendUint32(b, words)
	for i := range words {
		word := fmt.Sprint("w", i)
		if i < 3 {
			word = []string{" ", " -", " '"}[i]
		}
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(word))), word...)
	}
	name := filepath.Join(t.TempDir(), "ggml-base.bin")
	if err := os.WriteFile(name, append(b, tensors...), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// record makes a recording in the home from ffmpeg's sources, one after the other.
func (f *fixture) record(name string, sources ...string) {
	f.t.Helper()
	var args []string
	var joined strings.Builder
	for i, s := range sources {
		args = append(args, "-f", "lavfi", "-i", s)
		fmt.Fprintf(&joined, "[%d]aformat=sample_rates=48000:channel_layouts=mono[a%d];", i, i)
	}
	for i := range sources {
		fmt.Fprintf(&joined, "[a%d]", i)
	}
	fmt.Fprintf(&joined, "concat=n=%d:v=0:a=1", len(sources))
	args = append(args, "-filter_complex", joined.String())
	if strings.HasSuffix(name, ".ogg") {
		args = append(args, "-c:a", "libopus", "-b:a", "24k") // encoding of Telegram's voice messages
	}
	f.ffmpeg(name, args...)
}

// ffmpeg makes another file in the home.
func (f *fixture) ffmpeg(name string, args ...string) {
	f.t.Helper()
	args = append(append([]string{"-hide_banner", "-loglevel", "error", "-nostdin"}, args...), filepath.Join(f.home, name))
	if out, err := exec.Command("ffmpeg", args...).CombinedOutput(); err != nil {
		f.t.Fatalf("ffmpeg: %v\n%s", err, out)
	}
}

// tone returns ffmpeg's source of a tone.
func tone(hertz, seconds int) string {
	return fmt.Sprintf("sine=frequency=%d:sample_rate=48000:duration=%d", hertz, seconds)
}

func quiet(seconds int) string { return fmt.Sprintf("anullsrc=r=48000:cl=mono:d=%d", seconds) }

// mustTranscribe transcribes a file and allows no error. A failure in the result is allowed.
func (f *fixture) mustTranscribe(name string, e protocol.SpeechEngine) protocol.TranscribeResult {
	f.t.Helper()
	f.requestedPieces, f.reportedProgress = nil, nil
	r, err := f.Transcribe(f.t.Context(), protocol.TranscribeParameters{Path: name, Seconds: 3600, Engine: e})
	if err != nil {
		f.t.Fatal(err)
	}
	if err := r.Validate(); err != nil {
		f.t.Error(err)
	}
	if _, err := os.Stat(f.Temp); !os.IsNotExist(err) {
		f.t.Errorf("the temporary folder is left: %v", err)
	}
	if f.runner.Children.Len() > 0 {
		f.t.Error("programs are left")
	}
	return r
}
