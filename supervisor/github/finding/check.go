// Package finding checks the findings of a review before they are posted. It trusts a model as
// little as a stranger. A finding is posted only if its quote is in the change. Its text must not
// cause any action on GitHub. The package does no I/O.
package finding

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"mews/protocol"
	"mews/supervisor/github/diff"
)

// Omission is the reason why a finding is not posted.
type Omission string

const (
	OmittedUnfounded Omission = "unfounded" // the finding's quote is not in the change
	OmittedRepeated  Omission = "said"      // the finding was posted before, or was muted
	OmittedStyle     Omission = "style"     // the finding is about taste
)

// Finding is a checked finding.
type Finding struct {
	protocol.ReviewFinding
	Placed      bool   // GitHub would accept a comment at the finding's position
	Fingerprint string // identifies the finding by its code and its title's words
	Replaces    bool   // the Replacement may be offered as it is
	Window      string // the code that the Fingerprint covers, with single spaces
	Code        CodeExcerpt
}

// CheckedFindings has all findings of a report. Each is in one of the lists, or is counted in Left.
type CheckedFindings struct {
	Inline []Finding // findings to post as comments
	// serious findings without a position, or beyond the limit of comments; the worst first
	Summary     []Finding
	Suggestions []Finding
	Left        map[Omission]int

	Refuted []Finding // findings that a second check by the model refuted
	Known   []Finding // findings that were posted before, or were muted; they count in Left too
}

// CountBySeverity returns the number of findings to post for each severity.
func (c CheckedFindings) CountBySeverity() map[protocol.Severity]int {
	count := map[protocol.Severity]int{}
	for _, f := range c.All() {
		count[f.Severity]++
	}
	return count
}

// All returns the findings to post, the worst first.
func (c CheckedFindings) All() []Finding { return slices.Concat(c.Inline, c.Summary, c.Suggestions) }

// Limits for the number of inline comments in a review: the default and the maximum.
const (
	defaultInline = 10
	maxInline     = 20
)

// Checker is a reviewed change. It checks findings about the change.
type Checker struct {
	Files  []diff.File       // the changed files, as VisibleCode shows them
	Heads  map[string]string // whole files of the head that the review has read, by path
	Known  []KnownFinding    // findings that must not be posted again
	Inline int               // maximum number of inline comments; 0 means 10
}

// Check decides which findings are posted, and at which positions.
func (c Checker) Check(found []protocol.ReviewFinding) CheckedFindings {
	left, refuted, known := map[Omission]int{}, []Finding(nil), []Finding(nil)
	var standing []Finding
	for _, raw := range found {
		f, why := c.locate(raw)
		switch {
		case why != "":
			left[why]++
		case raw.Refutation != "":
			refuted = append(refuted, f)
		case contains(standing, f) || contains(known, f):
			left[OmittedRepeated]++
		case slices.ContainsFunc(c.Known, func(k KnownFinding) bool { return k.Matches(f) }):
			left[OmittedRepeated]++
			known = append(known, f)
		default:
			standing = append(standing, f)
		}
	}
	checked := GroupFindings(standing, c.Inline)
	checked.Left, checked.Known = left, known
	for _, f := range refuted { // another part of the change may have confirmed the same finding
		if !contains(standing, f) && !contains(known, f) && !contains(checked.Refuted, f) {
			checked.Refuted = append(checked.Refuted, f)
		}
	}
	return checked
}

func contains(list []Finding, f Finding) bool {
	return slices.ContainsFunc(list, func(other Finding) bool { return other.Identity().Matches(f) })
}

// GroupFindings sorts findings into the lists of CheckedFindings, each worst first. inline is the
// maximum number of comments; 0 means 10.
func GroupFindings(list []Finding, inline int) (checked CheckedFindings) {
	for _, f := range list {
		switch {
		case f.Severity == protocol.SeveritySuggestion:
			checked.Suggestions = append(checked.Suggestions, f)
		case f.Placed:
			checked.Inline = append(checked.Inline, f)
		default:
			checked.Summary = append(checked.Summary, f)
		}
	}
	for _, list := range [][]Finding{checked.Inline, checked.Summary, checked.Suggestions} {
		slices.SortStableFunc(list, worse)
	}
	room := min(cmp.Or(inline, defaultInline), maxInline)
	if len(checked.Inline) > room {
		checked.Summary = append(slices.Clone(checked.Inline[room:]), checked.Summary...)
		checked.Inline = checked.Inline[:room]
		slices.SortStableFunc(checked.Summary, worse)
	}
	return checked
}

// severities are all severities, the worst first.
var severities = []protocol.Severity{protocol.SeverityCritical, protocol.SeverityWarning, protocol.SeveritySuggestion}

func worse(a, b Finding) int {
	return cmp.Or(slices.Index(severities, a.Severity)-slices.Index(severities, b.Severity),
		cmp.Compare(b.Confidence, a.Confidence))
}

// unwantedCategories are categories of findings that are omitted as a matter of taste.
var unwantedCategories = []string{"style", "format", "nit", "naming", "praise", "typo", "whitespace", "convention",
	"readab"}

// locate returns a finding with its position, or the reason why it is omitted.
func (c Checker) locate(raw protocol.ReviewFinding) (f Finding, left Omission) {
	f.ReviewFinding = raw
	f.Category = category(raw.Category)
	if !slices.Contains(severities, f.Severity) {
		f.Severity = protocol.SeveritySuggestion
	}
	if slices.ContainsFunc(unwantedCategories, func(taste string) bool { return strings.HasPrefix(f.Category, taste) }) {
		return f, OmittedStyle
	}
	if strings.TrimSpace(VisibleCode(raw.Quote)) == "" || strings.TrimSpace(raw.Title) == "" {
		return f, OmittedUnfounded
	}
	named := diff.Position{Path: raw.Path, Side: diff.RightSide, Start: raw.Start, Line: raw.Line}
	if raw.Side == string(diff.LeftSide) {
		named.Side = diff.LeftSide
	}
	at, fit := diff.FindPosition(c.Files, named, VisibleCode(raw.Quote))
	if fit == diff.NoMatch {
		if !f.findLine(VisibleCode(c.Heads[raw.Path])) {
			return f, OmittedUnfounded
		}
		f.Fingerprint = Fingerprint(raw.Path, f.Window, f.Title)
		return f, ""
	}
	f.Placed, f.Path, f.Side, f.Start, f.Line = true, at.Path, string(at.Side), at.Start, at.Line
	lines, window := c.lines(at)
	f.Window, f.Code = squeezed(window), c.code(at)
	f.Fingerprint = Fingerprint(at.Path, f.Window, f.Title)
	f.Replaces = raw.Replacement != "" && at.Side == diff.RightSide && fit == diff.ExactMatch && f.quotesAll() &&
		committable(raw.Replacement, lines)
	return f, ""
}

// findLine finds the quote in the whole file, and sets the finding's lines and their code. ok is
// false if the quote is not there.
func (f *Finding) findLine(file string) (ok bool) {
	f.Start, f.Line, ok = findQuote(file, f.Quote, f.Line)
	f.Side, f.Window = string(diff.RightSide), squeezed(f.Quote)
	if f.Line > 0 { // the quote may have line numbers, or be a part of the lines
		f.Window = squeezed(strings.Join(fileSide(file).texts[cmp.Or(f.Start, f.Line)-1:f.Line], "\n"))
	}
	return ok
}

// findQuote finds the lines of a text that match a quote. If several places match, it takes the
// place nearest to the line number near. A quote that skips blank lines matches no consecutive
// lines: line is 0.
func findQuote(text, quote string, near int) (start, line int, ok bool) {
	quote = VisibleCode(quote)
	if start, line, ok = diff.FindQuote(text, quote, near); !ok {
		ok = squeezed(quote) != "" && strings.Contains(squeezed(text), squeezed(quote))
	}
	return start, line, ok
}

// quotesAll reports whether the quote has as many lines as the finding names.
func (f *Finding) quotesAll() bool {
	return strings.Count(strings.TrimSpace(f.Quote), "\n") == f.Line-cmp.Or(f.Start, f.Line)
}

// lines returns the lines at a position. window identifies them within the file. If the last line
// occurs more than once, window has the lines around it too.
func (c Checker) lines(at diff.Position) (lines, window string) {
	from, around, last, same := cmp.Or(at.Start, at.Line), "", "", map[string]int{}
	for _, file := range c.Files {
		for i := range file.Hunks {
			if file.Path() != at.Path {
				continue
			}
			for line := range file.Hunks[i].Lines() {
				n := line.New
				if at.Side == diff.LeftSide {
					n = line.Old
				}
				if n == 0 {
					continue
				}
				same[squeezed(line.Text)]++
				if n >= from && n <= at.Line {
					lines, last = lines+line.Text+"\n", squeezed(line.Text)
				}
				if n >= from-1 && n <= at.Line+1 {
					around += line.Text + "\n"
				}
			}
		}
	}
	if same[last] > 1 {
		return lines, around
	}
	return lines, lines
}

// code returns the code at a position in the diff.
func (c Checker) code(at diff.Position) (code CodeExcerpt) {
	for _, file := range c.Files {
		for i := range file.Hunks {
			lines := sideOf(&file.Hunks[i], at.Side)
			first, last := slices.Index(lines.numbers, cmp.Or(at.Start, at.Line)), slices.Index(lines.numbers, at.Line)
			if file.Path() == at.Path && first >= 0 && last >= first {
				return codeAt(lines.texts, first, last)
			}
		}
	}
	return code
}

// FindReorderedLines finds lines that are displayed in another order than in the file. It needs the
// original files, without the changes of VisibleCode.
func FindReorderedLines(files []diff.File) (found []protocol.ReviewFinding) {
	for _, file := range files {
		for i := range file.Hunks {
			for line := range file.Hunks[i].Lines() {
				if line.Kind != diff.LineAdded || strings.IndexFunc(line.Text, reorders) < 0 {
					continue
				}
				found = append(found, protocol.ReviewFinding{Path: file.Path(), Line: line.New,
					Side: string(diff.RightSide), Category: "security",
					Severity: protocol.SeverityCritical, Title: textReordered, Detail: textReorderedDetail, Quote: VisibleCode(line.Text), Confidence: 1})
			}
		}
	}
	return found
}

// squeezed replaces white space by single spaces.
func squeezed(text string) string { return strings.Join(strings.Fields(text), " ") }

// category returns the name of a category in lower case.
func category(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) && r < unicode.MaxASCII || r == ' ' || r == '-' {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
	return cmp.Or(Truncate(strings.TrimSpace(name), 24), "bug")
}
