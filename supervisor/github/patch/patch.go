// Package patch reviews a diff from a user's machine. It prepares the diff for a worker, and checks
// the findings as for a review on GitHub. It does no I/O.
package patch

import (
	"fmt"
	"slices"
	"strings"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/github/diff"
	"mews/supervisor/github/finding"
	"mews/supervisor/internal/money"
	"mews/supervisor/printable"
)

// MaxDiffBytes is the maximum size of a diff in bytes.
const MaxDiffBytes = 10 << 20

// chunkSize is the size of the chunks that a model reads, in bytes. Reviews on GitHub use the same
// size.
const chunkSize = 24 << 10

// Patch is a change to review.
type Patch struct {
	Repo        string `json:"repo,omitempty"`   // repository in lower case, as owner/name; "" if unknown
	Number      int    `json:"number,omitempty"` // number of the pull request; 0 means none
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Diff        string `json:"diff"` // unified diff, in git's form
	// the changed files after the change, by path; nil if only the diff is known
	Heads map[string]string `json:"heads,omitempty"`
}

// ReviewResult is the result of a review.
type ReviewResult struct {
	Title    string         `json:"title,omitempty"`
	URL      string         `json:"url,omitempty"`
	Verdict  string         `json:"verdict,omitempty"`
	Findings []Finding      `json:"findings"` // findings, the worst first
	Left     map[string]int `json:"left,omitempty"`
	Skipped  []string       `json:"skipped,omitempty"` // files that need no review
	Unread   []string       `json:"unread,omitempty"`  // parts that needed a review but were not read
	// cost in millionths of a US dollar; nil if unknown
	Cost   *int64 `json:"cost,omitempty"`
	Failed string `json:"failed,omitempty"` // for users: the reason why the review failed
	// for users: the reason why GitHub did not take the result
	Unposted string `json:"unposted,omitempty"`
}

// Finding is a problem that a review reports.
type Finding struct {
	Path     string            `json:"path"`
	Line     int               `json:"line"`
	Start    int               `json:"start,omitempty"`
	Severity protocol.Severity `json:"severity"`
	Category string            `json:"category"`
	Title    string            `json:"title"`
	Detail   string            `json:"detail"`
	Quote    string            `json:"quote"`
	// new text for the lines Start to Line; "" means that no text can be applied unchanged
	Replacement string `json:"replacement,omitempty"`
}

// HasCritical reports whether the review has a critical finding.
func (r ReviewResult) HasCritical() bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Severity == protocol.SeverityCritical })
}

// files returns the changed files of the diff.
func (p Patch) files() ([]diff.File, error) {
	files, err := diff.Parse(finding.VisibleCode(p.Diff))
	if err != nil || len(files) == 0 {
		return nil, supervisor.Errorf(supervisor.CodeInvalid, textNoDiff)
	}
	return files, nil
}

// ModifiedPaths returns the paths of modified files. The diff shows only a part of each such file.
func (p Patch) ModifiedPaths() (paths []string, err error) {
	files, err := p.files()
	for _, f := range files {
		if f.Status != diff.FileAdded && f.Status != diff.FileRemoved && len(f.Hunks) > 0 {
			paths = append(paths, f.Path())
		}
	}
	return paths, err
}

// ReviewMaterial returns the change for a worker, and the files that need no review. The error is
// for users.
func (p Patch) ReviewMaterial() (m protocol.ReviewMaterial, skipped []string, err error) {
	files, err := p.files()
	if err != nil {
		return m, nil, err
	}
	m = protocol.ReviewMaterial{Repo: p.Repo, Number: p.Number, Title: finding.VisibleMarkdown(p.Title),
		Description: finding.VisibleMarkdown(p.Description)}
	chunks, unread := diff.SplitIntoChunks(files, chunkSize, diff.NewSkipFilter(nil))
	for i, chunk := range chunks {
		made := protocol.ReviewChunk{Name: fmt.Sprint("chunk-", i+1)}
		contexts := diff.ContextOfChunk(chunk, p.Heads)
		for _, f := range chunk {
			around := contexts[f.Path()]
			file := protocol.ReviewFile{Path: f.Path(), Status: string(f.Status), Diff: f.NumberedLines(),
				Whole: around.Whole, Functions: around.Functions}
			if f.Old != f.New && f.Old != "" && f.New != "" {
				file.FormerPath = f.Old
			}
			made.Files = append(made.Files, file)
		}
		m.Chunks = append(m.Chunks, made)
	}
	for _, f := range files {
		isListed := slices.ContainsFunc(unread, func(u diff.UnreadFile) bool { return u.File.Path() == f.Path() })
		if len(f.Hunks) == 0 && !isListed {
			unread = append(unread, diff.UnreadFile{File: f, Reason: finding.NoChangedLinesReason(f, false, true)})
		}
	}
	for _, u := range unread {
		skipped = append(skipped, fmt.Sprintf("%s (%s)", u.File.Path(), u.Reason))
	}
	return m, skipped, nil
}

func (p Patch) checker(files []diff.File) finding.Checker {
	return finding.Checker{Files: files, Heads: p.Heads}
}

// NewSecondLookFilter returns a function that selects findings to check a second time. The function
// returns the indexes of findings that could be posted.
func (p Patch) NewSecondLookFilter() (func([]protocol.ReviewFinding) []int, error) {
	files, err := p.files()
	return p.checker(files).PostableIndexes, err
}

// CheckReport checks a worker's report. Unlike on GitHub, the number of findings is not limited.
func (p Patch) CheckReport(report protocol.ReviewReport) (r ReviewResult, err error) {
	files, err := p.files()
	if err != nil {
		return r, err
	}
	raw, err := diff.Parse(p.Diff)
	if err != nil {
		return r, err
	}
	checked := p.checker(files).Check(append(finding.FindReorderedLines(raw), report.Findings...))
	r = NewReviewResult(checked)
	r.Verdict = report.Verdict
	m, _, err := p.ReviewMaterial()
	r.Unread = finding.UnreadReasons(m, report.Unread)
	return r, err
}

// NewReviewResult returns the result of a review with these checked findings.
func NewReviewResult(c finding.CheckedFindings) ReviewResult {
	r := ReviewResult{Findings: []Finding{}, Left: map[string]int{}}
	for _, f := range c.All() {
		r.Findings = append(r.Findings, Finding{Path: f.Path, Line: f.Line, Start: f.Start, Severity: f.Severity, Category: f.Category, Title: f.Title,
			Detail: f.Detail, Quote: f.Quote})
		if f.Replaces {
			r.Findings[len(r.Findings)-1].Replacement = f.Replacement
		}
	}
	for why, n := range c.Left {
		r.Left[string(why)] = n
	}
	return r
}

// position returns the file and the line in the form that compilers print, such as main.go:12.
func (f Finding) position() string {
	if f.Line == 0 {
		return printable.DropControls(f.Path)
	}
	return fmt.Sprintf("%s:%d", printable.DropControls(f.Path), f.Line)
}

// Text returns the result for a terminal, without Failed.
func (r ReviewResult) Text() string {
	if r.Failed != "" {
		return ""
	}
	var b strings.Builder
	said := func(text string) string { return printable.DropControls(strings.Join(strings.Fields(text), " ")) }
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s: %s: %s (%s)\n", f.position(), f.Severity, said(f.Title), said(f.Category))
		if f.Detail != "" {
			fmt.Fprintf(&b, "    %s\n", said(f.Detail))
		}
		if f.Quote != "" {
			fmt.Fprintf(&b, "    > %s\n", said(f.Quote))
		}
	}
	switch {
	case len(r.Findings) == 0 && len(r.Unread) > 0:
		b.WriteString(textNoneInRead)
	case len(r.Findings) == 0:
		b.WriteString(textNoFindings)
	}
	if r.Verdict != "" {
		fmt.Fprintf(&b, "\n%s\n", said(r.Verdict))
	}
	for _, list := range []struct {
		format string
		of     []string
	}{{textSkipped, r.Skipped}, {textUnread, r.Unread}} {
		if len(list.of) > 0 {
			fmt.Fprintf(&b, list.format, said(strings.Join(list.of, "; ")))
		}
	}
	if r.Unposted != "" {
		fmt.Fprintf(&b, textUnposted, said(r.Unposted))
	}
	if r.Cost != nil {
		fmt.Fprintf(&b, textCost, money.FormatDollars(*r.Cost))
	}
	return b.String()
}
