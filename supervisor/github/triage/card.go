package triage

import (
	"fmt"
	"strings"

	"mews/supervisor"
	"mews/supervisor/github/finding"
)

// commentOf returns the text of the comment on an issue, in Markdown.
func commentOf(r result) string {
	lines := append([]string{mark, textHead, ""}, lines(r, finding.HarmlessMarkdown(r.Triage.Summary, maxSummary))...)
	return strings.Join(append(lines, "", textFoot), "\n")
}

// lines returns a result as lines of Markdown.
func lines(r result, summary string) (all []string) {
	t := r.Triage
	if summary != "" {
		all = append(all, summary, "")
	}
	for _, line := range []struct {
		is   bool
		name string
		text string
	}{
		{t.Priority != "", textPriority, t.Priority},
		{len(t.Labels) > 0, textLabels, "`" + strings.Join(t.Labels, "`, `") + "`"},
		{t.Duplicate != 0, textDuplicate, fmt.Sprintf("#%d", t.Duplicate)},
		{len(t.Related) > 0, textRelated, numbers(t.Related)},
	} {
		if line.is {
			all = append(all, fmt.Sprintf("- %s: %s", line.name, line.text))
		}
	}
	return all
}

// numbers returns a list of issue numbers as text.
func numbers(list []int) string {
	var texts []string
	for _, n := range list {
		texts = append(texts, fmt.Sprintf("#%d", n))
	}
	return strings.Join(texts, ", ")
}

// cardOf returns the message about a finished triage for its user.
func cardOf(w supervisor.IssueTriage, r result, repo supervisor.GitHubRepo) string {
	at := fmt.Sprintf("%s#%d", w.Repo, w.Number)
	switch w.State {
	case supervisor.TriageFailed:
		return fmt.Sprintf(textFailed, at, w.Why, w.Repo, w.Number)
	case supervisor.TriageSkipped:
		return fmt.Sprintf(textLeft, at, w.Why)
	}
	if r.Security {
		told := textToldYou
		if len(r.Told) > 0 {
			told = fmt.Sprintf(textToldMore, strings.Join(r.Told, ", "))
		}
		return securityText(w, r) + "\n\n" + told
	}
	text := []string{fmt.Sprintf(textTriaged, at), finding.HarmlessMarkdown(r.Title, maxTitle), ""}
	text = append(text, lines(r, finding.HarmlessMarkdown(r.Triage.Summary, maxSummary))...)
	text = append(text, r.Notes...)
	if repo.Post == supervisor.PostOnlyCard {
		text = append(text, textCardOnly)
	}
	return strings.Join(append(text, "", r.URL), "\n")
}
