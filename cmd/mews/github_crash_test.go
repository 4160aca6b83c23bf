package main_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
	"mews/supervisor/github/githubtest"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/sqlite/sqlitetest"
)

// Sizes of each of the two runs. MEWS_GITHUB_EVENTS and MEWS_GITHUB_KILLS make them longer (`make
// crash`); MEWS_GITHUB_SEED replays the runs. More events take minutes: after a failed request Mews
// waits a minute.
const (
	githubEvents = 20
	githubKills  = 2
	githubRepos  = 2
	githubPulls  = 5 // pull requests of each repository
)

// TestGitHubCrashRun_ReviewsEachHeadOnce kills the supervisor at random while people push to pull
// requests and comment on them. One in ten webhooks comes twice, one in twenty is lost, and their
// order is random. Some answers of GitHub are lost after the request was carried out. In the end
// the last head of each pull request is reviewed. No head is reviewed twice, and no finding is
// posted twice. A second run polls instead of using webhooks.
func TestGitHubCrashRun_ReviewsEachHeadOnce(t *testing.T) {
	seed := uint64(apptest.NumberFromEnv(t, "MEWS_GITHUB_SEED", int(time.Now().UnixNano()>>10)))
	t.Logf("replay with MEWS_GITHUB_SEED=%d", seed)
	for i, way := range []string{"webhooks", "polling"} {
		t.Run(way, func(t *testing.T) {
			r := newPullRun(t, rand.New(rand.NewPCG(seed, uint64(i))), way == "webhooks")
			r.makeEvents(apptest.NumberFromEnv(t, "MEWS_GITHUB_EVENTS", githubEvents), apptest.NumberFromEnv(t,
				"MEWS_GITHUB_KILLS", githubKills))
			r.settle()
			r.check()
			r.Stop()
			r.CheckIntegrity()
		})
	}
}

// pullRun is a service, the test GitHub of its repositories, and the pull requests there.
type pullRun struct {
	*apptest.Service
	t         *testing.T
	rng       *rand.Rand
	hub       *githubtest.Server
	pulls     []*writtenPull
	lastPanic int // number of the newest call of panic; each call has its own number
}

// writtenPull is a pull request. Each commit adds a file with a call of panic, which the review
// finds.
type writtenPull struct {
	repo   *githubtest.Repo
	number int
	branch string
	panics []int
}

func newPullRun(t *testing.T, rng *rand.Rand, webhooks bool) *pullRun {
	_, url := modeltest.NewServer(t, findPanics)
	r := &pullRun{Service: apptest.NewService(t, url, "p0"), t: t, rng: rng,
		hub: githubtest.New(t, githubtest.Options{Token: "ghp_" + strings.Repeat("x", 36), Strict: true})}
	r.Bin = apptest.LinkProgramsInTestFolder(t, apptest.BuildPrograms(t))
	config := fmt.Sprintf("github:\n  token: %s\n  webhook_secret: %s\n  api_url: %q\n  poll: 10s\n  review: {settle: 300ms, heads: 100, inline: 20, budget: 0}\n  repos:\n",
		r.hub.Token(), webhookSecret, r.hub.URL())
	address, err := unusedAddress()
	if err != nil {
		t.Fatal(err)
	}
	var repos []*githubtest.Repo
	for i := range githubRepos {
		repo := r.hub.Repo(fmt.Sprint("Acme/Widget", i))
		repos = append(repos, repo)
		config += fmt.Sprintf("    %s: {user: p0, review: true, day: 0}\n", repo.Name())
		if webhooks {
			repo.CreateWebhook("http://"+address+"/webhook/github", webhookSecret)
		}
	}
	if webhooks {
		config += fmt.Sprintf("webhooks: {listen: %q}\n", address)
		r.hub.SetDeliveryFaults(githubtest.DeliveryFaults{Lose: 0.05, Double: 0.1, Shuffle: 8, Seed: rng.Uint64()})
	}
	r.hub.InjectFault(githubtest.Fault{Kind: githubtest.FaultConnReset, After: true, Route: "POST ", Rate: 0.05,
		Seed: rng.Uint64()})
	r.hub.InjectFault(githubtest.Fault{Kind: githubtest.FaultErrorStatus, Rate: 0.01, Seed: rng.Uint64()})
	r.AppendConfig(config)
	r.Start()
	// pull requests that were open before the first poll are not reviewed
	r.WaitUntilTrue(apptest.DefaultTestTimeout, "the first look", func() bool {
		return r.QueryCount("SELECT count(*) FROM setting WHERE name LIKE 'github seen %'") == githubRepos
	})
	for _, repo := range repos {
		for range githubPulls {
			r.open(repo)
		}
	}
	return r
}

// findPanics is a model that finds each line that calls panic, and refutes no finding.
func findPanics(q modeltest.Request) modeltest.Answer {
	if stands, ok := modeltest.AnswerReviewSecondLook(q, false); ok {
		return stands
	}
	var found []string
	for _, m := range addedPanic.FindAllStringSubmatch(q.NewestUserMessage(), -1) {
		found = append(found, fmt.Sprintf(`{"path": "panic%[2]s.go", "line": %[1]s, "side": "RIGHT", "severity": "critical", "category": "bug",
			"title": "It panics (%[2]s)", "detail": "Whenever it is called.", "quote": "panic(%[2]s)", "confidence": 0.9}`, m[1], m[2]))
	}
	return modeltest.Answer{Text: `{"verdict": "It panics.", "findings": [` + strings.Join(found, ", ") + `]}`}
}

// addedPanic matches an added line with a call of panic, as a prompt shows it.
var addedPanic = regexp.MustCompile(`"R(\d+) \+\\tpanic\((\d+)\)`)

// open opens a pull request with a commit.
func (r *pullRun) open(repo *githubtest.Repo) {
	p := &writtenPull{repo: repo, branch: fmt.Sprint("fix-", len(r.pulls))}
	r.push(p)
	p.number = repo.OpenPullRequest(githubtest.NewPullRequest{Title: "Fix it", Head: p.branch})
	r.pulls = append(r.pulls, p)
}

// push pushes a commit with one more call of panic.
func (r *pullRun) push(p *writtenPull) {
	r.lastPanic++
	p.panics = append(p.panics, r.lastPanic)
	p.repo.AddCommit(p.branch, githubtest.Commit{Message: "Go on", Files: map[string]string{
		fmt.Sprintf("panic%d.go", r.lastPanic): fmt.Sprintf("package main\n\nfunc f%[1]d() {\n\tpanic(%[1]d)\n}\n", r.lastPanic)}})
}

// makeEvents pushes, rebases and comments at random, and kills the supervisor meanwhile.
func (r *pullRun) makeEvents(events, kills int) {
	for i := range events {
		p := r.pulls[r.rng.IntN(len(r.pulls))]
		switch {
		case r.rng.IntN(5) == 0 && len(p.panics) < 15: // a review has a limited number of comments
			r.push(p)
		case r.rng.IntN(20) == 0:
			p.repo.RebaseBranch(p.branch, "main")
		default:
			p.repo.AddComment(p.number, "alice", fmt.Sprint("Comment ", i))
		}
		if (i+1)*kills/events > i*kills/events {
			// lets the service work for a random time
			<-time.After(time.Duration(r.rng.IntN(1500)) * time.Millisecond)
			r.Kill()
			r.hub.RecordClientCrash()
			r.CheckIntegrity()
			r.Start()
		}
	}
	r.t.Logf("%d events, %d kills", events, kills)
}

// settle waits until each last head is reviewed. A start asks GitHub for lost events.
func (r *pullRun) settle() {
	r.hub.SetDeliveryFaults(githubtest.DeliveryFaults{})
	r.hub.AwaitCondition(r.t, "the webhooks to be sent", r.hub.IsIdle)
	r.Stop()
	r.Start()
	defer r.logReviews()
	for _, p := range r.pulls {
		r.WaitUntilTrue(3*time.Minute, fmt.Sprintf("the last head of %s#%d to be reviewed", p.repo.Name(), p.number),
			func() bool {
				return r.QueryCount("SELECT count(*) FROM review WHERE repo = ? AND number = ? AND head = ? AND state IN ('done', 'skipped')",
					strings.ToLower(p.repo.Name()), p.number, p.repo.CommitSHA(p.branch)) == 1
			})
	}
	r.WaitUntilTrue(apptest.DefaultTestTimeout, "nothing to be on its way", func() bool {
		return r.QueryCount("SELECT (SELECT count(*) FROM review WHERE state IN ('queued', 'running')) + (SELECT count(*) FROM webhook_delivery WHERE state = 'new')") == 0
	})
}

// logReviews logs the state of the reviews if the test has failed.
func (r *pullRun) logReviews() {
	if !r.t.Failed() {
		return
	}
	for _, p := range r.pulls {
		r.t.Logf("%s#%d at %.7s:", p.repo.Name(), p.number, p.repo.CommitSHA(p.branch))
		rows := sqlitetest.QueryColumnInCopy(r.t, filepath.Join(r.Dir, "state", "private", "mews.db"),
			`SELECT printf('  %.7s %s round %d, wanted %s, due %s, turn %s: %s', head, state,
			round, wanted_at, due_at, turn, why) FROM review WHERE repo = ? AND number = ? ORDER BY id`, strings.ToLower(p.repo.Name()), p.number)
		r.t.Log(strings.Join(rows, "\n"))
		rows = sqlitetest.QueryColumnInCopy(r.t, filepath.Join(r.Dir, "state", "private", "mews.db"),
			`SELECT printf('  %s %s %.7s %s at %s kept %s', event ->> 'event', event ->> 'action',
			event ->> 'head', state, event ->> 'at', created_at) FROM webhook_delivery WHERE lower(event ->> 'repo') = ? AND event ->> 'number' = ? AND event ->> 'event' = 'pull_request' ORDER BY id`,
			strings.ToLower(p.repo.Name()), p.number)
		r.t.Log(strings.Join(rows, "\n"))
	}
}

// check checks GitHub: each call of panic is in the summary once and has at most one comment, and
// each head has at most one review.
func (r *pullRun) check() {
	mails := 0
	for _, p := range r.pulls {
		heads, said, summaries := map[string]int{}, map[string]int{}, ""
		for _, review := range p.repo.Reviews(p.number) {
			if heads[review.Head]++; heads[review.Head] > 1 {
				r.t.Errorf("%s#%d: head %s has %d reviews", p.repo.Name(), p.number, review.Head, heads[review.Head])
			}
			for _, c := range review.Comments {
				said[c.Path]++
			}
			summaries += review.Body
		}
		for _, n := range p.panics {
			path := "panic" + strconv.Itoa(n) + ".go"
			// The summary has each finding once. A finding has no comment if there is a newer head
			// before it is posted.
			if summed := strings.Count(summaries, "`"+path+":"); said[path] > 1 || summed != 1 {
				r.t.Errorf("%s#%d: %d comments on %s, and in summaries %d times: %s", p.repo.Name(), p.number, said[path], path, summed, summaries)
			}
		}
		mails += r.hub.CountMails(p.repo.Name(), p.number)
	}
	r.t.Logf("%d pull requests with %d findings: %d mails", len(r.pulls), r.lastPanic, mails)
}
