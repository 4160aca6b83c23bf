package finding

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"mews/protocol/amount"
	"mews/supervisor/internal/money"
)

// Summary is the body of a pull request's first review, which is changed in its place later.
type Summary struct {
	Checked
	Head    string
	Mark    string   // hidden; "" is Head
	Name    string   // of who reviews
	Earlier int      // findings that were posted of earlier heads
	Skipped []string // what was left out on purpose, and why
	Unread  []string // what should have been read and was not, and why
	Cost    *int64   // in millionths of a dollar; nil is not known
}

// The most that a summary lists, and how long texts in it are, in bytes: it has at most 20 lines.
const (
	maxListed      = 6
	maxSuggestions = 5
	maxItem        = 280
	maxTitle       = 120
	maxDetail      = 1500
	maxNote        = 500
)

// MarkReview is a review's hidden mark, as a rule of its head; anybody can write it. MarkFinding is
// that of a comment.
func MarkReview(mark string) string { return "<!-- mews:review " + mark + " -->" }

func markFinding(fingerprint string) string { return "<!-- mews:finding " + fingerprint + " -->" }

var marked = regexp.MustCompile(`<!-- mews:finding ([0-9a-f]{16}) -->\s*$`)

// Marked is the fingerprint at the end of a comment of ours: a replacement in it may have a mark
// too.
func Marked(comment string) (fingerprint string, ok bool) {
	m := marked.FindStringSubmatch(comment)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// Body is the summary as Markdown.
func (s Summary) Body() string {
	lines := []string{MarkReview(cmp.Or(s.Mark, s.Head)), fmt.Sprintf(textHead, Short(s.Head), s.news())}
	if len(s.Checked.Summary)+len(s.Suggestions) > 0 {
		lines = append(lines, "")
	}
	lines = append(lines, list(s.Checked.Summary, maxListed)...)
	lines = append(lines, list(s.Suggestions, maxSuggestions)...)
	lines = append(lines, notes(textSkipped, s.Skipped)...)
	lines = append(lines, notes(textUnread, s.Unread)...)
	lines = append(lines, notes(textLeft, s.left())...)
	cost := textUnpriced
	if s.Cost != nil {
		cost = money.Dollars(*s.Cost)
	}
	return strings.Join(append(lines, "", fmt.Sprintf(textFoot, cost, s.Name)), "\n")
}

// news is what there is to say, beside what was said of earlier heads.
func (s Summary) news() string {
	switch counts := s.Counts(); {
	case s.Earlier == 0:
		return counts
	case counts == textNothing:
		return fmt.Sprintf(textNothingNew, amount.Plural(s.Earlier, counted[earlier][0], counted[earlier][1]))
	default:
		return fmt.Sprintf(textBeside, counts, amount.Plural(s.Earlier, counted[earlier][0], counted[earlier][1]))
	}
}

// News is the body of a later review of the pull request.
func (s Summary) News() string {
	return MarkReview(cmp.Or(s.Mark, s.Head)) + "\n" + fmt.Sprintf(textNews, Short(s.Head), s.Counts())
}

// NotRead is the body where a review has failed that stands in the place of a summary: nobody is to
// take silence for praise.
func NotRead(head, why string) string {
	return MarkReview(head) + "\n" + fmt.Sprintf(textNotRead, Short(head), Plain(why, maxNote))
}

// Short is a commit as people write it.
func Short(sha string) string { return sha[:min(len(sha), 12)] }

// Counts is how many findings there are, in words.
func (c Checked) Counts() string {
	var parts []string
	for _, severity := range severities {
		if n := c.Count()[severity]; n > 0 {
			parts = append(parts, amount.Plural(n, counted[string(severity)][0], counted[string(severity)][1]))
		}
	}
	if parts == nil {
		return textNothing
	}
	return strings.Join(parts, ", ")
}

// left is how many were left out, in words.
func (c Checked) left() (parts []string) {
	for _, why := range []Omission{LeftUnfounded, LeftSaid, LeftStyle} {
		if n := c.Left[why]; n > 0 {
			parts = append(parts, amount.Plural(n, counted[string(why)][0], counted[string(why)][1]))
		}
	}
	return parts
}

// list is a line for each of the first findings, and how many more there are.
func list(found []Finding, most int) (lines []string) {
	for _, f := range found[:min(len(found), most)] {
		lines = append(lines, fmt.Sprintf("- %s **%s** %s %s", Where(f), f.Severity, Plain(f.Title, maxTitle), Plain(f.Detail, maxItem)))
	}
	if more := len(found) - most; more > 0 {
		lines = append(lines, fmt.Sprintf(textMore, more))
	}
	return lines
}

// Where is a finding's place as code.
func Where(f Finding) string {
	return fmt.Sprintf("`%s:%d`", strings.ReplaceAll(Cut(WithoutSecrets(squeezed(VisibleCode(f.Path))), 200), "`", "'"), f.Line)
}

// notes is a line that has parts, or none.
func notes(format string, parts []string) []string {
	if len(parts) == 0 {
		return nil
	}
	return []string{fmt.Sprintf(format, Plain(strings.Join(parts, "; "), maxNote))}
}

// Comment is a finding as a comment at its lines.
func (f Finding) Comment() string {
	text := fmt.Sprintf("**%s, %s: %s**\n\n%s\n", f.Severity, f.Category, Plain(f.Title, maxTitle), Plain(f.Detail, maxDetail))
	if f.Replaces {
		text += "\n```suggestion\n" + strings.TrimSuffix(f.Replacement, "\n") + "\n```\n"
	}
	return text + "\n" + markFinding(f.Fingerprint)
}
