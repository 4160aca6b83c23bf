package protocol

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// OperationKindCheck makes a job's check. It takes CheckParameters and returns CheckResult. It
// compares files of the home, runs a command in the home, or reads a page, and changes nothing
// itself. The worker reports prompt files before and after a command, by MethodPromptFileReport.
// The operation is not recorded: after an interruption, a new operation starts from the beginning.
const OperationKindCheck OperationKind = "look"

// Bounds of a check.
const (
	MaxCheckPatternBytes  = 1 << 10   // bytes of a pattern for files
	MaxCheckCommandBytes  = 8 << 10   // bytes of a command
	MaxCheckStateBytes    = 256 << 10 // bytes of CheckResult.Seen
	MaxCheckFoundBytes    = 4 << 10   // bytes of CheckResult.Found
	MaxCheckPageBytes     = 512 << 10 // bytes of a page; the rest is not read
	MaxCheckContainsBytes = 500       // bytes of a text to find in a page
	MaxCheckFiles         = 2_000     // files that a pattern may match
	MaxCheckSeconds       = 120       // seconds that one check may take
	MaxCheckChangeNames   = 20        // names of one kind of change in Found; further names are only counted
)

// CheckParameters select the check: exactly one of Files, Command, PromptFile and Page is set.
type CheckParameters struct {
	// doublestar pattern of the files to check, relative to the home
	Files string `json:"files,omitempty"`
	// kinds of changes that count: "new", "changed", "gone"; empty means all
	Changes []string `json:"changes,omitempty"`
	Command string   `json:"command,omitempty"` // shell command, run by bash in the home
	// PromptFile is the path of a prompt file to inspect.
	PromptFile string `json:"prompt_file,omitempty"`
	// Page is the page to read. The result has its readable text.
	Page *CheckPage `json:"page,omitempty"`
	Seen string     `json:"seen,omitempty"` // the Seen of the last CheckResult; "" for the first check
}

// CheckPage is a page of the web, as its server sent it.
type CheckPage struct {
	Address   string `json:"address"`
	MediaType string `json:"media_type,omitempty"` // without parameters
	Charset   string `json:"charset,omitempty"`    // "" means none
	Body      []byte `json:"body"`
	// Contains is a text to find in the readable text, without regard to case and white space.
	Contains string `json:"contains,omitempty"`
}

// outsidePattern matches patterns that lead out of the home, even if only one alternative does. No
// file there would ever match.
var outsidePattern = regexp.MustCompile(`(?:^|[{,])~?/|(?:^|[{,/])\.\.(?:$|[/,}])`)

// Validate returns an error for impossible parameters.
func (p CheckParameters) Validate() error {
	set := 0
	for _, text := range []string{p.Files, p.Command, p.PromptFile} {
		if text != "" {
			set++
		}
	}
	if p.Page != nil {
		set++
	}
	switch {
	case set != 1:
		return fmt.Errorf("%d of files, command, prompt_file and page, want one", set)
	case p.Page != nil && (len(p.Page.Body) > MaxCheckPageBytes || len(p.Page.Contains) > MaxCheckContainsBytes):
		return errors.New("a page that is too long")
	case len(p.Files) > MaxCheckPatternBytes || len(p.Command) > MaxCheckCommandBytes ||
		len(p.Seen) > MaxCheckStateBytes:
		return errors.New("a text that is too long")
	case p.PromptFile != "" && MaxPromptFileBytes(p.PromptFile) == 0:
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

// CheckResult is the result of a check. For a page, Seen is a hash of its readable text, Met
// reports whether that has CheckPage.Contains, and Found is its beginning, or the part around that
// text.
type CheckResult struct {
	// the condition holds: a change that counts since the last check, or a command that exited with
	// 0
	Met bool `json:"met,omitempty"`
	// Changed means that Found differs from the last check's. For files, Changed equals Met. The
	// first output of a command counts as changed.
	Changed bool `json:"changed,omitempty"`
	// names of changed files, or the end of the command's output
	Found string `json:"found,omitempty"`
	// state of the files or output, for comparison in the next check; only the worker reads it
	Seen string `json:"seen,omitempty"`
	// File is the inspected prompt file.
	File *PromptFile `json:"file,omitempty"`
}

// Validate returns an error for a result that no honest worker sends.
func (r CheckResult) Validate() error {
	if len(r.Found) > MaxCheckFoundBytes || len(r.Seen) > MaxCheckStateBytes {
		return fmt.Errorf("%d and %d bytes", len(r.Found), len(r.Seen))
	}
	if r.File != nil {
		return PromptFileReport{Files: []PromptFile{*r.File}}.Validate()
	}
	return nil
}
