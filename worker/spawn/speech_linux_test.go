package spawn

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"mews/protocol"
	"mews/protocol/spawnwire"
	"mews/worker/program"
	"mews/worker/sandbox"
	"mews/worker/speech"
	"mews/worker/workspace"
)

// recordingFile is a file in a home that makes a worker of the tests transcribe a recording. It
// holds protocol.TranscribeParameters.
const recordingFile = "transcribe.json"

// TestSpeechPrograms_BehindWalls_Work: ffmpeg and a recogniser process a recording behind both
// layers of walls. The recogniser is a stand-in, or the real program that MEWS_WHISPER names.
func TestSpeechPrograms_BehindWalls_Work(t *testing.T) {
	real := os.Getenv("MEWS_WHISPER")
	for _, test := range []struct {
		name, tensors string
		memory        int
		want          protocol.TranscribeResult
		runs          bool
	}{
		{"words", "{}", 1 << 30, protocol.TranscribeResult{Text: "440 hertz.", Language: "en", Seconds: 2}, real == ""},
		{"no tensors", "", 1 << 30, protocol.TranscribeResult{Seconds: 2, Failure: protocol.SpeechFailureNoModel},
			true},
		{"no memory", "", 256 << 20, protocol.TranscribeResult{Seconds: 2, Failure: protocol.SpeechFailureOutOfMemory},
			real != ""},
	} {
		if !test.runs {
			// skipped: the stand-in never lacks memory, and the real program finds no words in a
			// model without tensors
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			exe, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			r := start(t, setup{policy: []string{"worker=" + exe, "sandbox=namespaces", fmt.Sprint("memory=", test.memory)}})
			putRecording(t, r.makeFolder("home1"), real, test.tensors)
			w := r.workerOf(spawnwire.SpawnRequest{MakeHome: true})
			line := w.readLine()
			var got protocol.TranscribeResult
			if err := json.Unmarshal([]byte(line), &got); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			t.Log(line)
			if got.Detail = ""; got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
			r.kill(w)
		})
	}
}

// putRecording puts a tone of 2 s, the recogniser and a model into a home.
func putRecording(t *testing.T, home, real, tensors string) {
	t.Helper()
	copied := map[string]string{"whisper-cli": real}
	if real == "" {
		const kept = "../speech/testdata/"
		copied = map[string]string{"whisper-cli": kept + "whisper-cli", "whisper-help.txt": kept + "whisper-help.txt"}
	}
	for name, from := range copied {
		content, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		writeExecutable(t, filepath.Join(home, name), string(content))
	}
	// Header of a model of the base kind. Whisper looks up the last three words of its vocabulary.
	const words, mels, bins = 51864, 80, 201
	var model []byte
	for _, v := range []uint32{0x67676d6c, words, 1500, 512, 8, 6, 448, 512, 8, 6, mels, 1, mels, bins} {
		model = binary.LittleEndian.AppendUint32(model, v)
	}
	model = binary.LittleEndian.AppendUint32(append(model, make([]byte, 4*mels*bins)...), words)
	for i := range words {
		word := fmt.Sprint("w", i)
		if i < 3 {
			word = []string{" ", " -", " '"}[i]
		}
		model = append(binary.LittleEndian.AppendUint32(model, uint32(len(word))), word...)
	}
	writeExecutable(t, filepath.Join(home, "ggml-base.bin"), string(model)+tensors)
	parameters, err := json.Marshal(protocol.TranscribeParameters{Path: "note.ogg", Seconds: 60, Engine: protocol.SpeechEngine{
		Engine: "whisper", Program: "/home/whisper-cli", Model: "/home/ggml-base.bin", Language: "auto"}})
	if err != nil {
		t.Fatal(err)
	}
	writeExecutable(t, filepath.Join(home, recordingFile), string(parameters))
	note := filepath.Join(home, "note.ogg")
	if out, err := exec.Command("ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "sine=frequency=440:duration=2", "-c:a", "libopus", note).CombinedOutput(); err != nil {
		t.Fatalf("ffmpeg: %v: %s", err, out)
	}
	giveToWorkers(t, note)
}

// writeExecutable writes an executable file of the worker's.
func writeExecutable(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
	giveToWorkers(t, name)
}

// transcribeFirst is a worker that transcribes a recording, with the same parts as a real worker.
func transcribeFirst(parameters []byte) (protocol.TranscribeResult, error) {
	var p protocol.TranscribeParameters
	if err := json.Unmarshal(parameters, &p); err != nil {
		return protocol.TranscribeResult{}, err
	}
	ws, err := workspace.Open("/home", protocol.FilePolicy{})
	if err != nil {
		return protocol.TranscribeResult{}, err
	}
	inside := sandbox.NewToolStarter(sandbox.Tier(os.Getenv(sandbox.TierVariable)), nil)
	t := speech.Transcriber{
		Programs: &program.Runner{Children: program.NewChildren(inside.Start), Environment: program.Environment{Home: "/home"}},
		Files:    ws, Home: "/home", Temp: filepath.Join(os.TempDir(), "speech"), Pieces: noPieces{},
	}
	return t.Transcribe(context.Background(), p)
}

// noPieces is a supervisor that stores nothing.
type noPieces struct{}

func (noPieces) CommitPiece(context.Context, protocol.OperationPiece) error { return nil }
func (noPieces) ReportProgress(context.Context, int) error                  { return nil }
