package api_test

import (
	"strings"
	"testing"

	"mews/supervisor/github/api"
	"mews/supervisor/github/githubtest"
)

func TestPullRequest_FieldsAreRead(t *testing.T) {
	r := newRig(t, githubtest.Options{Strict: true})
	ctx := t.Context()
	n := r.open()
	p := must[api.PullRequest](t)(r.PullRequest(ctx, widget, n))
	if p.Title != "A change" || p.Author != "alice" || p.Head.Ref != "topic" ||
		p.Head.SHA != r.repo.CommitSHA("topic") || p.Base.Ref != "main" || p.Fork ||
		p.Files != 2 || p.Commits != 1 || p.State != "open" || p.Head.Repo != widget {
		t.Errorf("read %+v", p)
	}
	files := must[api.Page[api.ChangedFile]](t)(r.ChangedFiles(ctx, widget, n))
	if len(files.Items) != 2 || files.More || !strings.HasPrefix(files.Items[0].Patch, "@@ -7,7 +7,7 @@") || files.Items[1].Status != "added" {
		t.Errorf("listed %+v", files)
	}
	if diff := must[string](t)(r.Diff(ctx, widget, n)); !strings.Contains(diff, "+line 40 changed") {
		t.Errorf("read the diff %q", diff)
	}
	commits := must[api.Page[api.Commit]](t)(r.PullRequestCommits(ctx, widget, n))
	if len(commits.Items) != 1 || commits.Items[0].Message != "Change a" || commits.Items[0].SHA != p.Head.SHA || len(commits.Items[0].Parents) != 1 {
		t.Errorf("listed %+v", commits)
	}
	data, found, err := r.FileContent(ctx, widget, "b/c.txt", p.Head.SHA)
	if err != nil || !found || string(data) != "new\n" {
		t.Errorf("read %q, %v, %v", data, found, err)
	}
	if _, found, err := r.FileContent(ctx, widget, "b/c.txt", p.Base.SHA); err != nil || found {
		t.Errorf("a file that is not there: found %v, %v", found, err)
	}
	texts := must[map[string]string](t)(r.FileTexts(ctx, widget, p.Head.SHA, []string{"a.txt", "b/c.txt", "none"}))
	if len(texts) != 2 || texts["b/c.txt"] != "new\n" {
		t.Errorf("read %q", texts)
	}
	fork := r.repo.AddCommit("stranger:topic", githubtest.Commit{Message: "x", Author: "stranger",
		Files: map[string]string{"x": "y"}})
	m := r.repo.OpenPullRequest(githubtest.NewPullRequest{Title: "Theirs", Head: "stranger:topic", Author: "stranger",
		Draft: true})
	p = must[api.PullRequest](t)(r.PullRequest(ctx, widget, m))
	if !p.Fork || p.Head.Repo != "stranger/widget" || p.Head.SHA != fork || !p.Draft || p.Standing != "NONE" {
		t.Errorf("read %+v", p)
	}
	pulls := must[api.Page[api.PullRequest]](t)(r.PullRequests(ctx, widget, "open", 10, ""))
	if len(pulls.Items) != 2 || pulls.Items[0].Number != m || pulls.Same {
		t.Errorf("listed %+v", pulls)
	}
	again := must[api.Page[api.PullRequest]](t)(r.PullRequests(ctx, widget, "open", 10, pulls.ETag))
	if !again.Same || again.ETag != pulls.ETag || len(again.Items) != 0 {
		t.Errorf("listed again: %+v", again)
	}
}

func TestCreateReview_PostsComments(t *testing.T) {
	r := newRig(t, githubtest.Options{Strict: true})
	ctx := t.Context()
	n := r.open()
	head := r.repo.CommitSHA("topic")
	made := must[api.Review](t)(r.CreateReview(ctx, widget, n, api.ReviewParams{Head: head, Body: "Two findings",
		Comments: []api.ReviewCommentParams{
			{Path: "a.txt", Line: 10, Side: "RIGHT", Body: "one"}, {Path: "a.txt", Start: 38, Line: 41, Side: "RIGHT", Body: "two"}}}))
	if made.State != "COMMENTED" || made.Author != "mews-bot" || made.Head != head {
		t.Errorf("made %+v", made)
	}
	if err := r.UpdateReview(ctx, widget, n, made.ID, "None any more"); err != nil {
		t.Fatal(err)
	}
	if mails := r.CountMails(widget, n); mails != 1 {
		t.Errorf("it was %d mails", mails)
	}
	for _, c := range []api.ReviewCommentParams{{Path: "a.txt", Line: 20, Side: "RIGHT", Body: "not in the diff"},
		{Path: "a.txt", Start: 10, Line: 40, Side: "RIGHT", Body: "two hunks"}, {Path: "none", Line: 1, Side: "RIGHT", Body: "no such file"}} {
		_, err := r.CreateReview(ctx, widget, n, api.ReviewParams{Head: head, Body: "x",
			Comments: []api.ReviewCommentParams{{Path: "a.txt", Line: 10, Side: "LEFT", Body: "good"}, c}})
		if e := failure(t, err, api.InvalidRequest); e.Status != 422 || e.Unknown || e.Text == "" {
			t.Errorf("%s: %v", c.Body, err)
		}
	}
	reviews := must[api.Page[api.Review]](t)(r.Reviews(ctx, widget, n))
	if len(reviews.Items) != 1 || reviews.Items[0].Body != "None any more" {
		t.Errorf("there are %+v", reviews.Items)
	}
	r.repo.AddReview(n, "helper[bot]", "COMMENTED", "hm", githubtest.DiffComment{Path: "a.txt", Side: "RIGHT", Line: 10, Body: "third"})
	first := r.repo.Reviews(n)[0].Comments[0]
	r.repo.ResolveThread(n, first.ID, "bob")
	r.repo.AddReaction(first.ID, "carol", "-1")
	r.repo.AddCommit("topic", githubtest.Commit{Message: "again", Files: map[string]string{"a.txt": "top\n" +
		numbered(50, 10)}})
	threads, ok, err := r.ReviewThreads(ctx, widget, n)
	if err != nil || !ok || len(threads) != 3 {
		t.Fatalf("threads %+v, %v, %v", threads, ok, err)
	}
	if a := threads[0]; !a.Resolved || a.ResolvedBy != "bob" || a.Outdated || a.Line != 11 || a.Comments[0].Review != made.ID || a.Comments[0].Author != "mews-bot" ||
		len(a.Comments[0].ThumbsDown) != 1 || a.Comments[0].ID != first.ID {
		t.Errorf("the first thread is %+v", a)
	}
	if b := threads[1]; !b.Outdated || b.Line != 0 || b.Resolved {
		t.Errorf("the second thread is %+v", b)
	}
	if c := threads[2]; c.Comments[0].Author != "helper[bot]" {
		t.Errorf("the third thread is %+v", c)
	}
}
