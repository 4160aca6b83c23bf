package serve_test

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mews/protocol"
	"mews/worker"
	"mews/worker/host/hosttest"
	"mews/worker/serve"
)

// home greets the worker, whose home has the given files.
func (s *supervisor) home(files map[string]string) {
	s.t.Helper()
	dir := s.t.TempDir()
	s.dir = dir
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			s.t.Fatal(err)
		}
	}
	hello := protocol.Hello{Version: protocol.Version, User: "alice", Home: dir, Files: protocol.FilePolicy{Exclude: []string{"hidden"}}}
	if err := s.conn.Call(s.t.Context(), protocol.MethodHello, hello, nil); err != nil {
		s.t.Fatal(err)
	}
}

func (s *supervisor) operation(ctx context.Context, id int64, kind protocol.OperationKind, parameters string) (protocol.OperationEnd, error) {
	var end protocol.OperationEnd
	err := s.conn.Call(ctx, protocol.MethodOperationStart,
		protocol.OperationStart{Operation: id, Kind: kind, Parameters: json.RawMessage(parameters)}, &end)
	return end, err
}

// TestArchive_WholeHome_IncludesHiddenFiles: files that the tools do not see are included.
func TestArchive_WholeHome_IncludesHiddenFiles(t *testing.T) {
	s := newSupervisor(t)
	s.home(map[string]string{"todo.md": "milk\n", "hidden": "too"})
	end, err := s.operation(t.Context(), 9, protocol.OperationKindArchive, `{"max_bytes":1048576}`)
	if err != nil {
		t.Fatal(err)
	}
	var result protocol.ArchiveResult
	if err := protocol.DecodeStrict(end.Result, &result); err != nil {
		t.Fatal(err)
	}
	if err := result.Validate(); err != nil || result.Files != 2 || result.Bytes != int64(len("milk\ntoo")) ||
		result.Blob != refOf(string(s.kept[9])) {
		t.Errorf("got %+v, %v", result, err)
	}
	var names []string
	for r := tar.NewReader(bytes.NewReader(s.kept[9])); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
	}
	if want := []string{"files/", "files/hidden", "files/todo.md", "left-out.txt"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}

// TestUnpack_ArchiveOfAnotherHome_IsWritten: the worker reads the archive in pieces.
func TestUnpack_ArchiveOfAnotherHome_IsWritten(t *testing.T) {
	packs := newSupervisor(t)
	packs.home(map[string]string{"todo.md": strings.Repeat("milk\n", 30_000)})
	if _, err := packs.operation(t.Context(), 9, protocol.OperationKindArchive, `{"max_bytes":1048576}`); err != nil {
		t.Fatal(err)
	}
	s := newSupervisor(t)
	s.home(nil)
	s.kept[3] = packs.kept[9]
	ref := refOf(string(s.kept[3]))
	parameters := fmt.Sprintf(`{"blob":{"sha256":%q,"size":%d}}`, ref.SHA256, ref.Size)
	end, err := s.operation(t.Context(), 3, protocol.OperationKindUnpack, parameters)
	if want := `{"files":1,"bytes":150000}`; err != nil || string(end.Result) != want {
		t.Fatalf("got %s, %v; want %s", end.Result, err, want)
	}
	written, err := os.ReadFile(filepath.Join(s.dir, "todo.md"))
	if err != nil || string(written) != strings.Repeat("milk\n", 30_000) {
		t.Errorf("got %d bytes, %v", len(written), err)
	}
	end, err = s.operation(t.Context(), 4, protocol.OperationKindUnpack, parameters)
	if want := `{"not_empty":true,"files":0,"bytes":0}`; err != nil || string(end.Result) != want {
		t.Errorf("into a full home: %s, %v", end.Result, err)
	}
}

// TestReceive_Files_ComeFromOperationBlobs: the worker reads each file in pieces from the
// operation's blobs.
func TestReceive_Files_ComeFromOperationBlobs(t *testing.T) {
	s := startWorker(t, t.Context(), serve.Options{Start: (*exec.Cmd).Start})
	s.home(nil)
	text := strings.Repeat("a line\n", 30_000)
	ref := refOf(text)
	s.kept[7] = []byte(text)
	end, err := s.operation(t.Context(), 7, protocol.OperationKindReceive, fmt.Sprintf(
		`{"sent_at":86400,"files":[{"blob":{"sha256":%q,"size":%d},"kind":"document","name":"a.txt"}]}`, ref.SHA256, ref.Size))
	if err != nil {
		t.Fatal(err)
	}
	var result protocol.ReceiveResult
	if err := protocol.DecodeStrict(end.Result, &result); err != nil {
		t.Fatal(err)
	}
	path := result.Files[0].Path
	if kept, err := os.ReadFile(filepath.Join(s.dir, path)); err != nil || string(kept) != text || !strings.HasPrefix(path, "uploads/1970-01-0") {
		t.Errorf("%q has %d bytes, %v", path, len(kept), err)
	}
	if err := result.Validate(1); err != nil || !strings.Contains(result.Files[0].Parts[0].Text, "a line\na line\n") {
		t.Errorf("got %+v, %v", result, err)
	}
}

func TestOperation_BadRequest_IsRefused(t *testing.T) {
	s := newSupervisor(t)
	if _, err := s.operation(t.Context(), 1, protocol.OperationKindArchive,
		`{"max_bytes":1048576}`); refusalCode(err) != protocol.CodeInvalidRequest {
		t.Errorf("before hello: %v", err)
	}
	s.home(nil)
	for name, c := range map[string]struct {
		id         int64
		kind       protocol.OperationKind
		parameters string
	}{
		"no id":             {0, protocol.OperationKindArchive, `{"max_bytes":1048576}`},
		"an unknown kind":   {1, "burn", `{}`},
		"too small":         {1, protocol.OperationKindArchive, `{"max_bytes":1048575}`},
		"unknown parameter": {1, protocol.OperationKindArchive, `{"max_bytes":1048576,"path":"/etc"}`},
		"no parameters":     {1, protocol.OperationKindArchive, `null`},
		"no files":          {1, protocol.OperationKindReceive, `{"sent_at":1,"files":[]}`},
		"a negative size": {1, protocol.OperationKindReceive,
			`{"sent_at":1,"files":[{"blob":{"sha256":"","size":-1},"kind":"photo"}]}`},
	} {
		_, err := s.operation(t.Context(), c.id, c.kind, c.parameters)
		if refusalCode(err) != protocol.CodeInvalidParams {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestOperation_CancelOrStop_EndsIt(t *testing.T) {
	began := make(chan struct{})
	for name, end := range map[string]func(*supervisor, context.CancelFunc){
		"cancelled": func(_ *supervisor, cancel context.CancelFunc) { cancel() },
		"stopped": func(s *supervisor, _ context.CancelFunc) {
			if err := s.conn.Call(context.Background(), protocol.MethodStop, nil, nil); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSupervisor(t)
			s.onBlobBegin = func(ctx context.Context) {
				select {
				case began <- struct{}{}:
				case <-ctx.Done():
				}
				<-ctx.Done()
			}
			s.home(nil)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			const asked, most = 5, 3 // five operations are asked for; three may run at once
			result := make(chan error, asked)
			start := func(id int64) {
				_, err := s.operation(ctx, id, protocol.OperationKindArchive, `{"max_bytes":1048576}`)
				result <- err
			}
			go start(1)
			<-began
			for id := range int64(asked - 1) {
				go start(2 + id)
			}
			for range asked - most {
				if err := <-result; refusalCode(err) != protocol.CodeBusy {
					t.Errorf("more than %d at once: %v", most, err)
				}
			}
			if _, err := s.operation(t.Context(), 1, protocol.OperationKindArchive,
				`{"max_bytes":1048576}`); refusalCode(err) != protocol.CodeInvalidRequest {
				t.Errorf("the same one twice: %v", err)
			}
			end(s, cancel)
			for range most {
				if err := <-result; refusalCode(err) != protocol.CodeCancelled {
					t.Errorf("got %v", err)
				}
			}
		})
	}
}

// TestTools_ChangeAfterHello_ReachNextTurn: a turn has the new tools if the supervisor has answered
// the announcement before the turn.
func TestTools_ChangeAfterHello_ReachNextTurn(t *testing.T) {
	more := make(chan []worker.Tool)
	s := startWorker(t, t.Context(), serve.Options{Tools: []worker.Tool{tool("a", protocol.EffectNone, nil)}, MoreTools: more})
	greeted := s.hello()
	offered := func(more ...string) string {
		for _, tool := range greeted.Tools {
			if tool.Family == "" {
				more = append(more, tool.Name)
			}
		}
		slices.Sort(more)
		return `there is no tool "nothing like it"; the tools are: ` + strings.Join(more, ", ") + ". find_tools lists and opens more"
	}
	names := func(id int64) []string {
		s.host(id, hosttest.CallMessage(hosttest.ToolCall("c", "nothing like it", `{}`)))
		if _, err := s.turn(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		result, _ := s.of(id).CallResult("c")
		return []string{result.Text}
	}
	if got := names(1); got[0] != offered() || !strings.Contains(got[0], ": a, ") {
		t.Errorf("got %q", got)
	}
	more <- []worker.Tool{tool("weather", protocol.EffectNone, nil)}
	more <- nil
	for range 2 { // the worker reads the second list once it has announced the first
		more <- []worker.Tool{tool("weather", protocol.EffectNone, nil)}
	}
	if got := names(2); got[0] != offered("weather") {
		t.Errorf("got %q", got)
	}
	var whole []bool
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.lists {
		whole = append(whole, l.Tools != nil)
	}
	// Each list is first announced by its hash. A list with an unknown hash is sent whole.
	if want := []bool{false, true, false, true, false}; !slices.Equal(whole[:min(5, len(whole))], want) {
		t.Errorf("sent whole: %v, want %v", whole, want)
	}
}

func TestSpeak_NoPrograms_ReportsWhy(t *testing.T) {
	s := newSupervisor(t)
	s.home(nil)
	end, err := s.operation(t.Context(), 1, protocol.OperationKindSpeak,
		`{"text":"hello","engine":{"engine":"espeak"}}`)
	var result protocol.SpeakResult
	if err != nil || protocol.DecodeStrict(end.Result, &result) != nil ||
		result.Failure != protocol.SpeechFailureNoProgram {
		t.Errorf("%s, %v", end.Result, err)
	}
	if _, err := s.operation(t.Context(), 2, protocol.OperationKindSpeak,
		`{"text":"","engine":{"engine":"espeak"}}`); refusalCode(err) != protocol.CodeInvalidParams {
		t.Errorf("no text: %v", err)
	}
}

// TestTranscribe_Restart_ContinuesAfterPiece: the configured program transcribes the pieces that
// no earlier operation has kept.
func TestTranscribe_Restart_ContinuesAfterPiece(t *testing.T) {
	temp := t.TempDir()
	s := startWorker(t, t.Context(), serve.Options{Start: (*exec.Cmd).Start, Temp: temp})
	s.home(nil)
	note := exec.Command("ffmpeg", "-v", "error", "-nostdin", "-f", "lavfi", "-i", "sine=frequency=440:duration=200", filepath.Join(s.dir, "note.wav"))
	if out, err := note.CombinedOutput(); err != nil {
		t.Fatalf("ffmpeg: %v: %s", err, out)
	}
	start := protocol.OperationStart{Operation: 9, Kind: protocol.OperationKindTranscribe,
		Pieces:     []protocol.TranscribedPiece{{Text: "One,", Language: "en"}},
		Parameters: json.RawMessage(`{"path":"note.wav","seconds":300,"engine":{"engine":"command","language":"en","command":["echo","two."]}}`)}
	var end protocol.OperationEnd
	if err := s.conn.Call(t.Context(), protocol.MethodOperationStart, start, &end); err != nil {
		t.Fatal(err)
	}
	if want := `{"text":"One, two.","language":"en","seconds":200}`; string(end.Result) != want {
		t.Errorf("got %s, want %s", end.Result, want)
	}
	next, done := 1, false
	for _, p := range s.pieces {
		if err := p.Validate(next, done, 300); err != nil || p.Total != 2 {
			t.Errorf("%+v: %v", p, err)
		}
		next, done = next+1, true
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 || next != 3 {
		t.Errorf("%d calls, left %v, %v", next-1, left, err)
	}
	if _, err := s.operation(t.Context(), 10, protocol.OperationKindTranscribe,
		`{"path":"note.wav","seconds":0,"engine":{"engine":"command"}}`); err == nil {
		t.Error("a recording of no seconds is transcribed")
	}
}
