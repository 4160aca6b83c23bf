package routine

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/effect"
	"mews/supervisor/markdown"
	"mews/supervisor/printable"
)

// ownFolders are the folders that Mews itself writes: notes, logs and the user's uploads.
var ownFolders = []string{"memory", "logs", protocol.UploadsFolder}

// memoryFile is the file of facts. Effects that change it name facts instead of files.
const memoryFile = "MEMORY.md"

// factEffects are the kinds of effects that change facts.
var factEffects = []string{supervisor.EffectFactCorrected, supervisor.EffectFactForgotten,
	supervisor.EffectMemoryImported}

// ledger has the states in which the user's own turns left files, as far as they were recorded.
type ledger struct {
	left map[string]protocol.FileState // the recorded states of files, by path
	// unknown has the files and folders whose states were not recorded.
	unknown map[string]bool
	ran     bool // whether a program ran; files that a program deleted are not recorded
	// blind is the time until which a program may have changed any file; zero means no program.
	blind time.Time
}

// changedAnything reports whether an effect that is no program may have changed any file of the
// home: an undo of what a program did, or a restore of an earlier version.
func changedAnything(e supervisor.FileEffect) bool {
	return e.HasSpan && e.Kind != "run" || e.Kind == supervisor.EffectFilesRestored ||
		e.Kind == supervisor.EffectFilesRestoredByAdmin ||
		e.Kind == supervisor.EffectRestoreUndone
}

// ledgerOf builds a ledger from effects, oldest first.
func ledgerOf(effects []supervisor.FileEffect) ledger {
	l := ledger{left: map[string]protocol.FileState{}, unknown: map[string]bool{}}
	programs := append(effect.GroupKinds(effect.GroupProgramsRun), "program")
	for _, e := range effects {
		c := e.Change
		switch {
		case slices.Contains(factEffects, e.Kind):
			l.unknown[memoryFile] = true
		case changedAnything(e):
			l.ran, l.blind = true, e.At
		case slices.Contains(programs, e.Kind) && (c == nil || c.Path == "."):
			l.ran = true
			if e.Kind != "run" { // the effect of a program's run names no files; the effects after it do
				l.blind = e.At
			}
		case c == nil:
			l.unknown[e.Target] = true
		case c.Obstacle != "" && c.Obstacle != protocol.ObstacleProgramChange:
			l.unknown[c.Path], l.unknown[c.To] = true, true
		case c.To != "" && c.Before.IsHash():
			l.left[c.Path], l.left[c.To] = protocol.FileStateAbsent, c.Before
		case c.To != "" || c.Before == protocol.FileStateFolder:
			l.unknown[c.Path], l.unknown[c.To] = true, true
		default:
			l.left[c.Path] = c.After
		}
	}
	return l
}

// byOthers reports whether somebody else may have made a change: the file's state differs from the
// recorded state.
func (l ledger) byOthers(c supervisor.HomeFileChange) bool {
	for _, folder := range ownFolders {
		if strings.HasPrefix(c.Path, folder+"/") {
			return false
		}
	}
	if left, known := l.left[c.Path]; known && mayBeState(c, left) {
		return false
	}
	for p := c.Path; p != "."; p = path.Dir(p) {
		if l.unknown[p] {
			return false
		}
	}
	if c.After == supervisor.FileStateMissing {
		return !l.ran
	}
	return c.Modified.After(l.blind)
}

// mayBeState reports whether a changed file may be in a recorded state. A large file was never
// read, so its hash is unknown. For a file that has just changed, the index may have a time that is
// a nanosecond later.
func mayBeState(c supervisor.HomeFileChange, state protocol.FileState) bool {
	if state == protocol.FileStateAbsent {
		return c.After == supervisor.FileStateMissing
	}
	if state.IsHash() && strings.HasPrefix(c.After, string(protocol.FileStateLargePrefix)) {
		return true
	}
	return c.After == string(state) || state == protocol.LargeFileState(c.Size, c.Modified) ||
		state == protocol.LargeFileState(c.Size, c.Modified.Add(1))
}

const (
	maxNamedFiles = 20  // the most files named in one notice
	maxFileName   = 200 // the most characters of a file's name
)

// filesText returns the notice about changes by others.
func filesText(list []supervisor.HomeFileChange) string {
	var lines []string
	for _, what := range []string{textFileNew, textFileChanged, textFileGone} {
		for _, c := range list {
			if fileFormat(c) == what && len(lines) < maxNamedFiles {
				lines = append(lines, fmt.Sprintf(what, fileName(c.Path)))
			}
		}
	}
	if more := len(list) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf(textFilesMore, more))
	}
	return textFilesOthers + "\n" + markdown.FenceText(strings.Join(lines, "\n"))
}

func fileFormat(c supervisor.HomeFileChange) string {
	switch supervisor.FileStateMissing {
	case c.Before:
		return textFileNew
	case c.After:
		return textFileGone
	}
	return textFileChanged
}

func fileName(path string) string {
	if runes := []rune(printable.DropControls(path)); len(runes) > maxFileName {
		return string(runes[:maxFileName]) + "…"
	}
	return printable.DropControls(path)
}
