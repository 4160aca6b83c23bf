package triage

import (
	"fmt"
	"slices"
	"strings"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/github/api"
	"mews/supervisor/github/finding"
)

// Limits of a triage's effects on an issue.
const (
	maxGiven   = 5 // maximum number of labels to add
	maxNamed   = 5 // maximum number of related issues to name
	maxSummary = 500
)

var priorities = []string{"low", "medium", "high", "critical"}

// check returns the valid part of a worker's report. It drops invalid values.
func check(said protocol.Triage, m protocol.ReviewMaterial) (t protocol.Triage) {
	for _, name := range said.Labels {
		for _, there := range m.Labels {
			if strings.EqualFold(there, name) && !slices.Contains(t.Labels, there) && len(t.Labels) < maxGiven {
				t.Labels = append(t.Labels, there)
			}
		}
	}
	if slices.Contains(priorities, said.Priority) {
		t.Priority = said.Priority
	}
	if searched(m, said.Duplicate) {
		t.Duplicate = said.Duplicate
	}
	for _, number := range said.Related {
		if searched(m, number) && number != t.Duplicate && !slices.Contains(t.Related, number) && len(t.Related) < maxNamed {
			t.Related = append(t.Related, number)
		}
	}
	t.Summary = finding.Truncate(oneLine(finding.RemoveSecrets(said.Summary), maxSummary), maxSummary)
	return t
}

// searched reports whether the search has found an issue.
func searched(m protocol.ReviewMaterial, number int) bool {
	return slices.ContainsFunc(m.Issues, func(i protocol.ReviewText) bool { return strings.HasPrefix(i.Name, fmt.Sprintf("#%d ", number)) })
}

// labelled reports whether an issue has labels that Mews did not add.
func labelled(w supervisor.IssueTriage, issue api.Issue) bool {
	return slices.ContainsFunc(issue.Labels, func(l string) bool { return !contains(w.Labels, l) })
}

// union returns the names in both lists together, without duplicates.
func union(a, b []string) (all []string) {
	for _, name := range slices.Concat(a, b) {
		if !contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}
