package githubtest

import (
	"maps"
	"slices"
)

// Payloads of events. Call these functions only within Server.change.

// hasHook reports whether any webhook gets the repository's events.
func (r *Repo) hasHook() bool {
	return slices.ContainsFunc(r.s.hooks, func(h *hook) bool { return h.active && (h.repo == "" || h.repo == r.name) })
}

func (r *Repo) emitPull(i *issue, action, by string, more map[string]any) {
	if !r.hasHook() {
		return
	}
	payload := map[string]any{"number": i.number, "pull_request": i.pullJSON(false)}
	maps.Copy(payload, more)
	r.emit("pull_request", action, by, payload)
}

func (r *Repo) emitIssue(i *issue, action, by string, more map[string]any) {
	if !r.hasHook() {
		return
	}
	payload := map[string]any{"issue": i.json()}
	maps.Copy(payload, more)
	r.emit("issues", action, by, payload)
}

func (r *Repo) emitComment(i *issue, c *comment, action string) {
	r.emit("issue_comment", action, c.author, map[string]any{"issue": i.json(), "comment": c.json(i)})
}

func (r *Repo) emitDiffComment(i *issue, c *comment) {
	r.emit("pull_request_review_comment", "created", c.author, map[string]any{"pull_request": i.pullJSON(false), "comment": c.diffJSON(i)})
}

func (r *Repo) emitReview(i *issue, v *review, action string) {
	if v.state == "PENDING" || !r.hasHook() {
		return
	}
	r.emit("pull_request_review", action, v.author, map[string]any{"pull_request": i.pullJSON(false), "review": v.json(i)})
}

// nowhere is the SHA for a branch that does not exist.
const nowhere = "0000000000000000000000000000000000000000"

func (r *Repo) emitPush(branch, before, after, by string) {
	if !r.hasHook() {
		return
	}
	list, forced := []commit{}, false
	switch {
	case before == "":
		before = nowhere
	case after != "":
		list = r.commits("--reverse", before+".."+after)
		_, err := r.try(nil, nil, "merge-base", "--is-ancestor", before, after)
		forced = err != nil
	}
	commits := []any{}
	for _, c := range list[:min(len(list), 2048)] {
		commits = append(commits, map[string]any{"id": c.sha, "message": c.message, "timestamp": stamp(c.at), "distinct": true,
			"url":    "https://github.com/" + r.name + "/commit/" + c.sha,
			"author": map[string]any{"name": c.author, "email": c.author + "@example.org", "username": c.author}})
	}
	deleted := after == ""
	if deleted {
		after = nowhere
	}
	payload := map[string]any{"ref": "refs/heads/" + branch, "before": before, "after": after, "created": before == nowhere, "deleted": deleted, "forced": forced,
		"commits": commits, "head_commit": nil, "pusher": map[string]any{"name": by}, "compare": "https://github.com/" + r.name + "/compare/" + before + "..." + after}
	if len(commits) > 0 {
		payload["head_commit"] = commits[len(commits)-1]
	}
	r.emit("push", "", by, payload)
}
