package github_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
	"mews/supervisor/github"
	"mews/supervisor/github/api"
	"mews/supervisor/github/githubtest"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// watched is the repository acme/widget on a fake GitHub, and a Poller.
type watched struct {
	*testing.T
	hub  *githubtest.Server
	repo *githubtest.Repo
	db   *sqlite.DB
	poll time.Duration

	self     string         // Mews's login on GitHub; "" if unknown
	reviewed map[int]string // last reviewed head of each pull request

	cut  int    // number of commits after which the service stops; 0 means that it does not stop
	ends func() // stops the service
}

func newWatched(t *testing.T, poll time.Duration) *watched {
	w := &watched{T: t, hub: githubtest.New(t, githubtest.Options{}), poll: poll, ends: func() {}}
	w.db = sqlitetest.OpenPath(t, filepath.Join(t.TempDir(), "mews.db"), sqlite.Options{OnCommit: func() {
		if w.cut--; w.cut == 0 {
			w.ends()
		}
	}})
	w.repo = w.hub.Repo("Acme/Widget")
	w.repo.AddCommit("main", githubtest.Commit{Message: "Begin", Files: map[string]string{"a": "1\n"}})
	return w
}

// look polls like a restarted service, an hour after the last poll.
func (w *watched) look() (found []string) {
	w.Helper()
	w.hub.AdvanceClock(time.Hour)
	before := len(w.kept())
	client, err := api.New(api.Options{URL: w.hub.URL(), Token: w.hub.Token, Now: w.hub.Now})
	if err != nil {
		w.Fatal(err)
	}
	watch := github.NewPoller(github.PollerOptions{Client: client, Deliveries: w.db.WebhookDeliveries(),
		Settings: w.db.Settings(), Poll: w.poll, Wake: func() {},
		Self:     func() string { return w.self },
		Reviewed: func(context.Context, string) (map[int]string, error) { return w.reviewed, nil }, Now: w.hub.Now, Log: hclog.NewNullLogger()})
	ctx, end := context.WithCancel(w.Context())
	defer end()
	w.ends = end
	watch.PollRepo(ctx, supervisor.GitHubRepo{Name: "acme/widget", User: "alice"})
	if failure := watch.LastPoll("acme/widget").Failure; failure != "" {
		found = append(found, "failure: "+failure)
	}
	return append(found, w.kept()[before:]...)
}

func (w *watched) same(what string, got, want []string) {
	w.Helper()
	if !slices.Equal(got, want) {
		w.Errorf("%s: got %q, want %q", what, got, want)
	}
}

// kept returns the stored deliveries, one on each line.
func (w *watched) kept() []string {
	w.Helper()
	return sqlitetest.QueryColumn(w, w.db, `SELECT concat_ws(' ', event ->> 'event', event ->> 'action', '#' || (event ->> 'number'), event ->> 'sender', event ->> 'title',
		event ->> 'text', iif(event ->> 'merged', 'merged', NULL), iif(event ->> 'fork', 'fork', NULL), event ->> 'state', event ->> '$.commits[0].title', event ->> 'more')
		FROM webhook_delivery ORDER BY id`)
}

func (w *watched) sees(what string, want ...string) {
	w.Helper()
	got := strings.Join(w.look(), "\n")
	if got != strings.Join(want, "\n") {
		w.Errorf("%s: found was\n%s\nwant\n%s", what, got, strings.Join(want, "\n"))
	}
	if again := w.look(); len(again) > 0 {
		w.Errorf("%s: the next look has found %q", what, again)
	}
}

func branch(w *watched, name, text string) {
	w.repo.AddCommit(name, githubtest.Commit{Message: "Change " + name, Files: map[string]string{"a": text}})
}

// TestPoll_ChecksForbidden_ReadsOtherLists covers a fine-grained token, which can't read checks of
// a private repository. The poll must read all other lists without a failure.
func TestPoll_ChecksForbidden_ReadsOtherLists(t *testing.T) {
	w := newWatched(t, time.Minute)
	branch(w, "new", "2\n")
	n := w.repo.OpenPullRequest(githubtest.NewPullRequest{Title: "New", Head: "new"})
	w.hub.InjectFault(githubtest.Fault{Kind: githubtest.FaultErrorStatus, Code: http.StatusForbidden,
		Text: "Resource not accessible by personal access token", Times: -1,
		Route: "GET /repos/{owner}/{repo}/commits/{ref}/check-runs"})
	w.sees("the first look")
	w.repo.AddComment(n, "carol", "Why?")
	w.sees("said", "issue_comment created #1 carol Why?")
}

// TestPoll_WithoutWebhook_FindsEvents checks that each event since the last poll is found once.
// Events before the first poll are not found.
func TestPoll_WithoutWebhook_FindsEvents(t *testing.T) {
	w := newWatched(t, time.Minute)
	branch(w, "old", "0\n")
	old := w.repo.OpenPullRequest(githubtest.NewPullRequest{Title: "Old", Head: "old"})
	w.repo.OpenIssue(githubtest.NewIssue{Title: "Older"})
	w.repo.AddComment(old, "bob", "Before.")
	w.repo.CompleteCheckRun("test", w.repo.CommitSHA("old"), "failure")
	w.sees("the first look")

	branch(w, "new", "2\n")
	n := w.repo.OpenPullRequest(githubtest.NewPullRequest{Title: "New", Head: "new", Draft: true})
	issue := w.repo.OpenIssue(githubtest.NewIssue{Title: "It", Author: "bob"})
	w.repo.AddComment(n, "carol", "Why?")
	w.sees("opened", "pull_request opened #3 alice New open", "issues opened #4 bob It open", "issue_comment created #3 carol Why?")

	branch(w, "new", "3\n")
	branch(w, "old", "4\n")
	w.repo.CompleteCheckRun("test", w.repo.CommitSHA("new"), "failure")
	w.sees("pushed", "pull_request synchronize #3 New open", "pull_request synchronize #1 Old open", "check_run completed #3 test failure")
	w.repo.MarkDraftReady(n)
	w.repo.AddComment(n, "mews-bot", "Reviewed. <!-- mews:1 -->")
	w.sees("ready", "pull_request ready_for_review #3 New open")

	w.repo.MergePullRequest(n)
	w.repo.CloseIssue(issue)
	w.repo.PublishRelease("v1", "First", "All of it.")
	w.sees("ended", "pull_request closed #3 New merged closed", "issues closed #4 It closed", "release published alice First All of it.", "push alice Change new")
	w.repo.CloseIssue(old)
	w.sees("closed", "pull_request closed #1 Old closed")
	w.repo.ReopenIssue(old)
	w.sees("reopened", "pull_request reopened #1 Old open")
	for i := range 8 {
		w.repo.AddCommit("main", githubtest.Commit{Message: "Again\n\nAnd again.",
			Files: map[string]string{"b": strings.Repeat("x", i+1)}})
	}
	w.sees("many commits", "push alice Again 3")
}

// A comment with Mews's mark counts unless Mews wrote it. If Mews's login is unknown, no comment
// with the mark counts.
func TestPoll_MarkedComment_CountsUnlessOwn(t *testing.T) {
	for self, want := range map[string][]string{"": nil,
		"mews-bot": {"issue_comment created #1 bob @mews triage <!-- mews:1 -->"}} {
		w := newWatched(t, time.Minute)
		w.self = self
		issue := w.repo.OpenIssue(githubtest.NewIssue{Title: "It"})
		w.look()
		w.repo.AddComment(issue, "Mews-Bot", "Done. <!-- mews:1 -->")
		w.repo.AddComment(issue, "bob", "@mews triage <!-- mews:1 -->")
		w.same("as "+self, w.look(), want)
	}
}

// A poll finds a changed title or a removed label once. After an update of Mews, the stored state
// may lack title and labels; then no change of them is found.
func TestPoll_TitleOrLabelChange_IsFoundOnce(t *testing.T) {
	for name, c := range map[string]struct{ every time.Duration }{"without a webhook": {time.Minute}, "with one": {0}} {
		t.Run(name, func(t *testing.T) {
			w := newWatched(t, c.every)
			branch(w, "new", "2\n")
			n := w.repo.OpenPullRequest(githubtest.NewPullRequest{Title: "WIP: New", Head: "new"})
			w.repo.AddLabel(n, "no-review", "alice")
			w.look()
			w.repo.ChangeTitle(n, "New")
			w.sees("a new title", "pull_request edited #1 New open")
			w.repo.RemoveLabel(n, "no-review", "alice")
			w.sees("a removed label", "pull_request edited #1 New open")
			branch(w, "new", "3\n")
			w.repo.ChangeTitle(n, "Newer")
			w.sees("a push and a new title", "pull_request synchronize #1 Newer open")
			sqlitetest.ExecStatements(t, w.db, `UPDATE setting SET value = json_remove(value, '$.pulls.1.text')
				WHERE name LIKE 'github seen %'`)
			w.repo.AddComment(n, "bob", "Why?")
			for _, found := range w.look() {
				if strings.HasPrefix(found, "pull_request ") {
					t.Errorf("after an update it has found %q", found)
				}
			}
		})
	}
}

// The poll recognizes a security report by its uncut text, even if the issue is older than the
// first poll. Then the event about the issue comes before the event about its comment.
func TestPoll_SecurityReport_IsFoundFirst(t *testing.T) {
	w := newWatched(t, time.Minute)
	long := strings.Repeat("a ", 3000)
	old := w.repo.OpenIssue(githubtest.NewIssue{Title: "Old", Body: long + "An exploit."})
	fix := w.repo.OpenPullRequest(githubtest.NewPullRequest{Title: "Fix", Head: "main", Body: "An exploit."})
	w.look()
	w.repo.AddComment(old, "bob", "How to do it.")
	w.repo.AddComment(fix, "bob", "Why?")
	fresh := w.repo.OpenIssue(githubtest.NewIssue{Title: "New"})
	w.repo.AddComment(fresh, "bob", long+"A vulnerability.")
	before := len(w.kept())
	w.look()
	w.same("found", sqlitetest.QueryColumn(w, w.db, `SELECT concat_ws(' ', event ->> 'event', event ->> 'action',
		'#' || (event ->> 'number'), iif(event ->> 'security', 'security', NULL)) FROM webhook_delivery
		ORDER BY id LIMIT -1 OFFSET ?`, before), []string{"issues edited #1 security", "issues opened #3",
		"issue_comment created #1", "issue_comment created #2", "issue_comment created #3 security"})
}

// TestPoll_CrashAnywhere_FindsEachEventOnce loses answers of GitHub, and stops the service before
// and after each commit. Each event must be found once. The last head of each pull request must be
// found.
func TestPoll_CrashAnywhere_FindsEachEventOnce(t *testing.T) {
	w := newWatched(t, time.Minute)
	w.look()
	rng := rand.New(rand.NewPCG(7, 7))
	end := w.hub.InjectFault(githubtest.Fault{Kind: githubtest.FaultConnReset, Rate: 0.15, Times: -1, Seed: 7})
	numbers, said := []int{}, 0
	for round := range 30 {
		switch name := fmt.Sprint("b", len(numbers)); {
		case round%6 == 0:
			branch(w, name, fmt.Sprint(round))
			numbers = append(numbers, w.repo.OpenPullRequest(githubtest.NewPullRequest{Title: name, Head: name}))
		case round%2 == 0:
			w.repo.AddComment(numbers[rng.IntN(len(numbers))], "bob", fmt.Sprint("Comment ", round))
			said++
		default:
			branch(w, fmt.Sprint("b", rng.IntN(len(numbers))), fmt.Sprint(round))
		}
		w.cut = rng.IntN(6) // number of commits after which the service stops; 0 means that it does not stop
		w.look()
	}
	end()
	w.cut = 0
	w.look()
	w.same("what was found twice", sqlitetest.QueryColumn(t, w.db,
		`SELECT event FROM webhook_delivery GROUP BY event HAVING count(*) > 1`), nil)
	w.same("comments", sqlitetest.QueryColumn(t, w.db,
		`SELECT count(DISTINCT event ->> 'text') || ' of ' || count(*) FROM webhook_delivery WHERE event ->> 'event' = 'issue_comment'`),
		[]string{fmt.Sprintf("%d of %[1]d", said)})
	for i, n := range numbers {
		w.same("the last head", sqlitetest.QueryColumn(t, w.db,
			`SELECT event ->> 'head' FROM webhook_delivery WHERE event ->> 'event' = 'pull_request' AND event ->> 'number' = ?
			ORDER BY id DESC LIMIT 1`, n), []string{w.repo.CommitSHA(fmt.Sprint("b", i))})
		w.same("opened", sqlitetest.QueryColumn(t, w.db,
			`SELECT count(*) FROM webhook_delivery WHERE event ->> 'action' = 'opened' AND event ->> 'number' = ?`, n),
			[]string{"1"})
	}
}

// TestPoll_WithoutChanges_IsAnswered304 checks that requests have ETags, so that GitHub answers
// 304. Nothing may be stored.
func TestPoll_WithoutChanges_IsAnswered304(t *testing.T) {
	w := newWatched(t, time.Minute)
	branch(w, "new", "2\n")
	w.repo.OpenPullRequest(githubtest.NewPullRequest{Title: "New", Head: "new"})
	for range 3 {
		w.look()
	}
	asked := len(w.hub.Requests())
	w.look()
	for _, r := range w.hub.Requests()[asked:] {
		if r.Code != http.StatusNotModified {
			t.Errorf("%s %s was answered %d", r.Method, r.Path, r.Code)
		}
	}
	if n := len(w.hub.Requests()) - asked; n != 7 {
		t.Errorf("it took %d requests", n)
	}
}

// TestPoll_OneListFails_OtherListsAreRead checks that a failed list is reported, and that the next
// poll reads the list.
func TestPoll_OneListFails_OtherListsAreRead(t *testing.T) {
	w := newWatched(t, time.Minute)
	w.look()
	end := w.hub.InjectFault(githubtest.Fault{Kind: githubtest.FaultErrorStatus,
		Route: "GET /repos/{owner}/{repo}/issues", Times: -1})
	branch(w, "new", "2\n")
	w.repo.OpenPullRequest(githubtest.NewPullRequest{Title: "New", Head: "new"})
	w.repo.OpenIssue(githubtest.NewIssue{Title: "It"})
	if got := w.look(); len(got) != 2 || !strings.HasPrefix(got[0], "failure: ") || got[1] != "pull_request opened #1 alice New open" {
		t.Errorf("found was %q", got)
	}
	end()
	w.sees("then", "issues opened #2 alice It open")
}

// TestPoll_WithWebhook_FindsLostEvents checks that new heads are found, and that failed
// deliveries are requested again a few times.
func TestPoll_WithWebhook_FindsLostEvents(t *testing.T) {
	w := newWatched(t, 0)
	branch(w, "old", "0\n")
	w.repo.OpenPullRequest(githubtest.NewPullRequest{Title: "Old", Head: "old"})
	fails, taken := true, 0
	receiver := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if taken++; fails {
			rw.WriteHeader(http.StatusInternalServerError)
		}
	}))
	defer receiver.Close()
	w.repo.CreateWebhook(receiver.URL+github.WebhookPath, "secret", "issues")
	w.repo.CreateWebhook(receiver.URL+"/other", "secret", "issues")
	w.repo.SetPermission("mews-bot", "admin")
	idle := func() { w.hub.AwaitCondition(t, "nothing on its way", w.hub.IsIdle) }
	w.sees("the first look")

	branch(w, "new", "2\n")
	branch(w, "old", "3\n")
	w.repo.OpenPullRequest(githubtest.NewPullRequest{Title: "New", Head: "new"})
	w.sees("heads", "pull_request synchronize #2 New open", "pull_request synchronize #1 Old open")

	w.repo.OpenIssue(githubtest.NewIssue{Title: "It"})
	idle()
	for range 7 {
		w.look()
		idle()
	}
	if taken != 6 { // one delivery to each of the two webhooks, and four redeliveries
		t.Errorf("%d deliveries came, want 6", taken)
	}
	w.repo.OpenIssue(githubtest.NewIssue{Title: "Another"})
	idle()
	fails, taken = false, 0
	for range 3 {
		w.look()
		idle()
	}
	if taken != 1 {
		t.Errorf("%d deliveries came, want 1", taken)
	}
	w.hub.AdvanceClock(4 * 24 * time.Hour)
	w.sees("what is too old")
}

// TestPoll_UnreviewedHead_IsFound covers a new head whose event may have been lost before the first
// poll. A pull request that was never reviewed stays unreviewed.
func TestPoll_UnreviewedHead_IsFound(t *testing.T) {
	w := newWatched(t, 0)
	for i, name := range []string{"reviewed", "pushed", "wanted", "untouched"} {
		branch(w, name, fmt.Sprint(i))
		w.repo.OpenPullRequest(githubtest.NewPullRequest{Title: name, Head: name})
	}
	w.reviewed = map[int]string{1: w.repo.CommitSHA("reviewed"), 2: w.repo.CommitSHA("pushed"), 3: ""}
	branch(w, "pushed", "once more")
	w.sees("the first look", "pull_request synchronize #2")
}
