package finding

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"mews/protocol"
	"mews/supervisor"
)

// madeRecord returns a finding of a pull request.
func madeRecord(n int, state supervisor.FindingState, words string) Record {
	raw := protocol.ReviewFinding{Path: fmt.Sprintf("dir/file%d.go", n), Line: n, Severity: protocol.SeverityCritical,
		Category: "bug", Title: fmt.Sprintf("Fault %d %s", n, words), Detail: words, Refutation: words}
	return Record{State: state, Found: "aaaa", Seen: "bbbb", Fixed: "cccc", Finding: Finding{ReviewFinding: raw}}
}

const summaryHead = "0123456789abcdef0123456789abcdef01234567"

// The summary has each finding with its state, and first the number of files that were read.
func TestSummary_EachFindingState_IsListed(t *testing.T) {
	muted := madeRecord(5, supervisor.FindingOpen, "")
	muted.MutedBy = "bob"
	s := Summary{Head: summaryHead, Name: "mews", Read: summaryHead,
		Coverage: Coverage{Files: 258, Unread: []UnreadFile{{Path: "img.png", Reason: UnreadReasonBinary},
			{Path: "run.sh", Reason: UnreadReasonModeOnly},
			{Path: "big.go", Reason: UnreadReasonLimit, Part: true}, {Path: "go.sum", Reason: "lock file"}}},
		Records: []Record{madeRecord(1, supervisor.FindingOpen, "Always."),
			madeRecord(2, supervisor.FindingChanged, ""), madeRecord(3, supervisor.FindingFixed, ""),
			madeRecord(4, supervisor.FindingRefuted, "m is never nil"), muted}}
	want := "<!-- mews:review " + summaryHead + " -->\n" +
		"**Read 254 of 258 files** at `0123456789ab`: 1 critical finding, 1 in changed lines, 1 muted, 1 fixed, " +
		"1 refuted.\n\n" +
		"<details><summary>Not read: 4 files</summary>\n\n- `img.png`: binary\n- `run.sh`: file mode only\n- " +
		"`big.go`, in part: limit of this review\n- `go.sum`: lock file\n\n</details>\n\n" +
		"<details open><summary>1 open finding</summary>\n\n- `dir/file1.go:1` **critical** Fault 1 Always. " +
		"Always.\n\n</details>\n\n" +
		"<details><summary>1 finding in lines that changed since</summary>\n\n- `dir/file2.go:2` **critical** " +
		"Fault 2 These lines have changed, and were last reviewed at `bbbb`.\n\n</details>\n\n" +
		"<details><summary>1 muted finding</summary>\n\n- `dir/file5.go:5` **critical** Fault 5 Muted by " +
		"bob.\n\n</details>\n\n" +
		"<details><summary>1 fixed finding</summary>\n\n- `dir/file3.go:3` **critical** Fault 3 Fixed in " +
		"`cccc`.\n\n</details>\n\n" +
		"<details><summary>1 refuted finding</summary>\n\n- `dir/file4.go:4` **critical** Fault 4 m is never " +
		"nil Refuted: m is never nil\n\n</details>\n\n" +
		"This review is automatic. Write `@mews stop` to end reviews here."
	if got := s.Body(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	s.Unread, s.Head = "It is a draft.", strings.Repeat("f", 40)
	if lines := strings.Split(s.Body(), "\n"); lines[1] != "**Not reviewed:** `ffffffffffff`. It is a draft." ||
		!strings.HasPrefix(lines[2], "**Read 254 of 258 files** at `0123456789ab`") {
		t.Errorf("a head that was not read: %q", lines[:3])
	}
}

var (
	itemLine = regexp.MustCompile("(?m)^- `.*$")
	moreLine = regexp.MustCompile(`(?m)^- and (\d+) more$`)
)

// Findings and files that do not fit into GitHub's limit are counted. No line is cut.
func TestSummary_TooManyFindings_CountsOmitted(t *testing.T) {
	for name, c := range map[string]struct{ open, fixed, files int }{
		"none": {}, "one of each": {1, 1, 1}, "sixty": {60, 0, 3}, "sixty and many files": {60, 60, 3000},
		"many findings": {300, 0, 0},
		"many of all":   {200, 200, 3000}, "many fixed": {0, 600, 0}, "many files": {0, 0, 3000},
	} {
		s := Summary{Head: summaryHead, Name: "mews", Read: summaryHead, Coverage: Coverage{Files: c.files + 1}}
		for i := range c.open {
			s.Records = append(s.Records, madeRecord(i, supervisor.FindingOpen, strings.Repeat("@wörd ", 40)))
		}
		for i := range c.fixed {
			s.Records = append(s.Records, madeRecord(i, supervisor.FindingFixed, strings.Repeat("<b> ", 40)))
		}
		for i := range c.files {
			s.Coverage.AddUnread(UnreadFile{Path: fmt.Sprintf("%s/f%d.go", strings.Repeat("deep/", i%30), i),
				Reason: UnreadReasonLimit})
		}
		body := s.Body()
		listed, counted := len(itemLine.FindAllString(body, -1)), 0
		for _, m := range moreLine.FindAllStringSubmatch(body, -1) {
			n, _ := strconv.Atoi(m[1])
			counted += n
		}
		if all := c.open + c.fixed + c.files; listed+counted != all || len(body) > maxBody || c.open == 60 &&
			c.files < 10 && counted > 0 {
			t.Errorf("%s: %d lines and %d counted of %d, %d bytes", name, listed, counted, all, len(body))
		}
		if c.open == 60 && c.files < 10 && !strings.Contains(body, "Fault 59 ") {
			t.Errorf("%s: the sixtieth finding is missing", name)
		}
		checkDetails(t, name, body)
	}
}

// checkDetails fails if a summary has HTML other than its own.
func checkDetails(t *testing.T, name, body string) {
	t.Helper()
	source := []byte(body)
	own := regexp.MustCompile(`^(<!-- mews:review \S+ -->|<details( open)?><summary>[\w :,]+</summary>|</details>)\s*$`)
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.HTMLBlock:
			for i := range n.Lines().Len() {
				line := n.Lines().At(i)
				if html := strings.TrimSpace(string(line.Value(source))); entering && html != "" &&
					!own.MatchString(html) && !strings.HasPrefix(html, "**Read ") {
					t.Errorf("%s: HTML %q", name, html)
				}
			}
		case *ast.RawHTML, *ast.Link, *ast.Image, *ast.AutoLink:
			t.Errorf("%s: a %s", name, n.Kind())
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Foreign words in titles, details, paths and names trigger no action on GitHub.
func TestSummary_HostileText_IsInert(t *testing.T) {
	for _, words := range hostile {
		r := madeRecord(1, supervisor.FindingOpen, words)
		r.Path, r.MutedBy = words, words
		refuted := madeRecord(2, supervisor.FindingRefuted, words)
		s := Summary{Head: summaryHead, Name: "mews", Read: summaryHead,
			Coverage: Coverage{Files: 1, Unread: []UnreadFile{{Path: words, Reason: UnreadReasonLimit}}},
			Records:  []Record{r, refuted}}
		checkDetails(t, words, s.Body())
	}
}

// The summary may be left out only if all was read, and nothing found.
func TestSummary_AllReadNothingFound_IsNotNeeded(t *testing.T) {
	muted := madeRecord(1, supervisor.FindingOpen, "")
	muted.MutedBy = "bob"
	for name, c := range map[string]struct {
		s    Summary
		want bool
	}{
		"all read":        {Summary{Coverage: Coverage{Files: 3}}, false},
		"one not read":    {Summary{Coverage: Coverage{Files: 3, Unread: []UnreadFile{{Path: "a"}}}}, true},
		"unlisted":        {Summary{Coverage: Coverage{Files: 3001, Unlisted: 1}}, true},
		"head not read":   {Summary{Unread: "It is a draft."}, true},
		"open":            {Summary{Records: []Record{madeRecord(1, supervisor.FindingOpen, "")}}, true},
		"fixed":           {Summary{Records: []Record{madeRecord(1, supervisor.FindingFixed, "")}}, true},
		"in changed code": {Summary{Records: []Record{madeRecord(1, supervisor.FindingChanged, "")}}, true},
		"refuted":         {Summary{Records: []Record{madeRecord(1, supervisor.FindingRefuted, "")}}, false},
		"muted":           {Summary{Records: []Record{muted}}, false},
	} {
		if got := c.s.IsNeeded(); got != c.want {
			t.Errorf("%s: needed %v", name, got)
		}
	}
}
