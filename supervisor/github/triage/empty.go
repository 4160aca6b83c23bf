package triage

import (
	"regexp"
	"strings"

	"mews/supervisor/github/api"
	"mews/supervisor/github/finding"
)

// unfilled matches the parts of an issue's template that its author left as they were: headings,
// open check boxes, and GitHub's words for an empty field of a form.
var unfilled = regexp.MustCompile(`(?mi)^[ \t>]*(#{1,6}[ \t].*|\*\*[^*\n]+\*\*:?|` +
	`[-*][ \t]\[ \].*|_?no response_?|n/?a|none)[ \t]*$`)

// word matches a letter or a digit of any script.
var word = regexp.MustCompile(`[\p{L}\p{N}]+`)

// isEmpty reports whether an issue has no text apart from its title.
func isEmpty(issue api.Issue) bool {
	return !word.MatchString(unfilled.ReplaceAllString(finding.VisibleMarkdown(issue.Body), ""))
}

// saysNothing reports whether an issue has nothing to read: no text, and a title of one word.
func saysNothing(issue api.Issue) bool {
	return isEmpty(issue) && len(word.FindAllString(strings.TrimSpace(issue.Title), 2)) < 2
}
