package protocol

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
)

// MethodPromptFileReport reports the states of the home's prompt files. It takes PromptFileReport
// and returns PromptFileReportResult. It is a call during a turn. The worker makes it when a turn
// starts or goes on, and before each model call if a state differs from the last report. The first
// report can be a part of the first model call: ModelStreamParams.PromptFiles. The last report
// comes at the turn's end, if a state differs or the model has not given its last answer. At first
// the worker reports each file by its State only. If the answer has Need, the report did not count.
// The worker then inspects the files in Need and makes the call again. The supervisor itself knows
// which notes the turn's calls may have added. A worker's report alone puts no text in force.
//
// The worker also makes the call in a check with a command, once before the command and once after.
// Then Operation names the check instead of Turn.
//
//	{"turn":8,"files":[{"path":"AGENTS.md","state":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}],"in_force":true}
//	{"files":[{"path":"AGENTS.md","text":"Q2FsbCBtZSBBbC4="}]}
const MethodPromptFileReport = "prompt_file.report"

// PromptFilePattern matches paths of prompt files, and bounds their bytes in prompts.
type PromptFilePattern struct {
	Pattern string // pattern for path.Match, relative to the home
	Limit   int
}

// PromptFilePatterns are all prompt files.
var PromptFilePatterns = []PromptFilePattern{
	{"SOUL.md", 4 << 10}, {"AGENTS.md", 16 << 10}, {"USER.md", 4 << 10}, {"MEMORY.md", MaxMemoryTextBytes},
	{"HEARTBEAT.md", 4 << 10},
	{"memory/[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9].md", 64 << 10},
}

// promptFileSpare is how many bytes are read beyond a file's limit, to see whether the file is
// longer.
const promptFileSpare = 64

// MaxPromptFileBytes returns how many bytes of a prompt file count; 0 for other paths.
func MaxPromptFileBytes(name string) int {
	for _, p := range PromptFilePatterns {
		if fits, _ := path.Match(p.Pattern, name); fits {
			return p.Limit + promptFileSpare
		}
	}
	return 0
}

// PromptFileReport is a report of prompt files.
type PromptFileReport struct {
	Turn      int64        `json:"turn,omitempty"`
	Operation int64        `json:"operation,omitempty"` // the check with a command, if the report is not a turn's
	Files     []PromptFile `json:"files"`
	Programs  bool         `json:"programs,omitempty"` // a running program may still change the files
	InForce   bool         `json:"in_force,omitempty"` // the worker asks for the texts in force
	End       bool         `json:"end,omitempty"`      // last report: the turn or command changes no files any longer
}

// PromptFile is the state of one prompt file. FileStateFolder means anything that is no file and no
// link, or cannot be read. State is never FileStateLargePrefix.
type PromptFile struct {
	Path  string    `json:"path"`
	State FileState `json:"state,omitempty"`
	// Inspected means that the file was inspected: Text has the bytes that count, and the fields
	// below are set.
	Inspected        bool   `json:"looked,omitempty"`
	Text             []byte `json:"text,omitempty"`
	FromGit          bool   `json:"git,omitempty"`     // git may have written the file
	FromOtherAccount bool   `json:"foreign,omitempty"` // another account may have written the file
}

// Validate refuses a report that no honest worker makes.
func (r PromptFileReport) Validate() error {
	seen := map[string]bool{}
	for _, f := range r.Files {
		hashed := f.State.IsHash()
		switch {
		case MaxPromptFileBytes(f.Path) == 0 || seen[f.Path]:
			return fmt.Errorf("path %.80q", f.Path)
		case !hashed && f.State != FileStateAbsent && f.State != FileStateFolder && f.State != FileStateLink:
			return fmt.Errorf("state %.80q", f.State)
		case len(f.Text) > MaxPromptFileBytes(f.Path) || len(f.Text) > 0 && !(f.Inspected && hashed):
			return fmt.Errorf("%d bytes of %s", len(f.Text), f.Path)
		// a text of full length may be cut, so the file's hash may differ
		case f.Inspected && hashed && len(f.Text) < MaxPromptFileBytes(f.Path):
			if sum := sha256.Sum256(f.Text); hex.EncodeToString(sum[:]) != string(f.State) {
				return fmt.Errorf("a state of %s that is not of its text", f.Path)
			}
		}
		seen[f.Path] = true
	}
	return nil
}

// PromptFileReportResult holds the texts for prompts, or names files to inspect first.
type PromptFileReportResult struct {
	Need []string `json:"need,omitempty"`
	// texts in force that differ from the home's files, and earlier notes if a change waits for
	// approval; only if the report has InForce
	Files []PromptFileText `json:"files,omitempty"`
}

// PromptFileText is the text in force of a prompt file; "" means that no text is in force.
type PromptFileText struct {
	Path string `json:"path"`
	Text []byte `json:"text,omitempty"`
}
