package github

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/github/api"
	"mews/supervisor/github/triage"
)

const (
	manyPulls   = 100 // maximum number of the last changed pull requests that a poll reads
	manyOpen    = 1000
	manyCommits = 50
	manyHeads   = 30 // maximum number of heads of pull requests whose checks a poll reads
	// slack allows for wrong clocks: an event may be this much older than the first poll
	slack = time.Minute
)

func (s seen) clone() seen {
	s.Tags, s.Since = maps.Clone(s.Tags), maps.Clone(s.Since)
	s.Pulls, s.Heads = maps.Clone(s.Pulls), maps.Clone(s.Heads)
	return s
}

// since returns the time up to which a list was read. Changes before the first poll are not
// reported.
func (w *Poller) since(s *seen, list string) time.Time {
	if _, was := s.Since[list]; !was {
		s.Since[list] = w.o.Now().Add(-slack).UTC().Truncate(time.Second)
	}
	return s.Since[list]
}

// pulls finds changes of pull requests. It reads the last changed pull requests, and the pull
// requests that were open at the last poll.
func (w *Poller) pulls(ctx context.Context, repo string, s *seen) (list []found, err error) {
	_, before := s.Since["pulls"]
	state, most := "all", manyPulls
	if !before { // the first poll needs all open pull requests, even if they changed long ago
		state, most = "open", manyOpen
	}
	page, err := w.o.Client.PullRequests(ctx, repo, state, most, s.Tags["pulls"])
	if err != nil || page.Same {
		return nil, err
	}
	since := w.since(s, "pulls")
	for _, p := range slices.Backward(page.Items) {
		was, known := s.Pulls[p.Number]
		if p.State == "open" {
			s.Pulls[p.Number] = seenPullOf(p)
		} else {
			delete(s.Pulls, p.Number)
		}
		action := ""
		switch {
		case !before:
		case p.State != "open" && known:
			action = "closed"
		case p.State != "open":
		case !known && p.Created.Before(since):
			action = "reopened"
		case !known:
			action = "opened"
		default:
			action = was.changed(s.Pulls[p.Number])
		}
		if action != "" {
			list = append(list, foundPull(p, action))
		}
	}
	s.Tags["pulls"] = page.ETag
	return list, nil
}

// foundPull returns an event about a pull request. The event's actor is known only if the pull
// request was opened: it is the author.
func foundPull(p api.PullRequest, action string) found {
	e := supervisor.GitHubEvent{Event: "pull_request", Action: action, Number: p.Number, IsPull: true, Author: p.Author, Association: p.Standing,
		Title: p.Title, URL: p.URL, State: p.State, Labels: p.Labels[:min(len(p.Labels), 20)], Ref: p.Head.Ref, Base: p.Base.Ref, Head: p.Head.SHA, Draft: p.Draft, Merged: p.Merged,
		Fork: p.Fork, At: p.Updated}
	if action == "opened" {
		e.Sender, e.SenderBot = p.Author, p.Bot
	}
	return found{fmt.Sprintf("pull/%d/%s/%s/%d", p.Number, action, p.Head.SHA, p.Updated.Unix()), e}
}

// issues finds opened and closed issues.
func (w *Poller) issues(ctx context.Context, repo string, s *seen) (list []found, err error) {
	since := w.since(s, "issues")
	page, err := w.o.Client.IssuesSince(ctx, repo, since, s.Tags["issues"])
	if err != nil || page.Same {
		return nil, err
	}
	for _, i := range page.Items {
		s.Since["issues"] = later(s.Since["issues"], i.Updated)
		e := supervisor.GitHubEvent{Event: "issues", Number: i.Number, Author: i.Author, Association: i.Standing, Title: i.Title, Text: i.Body, URL: i.URL,
			State: i.State, Labels: i.Labels[:min(len(i.Labels), 20)], At: i.Updated,
			Security: !i.Pull && triage.IsSecurityReport(i.Title, i.Body)}
		if e.Security { // a security report causes no notice here, but makes the notices about later comments private
			e.Action = "edited"
			list = append(list, found{fmt.Sprintf("issue/%d/security", i.Number), e})
		}
		if !i.Pull && !i.Created.Before(since) {
			e.Action, e.Sender, e.SenderBot = "opened", i.Author, i.Bot
			list = append(list, found{fmt.Sprintf("issue/%d/opened", i.Number), e})
		}
		if !i.Pull && !i.Closed.Before(since) {
			e.Action, e.Sender, e.SenderBot = "closed", "", false
			list = append(list, found{fmt.Sprintf("issue/%d/closed/%d", i.Number, i.Closed.Unix()), e})
		}
	}
	s.Tags["issues"] = page.ETag
	return list, nil
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func (w *Poller) comments(ctx context.Context, repo string, s *seen) ([]found, error) {
	return w.said(s, "comments", "issue_comment", func(since time.Time, tag string) (api.Page[api.Comment], error) {
		return w.o.Client.CommentsSince(ctx, repo, since, tag)
	})
}

func (w *Poller) diffComments(ctx context.Context, repo string, s *seen) ([]found, error) {
	return w.said(s, "diff comments", "pull_request_review_comment", func(since time.Time, tag string) (api.Page[api.Comment], error) {
		return w.o.Client.DiffCommentsSince(ctx, repo, since, tag)
	})
}

// marker begins the hidden mark in every text that Mews writes on GitHub.
const marker = "<!-- mews:"

// said finds new comments that Mews did not write.
func (w *Poller) said(s *seen, name, event string, read func(since time.Time, tag string) (api.Page[api.Comment],
	error)) (list []found, err error) {
	since := w.since(s, name)
	page, err := read(since, s.Tags[name])
	if err != nil || page.Same {
		return nil, err
	}
	self := ""
	if w.o.Self != nil {
		self = w.o.Self()
	}
	for _, c := range page.Items {
		s.Since[name] = later(s.Since[name], c.Updated)
		// everybody can write Mews's mark, so the comment's author counts too
		ours := strings.Contains(c.Body, marker) && (self == "" || strings.EqualFold(c.Author, self))
		if c.Created.Before(since) || ours {
			continue
		}
		list = append(list, found{fmt.Sprintf("%s/%d", event, c.ID), supervisor.GitHubEvent{Event: event, Action: "created", Number: c.Number,
			IsPull: event != "issue_comment" || strings.Contains(c.URL, "/pull/"), Sender: c.Author, SenderBot: c.Bot, Author: c.Author, Association: c.Standing,
			Text: c.Body, URL: c.URL, Comment: c.ID, At: c.Created, Security: triage.IsSecurityReport("", c.Body)}})
	}
	s.Tags[name] = page.ETag
	return list, nil
}

// releases finds new releases.
func (w *Poller) releases(ctx context.Context, repo string, s *seen) (list []found, err error) {
	since := w.since(s, "releases")
	page, err := w.o.Client.Releases(ctx, repo, 10, s.Tags["releases"])
	if err != nil || page.Same {
		return nil, err
	}
	for _, r := range slices.Backward(page.Items) {
		if r.Draft || r.At.Before(since) {
			continue
		}
		s.Since["releases"] = later(s.Since["releases"], r.At)
		list = append(list, found{fmt.Sprintf("release/%d", r.ID), supervisor.GitHubEvent{Event: "release", Action: "published", Sender: r.Author, Author: r.Author,
			Title: r.Title, Text: r.Body, URL: r.URL, Ref: r.Tag, At: r.At}})
	}
	s.Tags["releases"] = page.ETag
	return list, nil
}

// commits finds pushes to the default branch.
func (w *Poller) commits(ctx context.Context, repo string, s *seen) ([]found, error) {
	if s.Branch == "" {
		r, err := w.o.Client.Repository(ctx, repo)
		if err != nil {
			return nil, err
		}
		s.Branch = r.Default
	}
	page, err := w.o.Client.BranchCommits(ctx, repo, s.Branch, manyCommits, s.Tags["commits"])
	if err != nil || page.Same || len(page.Items) == 0 {
		if api.ErrorClassOf(err) == api.NotFound {
			s.Branch = "" // the branch was renamed, or the repository has no commit
		}
		return nil, err
	}
	before := s.Head
	s.Tags["commits"], s.Head = page.ETag, page.Items[0].SHA
	if before == "" || before == s.Head {
		return nil, nil
	}
	n := slices.IndexFunc(page.Items, func(c api.Commit) bool { return c.SHA == before })
	if n < 0 {
		n = len(page.Items)
	}
	e := supervisor.GitHubEvent{Event: "push", Sender: page.Items[0].Author, Ref: s.Branch, Before: before, Head: s.Head, At: page.Items[0].At}
	for _, c := range slices.Backward(page.Items[:n]) {
		if len(e.Commits) == 5 {
			e.MoreCommits++
			continue
		}
		title, _, _ := strings.Cut(c.Message, "\n")
		e.Commits = append(e.Commits, supervisor.GitHubCommit{SHA: c.SHA, Title: title, Author: c.Author})
	}
	return []found{{"push/" + s.Branch + "/" + before + "/" + s.Head, e}}, nil
}

// checks finds changed checks of open pull requests.
func (w *Poller) checks(ctx context.Context, repo string, s *seen) (list []found, err error) {
	_, before := s.Since["checks"]
	since := w.since(s, "checks")
	numbers := slices.Sorted(maps.Keys(s.Pulls))
	tags := map[string]string{}
	for _, n := range slices.Backward(numbers[max(0, len(numbers)-manyHeads):]) {
		head, name := s.Pulls[n], "checks "+s.Pulls[n].Head
		page, err := w.o.Client.CheckRuns(ctx, repo, head.Head, s.Tags[name])
		switch {
		// fine-grained tokens can't read checks of private repositories
		// (github.com/orgs/community/discussions/179545)
		case api.ErrorClassOf(err) == api.Forbidden:
			return nil, nil
		case err != nil:
			return nil, err
		}
		tags[name] = page.ETag
		for _, c := range page.Items {
			if c.Status != "completed" || !before || c.Completed.Before(since) {
				continue
			}
			list = append(list, found{fmt.Sprintf("check/%d/%s", c.ID, c.Conclusion), supervisor.GitHubEvent{Event: "check_run", Action: "completed", Number: n, IsPull: true,
				Title: c.Name, URL: c.URL, State: c.Conclusion, Ref: head.Ref, Head: c.Head, Author: c.App, Comment: c.ID, At: c.Completed}})
		}
	}
	maps.DeleteFunc(s.Tags, func(name, _ string) bool { return strings.HasPrefix(name, "checks ") })
	maps.Copy(s.Tags, tags)
	return list, nil
}
