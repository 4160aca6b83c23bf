package protocol

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
)

// MethodPromptFileReport says what is at the places of the home's prompt files: PromptFileReport to
// PromptFilesInForce. It is a call in turn. The worker makes it as a turn starts or goes on, before
// it asks the model again where something differs from what it has told, and at the turn's end
// where something does or the model has not said its last word. Each file is told by its State
// alone first. Where the answer has Need nothing was taken yet: the worker makes the call again,
// with those files looked into.
//
//	{"turn":8,"files":[{"path":"AGENTS.md","state":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}],"in_force":true}
//	{"files":[{"path":"AGENTS.md","text":"Q2FsbCBtZSBBbC4="}]}
const MethodPromptFileReport = "prompt_file.report"

// PromptFilePattern is the paths of prompt files, and how many bytes of one go into prompts.
type PromptFilePattern struct {
	Pattern string // as path.Match has it, relative to the home
	Limit   int
}

// PromptFilePatterns are all prompt files.
var PromptFilePatterns = []PromptFilePattern{
	{"SOUL.md", 4 << 10}, {"AGENTS.md", 16 << 10}, {"USER.md", 4 << 10}, {"MEMORY.md", MaxMemoryText}, {"HEARTBEAT.md", 4 << 10},
	{"memory/[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9].md", 64 << 10},
}

// promptFileSpare is how many bytes beyond its limit are taken of a file, by which is seen that it
// is longer.
const promptFileSpare = 64

// PromptFileBytes is how many bytes are taken of the prompt file at a path; 0 where none may be
// there.
func PromptFileBytes(name string) int {
	for _, p := range PromptFilePatterns {
		if fits, _ := path.Match(p.Pattern, name); fits {
			return p.Limit + promptFileSpare
		}
	}
	return 0
}

// PromptFileReport is what is at the places of prompt files.
type PromptFileReport struct {
	Turn     int64        `json:"turn"`
	Files    []PromptFile `json:"files"`
	Programs bool         `json:"programs,omitempty"` // one runs that may change them after this
	InForce  bool         `json:"in_force,omitempty"` // the answer is to say what is in force
	End      bool         `json:"end,omitempty"`      // nothing of the turn changes them after this
}

// PromptFile is what is at the place of a prompt file. FileFolder is anything that is no file and
// no link, and can't be read; its State is never FileLarge.
type PromptFile struct {
	Path  string    `json:"path"`
	State FileState `json:"state,omitempty"`
	// Looked says that it was looked into: Text has the bytes that are taken, and the rest is
	// known.
	Looked bool   `json:"looked,omitempty"`
	Text   []byte `json:"text,omitempty"`
	// Noted says that all that was added to what was in the state From are notes that the model may
	// keep.
	Noted   bool      `json:"noted,omitempty"`
	From    FileState `json:"from,omitempty"`
	Git     bool      `json:"git,omitempty"`     // it may be as git has put it there
	Foreign bool      `json:"foreign,omitempty"` // another account may have written it
}

// Check refuses a report that no honest worker makes.
func (r PromptFileReport) Check() error {
	seen := map[string]bool{}
	for _, f := range r.Files {
		hashed := f.State.Hashed()
		switch {
		case PromptFileBytes(f.Path) == 0 || seen[f.Path]:
			return fmt.Errorf("path %.80q", f.Path)
		case !hashed && f.State != FileAbsent && f.State != FileFolder && f.State != FileLink:
			return fmt.Errorf("state %.80q", f.State)
		case len(f.Text) > PromptFileBytes(f.Path) || len(f.Text) > 0 && !(f.Looked && hashed):
			return fmt.Errorf("%d bytes of %s", len(f.Text), f.Path)
		case f.Looked && hashed && len(f.Text) < PromptFileBytes(f.Path): // else there may be more
			if sum := sha256.Sum256(f.Text); hex.EncodeToString(sum[:]) != string(f.State) {
				return fmt.Errorf("a state of %s that is not of its text", f.Path)
			}
		}
		seen[f.Path] = true
	}
	return nil
}

// PromptFilesInForce is what prompts get of the files that were reported, or which of them are to
// be looked into first.
type PromptFilesInForce struct {
	Need []string `json:"need,omitempty"`
	// where that is asked for: those in force otherwise than they are in the home, and earlier
	// notes where something waits
	Files []PromptFileText `json:"files,omitempty"`
}

// PromptFileText is the text of a prompt file that is in force; without one nothing is.
type PromptFileText struct {
	Path string `json:"path"`
	Text []byte `json:"text,omitempty"`
}
