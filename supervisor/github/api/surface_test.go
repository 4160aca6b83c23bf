package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"mews/supervisor/github/api"
	"mews/supervisor/github/githubtest"
)

func TestIssue_LabelsAndProject_AreAdded(t *testing.T) {
	r := newAppRig(t, githubtest.Options{Strict: true})
	ctx := t.Context()
	r.repo.CreateLabels("bug")
	r.Server.CreateProject("acme", "Triage board")
	n := r.repo.OpenIssue(githubtest.NewIssue{Title: "The window won't open", Body: "It is stuck", Author: "bob"})
	similar := r.repo.OpenIssue(githubtest.NewIssue{Title: "Window stuck"})
	r.repo.OpenIssue(githubtest.NewIssue{Title: "Else"})
	i := must[api.Issue](t)(r.Client.Issue(ctx, widget, n))
	if i.Author != "bob" || i.Pull || i.State != "open" || i.Standing != "NONE" {
		t.Errorf("read %+v", i)
	}
	found := must[[]api.Issue](t)(r.SearchIssues(ctx, widget, `window stuck repo:evil/other "is:pr`, 10))
	if len(found) != 2 || !slices.ContainsFunc(found, func(i api.Issue) bool { return i.Number == similar }) {
		t.Errorf("found %+v", found)
	}
	for range 2 { // creating the same label twice is no error
		if err := r.CreateLabel(ctx, widget, api.Label{Name: "priority: high", Color: "b60205"}); err != nil {
			t.Fatal(err)
		}
	}
	labels := must[[]api.Label](t)(r.Client.Labels(ctx, widget))
	if len(labels) != 2 || labels[1] != (api.Label{Name: "priority: high", Color: "b60205"}) {
		t.Errorf("labels %+v", labels)
	}
	if err := r.AddLabels(ctx, widget, n, []string{"bug", "priority: high"}); err != nil {
		t.Fatal(err)
	}
	made := must[api.Comment](t)(r.CreateComment(ctx, widget, n, "first"))
	if err := r.EditComment(ctx, widget, made.ID, "second"); err != nil {
		t.Fatal(err)
	}
	now := r.repo.Issue(n)
	if !slices.Equal(now.Labels, []string{"bug", "priority: high"}) || len(now.Comments) != 1 || now.Comments[0].Body != "second" || now.Comments[0].Author != "mews[bot]" ||
		r.CountMails(widget, n) != 1 {
		t.Errorf("it is %+v, %d mails", now, r.CountMails(widget, n))
	}
	board := must[string](t)(r.Client.FindProject(ctx, widget, "triage BOARD"))
	for range 2 {
		if err := r.AddToProject(ctx, widget, board, i.NodeID); err != nil {
			t.Fatal(err)
		}
	}
	if in := r.repo.IssuesInProject("Triage board"); !slices.Equal(in, []int{n}) {
		t.Errorf("the project has %v", in)
	}
	if none := must[string](t)(r.Client.FindProject(ctx, widget, "Triage")); none != "" {
		t.Errorf("found %q", none)
	}
	failure(t, r.AddToProject(ctx, widget, "PVT_0", i.NodeID), api.NotFound)
}

func TestLists_SinceTime_ReturnChanges(t *testing.T) {
	r := newRig(t, githubtest.Options{Strict: true})
	ctx := t.Context()
	n := r.open()
	r.repo.AddComment(n, "bob", "early")
	r.AdvanceClock(time.Hour)
	since := r.Now()
	r.AdvanceClock(time.Minute)
	issue := r.repo.OpenIssue(githubtest.NewIssue{Title: "late"})
	r.repo.AddComment(issue, "helper[bot]", "late")
	issues := must[api.Page[api.Issue]](t)(r.IssuesSince(ctx, widget, since, ""))
	if len(issues.Items) != 1 || issues.Items[0].Number != issue {
		t.Errorf("issues %+v", issues.Items)
	}
	comments := must[api.Page[api.Comment]](t)(r.CommentsSince(ctx, widget, since, ""))
	if len(comments.Items) != 1 || comments.Items[0].Number != issue || !comments.Items[0].Bot {
		t.Errorf("comments %+v", comments.Items)
	}
	if again := must[api.Page[api.Comment]](t)(r.CommentsSince(ctx, widget, since, comments.ETag)); !again.Same {
		t.Error("what has not changed is listed again")
	}
	r.repo.AddReview(n, "bob", "COMMENTED", "", githubtest.DiffComment{Path: "a.txt", Side: "RIGHT", Line: 10, Body: "why"})
	diff := must[api.Page[api.Comment]](t)(r.DiffCommentsSince(ctx, widget, since, ""))
	if len(diff.Items) != 1 || diff.Items[0].Number != n || diff.Items[0].Path != "a.txt" {
		t.Errorf("comments on diffs %+v", diff.Items)
	}
	r.repo.PublishRelease("v1", "One", "Notes")
	if releases := must[api.Page[api.Release]](t)(r.Releases(ctx, widget, 10, "")); len(releases.Items) != 1 || releases.Items[0].Tag != "v1" {
		t.Errorf("releases %+v", releases.Items)
	}
	commits := must[api.Page[api.Commit]](t)(r.BranchCommits(ctx, widget, "main", 1, ""))
	if len(commits.Items) != 1 || commits.Items[0].SHA != r.repo.CommitSHA("main") || !commits.More {
		t.Errorf("commits %+v", commits)
	}
	r.repo.CompleteCheckRun("test", "topic", "failure")
	r.repo.CompleteCheckRun("test", "topic", "success")
	checks := must[api.Page[api.CheckRun]](t)(r.Client.CheckRuns(ctx, widget, "topic", ""))
	if len(checks.Items) != 1 || checks.Items[0].Conclusion != "success" {
		t.Errorf("checks %+v", checks.Items)
	}
	for login, want := range map[string]string{"acme": "admin", "mews-bot": "write", "stranger": "read"} {
		if may := must[string](t)(r.Permission(ctx, widget, login)); may != want {
			t.Errorf("%s may %s", login, may)
		}
	}
}

// TestETag_ChangeOnLaterPage_IsSeen covers a list of two pages. The ETag of the first page says
// nothing about the second page.
func TestETag_ChangeOnLaterPage_IsSeen(t *testing.T) {
	r := newRig(t, githubtest.Options{Strict: true})
	since := r.Now().Add(-time.Minute)
	n := r.repo.OpenIssue(githubtest.NewIssue{Title: "x"})
	for i := range 150 {
		r.repo.AddComment(n, "bob", fmt.Sprint(i))
	}
	etag := ""
	for want := 150; want < 153; want++ {
		page := must[api.Page[api.Comment]](t)(r.CommentsSince(t.Context(), widget, since, etag))
		if len(page.Items) != want || page.Same || page.More {
			t.Errorf("%d comments, want %d, %v", len(page.Items), want, page.Same)
		}
		etag = page.ETag
		r.repo.AddComment(n, "bob", "one more")
	}
}

func TestCheckRun_WithoutApp_IsRefused(t *testing.T) {
	token, app := newRig(t, githubtest.Options{Strict: true}), newAppRig(t, githubtest.Options{Strict: true})
	check := api.CheckRunParams{Name: "mews", Title: "2 findings", Summary: "...", External: "1"}
	token.open()
	check.Head = token.repo.CommitSHA("topic")
	_, err := token.CreateCheckRun(t.Context(), widget, check)
	failure(t, err, api.Forbidden)
	app.open()
	check.Head = app.repo.CommitSHA("topic")
	made := must[api.CheckRun](t)(app.CreateCheckRun(t.Context(), widget, check))
	check.Title = "none"
	if err := app.UpdateCheckRun(t.Context(), widget, made.ID, check); err != nil {
		t.Fatal(err)
	}
	if all := app.repo.CheckRuns(); len(all) != 1 || all[0].Conclusion != "neutral" || all[0].Title != "none" ||
		all[0].External != "1" {
		t.Errorf("checks %+v", all)
	}
}

func TestWebhook_Created_RedeliversOnRequest(t *testing.T) {
	receiver := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(receiver.Close)
	r := newRig(t, githubtest.Options{Strict: true, Login: "acme"})
	ctx := t.Context()
	made := must[api.Webhook](t)(r.CreateWebhook(ctx, widget, receiver.URL, func() string { return "s" },
		[]string{"issues"}))
	_, err := r.CreateWebhook(ctx, widget, receiver.URL, func() string { return "s" }, nil)
	failure(t, err, api.InvalidRequest)
	hooks := must[[]api.Webhook](t)(r.Client.Webhooks(ctx, widget))
	if len(hooks) != 1 || hooks[0].ID != made.ID || !hooks[0].Secret || !hooks[0].JSON || !hooks[0].Active || !slices.Equal(hooks[0].Events, []string{"issues"}) {
		t.Errorf("hooks %+v", hooks)
	}
	for i := range 120 {
		r.repo.OpenIssue(githubtest.NewIssue{Title: fmt.Sprint(i)})
	}
	r.AwaitCondition(t, "the deliveries", r.IsIdle)
	var all []api.WebhookDelivery
	for cursor, first := "", true; first || cursor != ""; first = false {
		list, next, err := r.WebhookDeliveries(ctx, widget, made.ID, cursor)
		if err != nil {
			t.Fatal(err)
		}
		all, cursor = append(all, list...), next
	}
	if len(all) != 121 || all[0].Succeeded() || all[0].Event != "issues" || all[120].Event != "ping" ||
		all[0].Code != 404 {
		t.Fatalf("%d deliveries, the last %+v", len(all), all[0])
	}
	if err := r.RedeliverWebhook(ctx, widget, made.ID, all[0].ID); err != nil {
		t.Fatal(err)
	}
	r.AwaitCondition(t, "the delivery", r.IsIdle)
	list, _, err := r.WebhookDeliveries(ctx, widget, made.ID, "")
	if err != nil || list[0].GUID != all[0].GUID || !list[0].Again {
		t.Errorf("the last is %+v, %v", list[0], err)
	}
	stranger := newRig(t, githubtest.Options{Strict: true})
	_, err = stranger.Client.Webhooks(ctx, widget)
	failure(t, err, api.NotFound) // GitHub answers 404 to a user who is not an admin

	app := newAppRig(t, githubtest.Options{Strict: true})
	app.repo.OpenIssue(githubtest.NewIssue{Title: "x"})
	app.AwaitCondition(t, "the delivery", app.IsIdle)
	hooks = must[[]api.Webhook](t)(app.Client.Webhooks(ctx, widget))
	if len(hooks) != 1 || hooks[0].ID != api.AppWebhookID || !hooks[0].Secret {
		t.Errorf("the app's hooks %+v", hooks)
	}
	list, _, err = app.WebhookDeliveries(ctx, widget, api.AppWebhookID, "")
	if err != nil || len(list) == 0 || list[0].Succeeded() || list[0].Code != 0 {
		t.Fatalf("the app's deliveries %+v, %v", list, err)
	}
	if err := app.RedeliverWebhook(ctx, widget, api.AppWebhookID, list[0].ID); err != nil {
		t.Error(err)
	}
}
