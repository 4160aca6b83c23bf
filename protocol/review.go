package protocol

import (
	"errors"
	"fmt"
	"slices"
)

// A turn of kind review or triage reads a ReviewMaterial, asks the model in windows of its own, one
// for each chunk and one for each second look, and reports once. It has no tool and no person to
// ask.

// MethodReviewReport says what a review or a triage has come to. It is a call in turn, once, of at
// most MaxReviewReport bytes.
//
//	{"turn":9,"findings":[{"path":"main.go","line":12,"side":"RIGHT","severity":"critical","category":"bug","title":"Nil map","detail":"Panics when the cache is empty.","quote":"m[k] = v","confidence":0.9}]}
//	{}
const MethodReviewReport = "review.report"

// MaxReviewReport bounds a report, in bytes of JSON.
const MaxReviewReport = 256 << 10

// ReviewMaterial is what there is to read, as JSON in the blob that TurnStart names. All but Rules
// is somebody else's words.
type ReviewMaterial struct {
	Repo        string `json:"repo"`
	Number      int    `json:"number,omitempty"` // 0 of a diff without a pull request
	Title       string `json:"title,omitempty"`
	Author      string `json:"author,omitempty"`
	Branch      string `json:"branch,omitempty"` // of the head
	Description string `json:"description,omitempty"`
	Asked       string `json:"asked,omitempty"` // what who asked for it wants to know
	// of the base branch: what the repository wants of reviewers and of code
	Rules []ReviewText `json:"rules,omitempty"`
	// of the base branch: what the change is to do
	Spec    *ReviewText `json:"spec,omitempty"`
	Commits []string    `json:"commits,omitempty"` // messages
	// that the pull request names; for a triage those that may be related
	Issues  []ReviewText   `json:"issues,omitempty"`
	Threads []ReviewThread `json:"threads,omitempty"` // what was said before
	Chunks  []ReviewChunk  `json:"chunks,omitempty"`  // none for a triage
	Notes   []string       `json:"notes,omitempty"`   // what is not here, and why
	Labels  []string       `json:"labels,omitempty"`  // that a triage may choose from
}

// ReviewText is a text with a name.
type ReviewText struct {
	Name string `json:"name"` // a path, or an issue's number and title
	Text string `json:"text"`
}

// ReviewThread is a conversation below a line, or below the pull request.
type ReviewThread struct {
	Path     string       `json:"path,omitempty"`
	Line     int          `json:"line,omitempty"`
	Resolved bool         `json:"resolved,omitempty"`
	Outdated bool         `json:"outdated,omitempty"`
	Said     []ReviewText `json:"said"` // by whom, and what
}

// ReviewChunk is a part of the change. Each changed line is in one of them, or in what is said to
// be left out.
type ReviewChunk struct {
	Name  string       `json:"name"` // unique in the material
	Files []ReviewFile `json:"files"`
}

// ReviewFile is what a chunk has of a file.
type ReviewFile struct {
	Path   string `json:"path"`
	Before string `json:"before,omitempty"` // the path before, where it was another
	Status string `json:"status"`           // added, modified, removed, renamed
	Diff   string `json:"diff"`             // lines, each with its number and side before it
	Whole  string `json:"whole,omitempty"`  // the file as the head has it, where a hunk needs it
}

// Bounds of what a review or a triage may say, in bytes of text where nothing else is said.
const (
	MaxWindowName    = 100
	MaxWindowText    = 512 << 10
	MaxFindings      = 400 // of one report
	MaxUnread        = 400 // likewise
	MaxFindingPath   = 4 << 10
	MaxFindingLabel  = 300 // its category, its title
	MaxFindingText   = 8 << 10
	MaxReviewVerdict = 4 << 10
	MaxTriageNames   = 20 // labels, and related issues
	MaxReviewLine    = 1 << 30
	maxUnreadText    = 1 << 10
	MaxIssue         = 1 << 30 // its number
)

// Severity is how bad a finding is.
type Severity string

const (
	SeverityCritical   Severity = "critical"
	SeverityWarning    Severity = "warning"
	SeveritySuggestion Severity = "suggestion"
)

// Severities are all that there are, the worst first.
var Severities = []Severity{SeverityCritical, SeverityWarning, SeveritySuggestion}

// The sides of a diff.
const (
	SideLeft  = "LEFT"
	SideRight = "RIGHT"
)

// ReviewFinding is what is wrong at some lines.
type ReviewFinding struct {
	Path        string   `json:"path"`
	Start       int      `json:"start,omitempty"` // first line of several; 0 is Line
	Line        int      `json:"line"`
	Side        string   `json:"side"` // LEFT for lines that were removed, else RIGHT
	Severity    Severity `json:"severity"`
	Category    string   `json:"category"`
	Title       string   `json:"title"`
	Detail      string   `json:"detail"`                // what fails, and when
	Quote       string   `json:"quote"`                 // what stands there
	Replacement string   `json:"replacement,omitempty"` // of the lines, to be committed as it is
	Confidence  float64  `json:"confidence"`            // 0 to 1
}

// ReviewReport is the parameters of review.report.
type ReviewReport struct {
	Turn     int64           `json:"turn"`
	Verdict  string          `json:"verdict,omitempty"` // a sentence or two
	Findings []ReviewFinding `json:"findings,omitempty"`
	Refuted  int             `json:"refuted,omitempty"` // findings that a second look has refuted
	Unread   []ReviewText    `json:"unread,omitempty"`  // chunks that came to nothing, and why
	// of a triage, which has none of the above, but Unread where it came to nothing
	Triage *Triage `json:"triage,omitempty"`
}

// Triage is what an issue is about.
type Triage struct {
	Labels    []string `json:"labels,omitempty"`
	Priority  string   `json:"priority"`            // low, medium, high, critical; "" is not said
	Duplicate int      `json:"duplicate,omitempty"` // the number of an issue that it repeats
	Related   []int    `json:"related,omitempty"`
	Summary   string   `json:"summary"`
}

// Priorities are all that an issue may have, the least first.
var Priorities = []string{"low", "medium", "high", "critical"}

// Check says what is wrong with a window.
func (w ChildWindow) Check() error {
	switch {
	case w.Name == "" || len(w.Name) > MaxWindowName:
		return fmt.Errorf("child: a name of %d bytes, want 1 to %d", len(w.Name), MaxWindowName)
	case w.Text == "" || len(w.Text) > MaxWindowText:
		return fmt.Errorf("child %q: a text of %d bytes, want 1 to %d", w.Name, len(w.Text), MaxWindowText)
	}
	return nil
}

// Check says what is wrong with a report, triage says of what.
func (r ReviewReport) Check(triage bool) error {
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
	if len(r.Verdict) > MaxReviewVerdict || len(r.Findings) > MaxFindings || len(r.Unread) > MaxUnread || r.Refuted < 0 {
		return fmt.Errorf("verdict of %d bytes, %d findings, %d refuted, %d unread", len(r.Verdict), len(r.Findings), r.Refuted, len(r.Unread))
	}
	for _, u := range r.Unread {
		if len(u.Name) > MaxFindingPath || len(u.Text) > maxUnreadText {
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
	case f.Side != SideLeft && f.Side != SideRight:
		return fmt.Errorf("side %.40q", f.Side)
	case f.Line < 0 || f.Line > MaxReviewLine || f.Start < 0 || f.Start > f.Line:
		return fmt.Errorf("lines %d to %d", f.Start, f.Line)
	case f.Path == "" || len(f.Path) > MaxFindingPath || max(len(f.Category), len(f.Title)) > MaxFindingLabel:
		return errors.New("path, category or title: too long, or missing")
	case max(len(f.Detail), len(f.Quote), len(f.Replacement)) > MaxFindingText:
		return errors.New("detail, quote or replacement: too long")
	case f.Confidence < 0 || f.Confidence > 1:
		return fmt.Errorf("confidence %v", f.Confidence)
	}
	return nil
}

func (t Triage) check() error {
	for _, l := range t.Labels {
		if l == "" || len(l) > MaxFindingLabel {
			return errors.New("labels: too long, or empty")
		}
	}
	for _, n := range append([]int{t.Duplicate}, t.Related...) {
		if n < 0 || n > MaxIssue {
			return fmt.Errorf("issue %d", n)
		}
	}
	if len(t.Labels) > MaxTriageNames || len(t.Related) > MaxTriageNames || t.Priority != "" && !slices.Contains(Priorities, t.Priority) || len(t.Summary) > MaxFindingText {
		return fmt.Errorf("%d labels, %d related, priority %.40q, a summary of %d bytes", len(t.Labels), len(t.Related), t.Priority, len(t.Summary))
	}
	return nil
}
