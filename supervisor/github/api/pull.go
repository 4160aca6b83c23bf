package api

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/go-github/v66/github"
)

const (
	// MaxChangedFiles is the maximum number of a pull request's files that GitHub lists.
	// (docs.github.com, list pull requests files.)
	MaxChangedFiles = 3000
	// MaxPullRequestCommits is the maximum number of a pull request's commits that GitHub lists.
	MaxPullRequestCommits = 250

	maxDiff = 32 << 20 // maximum size of a diff in bytes
)

// PullRequest is a pull request with its numbers, branches and labels.
type PullRequest struct {
	Number   int
	Title    string
	Body     string
	URL      string // address of the pull request's page
	Author   string // the author's login
	Bot      bool   // the author is a bot or app
	Standing string // the author's association: OWNER, MEMBER, COLLABORATOR, CONTRIBUTOR, NONE, ...
	State    string // state of the pull request: open or closed
	Draft    bool
	Merged   bool
	Labels   []string
	Head     Branch
	Base     Branch
	Fork     bool // the head is in another repository, or the head's repository was deleted
	Created  time.Time
	Updated  time.Time

	// numbers of commits, files and changed lines; all are 0 in the results of PullRequests
	Commits, Files, Additions, Deletions int
}

// Branch is the head or base of a pull request.
type Branch struct {
	Repo string // repository as owner/name; "" for a deleted fork
	Ref  string // name of the branch, such as main
	SHA  string
}

// PullRequest returns a pull request.
func (c *Client) PullRequest(ctx context.Context, repo string, number int) (PullRequest, error) {
	k := &call{action: fmt.Sprintf("read pull request %s#%d", repo, number), repo: repo}
	p, _, err := ask(ctx, c, k, func(ctx context.Context, owner, name string) (*github.PullRequest, *github.Response, error) {
		return c.gh.PullRequests.Get(ctx, owner, name, number)
	})
	return pullOf(p), err
}

// PullRequests returns the pull requests with the latest changes. state is open, closed or all.
func (c *Client) PullRequests(ctx context.Context, repo, state string, most int, etag string) (Page[PullRequest],
	error) {
	k := &call{action: "list pull requests of " + repo, repo: repo, etag: etag}
	return listing(ctx, c, k, most, pullOf,
		func(ctx context.Context, owner, name string, page github.ListOptions) ([]*github.PullRequest, *github.Response, error) {
			return c.gh.PullRequests.List(ctx, owner, name,
				&github.PullRequestListOptions{State: state, Sort: "updated", Direction: "desc", ListOptions: page})
		})
}

func pullOf(p *github.PullRequest) PullRequest {
	if p == nil {
		return PullRequest{}
	}
	head, base := branchOf(p.GetHead()), branchOf(p.GetBase())
	return PullRequest{
		Number: p.GetNumber(), Title: p.GetTitle(), Body: p.GetBody(), URL: p.GetHTMLURL(),
		Author: p.GetUser().GetLogin(), Bot: p.GetUser().GetType() == "Bot", Standing: p.GetAuthorAssociation(),
		State: p.GetState(), Draft: p.GetDraft(), Merged: p.GetMerged() || p.MergedAt != nil, Labels: convertAll(p.Labels, (*github.Label).GetName),
		Head: head, Base: base, Fork: !strings.EqualFold(head.Repo, base.Repo), Created: p.GetCreatedAt().Time, Updated: p.GetUpdatedAt().Time,
		Commits: p.GetCommits(), Files: p.GetChangedFiles(), Additions: p.GetAdditions(), Deletions: p.GetDeletions(),
	}
}

func branchOf(b *github.PullRequestBranch) Branch {
	return Branch{Repo: b.GetRepo().GetFullName(), Ref: b.GetRef(), SHA: b.GetSHA()}
}

// Commit is one commit.
type Commit struct {
	SHA     string
	Message string
	Author  string // login of the author; the name in git if GitHub does not know the author
	Parents []string
	At      time.Time
}

// PullRequestCommits returns the commits of a pull request, the oldest first. It returns at most
// MaxPullRequestCommits.
func (c *Client) PullRequestCommits(ctx context.Context, repo string, number int) (Page[Commit], error) {
	k := &call{action: fmt.Sprintf("list the commits of %s#%d", repo, number), repo: repo}
	return listing(ctx, c, k, MaxPullRequestCommits, commitOf,
		func(ctx context.Context, owner, name string, page github.ListOptions) ([]*github.RepositoryCommit, *github.Response, error) {
			return c.gh.PullRequests.ListCommits(ctx, owner, name, number, &page)
		})
}

func commitOf(r *github.RepositoryCommit) Commit {
	author := r.GetAuthor().GetLogin()
	if author == "" {
		author = r.GetCommit().GetAuthor().GetName()
	}
	parents := convertAll(r.Parents, (*github.Commit).GetSHA)
	return Commit{SHA: r.GetSHA(), Message: r.GetCommit().GetMessage(), Author: author, Parents: parents,
		At: r.GetCommit().GetCommitter().GetDate().Time}
}

// ChangedFile is a file that a pull request changes.
type ChangedFile struct {
	Path      string
	Before    string // earlier path of a renamed file; "" for other files
	Status    string // added, removed, modified, renamed, copied or changed
	Additions int
	Deletions int
	// hunks of the diff; "" for a binary file, a large file, or a file that was only renamed
	Patch string
	SHA   string // SHA of the file's blob in git
}

// ChangedFiles returns the files of a pull request, at most MaxChangedFiles.
func (c *Client) ChangedFiles(ctx context.Context, repo string, number int) (Page[ChangedFile], error) {
	k := &call{action: fmt.Sprintf("list the files of %s#%d", repo, number), repo: repo}
	page, err := listing(ctx, c, k, MaxChangedFiles, fileOf,
		func(ctx context.Context, owner, name string, page github.ListOptions) ([]*github.CommitFile, *github.Response, error) {
			return c.gh.PullRequests.ListFiles(ctx, owner, name, number, &page)
		})
	// GitHub does not tell whether there are more than MaxChangedFiles
	page.More = page.More || len(page.Items) == MaxChangedFiles
	return page, err
}

func fileOf(f *github.CommitFile) ChangedFile {
	return ChangedFile{Path: f.GetFilename(), Before: f.GetPreviousFilename(), Status: f.GetStatus(),
		Additions: f.GetAdditions(),
		Deletions: f.GetDeletions(), Patch: f.GetPatch(), SHA: f.GetSHA()}
}

// Diff returns a pull request's unified diff. For more than 300 files, GitHub refuses and the
// error's class is AnswerTooLarge.
func (c *Client) Diff(ctx context.Context, repo string, number int) (string, error) {
	k := &call{action: fmt.Sprintf("read the diff of %s#%d", repo, number), repo: repo, maxBytes: maxDiff}
	text, _, err := ask(ctx, c, k, func(ctx context.Context, owner, name string) (string, *github.Response, error) {
		return c.gh.PullRequests.GetRaw(ctx, owner, name, number, github.RawOptions{Type: github.Diff})
	})
	return text, err
}
