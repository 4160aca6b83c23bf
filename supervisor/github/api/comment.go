package api

import (
	"context"
	"fmt"
	"path"
	"strconv"
	"time"

	"github.com/google/go-github/v66/github"
)

// Comment is a comment on an issue, on a pull request, or on lines of a diff.
type Comment struct {
	ID       int64
	Number   int // number of the issue or pull request
	Author   string
	Bot      bool
	Standing string // the author's association: OWNER, MEMBER, COLLABORATOR, ...
	Body     string
	URL      string
	Path     string // path of the file; "" unless the comment is on a diff
	Created  time.Time
	Updated  time.Time
}

// IssueComments returns the comments on an issue or a pull request, oldest first.
func (c *Client) IssueComments(ctx context.Context, repo string, number int) (Page[Comment], error) {
	return c.comments(ctx, &call{action: fmt.Sprintf("list the comments of %s#%d", repo, number), repo: repo}, number, nil)
}

// CommentsSince returns a repository's comments that changed since a time. They are comments on
// issues and pull requests, the earliest change first.
func (c *Client) CommentsSince(ctx context.Context, repo string, since time.Time, etag string) (Page[Comment], error) {
	return c.comments(ctx, &call{action: "list the comments of " + repo, repo: repo, etag: etag}, 0, &since)
}

func (c *Client) comments(ctx context.Context, k *call, number int, since *time.Time) (Page[Comment], error) {
	return listing(ctx, c, k, 5*pageSize, commentOf,
		func(ctx context.Context, owner, name string, page github.ListOptions) ([]*github.IssueComment, *github.Response, error) {
			o := &github.IssueListCommentsOptions{Since: since, ListOptions: page}
			if since != nil {
				o.Sort, o.Direction = github.String("updated"), github.String("asc")
			}
			return c.gh.Issues.ListComments(ctx, owner, name, number, o)
		})
}

// DiffCommentsSince returns the comments on diffs that changed since a time. The earliest change
// comes first.
func (c *Client) DiffCommentsSince(ctx context.Context, repo string, since time.Time, etag string) (Page[Comment], error) {
	k := &call{action: "list the comments on diffs of " + repo, repo: repo, etag: etag}
	return listing(ctx, c, k, 5*pageSize, diffCommentOf,
		func(ctx context.Context, owner, name string, page github.ListOptions) ([]*github.PullRequestComment, *github.Response, error) {
			return c.gh.PullRequests.ListComments(ctx, owner, name, 0,
				&github.PullRequestListCommentsOptions{Sort: "updated", Direction: "asc", Since: since, ListOptions: page})
		})
}

// CreateComment adds a comment to an issue or a pull request.
func (c *Client) CreateComment(ctx context.Context, repo string, number int, body string) (Comment, error) {
	k := &call{action: fmt.Sprintf("comment on %s#%d", repo, number), repo: repo}
	made, _, err := ask(ctx, c, k, func(ctx context.Context, owner, name string) (*github.IssueComment, *github.Response, error) {
		return c.gh.Issues.CreateComment(ctx, owner, name, number, &github.IssueComment{Body: &body})
	})
	return commentOf(made), err
}

// EditComment replaces the text of a comment on an issue or a pull request. GitHub sends no mail
// about it.
func (c *Client) EditComment(ctx context.Context, repo string, id int64, body string) error {
	k := &call{action: fmt.Sprintf("edit a comment in %s", repo), repo: repo}
	_, _, err := ask(ctx, c, k, func(ctx context.Context, owner, name string) (*github.IssueComment, *github.Response, error) {
		return c.gh.Issues.EditComment(ctx, owner, name, id, &github.IssueComment{Body: &body})
	})
	return err
}

// AddReaction reacts to a comment, for example with +1. onDiff says that the comment is on lines of
// a diff. A second reaction with the same content changes nothing.
func (c *Client) AddReaction(ctx context.Context, repo string, comment int64, onDiff bool, content string) error {
	k := &call{action: "react to a comment in " + repo, repo: repo}
	type answer = *github.Reaction
	_, _, err := ask(ctx, c, k, func(ctx context.Context, owner, name string) (answer, *github.Response, error) {
		if onDiff {
			return c.gh.Reactions.CreatePullRequestCommentReaction(ctx, owner, name, comment, content)
		}
		return c.gh.Reactions.CreateIssueCommentReaction(ctx, owner, name, comment, content)
	})
	return err
}

func commentOf(i *github.IssueComment) Comment {
	return Comment{ID: i.GetID(), Number: numberAt(i.GetIssueURL()), Author: i.GetUser().GetLogin(), Bot: i.GetUser().GetType() == "Bot",
		Standing: i.GetAuthorAssociation(), Body: i.GetBody(), URL: i.GetHTMLURL(), Created: i.GetCreatedAt().Time, Updated: i.GetUpdatedAt().Time}
}

func diffCommentOf(p *github.PullRequestComment) Comment {
	return Comment{ID: p.GetID(), Number: numberAt(p.GetPullRequestURL()), Author: p.GetUser().GetLogin(), Bot: p.GetUser().GetType() == "Bot",
		Standing: p.GetAuthorAssociation(), Body: p.GetBody(), URL: p.GetHTMLURL(), Path: p.GetPath(), Created: p.GetCreatedAt().Time,
		Updated: p.GetUpdatedAt().Time}
}

// numberAt returns the number of an issue or pull request at the end of an API address; 0 if there
// is none.
func numberAt(address string) int {
	n, _ := strconv.Atoi(path.Base(address)) // Atoi returns 0 if the address does not end with a number
	return n
}
