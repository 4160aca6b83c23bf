package index

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "mews/internal/fixedseed"
	"mews/protocol"
	"mews/worker/host/hosttest"
	"mews/worker/section"
	"mews/worker/workspace"
)

// inMemorySupervisor is a supervisor that keeps the index in memory.
type inMemorySupervisor struct {
	files    map[string]protocol.IndexedFile
	sections map[string]protocol.SectionText
	left     protocol.UnindexedCounts

	sent    int // number of sections that were sent
	longest int // size of the longest parameters, in bytes
	calls   int
	failAt  int // number of the call that fails; 0 means none
	named   map[string]bool
	batch   []protocol.IndexedFile
	missing map[string]bool
	blob    []byte // bytes of the newest blob
}

// answers returns the supervisor's answers to the calls of one Run.
func (m *inMemorySupervisor) answers() hosttest.Answers {
	return hosttest.Answers{
		protocol.MethodIndexFiles: hosttest.NewAnswer(
			m.indexFiles,
		), protocol.MethodIndexSections: hosttest.NewAnswer(m.indexSections),
		protocol.MethodIndexPut: hosttest.NewAnswer(m.indexPut),
		protocol.MethodIndexEnd: hosttest.NewAnswer(m.indexEnd),
	}
}

func (m *inMemorySupervisor) Call(ctx context.Context, method string, params, result any) error {
	return m.answers().Call(ctx, method, params, result)
}

func (m *inMemorySupervisor) StoreBlob(_ context.Context, r io.Reader, most int64) (ref protocol.BlobRef, err error) {
	if m.blob, err = io.ReadAll(r); int64(len(m.blob)) > most {
		return ref, errors.Join(err, fmt.Errorf("%d bytes, at most %d", len(m.blob), most))
	}
	return ref, err
}

var errKilled = errors.New("the worker was killed")

func newMemory() *inMemorySupervisor {
	return &inMemorySupervisor{files: map[string]protocol.IndexedFile{}, sections: map[string]protocol.SectionText{}}
}

func (m *inMemorySupervisor) begin(failAt int) {
	m.sent, m.calls, m.failAt, m.named, m.batch = 0, 0, failAt, map[string]bool{}, nil
}

func (m *inMemorySupervisor) call() error {
	if m.calls++; m.failAt > 0 && m.calls >= m.failAt {
		return errKilled
	}
	return nil
}

func (m *inMemorySupervisor) indexFiles(_ context.Context,
	p protocol.IndexFilesParams) (answer protocol.IndexFilesResult,
	err error) {
	if err := errors.Join(m.call(), p.Validate()); err != nil {
		return answer, err
	}
	for i, f := range p.Files {
		known, ok := m.files[f.Path]
		if !ok || known.Size != f.Size || known.Modified != f.Modified {
			answer.Differing = append(answer.Differing, i)
		}
		if m.named[f.Path] {
			return answer, fmt.Errorf("%s is named twice", f.Path)
		}
		m.named[f.Path] = true
	}
	return answer, nil
}

func (m *inMemorySupervisor) indexSections(_ context.Context,
	p protocol.IndexSectionsParams) (answer protocol.IndexSectionsResult,
	err error) {
	if err := errors.Join(m.call(), p.Validate()); err != nil {
		return answer, err
	}
	text, err := json.Marshal(p)
	if err != nil {
		return answer, err
	}
	m.longest = max(m.longest, len(text))
	m.batch, m.missing = slices.Clone(p.Files), map[string]bool{}
	for _, f := range p.Files {
		for _, s := range f.Sections {
			if _, known := m.sections[s.Hash]; !known && !m.missing[s.Hash] {
				answer.Missing, m.missing[s.Hash] = append(answer.Missing, s.Hash), true
			}
		}
	}
	m.keep()
	return answer, nil
}

func (m *inMemorySupervisor) indexPut(context.Context, protocol.IndexPutParams) (none struct{}, err error) {
	var put protocol.IndexBlob
	if err := errors.Join(m.call(), protocol.DecodeStrict(m.blob, &put), put.Validate()); err != nil {
		return none, err
	}
	for _, s := range put.Sections {
		hash := protocol.HashSection(s)
		if !m.missing[hash] {
			return none, fmt.Errorf("section %s is not missing", hash)
		}
		delete(m.missing, hash)
		m.sections[hash], m.sent = s, m.sent+1
	}
	m.keep()
	return none, nil
}

func (m *inMemorySupervisor) keep() {
	if len(m.missing) == 0 {
		for _, f := range m.batch {
			m.files[f.Path] = f
		}
	}
}

func (m *inMemorySupervisor) indexEnd(_ context.Context, end protocol.IndexEndParams) (protocol.IndexEndResult, error) {
	if err := m.call(); err != nil {
		return protocol.IndexEndResult{}, err
	}
	m.left = end.Left
	if !end.More {
		maps.DeleteFunc(m.files, func(path string, _ protocol.IndexedFile) bool { return !m.named[path] })
	}
	return protocol.IndexEndResult{More: end.More}, nil
}

// found returns the sections of each file, by its path.
func (m *inMemorySupervisor) found() map[string][]string {
	found := map[string][]string{}
	for path, f := range m.files {
		for _, s := range f.Sections {
			text := m.sections[s.Hash]
			found[path] = append(found[path], fmt.Sprintf("%d %s|%s", s.Line, text.Heading, text.Text))
		}
	}
	return found
}

// home is a folder with its index.
type home struct {
	testing.TB
	dir    string
	files  *workspace.Workspace
	memory *inMemorySupervisor
	folder []string
}

func newHome(t testing.TB, policy protocol.FilePolicy) *home {
	h := &home{TB: t, dir: t.TempDir(), memory: newMemory()}
	var err error
	if h.files, err = workspace.Open(h.dir, policy); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.files.Close() })
	return h
}

func (h *home) write(path, text string) {
	h.Helper()
	path = filepath.Join(h.dir, path)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		h.Fatal(err)
	}
}

// run runs the index until no changes are left, or until a call fails. The index's clock is an hour
// ahead, so that no file counts as just written.
func (h *home) run(failAt int) error {
	for {
		h.memory.begin(failAt)
		more, err := Run(
			h.Context(),
			Options{Home: h.files, Host: h.memory, Now: func() time.Time { return time.Now().Add(time.Hour) },
				Folder: func(path string) { h.folder = append(h.folder, path) }},
		)
		if !more || err != nil {
			return err
		}
	}
}

func (h *home) told() string {
	h.Helper()
	if err := h.run(0); err != nil {
		h.Fatal(err)
	}
	found := h.memory.found()
	var lines []string
	for _, path := range slices.Sorted(maps.Keys(found)) {
		lines = append(lines, path+": "+strings.Join(found[path], "; "))
	}
	return strings.Join(lines, "\n")
}

func TestIndex_Changes_AreSent(t *testing.T) {
	h := newHome(t, protocol.FilePolicy{Exclude: []string{"diary"}})
	h.write("notes/garden.md", "# Garden\n## Tomatoes\nred\n")
	h.write("a.txt", "plain")
	h.write("latin.txt", "caf\xe9")
	h.write("diary/secret.md", "mine")
	h.write(".git/config", "x")
	h.write(".hidden.md", "x")
	h.write("node_modules/x/readme.md", "x")
	h.write("photo.jpg", "x")
	h.write("program", "\x00\x01")
	h.write("large.txt", strings.Repeat("x", protocol.MaxIndexedFileBytes+1))
	h.write("empty.md", "")
	outside := t.TempDir()
	if err := errors.Join(os.WriteFile(filepath.Join(outside, "x.md"), []byte("others'"), 0o600),
		os.Symlink(filepath.Join(outside, "x.md"), filepath.Join(h.dir, "link.md")), os.Symlink(outside, filepath.Join(h.dir, "folder"))); err != nil {
		t.Fatal(err)
	}
	want := "a.txt: 1 |plain\nlatin.txt: 1 |café\nnotes/garden.md: 2 Garden > Tomatoes|red"
	if got := h.told(); got != want || h.memory.left != (protocol.UnindexedCounts{Large: 1, NotText: 1}) ||
		h.memory.sent != 3 {
		t.Errorf("got\n%s\n%+v, %d sent", got, h.memory.left, h.memory.sent)
	}
	sum := sha256.Sum256([]byte("caf\xe9"))
	if got := h.memory.files["latin.txt"].State; got != protocol.FileState(hex.EncodeToString(sum[:])) {
		t.Errorf("what it holds is %q", got)
	}
	if large := h.memory.files["large.txt"]; large.Size != 0 ||
		large.State != protocol.LargeFileState(protocol.MaxIndexedFileBytes+1, time.Unix(0, large.Modified)) {
		t.Errorf("a large file is %+v", large)
	}
	if f := h.memory.files["program"]; !f.State.IsHash() || len(f.Sections) > 0 {
		t.Errorf("what is no text is %+v", f)
	}
	if !slices.Equal(h.folder, []string{".", "notes"}) {
		t.Errorf("folders %q", h.folder)
	}
	if h.told(); h.memory.sent != 0 || h.memory.calls != 2 {
		t.Errorf("where nothing is new %d sections were sent, in %d calls", h.memory.sent, h.memory.calls)
	}
	if err := errors.Join(os.Rename(filepath.Join(h.dir, "notes"), filepath.Join(h.dir, "old")), os.Remove(filepath.Join(h.dir, "a.txt"))); err != nil {
		t.Fatal(err)
	}
	want = "latin.txt: 1 |café\nold/garden.md: 2 Garden > Tomatoes|red"
	if got := h.told(); got != want || h.memory.sent != 0 {
		t.Errorf("after a move got\n%s\n%d sent", got, h.memory.sent)
	}
}

// TestIndex_FileChangesWhileRead_IsReadAgain changes the file between the page and the sections,
// and within a tick of its time.
func TestIndex_FileChangesWhileRead_IsReadAgain(t *testing.T) {
	h := newHome(t, protocol.FilePolicy{})
	h.write("a.md", "one")
	run := func() {
		h.memory.begin(0)
		if _, err := Run(t.Context(), Options{Home: h.files, Host: h.memory, Now: time.Now, Folder: func(string) {}}); err != nil {
			t.Fatal(err)
		}
	}
	run()
	info, err := os.Stat(filepath.Join(h.dir, "a.md"))
	if err != nil {
		t.Fatal(err)
	}
	h.write("a.md", "two")
	if err := os.Chtimes(filepath.Join(h.dir, "a.md"), time.Time{}, info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if run(); fmt.Sprint(h.memory.found()) != "map[a.md:[1 |two]]" {
		t.Errorf("found %v", h.memory.found())
	}
}

// fileReplacingSupervisor is a supervisor that replaces files by links out of the home once they
// were listed.
type fileReplacingSupervisor struct {
	*inMemorySupervisor
	replace func(path string) error
}

func (r *fileReplacingSupervisor) indexFiles(ctx context.Context,
	p protocol.IndexFilesParams) (protocol.IndexFilesResult,
	error) {
	for _, f := range p.Files {
		if err := r.replace(f.Path); err != nil {
			return protocol.IndexFilesResult{}, err
		}
	}
	return r.inMemorySupervisor.indexFiles(ctx, p)
}

func (r *fileReplacingSupervisor) Call(ctx context.Context, method string, params, result any) error {
	answers := r.answers()
	answers[protocol.MethodIndexFiles] = hosttest.NewAnswer(r.indexFiles)
	return answers.Call(ctx, method, params, result)
}

// TestIndex_LinkOutOfHome_IsNotRead: a link replaces a file, or its folder, after the file was
// seen.
func TestIndex_LinkOutOfHome_IsNotRead(t *testing.T) {
	for _, replaced := range []string{"notes/a\nb.md", "notes"} {
		h := newHome(t, protocol.FilePolicy{})
		h.write("notes/a\nb.md", "mine")
		outside := t.TempDir()
		if err := os.WriteFile(filepath.Join(outside, "a\nb.md"), []byte("others'"), 0o600); err != nil {
			t.Fatal(err)
		}
		host := &fileReplacingSupervisor{h.memory, func(string) error {
			name := filepath.Join(h.dir, replaced)
			return errors.Join(
				os.RemoveAll(name),
				os.Symlink(filepath.Join(outside, strings.TrimPrefix(replaced, "notes")), name),
			)
		}}
		h.memory.begin(0)
		if _, err := Run(t.Context(), Options{Home: h.files, Host: host, Now: time.Now, Folder: func(string) {}}); err != nil {
			t.Fatal(err)
		}
		if found := h.memory.found(); len(found) > 0 || h.memory.left.Unreadable != 1 {
			t.Errorf("%q is replaced: found %q, %+v", replaced, found, h.memory.left)
		}
	}
}

// TestIndex_UnreadableFile_LeavesIndex: one file becomes unreadable without a change of its time. A
// link replaces another file after it was listed.
func TestIndex_UnreadableFile_LeavesIndex(t *testing.T) {
	h := newHome(t, protocol.FilePolicy{})
	h.write("closed.md", "mine")
	h.write("link.md", "one")
	h.told()
	h.write("link.md", "other")
	name := filepath.Join(h.dir, "link.md")
	host := &fileReplacingSupervisor{h.memory, func(path string) error {
		return errors.Join(os.Remove(name), os.Symlink(filepath.Join(h.dir, "closed.md"), name))
	}}
	h.memory.begin(0)
	if err := os.Chmod(filepath.Join(h.dir, "closed.md"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), Options{Home: h.files, Host: host, Now: time.Now, Folder: func(string) {}}); err != nil {
		t.Fatal(err)
	}
	if found := h.memory.found(); len(found) > 0 || h.memory.left.Unreadable != 2 {
		t.Errorf("found %q, %+v", found, h.memory.left)
	}
	if err := os.Chmod(filepath.Join(h.dir, "closed.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := h.told(); got != "closed.md: 1 |mine" {
		t.Errorf("opened again: %q", got)
	}
}

// TestIndex_LongNames_CallsStayBelowLimit: the parameters of a call stay below the supervisor's 768
// KiB.
func TestIndex_LongNames_CallsStayBelowLimit(t *testing.T) {
	h := newHome(t, protocol.FilePolicy{})
	folder := strings.Repeat(strings.Repeat("<", 200)+"/", 15)
	for i := range 60 {
		h.write(fmt.Sprintf("%s%d.md", folder, i), "x")
	}
	h.told()
	if n := len(h.memory.found()); n != 60 || h.memory.longest > 768<<10 {
		t.Errorf("%d files, in up to %d bytes", n, h.memory.longest)
	}
}

// TestIndex_LargeHome_IsSentInPieces: a waiting recording is not delayed until the whole home is
// sent. Each sent piece is kept.
func TestIndex_LargeHome_IsSentInPieces(t *testing.T) {
	h := newHome(t, protocol.FilePolicy{})
	for i := range 14 {
		h.write(fmt.Sprintf("%d\n.txt", i), strings.Repeat(fmt.Sprintf("line %d of a long file\n", i), 40_000))
	}
	pieces := 0
	for more := true; more; pieces++ {
		h.memory.begin(0)
		var err error
		more, err = Run(
			t.Context(),
			Options{
				Home:   h.files,
				Host:   h.memory,
				Now:    func() time.Time { return time.Now().Add(time.Hour) },
				Folder: func(string) {},
			},
		)
		if err != nil || h.memory.calls > pieceCalls+7 {
			t.Fatalf("%v after %d calls", err, h.memory.calls)
		}
	}
	if n := len(h.memory.found()); n != 14 || pieces != 2 {
		t.Errorf("%d files in %d pieces", n, pieces)
	}
}

func TestIndex_TooManyFiles_AreCounted(t *testing.T) {
	h := newHome(t, protocol.FilePolicy{})
	r := &run{Options: Options{Now: time.Now, Host: h.memory}, ctx: t.Context(), named: protocol.MaxIndexedFiles}
	h.write("a.md", "x")
	h.write("b.md", "x")
	if err := h.files.Walk(t.Context(), ".", r.visit); err != nil || r.left.Excess != 2 || len(r.page) != 0 {
		t.Errorf("%v, %+v, %d", err, r.left, len(r.page))
	}
}

// TestIndex_AnyChangesAndKills_MatchesHome writes, moves and deletes files, and kills runs, in any
// order.
func TestIndex_AnyChangesAndKills_MatchesHome(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := newHome(t, protocol.FilePolicy{})
		path := rapid.SampledFrom([]string{"a.md", "b.txt", "c/a.md", "c/d.md", "e/f/g.md"})
		at := time.Now().Add(-time.Hour)
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			name := filepath.Join(h.dir, path.Draw(rt, "path"))
			at = at.Add(time.Millisecond)
			switch rapid.SampledFrom([]string{"write", "write", "move", "delete", "kill", "run"}).Draw(rt, "do") {
			case "write":
				h.write(
					strings.TrimPrefix(name, h.dir),
					strings.Join(
						rapid.SliceOfN(rapid.SampledFrom([]string{"# A", "## B", "one", "two", ""}), 0, 6).
							Draw(rt, "text"),
						"\n",
					),
				)
				if err := os.Chtimes(name, at, at); err != nil {
					rt.Fatal(err)
				}
			case "move":
				to := filepath.Join(h.dir, path.Draw(rt, "to"))
				// an error does not matter: the file may not exist
				_ = errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.Rename(name, to))
			case "delete":
				_ = os.Remove(name)
			case "kill":
				if err := h.run(rapid.IntRange(1, 5).Draw(rt, "at")); err != nil && !errors.Is(err, errKilled) {
					rt.Fatal(err)
				}
			case "run":
				h.told()
			}
		}
		h.told()
		want := map[string][]string{}
		if err := filepath.WalkDir(h.dir, func(name string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(name)
			for _, s := range section.Split(name, string(text)) {
				short, _ := filepath.Rel(h.dir, name)
				want[short] = append(want[short], fmt.Sprintf("%d %s|%s", s.Line, s.Heading, s.Text))
			}
			return err
		}); err != nil {
			rt.Fatal(err)
		}
		if got := h.memory.found(); fmt.Sprint(got) != fmt.Sprint(want) {
			rt.Errorf("got  %v\nwant %v", got, want)
		}
	})
}
