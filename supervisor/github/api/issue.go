package api

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/go-github/v66/github"
)

// Issue is an issue, or the data that a pull request has in common with an issue.
type Issue struct {
	Number   int
	NodeID   string // id of the issue for GraphQL
	Pull     bool
	Title    string
	Body     string
	URL      string
	Author   string
	Bot      bool
	Standing string // the author's association: OWNER, MEMBER, COLLABORATOR, ...
	State    string // state of the issue: open or closed
	Labels   []string
	Comments int
	Created  time.Time
	Updated  time.Time
	Closed   time.Time // time of closing; zero while the issue is open
}

// Label is a label of a repository.
type Label struct {
	Name        string
	Color       string // colour in six hexadecimal digits
	Description string
}

// Issue returns an issue.
func (c *Client) Issue(ctx context.Context, repo string, number int) (Issue, error) {
	k := &call{action: fmt.Sprintf("read issue %s#%d", repo, number), repo: repo}
	i, _, err := ask(ctx, c, k, func(ctx context.Context, owner, name string) (*github.Issue, *github.Response, error) {
		return c.gh.Issues.Get(ctx, owner, name, number)
	})
	return issueOf(i), err
}

// IssuesSince returns the issues and pull requests that changed since a time. The earliest change
// comes first.
func (c *Client) IssuesSince(ctx context.Context, repo string, since time.Time, etag string) (Page[Issue], error) {
	k := &call{action: "list the issues of " + repo, repo: repo, etag: etag}
	return listing(ctx, c, k, 5*pageSize, issueOf,
		func(ctx context.Context, owner, name string, page github.ListOptions) ([]*github.Issue, *github.Response, error) {
			return c.gh.Issues.ListByRepo(ctx, owner, name,
				&github.IssueListByRepoOptions{State: "all", Sort: "updated", Direction: "asc", Since: since, ListOptions: page})
		})
}

// SearchIssues searches a repository's issues for words. The best match comes first.
func (c *Client) SearchIssues(ctx context.Context, repo, words string, most int) ([]Issue, error) {
	k := &call{action: "search the issues of " + repo, repo: repo}
	// The search has only words: a foreign text must not add a qualifier, such as another
	// repository.
	words = strings.NewReplacer(":", " ", `"`, " ", "\\", " ").Replace(words)
	query := "repo:" + repo + " is:issue " + strings.Join(strings.Fields(words), " ")
	found, _, err := ask(ctx, c, k, func(ctx context.Context, _, _ string) (*github.IssuesSearchResult, *github.Response, error) {
		return c.gh.Search.Issues(ctx, cut(query, maxQuery), &github.SearchOptions{ListOptions: github.ListOptions{PerPage: most}})
	})
	if err != nil {
		return nil, err
	}
	return convertAll(found.Issues, issueOf), nil
}

// maxQuery is the maximum length of a search text (docs.github.com, search limitations).
const maxQuery = 256

// cut shortens a text to most bytes or fewer, at the end of a word.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	text = strings.ToValidUTF8(text[:most], "")
	if i := strings.LastIndexByte(text, ' '); i > 0 {
		text = text[:i]
	}
	return text
}

func issueOf(i *github.Issue) Issue {
	if i == nil {
		return Issue{}
	}
	return Issue{Number: i.GetNumber(), NodeID: i.GetNodeID(), Pull: i.IsPullRequest(), Title: i.GetTitle(), Body: i.GetBody(), URL: i.GetHTMLURL(),
		Author: i.GetUser().GetLogin(), Bot: i.GetUser().GetType() == "Bot", Standing: i.GetAuthorAssociation(), State: i.GetState(),
		Labels: convertAll(i.Labels, (*github.Label).GetName), Comments: i.GetComments(), Created: i.GetCreatedAt().Time, Updated: i.GetUpdatedAt().Time,
		Closed: i.GetClosedAt().Time}
}

// Labels returns a repository's labels.
func (c *Client) Labels(ctx context.Context, repo string) ([]Label, error) {
	k := &call{action: "list the labels of " + repo, repo: repo}
	page, err := listing(ctx, c, k, 5*pageSize, func(l *github.Label) Label { return Label{l.GetName(), l.GetColor(), l.GetDescription()} },
		func(ctx context.Context, owner, name string, page github.ListOptions) ([]*github.Label, *github.Response, error) {
			return c.gh.Issues.ListLabels(ctx, owner, name, &page)
		})
	return page.Items, err
}

// CreateLabel creates a label. An existing label is no error.
func (c *Client) CreateLabel(ctx context.Context, repo string, label Label) error {
	k := &call{action: fmt.Sprintf("make the label %s in %s", label.Name, repo), repo: repo}
	_, _, err := ask(ctx, c, k, func(ctx context.Context, owner, name string) (*github.Label, *github.Response, error) {
		return c.gh.Issues.CreateLabel(ctx, owner, name, &github.Label{Name: &label.Name, Color: &label.Color, Description: &label.Description})
	})
	if e, ok := err.(*Error); ok && e.Class == InvalidRequest && strings.Contains(e.Text, "already_exists") {
		return nil
	}
	return err
}

// AddLabels adds labels to an issue or a pull request.
func (c *Client) AddLabels(ctx context.Context, repo string, number int, labels []string) error {
	k := &call{action: fmt.Sprintf("label %s#%d", repo, number), repo: repo}
	_, _, err := ask(ctx, c, k, func(ctx context.Context, owner, name string) ([]*github.Label, *github.Response, error) {
		return c.gh.Issues.AddLabelsToIssue(ctx, owner, name, number, labels)
	})
	return err
}
