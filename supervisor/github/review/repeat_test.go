package review

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/github/githubtest"
)

const postsReview = "POST /repos/{owner}/{repo}/pulls/{number}/reviews"

// request requests a review in the chat, as alice.
func (r *rig) request(number int) {
	r.Helper()
	_, err := r.reviews.RequestByAddress(r.Context(), supervisor.User{Name: "alice"},
		fmt.Sprintf("acme/widget#%d", number), r.now)
	r.must(err)
	r.must(r.reviews.beginDue(r.Context()))
}

// fail runs the newest turn, whose worker gets no answer from the model.
func (r *rig) fail(why error) (card string) {
	r.Helper()
	turn, ok := r.turn()
	if !ok {
		r.Fatal("no turn runs")
	}
	card, err := r.reviews.RunTurn(r.Context(), turn, func(context.Context,
		protocol.ReviewMaterial) (protocol.ReviewReport, error) {
		return protocol.ReviewReport{}, why
	})
	r.must(err)
	_, err = r.db.Turns().Finish(r.Context(), endOf(turn, card))
	r.must(err)
	return card
}

// pressTwice presses a button a second time while the first press posts. It returns both answers.
func (r *rig) pressTwice(press string) []string {
	r.Helper()
	var taps sync.WaitGroup
	answers := make([]string, 2)
	tap := func(i int) {
		said, err := r.reviews.HandlePress(r.Context(), "alice", press)
		if answers[i] = said; err != nil {
			r.Error(err)
		}
	}
	var once sync.Once
	r.sending = func(q *http.Request) {
		if q.Method == http.MethodPost && strings.HasSuffix(q.URL.Path, "/reviews") {
			once.Do(func() { taps.Go(func() { tap(1) }) })
		}
	}
	tap(0)
	taps.Wait()
	r.sending = nil
	return answers
}

// TestPress_DoubleTap_PostsOnce covers each button that posts.
func TestPress_DoubleTap_PostsOnce(t *testing.T) {
	for _, press := range []string{"again/1", "post/1", "post/1/1", "post/1/2"} {
		t.Run(press, func(t *testing.T) {
			r := newRig(t, githubtest.Options{})
			if strings.HasPrefix(press, "post") {
				r.served.Post = supervisor.PostOnlyCard
			}
			number := r.open(code)
			r.want(number, "")
			end := r.hub.InjectFault(githubtest.Fault{Kind: githubtest.FaultErrorStatus, Code: 403, Times: -1,
				Route: postsReview})
			r.run(severalFaults()...)
			end()
			r.same("answers", r.pressTwice(press), []string{fmt.Sprintf(textPosted, "acme/widget#1"), textPostedBefore})
			r.same("reviews", len(r.posted(number)), 1)
			r.same("mails", r.hub.CountMails("acme/widget", number), 1)
		})
	}
}

// TestPostAgain_DuringNewReview_PostsOnce covers a press on an older card while the review of the
// next head already has its list of findings to post.
func TestPostAgain_DuringNewReview_PostsOnce(t *testing.T) {
	r := newRig(t, githubtest.Options{})
	tail := strings.Repeat("// more\n", 40) + "func drop() { panic(1) }\n"
	r.repo.AddCommit("main", githubtest.Commit{Message: "Base", Files: map[string]string{"main.go": code + tail}})
	number := r.open(strings.Replace(code, "1", "2", 1) + tail)
	r.want(number, "")
	end := r.hub.InjectFault(githubtest.Fault{Kind: githubtest.FaultErrorStatus, Code: 403, Times: -1,
		Route: postsReview})
	r.wantParts(r.run(bug("main.go", 46, "func drop() { panic(1) }")), "Not posted: ", "`main.go:46`")
	end()
	r.repo.AddCommit("put-it", githubtest.Commit{Message: "Docs", Files: map[string]string{"docs.md": "Words.\n"}})
	r.want(number, "")
	turn, _ := r.turn()
	said := ""
	_, err := r.reviews.RunTurn(t.Context(), turn, func(ctx context.Context,
		m protocol.ReviewMaterial) (protocol.ReviewReport, error) {
		r.sending = func(*http.Request) { // called at the first request to GitHub after the change was read
			r.sending = nil
			var err error
			said, err = r.reviews.HandlePress(ctx, "alice", "again/1")
			r.must(err)
		}
		return r.reader()(ctx, m)
	})
	r.must(err)
	r.same("said", said, fmt.Sprintf(textPosted, "acme/widget#1"))
	r.same("posted", r.posted(number), []string{"COMMENTED"})
	r.same("mails", r.hub.CountMails("acme/widget", number), 1)
}

// TestPress_OlderCard_NamesNewerHead covers two heads that were not posted. Only the newer card
// posts.
func TestPress_OlderCard_NamesNewerHead(t *testing.T) {
	for _, mode := range []supervisor.ReviewPostMode{supervisor.PostAsReview, supervisor.PostOnlyCard} {
		r := newRig(t, githubtest.Options{})
		r.served.Post = mode
		press := map[supervisor.ReviewPostMode]string{supervisor.PostAsReview: "again/",
			supervisor.PostOnlyCard: "post/"}[mode]
		number := r.open(code)
		end := r.hub.InjectFault(githubtest.Fault{Kind: githubtest.FaultErrorStatus, Code: 403, Times: -1,
			Route: postsReview})
		r.want(number, "")
		r.run(bug("main.go", 4, `m["a"] = 1`))
		r.push("put-it", "package main\n\nfunc drop() { panic(1) }\n")
		r.want(number, "")
		r.run(bug("main.go", 3, "panic(1)"))
		end()
		said, err := r.reviews.HandlePress(t.Context(), "alice", press+"1")
		r.must(err)
		r.same("older card", said, fmt.Sprintf(textReadNewer, "acme/widget#1", r.repo.CommitSHA("put-it")[:12]))
		r.same("posted", r.posted(number), []string(nil))
		said, err = r.reviews.HandlePress(t.Context(), "alice", press+"2")
		r.must(err)
		r.same("newer card", said, fmt.Sprintf(textPosted, "acme/widget#1"))
		r.same("posted", r.posted(number), []string{"COMMENTED main.go:3"})
		r.same("mails", r.hub.CountMails("acme/widget", number), 1)
	}
}

// TestSecondReview_Fails_KeepsFirstResult covers requests for a second review of a head, which fail
// in several ways. The first result, its coverage and its card must stay.
func TestSecondReview_Fails_KeepsFirstResult(t *testing.T) {
	for name, why := range map[string]error{
		"model refuses":  supervisor.Errorf(supervisor.CodeModelFailed, "The model answered 400."),
		"limit of a day": supervisor.Errorf(supervisor.CodeBudgetExceeded, "The day's limit is reached."),
		"denied":         supervisor.Errorf(supervisor.CodeForbidden, "You said no."),
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, githubtest.Options{})
			number := r.open(code)
			r.want(number, "")
			r.run(bug("main.go", 4, `m["a"] = 1`))
			r.request(number)
			card := r.fail(why)
			r.wantParts(card, "Put it", "Not reviewed again. "+why.Error(), "The earlier review still holds.")
			r.same("state", r.state(number), "done "+why.Error())
			r.same("grown", r.grown[len(r.grown)-1], fmt.Sprintf("acme/widget#1 "+textGrownFailedAgain,
				r.repo.CommitSHA("put-it")[:12], "1 critical finding"))
			r.wantParts(r.summary(number), "**Not reviewed again:**", "**Read 1 of 1 file**", "<summary>1 open finding")
			said, err := r.reviews.HandlePress(t.Context(), "alice", "explain/1")
			r.must(err)
			r.wantParts(said, "`main.go:4`")

			// after the next small push, only the new change is read
			r.repo.AddCommit("put-it", githubtest.Commit{Message: "Docs",
				Files: map[string]string{"docs.md": "Words.\n"}})
			r.want(number, "")
			r.run()
			r.same("files", len(r.material.Chunks[0].Files), 1)
			r.wantParts(r.summary(number), "**Read 2 of 2 files**")

			// a requested review that succeeds reads the whole change
			r.request(number)
			r.run()
			r.same("files", len(r.material.Chunks[0].Files), 2)
			r.same("state", r.state(number), "done")
		})
	}
}

// TestForcePush_ToReviewedHead_RefreshesSummary covers a branch that is reset to a head that was
// reviewed before. No part of that head is read or paid for again.
func TestForcePush_ToReviewedHead_RefreshesSummary(t *testing.T) {
	r := newRig(t, githubtest.Options{Strict: true})
	number := r.open(code)
	first := r.repo.CommitSHA("put-it")
	r.want(number, "")
	r.run(bug("main.go", 4, `m["a"] = 1`))
	r.push("put-it", "package main\n\nfunc drop() { panic(1) }\n")
	second := r.repo.CommitSHA("put-it")
	r.want(number, "")
	r.run(bug("main.go", 3, "panic(1)"))
	r.wantParts(r.summary(number), fmt.Sprintf("Fixed in `%.12s`", second))
	mails := r.hub.CountMails("acme/widget", number)
	for _, reset := range []struct{ head, open, fixed string }{
		{first, `m\["a"\] = 1`, "panic(1)"}, {second, "panic(1)", `m\["a"\] = 1`}, {first, `m\["a"\] = 1`, "panic(1)"},
	} {
		r.repo.ResetBranch("put-it", reset.head)
		r.want(number, "")
		r.same("nothing runs", r.run(), "")
		text := r.summary(number)
		r.wantParts(text, fmt.Sprintf("at `%.12s`: 1 critical finding, 1 fixed", reset.head),
			fmt.Sprintf("Fixed in `%.12s`", reset.head))
		open, fixed, _ := strings.Cut(text, "<summary>1 fixed finding</summary>")
		r.wantParts(open, reset.open)
		r.wantParts(fixed, reset.fixed)
		r.want(number, "") // the same event again changes nothing
		r.same("summary", r.summary(number), text)
		heads, err := r.db.Reviews().LastHeads(t.Context(), "alice", "acme/widget")
		r.must(err)
		r.same("last head", heads[number], reset.head)
	}
	r.same("reads", r.read, 2)
	r.same("mails", r.hub.CountMails("acme/widget", number), mails)
}

// TestReopen_FindingsNotPosted_PostsThem covers a pull request that was closed during its review,
// and opened again without a push.
func TestReopen_FindingsNotPosted_PostsThem(t *testing.T) {
	r := newRig(t, githubtest.Options{Strict: true})
	number := r.open(code)
	r.want(number, "")
	turn, _ := r.turn()
	card, err := r.reviews.RunTurn(t.Context(), turn, func(ctx context.Context,
		m protocol.ReviewMaterial) (protocol.ReviewReport, error) {
		r.repo.CloseIssue(number)
		return r.reader(bug("main.go", 4, `m["a"] = 1`))(ctx, m)
	})
	r.must(err)
	_, err = r.db.Turns().Finish(t.Context(), endOf(turn, card))
	r.must(err)
	r.repo.ReopenIssue(number)
	for range 2 {
		r.want(number, "")
		r.run()
	}
	r.same("posted", r.posted(number), []string{"COMMENTED main.go:4"})
	r.same("reads", r.read, 1)
}

// TestHeadLimit_FailedHeads_DoNotCount covers five heads without a result, by a refusal of the user
// or of the model.
func TestHeadLimit_FailedHeads_DoNotCount(t *testing.T) {
	for _, why := range []supervisor.ErrorCode{supervisor.CodeModelFailed, supervisor.CodeForbidden} {
		r := newRig(t, githubtest.Options{})
		number := r.open(code)
		for i := range 5 {
			r.push("put-it", code+strings.Repeat("// more\n", i+1))
			r.want(number, "")
			r.wantParts(r.fail(supervisor.Errorf(why, "No.")), "Not reviewed. No.")
		}
		r.push("put-it", code+"// last\n")
		r.want(number, "")
		r.run(bug("main.go", 4, `m["a"] = 1`))
		r.same("state", r.state(number), "done")
		r.wantParts(r.summary(number), "**Read 1 of 1 file**")
	}
}

// TestCard_NothingNew_NamesOpenFindings covers a push that brings no finding while an earlier
// finding is open.
func TestCard_NothingNew_NamesOpenFindings(t *testing.T) {
	r := newRig(t, githubtest.Options{Strict: true})
	number := r.open(code)
	r.want(number, "")
	r.wantParts(r.run(bug("main.go", 4, `m["a"] = 1`)), "Found: 1 critical finding.", "Posted as a review.")
	r.push("put-it", code+"\nfunc get() {\n\tgo()\n}\n")
	r.want(number, "")
	r.wantParts(r.run(), textCardNothingNew, fmt.Sprintf(textCardOpen, "1 critical finding"), "No comment was posted.")
	r.wantParts(r.grown[1], "**Reviewed**", ": 1 critical finding.")
	r.push("put-it", code+"\nfunc get() {\n\tgo(1)\n}\n")
	r.want(number, "")
	r.wantParts(r.run(bug("main.go", 8, "go(1)")), "Found: 1 critical finding.",
		fmt.Sprintf(textCardOpen, "1 critical finding"), "Posted as a review.")
	r.wantParts(r.grown[2], ": 2 critical findings.")
	r.push("put-it", "package main\n")
	r.want(number, "")
	r.wantParts(r.run(), "Found: no findings.")
	r.wantParts(r.grown[3], ": no findings, 2 fixed.")
}
