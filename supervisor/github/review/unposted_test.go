package review

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/github/githubtest"
)

// readOnly returns the permissions of a token that may not post reviews.
func readOnly() map[string]string {
	return map[string]string{"metadata": "read", "contents": "read", "pull_requests": "read", "issues": "write"}
}

// severalFaults returns findings of all kinds: at a line, with a replacement, in the summary, and
// as a suggestion.
func severalFaults() []protocol.ReviewFinding {
	long := bug("main.go", 3, "func put(m map[string]int) {")
	long.Title, long.Detail = "It is long", strings.Repeat("It is said at length. ", 200)+"This is the end."
	replaced := bug("main.go", 4, `m["a"] = 1`)
	replaced.Replacement = "\tm[\"a\"]++"
	idea := bug("main.go", 1, "package main")
	idea.Severity, idea.Title = protocol.SeveritySuggestion, "Say what it is"
	return []protocol.ReviewFinding{replaced, long, idea}
}

// buttonTexts returns the buttons below a review's card, with their data.
func (r *rig) buttonTexts(number int) (texts []string) {
	r.Helper()
	list, err := r.db.Reviews().ListOfPullRequest(r.Context(), "alice", "acme/widget", number)
	r.must(err)
	for _, row := range list[len(list)-1].Buttons {
		for _, b := range row {
			texts = append(texts, b.Text+" "+b.Press)
		}
	}
	return texts
}

// TestPost_WithoutPermission_CardHasAllFindings covers a token without pull_requests=write. The
// button Post again must not make a worker read the change a second time.
func TestPost_WithoutPermission_CardHasAllFindings(t *testing.T) {
	r := newRig(t, githubtest.Options{May: readOnly()})
	number := r.open(code)
	r.want(number, "")
	card := r.run(severalFaults()...)
	r.wantParts(card, "Found: 2 critical findings, 1 suggestion.", "It could be worse.", "`main.go:4`",
		"```\n\tm[\"a\"]++\n```", "`main.go:3`",
		"This is the end.", "Say what it is", "Not posted: GitHub does not allow Mews's token to do this",
		"“Post again” posts the result, and costs nothing.")
	r.same("state", r.state(number), "done")
	r.same("posted", r.posted(number), []string(nil))
	r.same("buttons", r.buttonTexts(number), []string{"Post again review/again/1", "Mute review/mute/1"})

	_, err := r.reviews.HandlePress(t.Context(), "alice", "again/1")
	if supervisor.ErrorCodeOf(err) != supervisor.CodeForbidden ||
		!strings.Contains(err.Error(), "Not posted to acme/widget#1.") {
		t.Errorf("still without permission: %v", err)
	}
	if _, err := r.reviews.HandlePress(t.Context(), "bob",
		"again/1"); supervisor.ErrorCodeOf(err) != supervisor.CodeNotFound {
		t.Errorf("by somebody else: %v", err)
	}
	r.hub.SetTokenPermissions(nil)
	for _, want := range []string{"Posted to acme/widget#1.", textPostedBefore} {
		said, err := r.reviews.HandlePress(t.Context(), "alice", "again/1")
		r.must(err)
		r.same("said", said, want)
	}
	r.same("posted", r.posted(number), []string{"COMMENTED main.go:4 main.go:3"})
	r.wantParts(r.repo.Reviews(number)[0].Body, "2 critical findings, 1 suggestion")
	r.same("read", r.read, 1)

	// the next head is reviewed as usual
	r.push("put-it", code+"// two\n")
	r.want(number, "")
	r.wantParts(r.run(severalFaults()...), "No comment was posted.")
	r.same("posted", r.posted(number), []string{"COMMENTED main.go:4 main.go:3"})
}

// TestPostAgain_NewerReview_PostsNothingTwice covers two heads. Only the review of the later head
// was posted, and that review has the findings of both heads.
func TestPostAgain_NewerReview_PostsNothingTwice(t *testing.T) {
	r := newRig(t, githubtest.Options{May: readOnly()})
	number := r.open(code)
	r.want(number, "")
	r.wantParts(r.run(severalFaults()...), "Not posted: ")
	r.hub.SetTokenPermissions(nil)
	r.push("put-it", code+"// two\n")
	r.want(number, "")
	r.run()
	posted, summary := r.posted(number), r.summary(number)
	r.same("posted", posted, []string{"COMMENTED main.go:4 main.go:3"})
	said, err := r.reviews.HandlePress(t.Context(), "alice", "again/1")
	r.must(err)
	r.same("said", said, fmt.Sprintf(textPostedNewer, "acme/widget#1"))
	r.same("posted", r.posted(number), posted)
	r.same("summary", r.summary(number), summary)
}

// TestPostAgain_FixedFinding_IsOmitted covers two heads whose reviews were not posted. The second
// head fixes the first finding.
func TestPostAgain_FixedFinding_IsOmitted(t *testing.T) {
	r := newRig(t, githubtest.Options{May: readOnly()})
	number := r.open(code)
	r.want(number, "")
	r.run(bug("main.go", 4, `m["a"] = 1`))
	r.push("put-it", "package main\n\nfunc drop() { panic(1) }\n")
	r.want(number, "")
	r.wantParts(r.run(bug("main.go", 3, "panic(1)")), "Not posted: ")
	r.hub.SetTokenPermissions(nil)
	for _, press := range []string{"again/1", "again/2"} {
		_, err := r.reviews.HandlePress(t.Context(), "alice", press)
		r.must(err)
	}
	for _, posted := range r.posted(number) {
		if strings.Contains(posted, ":4") {
			t.Errorf("the fixed finding is posted: %q", posted)
		}
	}
	r.wantParts(r.summary(number), "<summary>1 open finding</summary>", "`main.go:3`",
		"<summary>1 fixed finding</summary>")
}

// TestSummary_ResultNotPosted_SaysSo covers a second head whose comments GitHub refuses. The
// summary of the first head must not look like approval of the new head.
func TestSummary_ResultNotPosted_SaysSo(t *testing.T) {
	r := newRig(t, githubtest.Options{Strict: true})
	number := r.open(code)
	r.want(number, "")
	r.run(bug("main.go", 4, `m["a"] = 1`))
	r.push("put-it", code+"\nfunc get() {\n\tgo(1)\n}\n")
	r.want(number, "")
	end := r.hub.InjectFault(githubtest.Fault{Kind: githubtest.FaultErrorStatus, Code: 403, Times: -1,
		Route: "POST /repos/{owner}/{repo}/pulls/{number}/reviews"})
	r.wantParts(r.run(bug("main.go", 8, "go(1)")), "`main.go:8`", "Not posted: ")
	r.wantParts(r.summary(number), "**Not posted:** the comments on lines of `"+r.repo.CommitSHA("put-it")[:12],
		"**Read 1 of 1 file**")
	end()
	said, err := r.reviews.HandlePress(t.Context(), "alice", "again/2")
	r.must(err)
	r.same("said", said, fmt.Sprintf(textPosted, "acme/widget#1"))
	r.same("posted", r.posted(number), []string{"COMMENTED main.go:4", "COMMENTED main.go:8"})
	if strings.Contains(r.summary(number), "Not posted") {
		t.Errorf("it was posted, and says %s", r.summary(number))
	}
}

// TestPostAgain_AfterMute_PostsComments covers a thumbs-down that updates the summary while the
// comments of the newest head are missing.
func TestPostAgain_AfterMute_PostsComments(t *testing.T) {
	r := newRig(t, githubtest.Options{Strict: true})
	number := r.open(code)
	r.want(number, "")
	r.run(bug("main.go", 4, `m["a"] = 1`))
	r.push("put-it", code+"\nfunc get() {\n\tgo(1)\n}\n")
	r.want(number, "")
	end := r.hub.InjectFault(githubtest.Fault{Kind: githubtest.FaultErrorStatus, Code: 403, Times: -1,
		Route: postsReview})
	r.wantParts(r.run(bug("main.go", 8, "go(1)")), "Not posted: ")
	end()
	r.repo.SetPermission("alice", "write")
	r.repo.AddReaction(r.repo.Reviews(number)[0].Comments[0].ID, "alice", "-1")
	r.reviews.pollReactions(t.Context())
	r.wantParts(r.summary(number), "Muted by alice.", "**Not posted:**", "**Read 1 of 1 file**")
	_, err := r.reviews.HandlePress(t.Context(), "alice", "again/2")
	r.must(err)
	r.same("posted", r.posted(number), []string{"COMMENTED main.go:4", "COMMENTED main.go:8"})
}

// TestPost_Killed_IsPostedOnce kills the process at each request that a press of the button Post
// again causes.
func TestPost_Killed_IsPostedOnce(t *testing.T) {
	for last, done := 1, false; !done; last++ {
		for _, after := range []bool{false, true} {
			r := newRig(t, githubtest.Options{May: readOnly()})
			number := r.open(code)
			r.want(number, "")
			r.run(severalFaults()...)
			r.hub.SetTokenPermissions(nil)
			ctx, kill := context.WithCancel(t.Context())
			r.kill, r.last, r.after = kill, last, after
			_, err := r.reviews.HandlePress(ctx, "alice", "again/1")
			done = err == nil
			r.kill = nil
			kill()
			_, err = r.reviews.HandlePress(t.Context(), "alice", "again/1")
			r.must(err)
			if got := r.posted(number); len(got) != 1 || got[0] != "COMMENTED main.go:4 main.go:3" {
				t.Errorf("killed at request %d (carried out: %t), posted are %q", last, after, got)
			}
		}
	}
}

func TestPost_Refused_CardHasAllFindings(t *testing.T) {
	post := "POST /repos/{owner}/{repo}/pulls/{number}/reviews"
	for name, c := range map[string]struct {
		mode  supervisor.ReviewPostMode
		fault githubtest.Fault
		why   string
	}{
		"a wrong request": {supervisor.PostAsReview, githubtest.Fault{Kind: githubtest.FaultErrorStatus, Code: 422,
			Route: post}, "refused the request as wrong"},
		"a closed discussion": {supervisor.PostAsReview, githubtest.Fault{Kind: githubtest.FaultErrorStatus, Code: 403,
			Route: post}, "does not allow Mews's token to do this"},
		"a deleted one": {supervisor.PostAsReview, githubtest.Fault{Kind: githubtest.FaultErrorStatus, Code: 410,
			Route: post}, "found nothing there"},
		"a wrong token": {supervisor.PostAsReview, githubtest.Fault{Kind: githubtest.FaultErrorStatus, Code: 401,
			Route: post}, "did not accept Mews's token"},
		"a check, no app": {supervisor.PostAsCheckRun, githubtest.Fault{Kind: githubtest.FaultErrorStatus, Code: 403,
			Route: "POST /repos/{owner}/{repo}/check-runs"},
			"does not allow Mews's token to do this"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, githubtest.Options{})
			r.served.Post = c.mode
			number := r.open(code)
			r.want(number, "")
			c.fault.Times = -1
			end := r.hub.InjectFault(c.fault)
			r.wantParts(r.run(severalFaults()...), "This is the end.", "Not posted: ", c.why, "“Post again”")
			r.same("buttons", r.buttonTexts(number), []string{"Post again review/again/1", "Mute review/mute/1"})
			end()
			r.served.Post = supervisor.PostAsReview
			said, err := r.reviews.HandlePress(t.Context(), "alice", "again/1")
			r.must(err)
			r.same("said", said, "Posted to acme/widget#1.")
			r.same("reviews", len(r.repo.Reviews(number)), 1)
			r.same("read", r.read, 1)
		})
	}
}
