// Package promptfile reads the prompt files of a home and reports their state to the supervisor
// while a turn runs. The supervisor decides which texts are in force.
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

// Watcher reads the prompt files during one turn. Only one goroutine at a time may use a Watcher,
// but several may call TextsInForce at once.
type Watcher struct {
	Home     *workspace.Workspace
	Notes    []string // paths of the note files for prompts of today and tomorrow
	Turn     host.Caller
	Programs func() bool // reports whether a running program may write prompt files

	// Unasked lets the first TextsInForce return the texts of the home without asking whether they
	// are in force. The first model call then carries the report, which TakeDeferredReport returns.
	Unasked bool

	mu       sync.Mutex                    // held while TextsInForce runs
	unsent   *protocol.PromptFileReport    // the report for the first model call
	told     map[string]protocol.FileState // reported states by path; nil means no report yet
	programs bool                          // value of Programs in the last report
	differs  bool                          // another text than the home's was in force at the last report
}

// TextsByPath are the texts in force, by path.
type TextsByPath map[string]string

// TextsInForce reports the prompt files and returns the texts in force. After an error no text is
// in force. Unasked can defer the first report.
func (w *Watcher) TextsInForce(ctx context.Context) (TextsByPath, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	files, programs := w.readAll()
	r := protocol.PromptFileReport{Programs: programs, InForce: true}
	texts := TextsByPath{}
	for _, f := range files {
		texts[f.Path] = string(f.text)
	}
	if w.Unasked && !programs {
		w.Unasked, w.told, w.unsent = false, states(files), listFiles(r, files)
		return texts, nil
	}
	w.Unasked, w.unsent = false, nil
	answer, err := w.report(ctx, files, r)
	if err != nil {
		return nil, err
	}
	w.differs = len(answer.Files) > 0
	for _, f := range answer.Files {
		texts[f.Path] = string(f.Text)
	}
	return texts, nil
}

// HomeTextsDiffered reports whether a text in force differed from the home's text. It tells the
// state at the last call of TextsInForce that made a report.
func (w *Watcher) HomeTextsDiffered() bool { return w.differs }

// TakeDeferredReport returns the deferred report, once; nil means that there is none.
func (w *Watcher) TakeDeferredReport() *protocol.PromptFileReport {
	r := w.unsent
	w.unsent = nil
	return r
}

// ReportChanges reports the prompt files if they differ from the last report.
func (w *Watcher) ReportChanges(ctx context.Context) error {
	files, programs := w.readAll()
	if programs == w.programs && maps.Equal(w.told, states(files)) {
		return nil
	}
	_, err := w.report(ctx, files, protocol.PromptFileReport{Programs: programs})
	return err
}

// ReportAtTurnEnd makes the turn's last report, after the turn's last change. It reports only if
// the model has not given its last answer, or if programs have run since the last report. Otherwise
// an earlier report covers the turn, and later changes are not part of the turn.
func (w *Watcher) ReportAtTurnEnd(ctx context.Context, done bool) error {
	if done && !w.programs {
		return nil
	}
	files, programs := w.readAll()
	_, err := w.report(ctx, files, protocol.PromptFileReport{Programs: programs, End: true})
	return err
}

// file is a prompt file with the part of its text that counts.
type file struct {
	protocol.PromptFile
	text []byte
	info fs.FileInfo // description of the file; nil if there is no file
}

// readAll reads all prompt files. If programs is true, running programs may still write these
// files.
func (w *Watcher) readAll() (files []file, programs bool) {
	programs = w.Programs()
	names := slices.Clone(w.Notes)
	for _, p := range protocol.PromptFilePatterns {
		if !strings.Contains(p.Pattern, "[") {
			names = append(names, p.Pattern)
		}
	}
	for _, name := range names {
		f := file{PromptFile: protocol.PromptFile{Path: name}}
		f.State, f.text, f.info = w.Home.PeekFile(f.Path, protocol.MaxPromptFileBytes(f.Path))
		files = append(files, f)
	}
	return files, programs
}

// InspectFile reads and inspects the file at a path.
func (w *Watcher) InspectFile(name string) protocol.PromptFile {
	f := file{PromptFile: protocol.PromptFile{Path: name, Inspected: true}}
	f.State, f.text, f.info = w.Home.PeekFile(name, protocol.MaxPromptFileBytes(name))
	f.Text, f.FromGit, f.FromOtherAccount = f.text, w.fromGit(f), w.byOtherAccount(f)
	return f.PromptFile
}

func states(files []file) map[string]protocol.FileState {
	m := map[string]protocol.FileState{}
	for _, f := range files {
		m[f.Path] = f.State
	}
	return m
}

// listFiles returns a report with the states of files.
func listFiles(r protocol.PromptFileReport, files []file) *protocol.PromptFileReport {
	for _, f := range files {
		r.Files = append(r.Files, f.PromptFile)
	}
	return &r
}

var errNeedy = errors.New("the supervisor asks for the same again and again")

// report sends the states of the files, and inspects the files that the supervisor asks about.
func (w *Watcher) report(ctx context.Context, files []file,
	r protocol.PromptFileReport) (answer protocol.PromptFileReportResult, err error) {
	r = *listFiles(r, files)
	for range len(files) + 1 {
		answer, err = host.CallMethod[protocol.PromptFileReportResult](ctx, w.Turn, protocol.MethodPromptFileReport, r)
		if err != nil {
			return answer, err
		}
		if len(answer.Need) == 0 {
			w.told, w.programs = states(files), r.Programs
			return answer, nil
		}
		for i, f := range files {
			if slices.Contains(answer.Need, f.Path) {
				r.Files[i].Inspected, r.Files[i].Text = true, f.text
				r.Files[i].FromGit, r.Files[i].FromOtherAccount = w.fromGit(f), w.byOtherAccount(f)
			}
		}
	}
	return answer, errNeedy
}

// parentFolders returns the folders on the way to a path, from the home on.
func parentFolders(name string) (list []string) {
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		list = append(list, dir)
		if dir == "." {
			slices.Reverse(list)
			return list
		}
	}
}
