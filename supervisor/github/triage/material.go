package triage

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/github/api"
	"mews/supervisor/github/finding"
)

// Limits of the data about an issue, in bytes. (10 related issues and 128 characters are the values
// of Kai, another assistant.)
const (
	maxTitle       = 256
	maxDescription = 32 << 10
	maxRelated     = 10
	maxRelatedText = 600
	maxWords       = 128 // maximum characters of a search query
	maxLabels      = 200 // maximum number of labels that a model may choose from
)

// usualLabels are the labels that a triage may create, in the colours of Kai, another assistant. It
// creates no other label, even if an issue asks for one.
var usualLabels = map[string]string{"bug": "d73a4a", "enhancement": "0075ca", "documentation": "0e8a16",
	"question": "d876e3", "good first issue": "7057ff"}

// gather reads an issue and issues that may be related.
func (t *Triages) gather(ctx context.Context, w supervisor.IssueTriage, repo supervisor.GitHubRepo) (issue api.Issue, m protocol.ReviewMaterial, err error) {
	if issue, err = persistent(ctx, t, func() (api.Issue, error) { return t.o.Issues.Issue(ctx, w.Repo, w.Number) }); err != nil {
		return issue, m, err
	}
	labels, err := persistent(ctx, t, func() ([]api.Label, error) { return t.o.Issues.Labels(ctx, w.Repo) })
	if err != nil {
		return issue, m, err
	}
	m = protocol.ReviewMaterial{Repo: w.Repo, Number: w.Number, Title: oneLine(issue.Title, maxTitle), Author: issue.Author,
		Description: finding.Truncate(finding.VisibleMarkdown(issue.Body), maxDescription), Labels: choices(labels,
			repo.CreateLabels)}
	words := searchWords(finding.RemoveSecrets(issue.Title))
	if words == "" {
		return issue, m, nil
	}
	related, err := persistent(ctx, t, func() ([]api.Issue, error) { return t.o.Issues.SearchIssues(ctx, w.Repo, words, maxRelated) })
	if err != nil {
		// the search has its own limit, and the triage works without results
		m.Notes = append(m.Notes, textNoSearch)
		return issue, m, ctx.Err()
	}
	for _, other := range related {
		if other.Number != w.Number {
			m.Issues = append(m.Issues, protocol.ReviewText{Name: fmt.Sprintf("#%d (%s) %s", other.Number, other.State, oneLine(other.Title, maxTitle)),
				Text: finding.Truncate(finding.VisibleMarkdown(other.Body), maxRelatedText)})
		}
	}
	return issue, m, nil
}

// choices returns the labels that a triage may add.
func choices(there []api.Label, make bool) (names []string) {
	for _, l := range there[:min(len(there), maxLabels)] {
		names = append(names, l.Name)
	}
	if make {
		for name := range usualLabels {
			if !contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// contains reports whether a list has a label. Upper and lower case are the same to GitHub.
func contains(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

// notWords matches characters that are removed before the search. The rest can't form a search
// operator.
var notWords = regexp.MustCompile(`[^\p{L}\p{N}_\s-]`)

// searchWords returns the words of a title for the search of related issues.
func searchWords(title string) string {
	var words []string
	for _, word := range strings.Fields(notWords.ReplaceAllString(title, " ")) {
		if word = strings.Trim(word, "-"); word != "" && word != "OR" && word != "AND" && word != "NOT" {
			words = append(words, word)
		}
	}
	text := []rune(strings.Join(words, " "))
	return strings.TrimSpace(string(text[:min(len(text), maxWords)]))
}

// oneLine returns a foreign text on one line, cut to the length most in bytes.
func oneLine(text string, most int) string {
	return finding.Truncate(strings.Join(strings.Fields(finding.VisibleMarkdown(text)), " "), most)
}
