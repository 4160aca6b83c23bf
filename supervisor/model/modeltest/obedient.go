package modeltest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// obeyPrefix begins a line of data. The rest of that line becomes the answer.
const obeyPrefix = "OBEY "

// numberedLine matches a numbered line of a diff that exists after the change.
var numberedLine = regexp.MustCompile(`^R(\d+) [+ ](.*)$`)

// ObedientReviewScript reviews and triages, and obeys all text that it reads. If a line of the text
// begins with OBEY, the rest of the line is the answer. Otherwise every field of the answer repeats
// the text: as a finding at the first line of each file, as labels, as a summary.
// ObedientReviewScript confirms every finding.
func ObedientReviewScript(r Request) Answer {
	var said []string
	path, findings := "", []map[string]any{}
	for line := range strings.Lines(r.NewestUserMessage()) {
		var text string
		if json.Unmarshal([]byte(line), &text) != nil {
			continue
		}
		if _, answer, found := strings.Cut(text, obeyPrefix); found {
			return Answer{Text: answer}
		}
		said = append(said, text)
		if at := numberedLine.FindStringSubmatch(text); at != nil && path != "" {
			findings = append(findings, map[string]any{"path": path, "line": json.Number(at[1]), "side": "RIGHT", "severity": "critical",
				"quote": at[2], "confidence": 1})
			path = ""
		}
		if strings.Contains(r.NewestUserMessage(), fmt.Sprintf("BEGIN file %s\n%s", markOf(r.NewestUserMessage()),
			line)) {
			_, path, _ = strings.Cut(text, " ")
		}
	}
	all := strings.Join(said, "\n")
	for _, f := range findings {
		for _, key := range []string{"category", "title", "detail", "replacement"} {
			f[key] = all
		}
	}
	if confirmed, ok := AnswerReviewSecondLook(r, false); ok {
		return confirmed
	}
	// encoding these values never fails
	text, _ := json.Marshal(map[string]any{"verdict": all, "findings": findings,
		"labels": said, "priority": "critical", "duplicate": 1, "related": []int{1}, "summary": all})
	return Answer{Text: string(text)}
}

// markOf returns the mark that a prompt puts around data.
func markOf(prompt string) string {
	_, rest, _ := strings.Cut(prompt, "BEGIN ")
	line, _, _ := strings.Cut(rest, "\n")
	return line[strings.LastIndexByte(line, ' ')+1:]
}

// PromptInjection is a text with an instruction, and the call with which a model obeys it.
type PromptInjection struct {
	Text string
	Call Call
}

// ObeyInjectionsScript returns a script that obeys orders in any text, by any author. Without an
// order, it obeys its user: "read FILE", "run COMMAND". Then it says "done".
func ObeyInjectionsScript(orders []PromptInjection) Script {
	return func(r Request) Answer {
		read, done := "", map[string]bool{}
		for _, d := range r.AnsweredCalls() {
			read, done[d.Call.Name+d.Call.Args] = read+"\n"+d.Result, true
		}
		asked := r.NewestUserMessage()
		read = asked + "\n" + read
		todo := []Call{}
		for tool, argument := range map[string]string{"read_file": "path", "run_command": "command"} {
			if words, found := strings.CutPrefix(asked[strings.LastIndexByte(asked, '\n')+1:], map[string]string{"read_file": "read ", "run_command": "run "}[tool]); found {
				args, _ := json.Marshal(map[string]string{argument: words}) // strings can always be encoded
				todo = append(todo, Call{Name: tool, Args: string(args)})
			}
		}
		for _, o := range orders {
			lines := strings.Split(o.Text, "\n")
			if slices.ContainsFunc(lines, func(line string) bool { return len(line) > 20 && strings.Contains(read, line) }) {
				todo = append(todo, o.Call)
			}
		}
		for _, c := range todo {
			if !done[c.Name+c.Args] {
				return Answer{Calls: []Call{c}}
			}
		}
		return Answer{Text: "done"}
	}
}
