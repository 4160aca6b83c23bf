package review

import (
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/github/githubtest"
)

// A head that was skipped because of the title or a label is reviewed once the title or the label
// has changed. Other changes of a title start no review.
func TestSkippedHead_TextChanges_IsReviewed(t *testing.T) {
	for name, c := range map[string]struct {
		title, label string
		change       func(r *rig, number int)
		want         string
	}{
		"a finished title": {"WIP: put it", "", func(r *rig, n int) { r.repo.ChangeTitle(n, "Put it") }, "done"},
		"still unfinished": {"WIP: put it", "", func(r *rig, n int) { r.repo.ChangeTitle(n, "WIP: put more") },
			"skipped " + textUnfinished},
		"no label": {"Put it", "no-review", func(r *rig, n int) { r.repo.RemoveLabel(n, "no-review", "alice") },
			"done"},
		"another label": {"Put it", "no-review", func(r *rig, n int) { r.repo.AddLabel(n, "bug", "alice") },
			"skipped " + textLabelled},
		"both": {"WIP: put it", "no-review", func(r *rig, n int) { r.repo.ChangeTitle(n, "Put it") },
			"skipped " + textLabelled},
		"reviewed before": {"Put it", "", func(r *rig, n int) { r.repo.ChangeTitle(n, "Put it there") }, "done"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, githubtest.Options{Strict: true})
			number := r.open(code, func(p *githubtest.NewPullRequest) {
				if p.Title = c.title; c.label != "" {
					p.Labels = []string{c.label}
				}
			})
			r.want(number, "")
			r.run()
			reads := r.read
			c.change(r, number)
			r.recheck(number)
			r.run()
			r.same("state", r.state(number), c.want)
			if read := r.read > reads; read != (reads == 0 && c.want == "done") {
				t.Errorf("read again: %t", read)
			}
		})
	}
	r := newRig(t, githubtest.Options{})
	r.recheck(r.open(code)) // nobody has requested a review of this pull request's head
	r.same("begun", len(r.begun), 0)
}

// stopBy is the event of a review with an order to stop.
func stopBy(login string, number int) supervisor.GitHubEvent {
	return supervisor.GitHubEvent{Event: "pull_request_review", Number: number, Sender: login}
}

// An order to stop that was carried out gets one thumb up, even if the event comes twice. An order
// of a user without write permission gets none.
func TestStopOrder_CarriedOut_GetsReaction(t *testing.T) {
	r := newRig(t, githubtest.Options{Strict: true})
	r.repo.SetPermission("alice", "write")
	number := r.open(code)
	for login, want := range map[string]int{"alice": 1, "guest": 0} {
		id := r.repo.AddComment(number, login, "@mews stop")
		for range 2 {
			r.must(r.reviews.MutePullRequest(r.Context(), "acme/widget", supervisor.GitHubEvent{Event: "issue_comment",
				Number: number, Sender: login, Comment: id}))
		}
		r.same(login+"'s reactions", len(r.repo.Reactions(id, "+1")), want)
	}
	r.repo.AddReview(number, "alice", "COMMENTED", "", githubtest.DiffComment{Path: "main.go", Side: "RIGHT", Line: 1,
		Body: "@mews stop"})
	onDiff := r.repo.Reviews(number)[0].Comments[0].ID
	r.must(r.reviews.MutePullRequest(r.Context(), "acme/widget", supervisor.GitHubEvent{
		Event: "pull_request_review_comment", Number: number, Sender: "alice", Comment: onDiff}))
	r.same("reactions to the comment on the diff", len(r.repo.Reactions(onDiff, "+1")), 1)
	// a comment that was deleted meanwhile
	r.must(r.reviews.MutePullRequest(r.Context(), "acme/widget", supervisor.GitHubEvent{Event: "issue_comment",
		Number: number, Sender: "alice", Comment: 1 << 40}))
}

// If somebody stops the reviews of a pull request, the summary says that a later head is not
// reviewed. Without a summary, nothing is written.
func TestStoppedReviews_LaterHead_SummarySaysSo(t *testing.T) {
	for name, c := range map[string]struct {
		stop func(r *rig, number int)
		note string
	}{
		"stopped": {func(r *rig, n int) {
			r.must(r.reviews.MutePullRequest(r.Context(), "acme/widget", stopBy("alice", n)))
		}, "Somebody has stopped the reviews of this pull request. Write `@mews review` for one."},
		"labelled": {func(r *rig, n int) { r.repo.AddLabel(n, "no-review", "alice") }, noteLabelled},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, githubtest.Options{Strict: true})
			r.repo.SetPermission("alice", "write")
			number := r.open(code)
			r.want(number, "")
			r.run(bug("main.go", 4, `m["a"] = 1`))
			c.stop(r, number)
			r.push("put-it", code+"// two\n")
			r.want(number, "")
			r.wantParts(r.repo.Reviews(number)[0].Body, "**Not reviewed:**", c.note, "`main.go:4`")
			r.same("mails", r.hub.CountMails("acme/widget", number), 1)
			silent := r.open(code, func(p *githubtest.NewPullRequest) { p.Head = "silent" })
			c.stop(r, silent)
			r.want(silent, "")
			r.same("posted", r.posted(silent), []string(nil))
		})
	}
}

// An admin removes a mute for good, although the thumbs-down is still there. Only a new thumbs-down
// mutes the finding again.
func TestRemovedMute_SameThumbDown_StaysRemoved(t *testing.T) {
	r := newRig(t, githubtest.Options{})
	number := r.open(code)
	r.want(number, "")
	r.run(bug("main.go", 4, `m["a"] = 1`))
	r.repo.SetPermission("alice", "write")
	r.repo.SetPermission("bob", "write")
	comment := r.repo.Reviews(number)[0].Comments[0].ID
	muted := func(what string, want ...string) (id int64) {
		t.Helper()
		r.reviews.pollReactions(t.Context())
		mutes, err := r.db.Reviews().ListMutes(t.Context(), "alice", "acme/widget")
		r.must(err)
		var by []string
		for _, m := range mutes {
			by, id = append(by, m.By), m.ID
		}
		r.same(what, by, want)
		return id
	}
	r.repo.AddReaction(comment, "alice", "-1")
	r.repo.AddReaction(comment, "bob", "-1")
	id := muted("by a thumbs-down", "alice")
	_, err := r.db.Reviews().RemoveMute(t.Context(), "alice", id)
	r.must(err)
	before := len(r.hub.Requests("PUT "))
	muted("after its removal")
	r.same("summaries written", len(r.hub.Requests("PUT "))-before, 0)
	r.now = r.now.Add(time.Hour)
	r.repo.AddReaction(comment, "carol", "-1")
	muted("after a stranger's thumbs-down")
	r.repo.AddReaction(comment, "bob", "-1")
	muted("after a new thumbs-down", "bob")
}
