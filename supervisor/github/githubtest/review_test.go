package githubtest_test

import (
	"fmt"
	"strings"
	"testing"

	"mews/supervisor/github/githubtest"
)

type object = map[string]any

// TestReview_OneBadComment_IsRefused tries GitHub's rules for comments. Each review has one good
// and one bad comment.
func TestReview_OneBadComment_IsRefused(t *testing.T) {
	r := newRig(t, githubtest.Options{})
	r.repo.AddCommit("main", githubtest.Commit{Message: "a", Files: map[string]string{"a.txt": lines(60),
		"gone.txt": lines(5), "pic": "\x00\x01"}})
	r.repo.AddCommit("topic", githubtest.Commit{Message: "b", Files: map[string]string{"a.txt": lines(60, 10, 40),
		"new.txt": "x\n", "pic": "\x00\x02"}, Delete: []string{"gone.txt"}})
	n := r.repo.OpenPullRequest(githubtest.NewPullRequest{Title: "t", Head: "topic"})
	path := fmt.Sprintf("/repos/%s/pulls/%d/reviews", widget, n)
	good := object{"path": "a.txt", "line": 10, "side": "RIGHT", "body": "good"}
	for _, test := range []struct {
		comment object
		want    string // part of the refusal; "" means accepted
	}{
		{object{"path": "a.txt", "line": 7, "side": "RIGHT", "body": "the hunk's first"}, ""},
		{object{"path": "a.txt", "line": 13, "body": "the hunk's last, without a side"}, ""},
		{object{"path": "a.txt", "line": 10, "side": "LEFT", "body": "taken out"}, ""},
		{object{"path": "gone.txt", "line": 5, "side": "LEFT", "body": "of a file that is gone"}, ""},
		{object{"path": "a.txt", "line": 12, "start_line": 8, "side": "RIGHT", "body": "several"}, ""},
		{object{"path": "a.txt", "line": 10, "start_line": 10, "side": "RIGHT", "start_side": "LEFT", "body": "both sides"}, ""},
		{object{"path": "a.txt", "line": 14, "side": "RIGHT", "body": "behind the hunk"}, "Line could not be resolved"},
		{object{"path": "a.txt", "line": 6, "side": "LEFT", "body": "before the hunk"}, "Line could not be resolved"},
		{object{"path": "a.txt", "body": "nowhere"}, "Line could not be resolved"},
		{object{"path": "gone.txt", "line": 5, "side": "RIGHT", "body": "no such side"}, "Line could not be resolved"},
		{object{"path": "new.txt", "line": 1, "side": "LEFT", "body": "no such side"}, "Line could not be resolved"},
		{object{"path": "none.txt", "line": 1, "side": "RIGHT", "body": "no file"}, "Path could not be resolved"},
		{object{"path": "pic", "line": 1, "side": "RIGHT", "body": "binary"}, "Path could not be resolved"},
		{object{"path": "a.txt", "line": 10, "side": "BOTH", "body": "no side"}, "Side is not included in the list"},
		{object{"path": "a.txt", "line": 10, "side": "RIGHT", "body": " "}, "Body can't be blank"},
		{object{"path": "a.txt", "line": 10, "side": "RIGHT", "body": strings.Repeat("x", 65537)}, "Body is too long (maximum is 65536 characters)"},
		{object{"path": "a.txt", "line": 10, "start_line": 10, "side": "RIGHT", "body": "x"}, "Start line must precede the end line."},
		{object{"path": "a.txt", "line": 10, "start_line": 12, "side": "RIGHT", "body": "x"}, "Start line must precede the end line."},
		{object{"path": "a.txt", "line": 40, "start_line": 10, "side": "RIGHT", "body": "x"}, "Start line must be part of the same hunk as the line."},
	} {
		before := len(r.repo.Reviews(n))
		g := r.ask("POST", path, object{"event": "COMMENT", "body": "b", "comments": []object{good, test.comment}})
		made := len(r.repo.Reviews(n)) - before
		if test.want == "" && (g.code != 200 || made != 1) || test.want != "" && (g.code != 422 || made != 0 || g.at("errors.0") != test.want) {
			t.Errorf("%v: %d %s, %d made", test.comment, g.code, g.body, made)
		}
	}
	for _, test := range []struct {
		review object
		code   int
	}{
		{object{"event": "COMMENT"}, 422},
		{object{"event": "PRAISE", "body": "x"}, 422},
		{object{"event": "COMMENT", "body": "x", "commit_id": strings.Repeat("0", 40)}, 422},
		{object{"event": "COMMENT", "body": strings.Repeat("x", 65537)}, 422},
		{object{"body": "nobody sees it yet"}, 200},
	} {
		mails := r.CountMails(widget, n)
		if g := r.ask("POST", path, test.review); g.code != test.code || r.CountMails(widget, n) != mails {
			t.Errorf("%v: %d %s, %d mails", test.review, g.code, g.body, r.CountMails(widget, n)-mails)
		}
	}
}

// TestReviewThread_LinesMove_FollowsThem changes the head of a pull request, also by a rebase.
// Threads must follow their lines or become outdated.
func TestReviewThread_LinesMove_FollowsThem(t *testing.T) {
	r := newRig(t, githubtest.Options{})
	r.repo.AddCommit("main", githubtest.Commit{Message: "a", Files: map[string]string{"a.txt": lines(60)}})
	r.repo.AddCommit("topic", githubtest.Commit{Message: "b", Files: map[string]string{"a.txt": lines(60, 10, 40)}})
	n := r.repo.OpenPullRequest(githubtest.NewPullRequest{Title: "t", Head: "topic"})
	comments := []object{{"path": "a.txt", "line": 10, "side": "RIGHT", "body": "one"}, {"path": "a.txt", "line": 42, "start_line": 40, "side": "RIGHT", "body": "two"}}
	if g := r.ask("POST", fmt.Sprintf("/repos/%s/pulls/%d/reviews", widget, n), object{"event": "COMMENT", "body": "b", "comments": comments}); g.code != 200 {
		t.Fatal(g.body)
	}
	stands := func(want ...int) {
		t.Helper()
		for i, c := range r.repo.Reviews(n)[0].Comments {
			if c.Line != want[i] {
				t.Errorf("comment %d is on line %d, want %d", i, c.Line, want[i])
			}
		}
	}
	stands(10, 42)
	r.repo.AddCommit("main", githubtest.Commit{Message: "c", Files: map[string]string{"a.txt": "one\ntwo\n" + lines(60),
		"z.txt": "z\n"}})
	stands(10, 42)
	old := r.repo.CommitSHA("topic")
	r.repo.RebaseBranch("topic", "main")
	stands(12, 44)
	if g := r.ask("GET", fmt.Sprintf("/repos/%s/pulls/%d", widget, n),
		nil); g.at("head.sha") != r.repo.CommitSHA("topic") || g.at("commits") != 1.0 || g.at("changed_files") != 1.0 {
		t.Errorf("after the rebase: %s", g.body)
	}
	if g := r.ask("GET", fmt.Sprintf("/repos/%s/compare/%s...topic", widget, old), nil); g.at("status") != "diverged" {
		t.Errorf("compared: %s", g.body)
	}
	r.repo.AddCommit("topic", githubtest.Commit{Message: "d", Files: map[string]string{"a.txt": "one\ntwo\n" + lines(60,
		10)}})
	stands(12, 0)
	r.repo.ResetBranch("topic", old)
	stands(10, 42)
	r.repo.MergeBranch("topic", "main")
	stands(12, 44)
	if g := r.ask("GET", fmt.Sprintf("/repos/%s/pulls/%d/files", widget, n), nil); g.at("0.filename") != "a.txt" || g.at("1") != nil {
		t.Errorf("after a merge of the base the files are %s", g.body)
	}
}

func TestLargeDiff_IsRefused_FilesAreListed(t *testing.T) {
	r := newRig(t, githubtest.Options{})
	many := map[string]string{"large.txt": strings.Repeat("0123456789\n", 60000), "pic": "\x00\x01"}
	for i := range 3050 {
		many[fmt.Sprintf("many/%04d.txt", i)] = "x\n"
	}
	r.repo.AddCommit("many", githubtest.Commit{Message: "m", Files: many})
	n := r.repo.OpenPullRequest(githubtest.NewPullRequest{Title: "t", Head: "many"})
	path := fmt.Sprintf("/repos/%s/pulls/%d", widget, n)
	if g := r.ask("GET", path, nil, "Accept", diffType); g.code != 406 || g.at("errors.0.code") != "too_large" || !strings.Contains(fmt.Sprint(g.at("message")), "maximum number of files (300)") {
		t.Errorf("the diff: %d %s", g.code, g.body)
	}
	g := r.ask("GET", path+"/files?per_page=100", nil)
	if g.at("0.filename") != "large.txt" || g.at("0.patch") != nil || g.at("0.additions") != 60000.0 || g.at("1.filename") != "many/0000.txt" || g.at("1.patch") != "@@ -0,0 +1 @@\n+x" {
		t.Errorf("the files begin with %.300s", g.body)
	}
	if g := r.ask("GET", path+"/files?per_page=100&page=30", nil); g.at("9.filename") == nil || strings.Contains(g.header.Get("Link"), "next") {
		t.Errorf("page 30 of 3,000: %s", g.header.Get("Link"))
	}
	if g := r.ask("GET", path+"/files?per_page=100&page=31", nil); g.body != "[]" {
		t.Error("more than 3,000 files are listed")
	}
}
