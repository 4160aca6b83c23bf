package protocol

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// OperationLook looks at files of the home, or runs a command there, to see whether something is
// so: LookParameters to LookResult. It changes nothing itself. It is kept nowhere: one that is cut
// short is begun anew.
const OperationLook OperationKind = "look"

// Bounds of a look.
const (
	MaxLookPattern  = 1 << 10   // bytes
	MaxLookCommand  = 8 << 10   // bytes
	MaxLookSeen     = 256 << 10 // bytes
	MaxLookFound    = 4 << 10   // bytes
	MaxLookFiles    = 2_000     // files that a pattern may have
	LookSeconds     = 120       // that a command may take
	MaxLookedChange = 20        // names of a kind of change in Found; of more the number is said
)

// LookParameters say at what: at Files, a Command or a PromptFile, of which there is one.
type LookParameters struct {
	// a pattern as doublestar has it, relative to the home
	Files string `json:"files,omitempty"`
	// of "new", "changed" and "gone", those that count; none is all
	Changes []string `json:"changes,omitempty"`
	Command string   `json:"command,omitempty"` // run by bash in the home
	// PromptFile is the path of a prompt file.
	PromptFile string `json:"prompt_file,omitempty"`
	Seen       string `json:"seen,omitempty"` // the last result's; "" at the first look
}

// outsidePattern finds in a pattern, also in one of its alternatives, what leads out of the home.
// No file there would ever match.
var outsidePattern = regexp.MustCompile(`(?:^|[{,])~?/|(?:^|[{,/])\.\.(?:$|[/,}])`)

// Check refuses parameters that make no sense.
func (p LookParameters) Check() error {
	set := 0
	for _, text := range []string{p.Files, p.Command, p.PromptFile} {
		if text != "" {
			set++
		}
	}
	switch {
	case set != 1:
		return fmt.Errorf("%d of files, command and prompt_file, want one", set)
	case len(p.Files) > MaxLookPattern || len(p.Command) > MaxLookCommand || len(p.Seen) > MaxLookSeen:
		return errors.New("a text that is too long")
	case p.PromptFile != "" && PromptFileBytes(p.PromptFile) == 0:
		return fmt.Errorf("prompt_file: %.80q is none", p.PromptFile)
	case outsidePattern.MatchString(p.Files):
		return fmt.Errorf("files: %.80q is no pattern within your folder; one begins there, such as notes/**/*.md", p.Files)
	case strings.ContainsRune(p.Files+p.Command, 0):
		return errors.New("a zero byte")
	}
	for _, c := range p.Changes {
		if c != "new" && c != "changed" && c != "gone" {
			return fmt.Errorf("changes: %.40q, want new, changed or gone", c)
		}
	}
	return nil
}

// LookResult is what was found.
type LookResult struct {
	// a change that counts, not at the first look; or the command has exited with 0
	Met bool `json:"met,omitempty"`
	// there is something to read: Met of files; what the command has written is not what it wrote
	// last, or the first
	Changed bool `json:"changed,omitempty"`
	// the changes by name, or the end of what the command has written
	Found string `json:"found,omitempty"`
	// for the next look; only this worker program reads it
	Seen string `json:"seen,omitempty"`
	// File is the prompt file, looked into.
	File *PromptFile `json:"file,omitempty"`
}

// Check refuses a result that no honest worker sends.
func (r LookResult) Check() error {
	if len(r.Found) > MaxLookFound || len(r.Seen) > MaxLookSeen {
		return fmt.Errorf("%d and %d bytes", len(r.Found), len(r.Seen))
	}
	if r.File != nil {
		return PromptFileReport{Files: []PromptFile{*r.File}}.Check()
	}
	return nil
}
