package protocol

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"
)

// A turn of kind review or triage reads a ReviewMaterial. The turn asks the model in separate
// windows: one for each chunk, and one for a second look at its grave findings. The turn reports
// once. It has no tool and no user to ask.

// MethodReviewReport reports the result of a review or triage. It is a call during a turn, once,
// with at most MaxReviewReportBytes bytes.
//
//	{"turn":9,"findings":[{"path":"main.go","line":12,"side":"RIGHT","severity":"critical","category":"bug","title":"Nil map","detail":"Panics when the cache is empty.","quote":"m[k] = v","confidence":0.9}]}
//	{}
const MethodReviewReport = "review.report"

// MethodReviewCheck asks which findings deserve a second look. The supervisor leaves out findings
// that it would not post: their quote is not in the change, they are about style, or they are known
// already. It is a call during a turn, with at most MaxReviewCheckBytes bytes. The supervisor
// ignores detail and replacement.
//
//	{"turn":9,"findings":[{"path":"main.go","line":12,"side":"RIGHT","severity":"critical","category":"bug","title":"Nil map","detail":"","quote":"m[k] = v","confidence":0}]}
//	{"pending":[0]}
const MethodReviewCheck = "review.check"

// MaxReviewCheckBytes bounds the findings of one check, in bytes of JSON.
const MaxReviewCheckBytes = 512 << 10

// ReviewCheckParams holds the parameters of review.check.
type ReviewCheckParams struct {
	Turn     int64           `json:"turn"`
	Findings []ReviewFinding `json:"findings"`
}

// ReviewCheckResult is the result of review.check.
type ReviewCheckResult struct {
	Pending []int `json:"pending"` // indexes of the findings that deserve a second look
}

// MaxReviewReportBytes bounds a report, in bytes of JSON.
const MaxReviewReportBytes = 256 << 10

// ReviewMaterial is the input of a review, as JSON in the blob that TurnStart names. All except
// Rules are words of the world.
type ReviewMaterial struct {
	Repo        string `json:"repo"`
	Number      int    `json:"number,omitempty"` // number of the pull request or issue; 0 means neither
	Title       string `json:"title,omitempty"`
	Author      string `json:"author,omitempty"`
	Branch      string `json:"branch,omitempty"` // name of the head's branch
	Description string `json:"description,omitempty"`
	Request     string `json:"asked,omitempty"` // the request of the person who asked for the review
	// the repository's rules for reviewers and code, from the base branch
	Rules []ReviewText `json:"rules,omitempty"`
	// text about the purpose of the change, from the base branch
	Spec    *ReviewText `json:"spec,omitempty"`
	Commits []string    `json:"commits,omitempty"` // messages of the change's commits
	// issues that the pull request names; for a triage, issues that may be related
	Issues  []ReviewText   `json:"issues,omitempty"`
	Threads []ReviewThread `json:"threads,omitempty"` // earlier discussion
	Chunks  []ReviewChunk  `json:"chunks,omitempty"`  // parts of the change; none for a triage
	Notes   []string       `json:"notes,omitempty"`   // parts of the change that are left out, each with the reason
	Labels  []string       `json:"labels,omitempty"`  // labels for a triage to choose from
}

// ReviewText is a text with a name.
type ReviewText struct {
	Name string `json:"name"` // name of the text: a path, or an issue's number and title
	Text string `json:"text"`
}

// ReviewThread is a conversation about a line or about the pull request.
type ReviewThread struct {
	Path     string       `json:"path,omitempty"`
	Line     int          `json:"line,omitempty"`
	Resolved bool         `json:"resolved,omitempty"`
	Outdated bool         `json:"outdated,omitempty"`
	Comments []ReviewText `json:"said"` // comments of the thread; Name is the author of a comment
}

// ReviewChunk is a part of the change. Each changed line is in one chunk, or is listed as left out.
type ReviewChunk struct {
	Name  string       `json:"name"` // name of the chunk, unique in the material
	Files []ReviewFile `json:"files"`
}

// ReviewFile is the part of a file in a chunk.
type ReviewFile struct {
	Path       string `json:"path"`
	FormerPath string `json:"before,omitempty"` // the earlier path of a renamed file
	Status     string `json:"status"`           // how the file was changed: added, modified, removed, renamed
	Diff       string `json:"diff"`             // lines of the diff, each after its number and side
	// the whole file after the change, each line after its number; "" if it is large
	Whole string `json:"whole,omitempty"`
	// the functions around the hunks after the change, if Whole is ""; each line after its number
	Functions string `json:"functions,omitempty"`
}

// Bounds of a review or triage, in bytes of text unless the line names another unit.
const (
	MaxWindowNameBytes    = 100
	MaxWindowTextBytes    = 512 << 10
	maxSharedBeginnings   = 2   // shared beginnings of one window; providers allow at most four cache marks
	MaxFindings           = 400 // findings in one report
	MaxUnreadChunks       = 400 // unread chunks in one report
	MaxFindingPathBytes   = 4 << 10
	MaxFindingLabelBytes  = 300 // bytes of a finding's category or title
	MaxFindingTextBytes   = 8 << 10
	MaxReviewVerdictBytes = 4 << 10
	MaxTriageNames        = 20 // labels of one triage, and related issues of one triage
	MaxReviewLineNumber   = 1 << 30
	maxUnreadText         = 1 << 10
	MaxIssueNumber        = 1 << 30 // largest number of an issue
)

// Severity is the severity of a finding.
type Severity string

const (
	SeverityCritical   Severity = "critical"
	SeverityWarning    Severity = "warning"
	SeveritySuggestion Severity = "suggestion"
)

// Severities are all severities, the worst first.
var Severities = []Severity{SeverityCritical, SeverityWarning, SeveritySuggestion}

// Sides of a diff.
const (
	DiffSideLeft  = "LEFT"
	DiffSideRight = "RIGHT"
)

// ReviewFinding is a fault at some lines.
type ReviewFinding struct {
	Path        string   `json:"path"`
	Start       int      `json:"start,omitempty"` // number of the first line, if there are several; 0 means only Line
	Line        int      `json:"line"`
	Side        string   `json:"side"` // LEFT for removed lines, otherwise RIGHT
	Severity    Severity `json:"severity"`
	Category    string   `json:"category"`
	Title       string   `json:"title"`
	Detail      string   `json:"detail"`                // description of the failure and of its conditions
	Quote       string   `json:"quote"`                 // the code that the finding is about
	Replacement string   `json:"replacement,omitempty"` // new text of the lines, ready to commit
	Confidence  float64  `json:"confidence"`            // confidence in the finding, from 0 to 1
	// why the second look refuted the finding; "" means not refuted
	Refutation string `json:"refutation,omitempty"`
}

// ReviewReport holds the parameters of review.report.
type ReviewReport struct {
	Turn     int64           `json:"turn"`
	Verdict  string          `json:"verdict,omitempty"` // verdict in a sentence or two
	Findings []ReviewFinding `json:"findings,omitempty"`
	Refuted  int             `json:"refuted,omitempty"` // number of findings that the second look refuted
	Unread   []ReviewText    `json:"unread,omitempty"`  // chunks without a result, each with the reason
	// result of a triage; a triage's report has no other field, except Unread if the triage failed
	Triage *Triage `json:"triage,omitempty"`
}

// Triage is the result of a triage.
type Triage struct {
	Labels    []string `json:"labels,omitempty"`
	Priority  string   `json:"priority"`            // low, medium, high or critical; "" if not known
	Duplicate int      `json:"duplicate,omitempty"` // number of the issue that this issue duplicates
	Related   []int    `json:"related,omitempty"`
	Summary   string   `json:"summary"`
	Security  bool     `json:"security,omitempty"` // the issue reports a security hole
}

// Priorities are all priorities of an issue, the least first.
var Priorities = []string{"low", "medium", "high", "critical"}

// Validate describes the fault of a window.
func (w ChildContextWindow) Validate() error {
	switch {
	case w.Name == "" || len(w.Name) > MaxWindowNameBytes:
		return fmt.Errorf("child: a name of %d bytes, want 1 to %d", len(w.Name), MaxWindowNameBytes)
	case w.Text == "" || len(w.Text) > MaxWindowTextBytes:
		return fmt.Errorf("child %q: a text of %d bytes, want 1 to %d", w.Name, len(w.Text), MaxWindowTextBytes)
	case len(w.Shared) > maxSharedBeginnings:
		return fmt.Errorf("child %q: %d shared beginnings, want up to %d", w.Name, len(w.Shared), maxSharedBeginnings)
	}
	before := 0
	for _, n := range w.Shared {
		if n <= before || n >= len(w.Text) || !utf8.RuneStart(w.Text[n]) {
			return fmt.Errorf("child %q: a shared beginning of %d bytes after one of %d", w.Name, n, before)
		}
		before = n
	}
	return nil
}

// Validate describes the fault of a check's parameters.
func (p ReviewCheckParams) Validate() error {
	return ReviewReport{Findings: p.Findings}.Validate(false)
}

// Validate describes the fault of a report. triage tells which kind of report it is.
func (r ReviewReport) Validate(triage bool) error {
	if triage {
		if r.Verdict != "" || len(r.Findings) > 0 || r.Refuted != 0 || (r.Triage == nil) != (len(r.Unread) == 1) {
			return errors.New("a triage reports what the issue is about, or why it was not read")
		}
		if r.Triage != nil {
			return r.Triage.check()
		}
	} else if r.Triage != nil {
		return errors.New("a review is no triage")
	}
	if len(r.Verdict) > MaxReviewVerdictBytes || len(r.Findings) > MaxFindings || len(r.Unread) > MaxUnreadChunks ||
		r.Refuted < 0 {
		return fmt.Errorf("verdict of %d bytes, %d findings, %d refuted, %d unread", len(r.Verdict), len(r.Findings), r.Refuted, len(r.Unread))
	}
	for _, u := range r.Unread {
		if len(u.Name) > MaxFindingPathBytes || len(u.Text) > maxUnreadText {
			return errors.New("unread: too long")
		}
	}
	for i, f := range r.Findings {
		if err := f.check(); err != nil {
			return fmt.Errorf("findings[%d]: %w", i, err)
		}
	}
	return nil
}

func (f ReviewFinding) check() error {
	switch {
	case !slices.Contains(Severities, f.Severity):
		return fmt.Errorf("severity %.40q", f.Severity)
	case f.Side != DiffSideLeft && f.Side != DiffSideRight:
		return fmt.Errorf("side %.40q", f.Side)
	case f.Line < 0 || f.Line > MaxReviewLineNumber || f.Start < 0 || f.Start > f.Line:
		return fmt.Errorf("lines %d to %d", f.Start, f.Line)
	case f.Path == "" || len(f.Path) > MaxFindingPathBytes || max(len(f.Category), len(f.Title)) > MaxFindingLabelBytes:
		return errors.New("path, category or title: too long, or missing")
	case max(len(f.Detail), len(f.Quote), len(f.Replacement), len(f.Refutation)) > MaxFindingTextBytes:
		return errors.New("detail, quote, replacement or refutation: too long")
	case f.Confidence < 0 || f.Confidence > 1:
		return fmt.Errorf("confidence %v", f.Confidence)
	}
	return nil
}

func (t Triage) check() error {
	for _, l := range t.Labels {
		if l == "" || len(l) > MaxFindingLabelBytes {
			return errors.New("labels: too long, or empty")
		}
	}
	for _, n := range append([]int{t.Duplicate}, t.Related...) {
		if n < 0 || n > MaxIssueNumber {
			return fmt.Errorf("issue %d", n)
		}
	}
	if len(t.Labels) > MaxTriageNames || len(t.Related) > MaxTriageNames || t.Priority != "" &&
		!slices.Contains(Priorities, t.Priority) || len(t.Summary) > MaxFindingTextBytes {
		return fmt.Errorf("%d labels, %d related, priority %.40q, a summary of %d bytes", len(t.Labels), len(t.Related), t.Priority, len(t.Summary))
	}
	return nil
}
