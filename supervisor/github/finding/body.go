package finding

import (
	"fmt"
	"regexp"
	"strings"

	"mews/protocol/amount"
)

// Limits of texts on GitHub, in bytes.
const (
	maxItem   = 280
	maxTitle  = 120
	maxDetail = 1500
	maxNote   = 500
)

// ReviewMark returns the hidden mark of a review. mark is usually the review's head. Anybody can
// write the same mark. markFinding returns the mark of a comment.
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

// ShortSHA returns the short form of a commit's SHA.
func ShortSHA(sha string) string { return sha[:min(len(sha), 12)] }

// FormatCounts returns the numbers of findings as text.
func (c CheckedFindings) FormatCounts() string {
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

// FormatPosition returns a finding's position as inline code. Without a line, the position is the
// finding's file.
func FormatPosition(f Finding) string {
	if f.Line == 0 {
		return "`" + pathText(f.Path) + "`"
	}
	return fmt.Sprintf("`%s:%d`", pathText(f.Path), f.Line)
}

// pathText returns a foreign path for inline code.
func pathText(path string) string {
	return strings.ReplaceAll(Truncate(RemoveSecrets(squeezed(VisibleCode(path))), 200), "`", "'")
}

// notes returns a line that lists parts of a change; no line if there are no parts.
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
