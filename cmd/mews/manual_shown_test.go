package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Marks by which a page leaves out lines (skip) or a part of a line (some).
const (
	skip = "..."
	some = "…"
)

// optionalLine matches lines that a page may leave out: empty lines, and lines about tools, whose
// time varies.
var optionalLine = regexp.MustCompile(`^([·✓✗] .*|>)?$`)

// plainLine returns a line without the marks of Markdown and of the terminal.
func plainLine(line string) string {
	line = strings.Join(strings.Fields(strings.NewReplacer("`", "", "**", "", "•", "-").Replace(line)), " ")
	for _, before := range []string{"│ ", "? "} { // marks in front of code, a quote or a question
		line = strings.TrimPrefix(line, before)
	}
	return line
}

// faultOfShown returns the first line of a page that is missing in the answer, or "". Adjacent
// lines of a page must be adjacent in the answer too, unless the page has a skip between them. The
// first line may begin anywhere in the answer.
func faultOfShown(shown, came []string) string {
	var lines []string
	for _, line := range came {
		lines = append(lines, plainLine(line))
	}
	var parts [][]string
	free := true // the next part may begin anywhere
	for _, line := range shown {
		line = plainLine(line)
		switch {
		case line == skip, line == some:
			free = true
		case line == "":
		case free:
			parts, free = append(parts, []string{line}), false
		default:
			parts[len(parts)-1] = append(parts[len(parts)-1], line)
		}
	}
	at := 0
	for _, part := range parts {
		read := 0 // the most lines of the part that match
		for i := at; i < len(lines) && read < len(part); i++ {
			n, behind := matchPart(part, lines, i)
			read, at = max(read, n), behind
		}
		switch {
		case read == 0:
			return fmt.Sprintf("%q is not in\n%s", part[0], strings.TrimSpace(strings.Join(came, "\n")))
		case read < len(part):
			return fmt.Sprintf("%q does not follow %q in\n%s", part[read], part[read-1],
				strings.TrimSpace(strings.Join(came, "\n")))
		}
	}
	return ""
}

// matchPart compares a part of a page with lines, beginning with the line of index at. It returns
// how many lines of the part match, and the index after the last.
func matchPart(part, lines []string, at int) (read, behind int) {
	for read < len(part) && at < len(lines) {
		switch {
		case fitsLine(part[read], lines[at]):
			read++
		case read == 0 || !optionalLine.MatchString(lines[at]):
			return read, at
		}
		at++
	}
	return read, at
}

// fitsLine reports whether a line of an answer matches the line of the page.
func fitsLine(want, line string) bool {
	parts := strings.Split(want, some)
	for i := range parts {
		parts[i] = regexp.QuoteMeta(strings.TrimSpace(parts[i]))
	}
	return regexp.MustCompile("^" + strings.Join(parts, ".*") + "$").MatchString(line)
}

func TestManual_ShownLinesOutOfOrder_AreFaults(t *testing.T) {
	came := []string{"· read a.md", "Here it is:", "", "one  2026-11-29", "✓ read", "`two`", "three", "four"}
	for _, shown := range [][]string{
		nil,
		{"one …", "two", "three"},
		{"one … 2026…", "two"},
		{"Here it is:", "one 2026-…-29", "", "two"},
		{"· read a.md", "Here it is:", skip, "three"},
		{skip, "four", skip},
		{"one …", some, "four"},
	} {
		if fault := faultOfShown(shown, came); fault != "" {
			t.Errorf("%q: %s", shown, fault)
		}
	}
	for want, shown := range map[string][]string{
		`"three" does not follow "one …" in`: {"one …", "three"},
		`"two" is not in`:                    {"three", skip, "two"},
		`"five" does not follow "four" in`:   {skip, "four", "five"},
		`"on" is not in`:                     {"on"},
		`"tw" does not follow "one …" in`:    {"Here it is:", "one …", "tw"},
	} {
		if fault := faultOfShown(shown, came); !strings.HasPrefix(fault, want+"\n") {
			t.Errorf("%q: got %q, want %s", shown, fault, want)
		}
	}
}

func TestManual_WrongExamples_AreFaults(t *testing.T) {
	const page = "# A page\n\nNot checked.\n\n" +
		"```chat\n> list my files\nThere is nothing in your folder.\n> create a.md with tea\nDone: b.md …\n```\n" +
		"```chat\n> read a.md\n...\ntea\n```\n" +
		"```console\n$ echo one; echo two\ntwo\n$ mews banish\n...\n```\n" +
		"```yaml\nmodels: {default: nothing/here}\n```\n```yaml\ntelegram: {token: \"${TELEGRAM_TOKEN}\"\n```\n" +
		"```yaml\ntelegram: {token: \"${TELEGRAM_TOKEN}\"}\nusers: [{name: ann, role: admin, telegram: 42}]\n```\n" +
		"- in a list\n  ```sh\n  sudo -u mews mews status && mews frobnicate\n  if\n  ```\n" +
		"```text\n> not typed\n```\n```\nnot said what it is\n```\n```python\nprint()\n```\n"
	want := []string{
		`^5: chat: > create a.md with tea: "Done: b.md …" is not in\n(.*\n)*Done: a.md was created`,
		`^16: console: mews banish: no verb banish$`,
		`^22: yaml: `,
		`^25: yaml: `,
		`^33: sh: exit status .*syntax error`,
		`^33: sh: mews frobnicate: no verb frobnicate$`,
		`^40: no kind of block is called ""$`,
		`^43: no kind of block is called "python"$`,
	}
	got := faultsOfPage(t, page)
	fits := func(fault, pattern string) bool { return regexp.MustCompile(pattern).MatchString(fault) }
	if !slices.EqualFunc(got, want, fits) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
