// Package promptfile reads the files of a home that go into prompts, and tells the supervisor what
// is at their places while a turn runs: it decides which texts are in force.
package promptfile

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"mews/protocol"
	"mews/worker/host"
	"mews/worker/workspace"
)

// Watch looks at the files during one turn. One goroutine at a time uses it; InForce may be called
// by several.
type Watch struct {
	Home     *workspace.Workspace
	Notes    []string // the files of notes that go into prompts, or will the next day
	Turn     host.Caller
	Programs func() bool // whether a program runs that may write them

	mu       sync.Mutex                    // held while InForce runs
	told     map[string]protocol.FileState // nil: nothing
	programs bool                          // as was told
	noted    map[string]noted              // what was noted since, by path
}

// Texts are the files that are in force, by path.
type Texts map[string]string

// InForce tells what is there, and returns what is in force. After an error nothing is.
func (w *Watch) InForce(ctx context.Context) (Texts, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	files, programs := w.look()
	answer, err := w.report(ctx, files, protocol.PromptFileReport{Programs: programs, InForce: true})
	if err != nil {
		return nil, err
	}
	texts := Texts{}
	for _, f := range files {
		texts[f.Path] = string(f.text)
	}
	for _, f := range answer.Files {
		texts[f.Path] = string(f.Text)
	}
	return texts, nil
}

// Check tells what is there, where it is not as was told.
func (w *Watch) Check(ctx context.Context) error {
	files, programs := w.look()
	if programs == w.programs && maps.Equal(w.told, states(files)) {
		return nil
	}
	_, err := w.report(ctx, files, protocol.PromptFileReport{Programs: programs})
	return err
}

// End tells what is there once nothing of the turn changes it any more, where the model has not
// said its last word or programs have run since it did. Else the turn has told it before, and what
// has changed since is not its doing.
func (w *Watch) End(ctx context.Context, done bool) error {
	if done && !w.programs {
		return nil
	}
	files, programs := w.look()
	_, err := w.report(ctx, files, protocol.PromptFileReport{Programs: programs, End: true})
	return err
}

// file is what is at a place, with the bytes that are taken of it.
type file struct {
	protocol.PromptFile
	text []byte
	info fs.FileInfo // nil where nothing is
}

// look looks at all places. What runs then may write after it; what has ended has written before
// it.
func (w *Watch) look() (files []file, programs bool) {
	programs = w.Programs()
	names := slices.Clone(w.Notes)
	for _, p := range protocol.PromptFilePatterns {
		if !strings.Contains(p.Pattern, "[") {
			names = append(names, p.Pattern)
		}
	}
	for _, name := range names {
		f := file{PromptFile: protocol.PromptFile{Path: name}}
		f.State, f.text, f.info = w.Home.Peek(f.Path, protocol.PromptFileBytes(f.Path))
		files = append(files, f)
	}
	return files, programs
}

// Look is the file at a path, looked into.
func (w *Watch) Look(name string) protocol.PromptFile {
	f := file{PromptFile: protocol.PromptFile{Path: name, Looked: true}}
	f.State, f.text, f.info = w.Home.Peek(name, protocol.PromptFileBytes(name))
	f.Text, f.Git, f.Foreign = f.text, w.fromGit(f), w.foreign(f)
	return f.PromptFile
}

func states(files []file) map[string]protocol.FileState {
	m := map[string]protocol.FileState{}
	for _, f := range files {
		m[f.Path] = f.State
	}
	return m
}

var errNeedy = errors.New("the supervisor asks for the same again and again")

// report tells it, and looks into the files that the supervisor wants to know more of.
func (w *Watch) report(ctx context.Context, files []file, r protocol.PromptFileReport) (answer protocol.PromptFilesInForce, err error) {
	for _, f := range files {
		if n, there := w.noted[f.Path]; there && n.to == f.State {
			f.Noted, f.From = true, n.from
		}
		r.Files = append(r.Files, f.PromptFile)
	}
	for range len(files) + 1 {
		answer, err = host.Call[protocol.PromptFilesInForce](ctx, w.Turn, protocol.MethodPromptFileReport, r)
		if err != nil {
			return answer, err
		}
		if len(answer.Need) == 0 {
			w.told, w.programs, w.noted = states(files), r.Programs, nil
			return answer, nil
		}
		for i, f := range files {
			if slices.Contains(answer.Need, f.Path) {
				r.Files[i].Looked, r.Files[i].Text = true, f.text
				r.Files[i].Git, r.Files[i].Foreign = w.fromGit(f), w.foreign(f)
			}
		}
	}
	return answer, errNeedy
}

// folders are those on the way to a path, from the home on.
func folders(name string) (list []string) {
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		list = append(list, dir)
		if dir == "." {
			slices.Reverse(list)
			return list
		}
	}
}
