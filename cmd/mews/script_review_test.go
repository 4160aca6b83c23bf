package main_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"mews/supervisor/github/githubtest"
	"mews/supervisor/model/modeltest"
)

// push pushes a file to a branch, as main.go. If the branch is new, it opens a pull request.
func (h *scriptHub) push(ts *testscript.TestScript, args []string) {
	fresh := h.repo.CommitSHA(args[1]) == ""
	h.repo.AddCommit(args[1], githubtest.Commit{Author: args[0], Message: "Change it",
		Files: map[string]string{"main.go": ts.ReadFile(args[2])}})
	if fresh {
		h.repo.OpenPullRequest(githubtest.NewPullRequest{Author: args[0], Title: "Change it", Head: args[1]})
	}
}

// comment comments on an issue or a pull request.
func (h *scriptHub) comment(ts *testscript.TestScript, args []string) {
	number, err := strconv.Atoi(args[0])
	ts.Check(err)
	h.repo.AddComment(number, args[1], args[2])
}

// commitPattern matches the id of a commit.
var commitPattern = regexp.MustCompile(`\b[0-9a-f]{12,40}\b`)

// awaitReviews waits until a pull request has the reviews in a file, and the given number of mails
// was sent. In the file each commit is COMMIT.
func (h *scriptHub) awaitReviews(ts *testscript.TestScript, args []string) {
	number, err := strconv.Atoi(args[0])
	ts.Check(err)
	mails, want := args[1], ts.ReadFile(args[2])
	text := func() (text string) {
		for _, r := range h.repo.Reviews(number) {
			text += fmt.Sprintf("%s: %s\n", r.State, r.Body)
			for _, c := range r.Comments {
				title, _, _ := strings.Cut(c.Body, "\n")
				text += fmt.Sprintf("%s:%d: %s\n", c.Path, c.Line, title)
			}
		}
		return commitPattern.ReplaceAllString(text, "COMMIT")
	}
	awaitIn(ts, func() bool {
		return text() == want && strconv.Itoa(h.server.CountMails("acme/widget", number)) == mails
	}, func() string {
		return fmt.Sprintf("%d mails, and posted is\n%s\n%s", h.server.CountMails("acme/widget", number), text(),
			h.server.DumpRequests())
	})
}

// panicLine matches a line of a diff that adds a panic.
var panicLine = regexp.MustCompile(`"R(\d+) \+\\t(panic\(\d+\))`)

// reviewer is a model that finds each added panic, and refutes no finding.
func reviewer(r modeltest.Request) modeltest.Answer {
	if stands, ok := modeltest.AnswerReviewSecondLook(r, false); ok {
		return stands
	}
	var found []string
	for _, m := range panicLine.FindAllStringSubmatch(r.NewestUserMessage(), -1) {
		found = append(found, fmt.Sprintf(`{"path": "main.go", "line": %s, "side": "RIGHT", "severity": "critical", "category": "bug", "title": "It panics",
			"detail": "At every start.", "quote": "%s", "confidence": 0.9}`, m[1], m[2]))
	}
	return modeltest.Answer{Text: `{"verdict": "I have looked.", "findings": [` + strings.Join(found, ",") + `]}`}
}
