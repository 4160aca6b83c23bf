package event

import (
	"maps"
	"slices"
	"strings"
)

// actions has the actions that Mews uses for each event, separated by spaces. "" means that the
// event has no actions.
var actions = map[string]string{
	"push":                        "",
	"status":                      "",
	"pull_request":                "opened reopened closed synchronize ready_for_review converted_to_draft edited labeled unlabeled review_requested review_request_removed",
	"issues":                      "opened reopened closed edited labeled unlabeled",
	"issue_comment":               "created edited",
	"commit_comment":              "created",
	"pull_request_review":         "submitted dismissed",
	"pull_request_review_comment": "created",
	"pull_request_review_thread":  "resolved unresolved",
	"release":                     "published",
	"check_run":                   "completed",
	"check_suite":                 "completed",
	"dependabot_alert":            "created reintroduced reopened auto_reopened fixed dismissed auto_dismissed",
	"code_scanning_alert":         "created appeared_in_branch reopened reopened_by_user fixed closed_by_user",
	"secret_scanning_alert":       "created reopened publicly_leaked resolved",
	"repository_advisory":         "reported",
}

// optionalEvents are events that a webhook need not send. Some versions of GitHub Enterprise refuse
// a webhook that asks for these events.
var optionalEvents = []string{"repository_advisory"}

// EventNames returns the names of the events that a webhook must send.
func EventNames() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(actions)),
		func(name string) bool { return slices.Contains(optionalEvents, name) })
}

// byApps are events that apps usually cause. None of these events is a comment, so they can't cause
// endless replies.
var byApps = map[string]bool{"check_run": true, "check_suite": true, "status": true, "dependabot_alert": true,
	"code_scanning_alert":   true,
	"secret_scanning_alert": true, "repository_advisory": true}

// fields has a function for the path of each needed value. The function stores the value. [] in a
// path is any element of a list.
type fields map[string]func(*draft, string)

// tables has the needed fields of each event's payload, by GitHub's name of the event.
// (docs.github.com: webhook events and payloads)
var tables = trees(map[string]fields{
	"ping": {},
	"push": {
		"ref": ref, "before": before, "after": head, "deleted": gone, "compare": url, "pusher.name": author, "head_commit.timestamp": at,
		"commits.[]": nextCommit, "commits.[].id": commitSHA, "commits.[].message": commitTitle, "commits.[].author.name": commitAuthor,
	},
	"pull_request": pull("pull_request").with(fields{
		"pull_request.user.login": author, "pull_request.author_association": standing, "pull_request.body": text,
		"pull_request.html_url": url, "pull_request.state": state, "pull_request.merged": merged, "pull_request.updated_at": at, "before": before,
		"pull_request.labels.[].name": label, "label.name": changed,
		"requested_reviewer.login": asked, "requested_team.slug": asked,
	}),
	"issues": issue.with(fields{
		"issue.user.login": author, "issue.author_association": standing, "issue.body": issueText, "issue.html_url": url, "issue.state": state,
		"issue.updated_at": at, "issue.labels.[].name": label, "label.name": changed,
	}),
	"issue_comment": issue.with(comment("comment"), fields{"issue.body": uncut}),
	"commit_comment": comment("comment").with(fields{
		"comment.commit_id": head,
	}),
	"pull_request_review": pull("pull_request").with(comment("review"), fields{
		"review.state": state, "review.submitted_at": at,
	}),
	"pull_request_review_comment": pull("pull_request").with(comment("comment")),
	"pull_request_review_thread": pull("pull_request").with(fields{
		"thread.comments.[].id": id,
	}),
	"release": {
		"release.tag_name": ref, "release.name": title, "release.body": text, "release.html_url": url, "release.author.login": author,
		"release.draft": isDraft, "release.id": id, "release.published_at": at,
	},
	"check_run": {
		"check_run.name": title, "check_run.head_sha": head, "check_run.conclusion": state, "check_run.html_url": url, "check_run.id": id,
		"check_run.app.slug": author, "check_run.completed_at": at, "check_run.check_suite.head_branch": ref,
		"check_run.pull_requests.[].number": pullNumber,
	},
	"check_suite": {
		"check_suite.app.name": title, "check_suite.head_sha": head, "check_suite.conclusion": state, "check_suite.id": id,
		"check_suite.app.slug": author, "check_suite.updated_at": at, "check_suite.head_branch": ref,
		"check_suite.pull_requests.[].number": pullNumber,
	},
	"dependabot_alert": {
		"alert.number": number, "alert.html_url": url, "alert.dependency.package.name": ref,
		"alert.security_advisory.summary":  title,
		"alert.security_advisory.severity": state, "alert.updated_at": at,
	},
	"code_scanning_alert": {
		"alert.number": number, "alert.html_url": url, "alert.rule.description": title,
		"alert.rule.security_severity_level":       state,
		"alert.most_recent_instance.location.path": ref, "alert.updated_at": at, "alert.created_at": at,
	},
	// the secret itself is never read
	"secret_scanning_alert": {
		"alert.number": number, "alert.html_url": url, "alert.secret_type_display_name": title,
		"alert.secret_type": ref, "alert.updated_at": at,
		"alert.created_at": at,
	},
	"repository_advisory": {
		"repository_advisory.ghsa_id": ref, "repository_advisory.html_url": url, "repository_advisory.summary": title,
		"repository_advisory.severity": state, "repository_advisory.updated_at": at,
	},
	"status": {
		"context": title, "sha": head, "state": state, "target_url": url, "description": text, "updated_at": at, "branches.[].name": ref, "id": id,
	},
})

// common has the needed fields of all payloads.
var common = fields{"action": action, "repository.full_name": repo, "sender.login": sender, "sender.type": senderType}

var issue = fields{"issue.number": number, "issue.title": title, "issue.pull_request.url": isPull}

// pull returns the needed fields of a pull request at a path.
func pull(path string) fields {
	return fields{
		path + ".number": pullNumber, path + ".title": title, path + ".draft": isDraft, path + ".head.ref": ref, path + ".head.sha": head,
		path + ".base.ref": base, path + ".head.repo.full_name": headRepo,
	}
}

// comment returns the needed fields of a comment at a path.
func comment(path string) fields {
	return fields{
		path + ".id": id, path + ".body": said, path + ".user.login": author, path + ".author_association": standing, path + ".html_url": url,
		path + ".created_at": at,
	}
}

func (f fields) with(more ...fields) fields {
	all := maps.Clone(f)
	for _, m := range more {
		maps.Copy(all, m)
	}
	return all
}

// elements stands for any element of a list in a path.
const elements = "[]"

// node is a position in a payload: it is needed itself, or has needed values below.
type node struct {
	set   func(*draft, string)
	nodes map[string]*node
}

func trees(tables map[string]fields) map[string]*node {
	trees := map[string]*node{}
	for name, table := range tables {
		trees[name] = &node{}
		for path, set := range table.with(common) {
			trees[name].add(strings.Split(path, "."), set)
		}
	}
	return trees
}

func (n *node) add(path []string, set func(*draft, string)) {
	if len(path) == 0 {
		n.set = set
		return
	}
	if n.nodes == nil {
		n.nodes = map[string]*node{}
	}
	next := n.nodes[path[0]]
	if next == nil {
		next = &node{}
		n.nodes[path[0]] = next
	}
	next.add(path[1:], set)
}

func (n *node) put(d *draft, value string) {
	if n.set != nil {
		n.set(d, value)
	}
}
