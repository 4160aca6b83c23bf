package app_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"mews/supervisor"
	"mews/supervisor/app/apptest"
	"mews/supervisor/github/githubtest"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/sqlite"
	"mews/supervisor/telegram/telegramtest"
)

// reviewModel is a model that reports a problem in each line of Go that calls panic, and refutes
// none.
func reviewModel(r modeltest.Request) modeltest.Answer {
	if stands, ok := modeltest.AnswerReviewSecondLook(r, false); ok {
		return stands
	}
	var found []string
	for _, m := range panics.FindAllStringSubmatch(r.Messages[0].Content, -1) {
		found = append(found, fmt.Sprintf(`{"path": "main.go", "line": %s, "side": "RIGHT", "severity": "critical", "category": "bug", "title": "It panics",
			"detail": "Whenever it is called.", "quote": "panic(%s)", "confidence": 0.9}`, m[1], m[2]))
	}
	return modeltest.Answer{Text: `{"verdict": "It panics.", "findings": [` + strings.Join(found, ", ") + `]}`}
}

var panics = regexp.MustCompile(`"R(\d+) \+\\tpanic\((\d+)\)`)

// panickingFile returns a Go file that calls panic that many times.
func panickingFile(times int) string {
	text := "package main\n\nfunc main() {\n"
	for i := range times {
		text += fmt.Sprintf("\tpanic(%d)\n", i)
	}
	return text + "}\n"
}

// newReviewService configures alice's service with a repository on a test's GitHub. Reviews start
// without delay.
func newReviewService(t *testing.T, post string, script modeltest.Script) (*gatedService, *githubtest.Server, *githubtest.Repo) {
	hub := githubtest.New(t, githubtest.Options{Strict: true, Token: "ghp_" + strings.Repeat("x", 36)})
	l := newGatedService(t, script, fmt.Sprintf("github: {api_url: %q, token: %s, review: {settle: 0s}, repos: {Acme/Widget: {user: alice, review: true, post: %s}}}\n",
		hub.URL(), hub.Token(), post), "alice, role: admin")
	return l, hub, hub.Repo("Acme/Widget")
}

func TestReview_Requested_SendsSummaryCard(t *testing.T) {
	t.Parallel()
	l, hub, repo := newReviewService(t, "review", reviewModel)
	repo.AddCommit("fix", githubtest.Commit{Message: "Fix", Files: map[string]string{"main.go": panickingFile(2)}})
	number := repo.OpenPullRequest(githubtest.NewPullRequest{Title: "Fix *it*", Head: "fix"})
	l.open()
	l.say("alice", fmt.Sprintf("/review https://github.com/acme/widget/pull/%d is it safe?", number))
	l.awaitNewest("alice", "Review of acme/widget#1:", "Fix *it*", "It panics.", "Found: 2 critical findings.", "main.go:4", "Posted as a review.")
	reviews := repo.Reviews(number)
	if len(reviews) != 1 || len(reviews[0].Comments) != 2 || reviews[0].Comments[1].Line != 5 ||
		hub.CountMails("acme/widget", number) != 1 {
		t.Fatalf("posted: %+v", reviews)
	}
	card := l.awaitCard("alice", "Review of acme/widget#1")
	l.pressRow("alice", card, 0)
	l.awaitNewest("alice", "Whenever it is called.")
	if n := len(l.askedTexts()); n == 0 {
		t.Error("no model was asked")
	}
	l.say("alice", "/review acme/gadget#1")
	l.awaitNewest("alice", "There is no repository acme/gadget that I may review for you.")
}

// The review of a stranger's fork costs nothing before the user says yes, even if the service
// restarts meanwhile.
func TestReview_StrangersFork_AsksUserFirst(t *testing.T) {
	t.Parallel()
	l, _, repo := newReviewService(t, "review", reviewModel)
	repo.AddCommit("mallory:fix", githubtest.Commit{Message: "Fix", Author: "mallory",
		Files: map[string]string{"main.go": panickingFile(1)}})
	number := repo.OpenPullRequest(githubtest.NewPullRequest{Title: "Fix", Head: "mallory:fix", Author: "mallory"})
	l.open()
	l.say("alice", "/review")
	l.awaitNewest("alice", "Write /review with a pull request's address")
	l.shut()
	l.withDatabase(func(db *sqlite.DB) {
		err := db.Reviews().RequestReview(t.Context(), supervisor.Review{User: "alice", Repo: "acme/widget",
			Number: number, WantedAt: l.now(), Due: l.now()})
		if err != nil {
			t.Fatal(err)
		}
	})
	l.open()
	l.awaitNewest("alice", "May I review mallory's pull request acme/widget#1")
	question := l.awaitCard("alice", "May I review")
	l.shut()
	if n := len(l.model.Requests()); n > 0 || len(repo.Reviews(number)) > 0 {
		t.Fatalf("before anybody said yes a model was asked %d times, and posted is %+v", n, repo.Reviews(number))
	}
	l.open()
	l.pressRow("alice", question, 0)
	l.awaitNewest("alice", "Found: 1 critical finding.")
	if len(repo.Reviews(number)) != 1 {
		t.Errorf("posted: %+v", repo.Reviews(number))
	}
}

// The service is killed after each commit, and answers of GitHub are lost. After each kill it
// continues from the disk. The pull request gets one review, with its comment.
func TestReview_KillAfterEachCommit_PostsOnce(t *testing.T) {
	t.Parallel()
	g, hub, repo := newReviewService(t, "review", reviewModel)
	hub.SetRateLimit("core", 1_000_000) // GitHub allows fewer requests in an hour than all rounds make
	l := &killedService{gatedService: g, sender: "alice"}
	var commits, at atomic.Int64
	hears := func() {}
	committed := func() {
		if commits.Add(1) == at.Load() {
			l.keeps.Store(true)
			l.keepImage()
			l.keeps.Store(false)
			// From now on, requests of this run of the service get no answer. Otherwise Telegram
			// would delete updates that are not in this run's snapshot.
			github, telegram := hub.InjectFault(githubtest.Fault{Kind: githubtest.FaultConnReset, Times: -1}),
				l.bot.InjectFault(telegramtest.Fault{Kind: telegramtest.ResetFault, Times: -1})
			hears = func() { github(); telegram() }
		}
	}
	ends := 0
	for n := int64(1); ; n += int64(apptest.NumberFromEnv(t, "MEWS_REVIEW_KILL_STEP", 12)) {
		hub.ResetWriteLimits() // GitHub allows fewer writes in an hour than all rounds make
		branch := fmt.Sprint("fix-", n)
		repo.AddCommit(branch, githubtest.Commit{Message: "Fix", Files: map[string]string{"main.go": panickingFile(1)}})
		number := repo.OpenPullRequest(githubtest.NewPullRequest{Title: "Fix", Head: branch})
		if ends%2 == 1 {
			hub.InjectFault(githubtest.Fault{Kind: githubtest.FaultConnReset, After: true,
				Route: "POST /repos/{owner}/{repo}/pulls/{number}/reviews"})
		}
		l.images = nil
		at.Store(0)
		l.runIn(l.Dir, committed)
		at.Store(commits.Load() + n)
		before := len(l.told("alice"))
		l.say("alice", fmt.Sprintf("/review acme/widget#%d", number))
		card := func() bool {
			return slices.ContainsFunc(l.told("alice")[before:], func(text string) bool { return strings.Contains(text, fmt.Sprintf("Review of acme/widget#%d", number)) })
		}
		l.WaitUntilTrue(apptest.DefaultTestTimeout, "the review, or its end", func() bool {
			return card() ||
				commits.Load() >= at.Load()
		})
		l.shut()
		whole := len(l.images) == 0
		hears()
		if !whole {
			ends++
			apptest.ChownToWorkers(t, l.images[0].dir+"/homes")
			// Count only reviews of this run. A killed run may have delayed its review by a minute,
			// and the next round begins with that review.
			ended := fmt.Sprintf(`SELECT count(*) FROM review WHERE number = %d AND state NOT IN ('done', 'skipped')`, number)
			l.runIn(l.images[0].dir, nil)
			l.WaitUntilTrue(apptest.DefaultTestTimeout, "the review", func() bool {
				return card() && slices.Equal(l.query(l.images[0].dir, ended), []string{"0"})
			})
			l.shut()
		}
		reviews := repo.Reviews(number)
		if len(reviews) != 1 || len(reviews[0].Comments) != 1 || hub.CountMails("acme/widget", number) != 1 {
			t.Errorf("killed after commit %d: %d mails, and posted is %+v", n, hub.CountMails("acme/widget", number),
				reviews)
		}
		if whole {
			break
		}
	}
	t.Logf("killed %d times", ends)
}
