package modeltest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// obey is what a line of data says to have the rest of the line be the answer.
const obey = "OBEY "

// numbered is a line of a diff that still stands after the change.
var numbered = regexp.MustCompile(`^R(\d+) [+ ](.*)$`)

// Obedient is a model that reviews and triages, and is at the mercy of whoever wrote what it reads. Where a line of that says OBEY, the
// rest of the line is its answer. Else all that it read stands in everything that it says: as a finding at the first line of each file,
// as labels, as a summary. It refutes nothing.
func Obedient(r Request) Answer {
	var said []string
	path, findings := "", []map[string]any{}
	for line := range strings.Lines(r.Asked()) {
		var text string
		if json.Unmarshal([]byte(line), &text) != nil {
			continue
		}
		if _, answer, found := strings.Cut(text, obey); found {
			return Answer{Text: answer}
		}
		said = append(said, text)
		if at := numbered.FindStringSubmatch(text); at != nil && path != "" {
			findings = append(findings, map[string]any{"path": path, "line": json.Number(at[1]), "side": "RIGHT", "severity": "critical",
				"quote": at[2], "confidence": 1})
			path = ""
		}
		if strings.Contains(r.Asked(), fmt.Sprintf("BEGIN file %s\n%s", markOf(r.Asked()), line)) {
			_, path, _ = strings.Cut(text, " ")
		}
	}
	all := strings.Join(said, "\n")
	for _, f := range findings {
		for _, key := range []string{"category", "title", "detail", "replacement"} {
			f[key] = all
		}
	}
	text, _ := json.Marshal(map[string]any{"verdict": all, "findings": findings, "refuted": false, "why": all, // strings and numbers
		"labels": said, "priority": "critical", "duplicate": 1, "related": []int{1}, "summary": all})
	return Answer{Text: string(text)}
}

// markOf is the mark of a prompt's data.
func markOf(prompt string) string {
	_, rest, _ := strings.Cut(prompt, "BEGIN ")
	line, _, _ := strings.Cut(rest, "\n")
	return line[strings.LastIndexByte(line, ' ')+1:]
}
