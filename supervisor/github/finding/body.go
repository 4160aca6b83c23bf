package finding

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"mews/protocol/amount"
	"mews/supervisor/internal/money"
)

// Summary is the body of a pull request's first review. Later reviews update it in place.
type Summary struct {
	CheckedFindings
	Head    string
	Mark    string   // text of the hidden mark; "" means Head
	Name    string   // name of the reviewer
	Earlier int      // number of findings that were posted for earlier heads
	Skipped []string // parts that need no review, and why
	Unread  []string // parts that needed a review but were not read, and why
	Cost    *int64   // cost in millionths of a US dollar; nil if unknown
}

// Limits of a summary: the number of entries, and the sizes of texts in bytes. It has at most 20
// lines.
const (
	maxListed      = 6
	maxSuggestions = 5
	maxItem        = 280
	maxTitle       = 120
	maxDetail      = 1500
	maxNote        = 500
)

// ReviewMark returns the hidden mark of a review. mark is usually its head. Anybody can write such
// a mark. MarkFinding returns the mark of a comment.
func ReviewMark(mark string) string { return "<!-- mews:review " + mark + " -->" }

func markFinding(fingerprint string) string { return "<!-- mews:finding " + fingerprint + " -->" }

var marked = regexp.MustCompile(`<!-- mews:finding ([0-9a-f]{16}) -->\s*$`)

// ParseFindingMark returns the fingerprint in the mark at the end of Mews's comment. Earlier marks
// do not count, because a suggested replacement may contain one.
func ParseFindingMark(comment string) (fingerprint string, ok bool) {
	m := marked.FindStringSubmatch(comment)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// Body returns the summary as Markdown.
func (s Summary) Body() string {
	lines := []string{ReviewMark(cmp.Or(s.Mark, s.Head)), fmt.Sprintf(textHead, ShortSHA(s.Head), s.news())}
	if len(s.CheckedFindings.Summary)+len(s.Suggestions) > 0 {
		lines = append(lines, "")
	}
	lines = append(lines, list(s.CheckedFindings.Summary, maxListed)...)
	lines = append(lines, list(s.Suggestions, maxSuggestions)...)
	lines = append(lines, notes(textSkipped, s.Skipped)...)
	lines = append(lines, notes(textUnread, s.Unread)...)
	lines = append(lines, notes(textLeft, s.left())...)
	cost := textUnpriced
	if s.Cost != nil {
		cost = money.FormatDollars(*s.Cost)
	}
	return strings.Join(append(lines, "", fmt.Sprintf(textFoot, cost, s.Name)), "\n")
}

// news describes the new findings and counts the earlier ones.
func (s Summary) news() string {
	switch counts := s.CountText(); {
	case s.Earlier == 0:
		return counts
	case counts == textNothing:
		return fmt.Sprintf(textNothingNew, amount.Plural(s.Earlier, counted[earlier][0], counted[earlier][1]))
	default:
		return fmt.Sprintf(textBeside, counts, amount.Plural(s.Earlier, counted[earlier][0], counted[earlier][1]))
	}
}

// FollowUpBody returns the body of a later review, which has only the new findings.
func (s Summary) FollowUpBody() string {
	return ReviewMark(cmp.Or(s.Mark, s.Head)) + "\n" + fmt.Sprintf(textNews, ShortSHA(s.Head), s.CountText())
}

// FailureBody returns the summary after a failed review. An unchanged summary would look like
// approval.
func FailureBody(head, why string) string {
	return ReviewMark(head) + "\n" + fmt.Sprintf(textNotRead, ShortSHA(head), HarmlessMarkdown(why, maxNote))
}

// ShortSHA returns the short form of a commit's SHA.
func ShortSHA(sha string) string { return sha[:min(len(sha), 12)] }

// CountText returns the numbers of findings as text.
func (c CheckedFindings) CountText() string {
	var parts []string
	for _, severity := range severities {
		if n := c.CountBySeverity()[severity]; n > 0 {
			parts = append(parts, amount.Plural(n, counted[string(severity)][0], counted[string(severity)][1]))
		}
	}
	if parts == nil {
		return textNothing
	}
	return strings.Join(parts, ", ")
}

// left returns the numbers of omitted findings as texts.
func (c CheckedFindings) left() (parts []string) {
	for _, why := range []Omission{OmittedUnfounded, OmittedRepeated, OmittedStyle} {
		if n := c.Left[why]; n > 0 {
			parts = append(parts, amount.Plural(n, counted[string(why)][0], counted[string(why)][1]))
		}
	}
	return parts
}

// list returns a line for each of the first most findings, and a line that counts the others.
func list(found []Finding, most int) (lines []string) {
	for _, f := range found[:min(len(found), most)] {
		lines = append(lines, fmt.Sprintf("- %s **%s** %s %s", PositionText(f), f.Severity, HarmlessMarkdown(f.Title,
			maxTitle), HarmlessMarkdown(f.Detail, maxItem)))
	}
	if more := len(found) - most; more > 0 {
		lines = append(lines, fmt.Sprintf(textMore, more))
	}
	return lines
}

// PositionText returns a finding's position as inline code. Without a line, that is its file.
func PositionText(f Finding) string {
	path := strings.ReplaceAll(Truncate(WithoutSecrets(squeezed(VisibleCode(f.Path))), 200), "`", "'")
	if f.Line == 0 {
		return "`" + path + "`"
	}
	return fmt.Sprintf("`%s:%d`", path, f.Line)
}

// notes returns a line that lists parts of a change; no line if there are none.
func notes(format string, parts []string) []string {
	if len(parts) == 0 {
		return nil
	}
	return []string{fmt.Sprintf(format, HarmlessMarkdown(strings.Join(parts, "; "), maxNote))}
}

// CommentBody returns the Markdown of a finding's comment on its lines.
func (f Finding) CommentBody() string {
	text := fmt.Sprintf("**%s, %s: %s**\n\n%s\n", f.Severity, f.Category, HarmlessMarkdown(f.Title, maxTitle),
		HarmlessMarkdown(f.Detail, maxDetail))
	if f.Replaces {
		text += "\n```suggestion\n" + strings.TrimSuffix(f.Replacement, "\n") + "\n```\n"
	}
	return text + "\n" + markFinding(f.Fingerprint)
}
