package review

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/github/githubtest"
)

// weekPull is a pull request in a simulated week.
type weekPull struct {
	number  int
	branch  string
	lines   string // text of the file that the pull request changes
	bad     []int  // numbers of the lines that have a fault
	unseen  bool   // a line with a fault was not reviewed yet
	settled int    // number of reviewed heads
	mails   int    // number of mails that were allowed so far
}

// weekPush is a push to a pull request, or the opening of a pull request.
type weekPush struct {
	at   time.Duration
	pull *weekPull
}

// TestWeekOfPullRequests_CausesFewMails pushes to thirty pull requests for a week. A mail is
// allowed only for a review with a new finding.
func TestWeekOfPullRequests_CausesFewMails(t *testing.T) {
	r := newRig(t, githubtest.Options{Strict: true})
	rng := rand.New(rand.NewPCG(30, 7))
	var pulls []*weekPull
	var pushes []weekPush
	for i := range 30 {
		p := &weekPull{branch: fmt.Sprint("week-", i), lines: "package main\n"}
		pulls = append(pulls, p)
		at := time.Duration(rng.Int64N(int64(5 * 24 * time.Hour)))
		for range 1 + rng.IntN(4) { // number of heads to review, within the limit for reviews without a request
			// several pushes within a few minutes; only the last is reviewed
			for range 1 + rng.IntN(2) {
				pushes = append(pushes, weekPush{at, p})
				at += time.Duration(rng.Int64N(int64(4 * time.Minute)))
			}
			at += 10*time.Minute + time.Duration(rng.Int64N(int64(12*time.Hour)))
		}
	}
	slices.SortStableFunc(pushes, func(a, b weekPush) int { return cmp.Compare(a.at, b.at) })
	began := r.now
	for _, push := range pushes {
		r.review(pulls, began.Add(push.at))
		r.write(push.pull, rng.IntN(3) == 0)
		r.must(r.reviews.AddRequest(t.Context(), supervisor.GitHubWorkRequest{Repo: "acme/widget",
			Number: push.pull.number, At: r.now}))
	}
	r.review(pulls, began.Add(8*24*time.Hour))
	mails, most, heads := 0, 0, 0
	for _, p := range pulls {
		n := r.hub.CountMails("acme/widget", p.number)
		r.same(fmt.Sprintf("mails of #%d, %d heads", p.number, p.settled), n, p.mails)
		mails, most, heads = mails+n, max(most, n), heads+p.settled
	}
	t.Logf("%d pull requests, %d pushes, %d heads reviewed: %d mails, %.1f a pull request and at most %d", len(pulls), len(pushes), heads, mails,
		float64(mails)/float64(len(pulls)), most)
}

// write adds a line to a pull request and pushes it; the first push opens the pull request. If bad
// is true, the line has a fault.
func (r *rig) write(p *weekPull, bad bool) {
	n := strings.Count(p.lines, "\n") + 1
	p.lines += fmt.Sprintf("var v%d = %d\n", n, n)
	if bad {
		p.bad, p.unseen = append(p.bad, n), true
	}
	r.repo.AddCommit(p.branch, githubtest.Commit{Message: "Go on", Files: map[string]string{p.branch + ".go": p.lines}})
	if p.number == 0 {
		p.number = r.repo.OpenPullRequest(githubtest.NewPullRequest{Title: "Work", Head: p.branch})
	}
}

// review runs all reviews that are due before the time until.
func (r *rig) review(pulls []*weekPull, until time.Time) {
	r.Helper()
	for {
		due, ok, err := r.db.Reviews().NextDue(r.Context())
		r.must(err)
		if !ok || due.After(until) {
			r.now = until
			return
		}
		r.now = due
		before := len(r.begun)
		r.must(r.reviews.beginDue(r.Context()))
		for _, in := range r.begun[before:] {
			i := slices.IndexFunc(pulls, func(p *weekPull) bool { return fmt.Sprint(p.number) == in.Conversation.Thread })
			r.begun = append(r.begun, in) // the method run takes the newest inbound
			r.run(pulls[i].findings()...)
			pulls[i].reviewed()
		}
	}
}

func (p *weekPull) findings() (found []protocol.ReviewFinding) {
	for _, n := range p.bad {
		found = append(found, bug(p.branch+".go", n, fmt.Sprintf("var v%d = %d", n, n)))
	}
	return found
}

// reviewed counts a reviewed head, and the mail that it may cause.
func (p *weekPull) reviewed() {
	if p.settled++; p.unseen {
		p.mails++
	}
	p.unseen = false
}
