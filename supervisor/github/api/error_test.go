package api_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mews/supervisor"
	"mews/supervisor/github/api"
	"mews/supervisor/github/githubtest"
	"mews/supervisor/problem"
)

// TestCreateReview_AnswerLost_OutcomeIsUnknown loses the answer to a new review in several ways.
// The error must say that the review may exist.
func TestCreateReview_AnswerLost_OutcomeIsUnknown(t *testing.T) {
	r := newRig(t, githubtest.Options{Strict: true})
	ctx := t.Context()
	n := r.open()
	for _, f := range []githubtest.Fault{
		{Kind: githubtest.FaultConnReset, After: true}, {Kind: githubtest.FaultTruncatedBody},
		{Kind: githubtest.FaultErrorStatus, Code: 502, After: true}, {Kind: githubtest.FaultHTMLPage, Code: 504,
			After: true},
	} {
		f.Route = "POST "
		before := len(r.repo.Reviews(n))
		r.InjectFault(f)
		_, err := r.CreateReview(ctx, widget, n, api.ReviewParams{Head: r.repo.CommitSHA("topic"),
			Body: string(f.Kind)})
		var e *api.Error
		if !errors.As(err, &e) || !e.Unknown {
			t.Errorf("%s: got %v", f.Kind, err)
		}
		reviews := must[api.Page[api.Review]](t)(r.Reviews(ctx, widget, n)).Items
		if len(reviews) != before+1 || reviews[before].Body != string(f.Kind) {
			t.Errorf("%s: the reviews are %+v", f.Kind, reviews)
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := r.PullRequest(ctx, widget, n); !errors.Is(err, context.Canceled) {
		t.Errorf("after its context's end: %v", err)
	}
}

func TestRefusal_Each_HasErrorClass(t *testing.T) {
	r := newRig(t, githubtest.Options{Strict: true, May: map[string]string{"metadata": "read", "contents": "read", "pull_requests": "read"}})
	ctx := t.Context()
	n := r.open()
	many := map[string]string{}
	for i := range 301 {
		many[fmt.Sprintf("many/%d", i)] = "x\n"
	}
	r.repo.AddCommit("many", githubtest.Commit{Message: "many", Files: many})
	large := r.repo.OpenPullRequest(githubtest.NewPullRequest{Title: "Many", Head: "many"})
	for _, test := range []struct {
		class api.ErrorClass
		code  supervisor.ErrorCode
		do    func() error
	}{
		{api.NotFound, supervisor.CodeNotFound, func() error { _, err := r.PullRequest(ctx, widget, 99); return err }},
		{api.NotFound, supervisor.CodeNotFound, func() error { _, err := r.Repository(ctx, "acme/none"); return err }},
		{api.AnswerTooLarge, supervisor.CodeInvalid, func() error { _, err := r.Diff(ctx, widget, large); return err }},
		{api.Forbidden, supervisor.CodeForbidden, func() error { _, err := r.CreateComment(ctx, widget, n, "x"); return err }},
		{api.Forbidden, supervisor.CodeForbidden, func() error {
			_, err := r.CheckRuns(ctx, widget, "topic",
				"")
			return err
		}},
		{api.InvalidRequest, supervisor.CodeInvalid, func() error {
			_, err := r.PullRequest(ctx, "acme/widget/..",
				1)
			return err
		}},
		{api.InvalidRequest, supervisor.CodeInvalid, func() error {
			_, err := r.PullRequest(ctx, "widget",
				1)
			return err
		}},
	} {
		err := test.do()
		failure(t, err, test.class)
		if supervisor.ErrorCodeOf(err) != test.code || !strings.Contains(problem.UserText(err), "GitHub") &&
			test.class != api.AnswerTooLarge {
			t.Errorf("%v: a person is told %q", err, problem.UserText(err))
		}
	}
	files := must[api.Page[api.ChangedFile]](t)(r.ChangedFiles(ctx, widget, large))
	if len(files.Items) != 301 || files.More {
		t.Errorf("%d files, more: %v", len(files.Items), files.More)
	}
	r.RevokeToken(r.Token())
	_, err := r.PullRequest(ctx, widget, n)
	failure(t, err, api.BadCredentials)
}

func TestRenamedRepository_IsFollowed(t *testing.T) {
	r := newRig(t, githubtest.Options{Strict: true})
	ctx := t.Context()
	n := r.open()
	r.repo.Rename("acme/gadget")
	if p := must[api.PullRequest](t)(r.PullRequest(ctx, widget, n)); p.Base.Repo != "acme/gadget" {
		t.Errorf("read %+v", p)
	}
	must[api.Comment](t)(r.CreateComment(ctx, widget, n, "x"))
	if len(r.repo.Issue(n).Comments) != 1 {
		t.Error("it was not written")
	}
}

func TestRedirect_ToOtherHost_IsNotFollowed(t *testing.T) {
	asked := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	t.Cleanup(other.Close)
	for _, code := range []int{301, 302, 307, 308} {
		from := httptest.NewServer(http.RedirectHandler(other.URL, code))
		t.Cleanup(from.Close)
		c, err := api.New(api.Options{URL: from.URL, Token: func() string { return "t" }})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.PullRequest(t.Context(), widget, 1)
		failure(t, err, api.NotFound)
		_, err = c.CreateComment(t.Context(), widget, 1, "x")
		failure(t, err, api.NotFound)
	}
	if asked != 0 {
		t.Errorf("another host was asked %d times", asked)
	}
}

func TestEndlessAnswer_IsBrokenOff(t *testing.T) {
	sent := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		for chunk := make([]byte, 1<<20); ; {
			if _, err := rw.Write(chunk); err != nil {
				return
			}
		}
	}))
	t.Cleanup(sent.Close)
	c, err := api.New(api.Options{URL: sent.URL, Token: func() string { return "t" }})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Diff(t.Context(), widget, 1)
	failure(t, err, api.AnswerTooLarge)
}

func TestWithoutGraphQL_UsesREST(t *testing.T) {
	r := newRig(t, githubtest.Options{Strict: true, NoGraphQL: true})
	ctx := t.Context()
	n := r.open()
	if _, ok, err := r.ReviewThreads(ctx, widget, n); ok || err != nil {
		t.Errorf("threads: %v, %v", ok, err)
	}
	texts := must[map[string]string](t)(r.FileTexts(ctx, widget, "topic", []string{"b/c.txt", "none", "a.txt"}))
	if len(texts) != 2 || texts["b/c.txt"] != "new\n" {
		t.Errorf("read %q", texts)
	}
}

// TestReview_FiftyFiles_TakesFewRequests makes all requests for a review of 50 files, as an App.
func TestReview_FiftyFiles_TakesFewRequests(t *testing.T) {
	r := newAppRig(t, githubtest.Options{Strict: true})
	ctx := t.Context()
	files := map[string]string{}
	var paths []string
	for i := range 50 {
		paths = append(paths, fmt.Sprintf("dir/file%02d.go", i))
		files[paths[i]] = numbered(100)
	}
	r.repo.AddCommit("topic", githubtest.Commit{Message: "Fifty", Files: files})
	n := r.repo.OpenPullRequest(githubtest.NewPullRequest{Title: "Fifty", Head: "topic"})
	p := must[api.PullRequest](t)(r.PullRequest(ctx, widget, n))
	must[api.Page[api.Commit]](t)(r.PullRequestCommits(ctx, widget, n))
	must[api.Page[api.ChangedFile]](t)(r.ChangedFiles(ctx, widget, n))
	must[string](t)(r.Diff(ctx, widget, n))
	must[map[string]string](t)(r.FileTexts(ctx, widget, p.Base.SHA, []string{"AGENTS.md", "CLAUDE.md",
		".mews/review.md", ".gitattributes", "specs/topic.md"}))
	must[[]api.FolderEntry](t)(r.ListFolder(ctx, widget, "specs", p.Base.SHA))
	if texts := must[map[string]string](t)(r.FileTexts(ctx, widget, p.Head.SHA, paths)); len(texts) != 50 ||
		texts[paths[49]] != files[paths[49]] {
		t.Errorf("read %d files", len(texts))
	}
	if _, _, err := r.ReviewThreads(ctx, widget, n); err != nil {
		t.Fatal(err)
	}
	must[api.Page[api.Comment]](t)(r.IssueComments(ctx, widget, n))
	must[api.Page[api.Review]](t)(r.Reviews(ctx, widget, n))
	must[api.Issue](t)(r.Client.Issue(ctx, widget, n))
	must[string](t)(r.Permission(ctx, widget, p.Author))
	must[api.PullRequest](t)(r.PullRequest(ctx, widget, n)) // the last check that the head has not changed
	must[api.Review](t)(r.CreateReview(ctx, widget, n, api.ReviewParams{Head: p.Head.SHA, Body: "Fine"}))
	if asked := len(r.Requests()); asked > 30 {
		t.Errorf("it took %d requests\n%s", asked, r.DumpRequests())
	} else {
		t.Logf("it took %d requests", asked)
	}
}
