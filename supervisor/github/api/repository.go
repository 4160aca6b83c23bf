package api

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/google/go-github/v66/github"
)

// Repository describes a repository.
type Repository struct {
	Name     string // repository as owner/name
	Default  string // name of the default branch
	Private  bool
	Archived bool
	Admin    bool // the token's owner is an admin of the repository
	Push     bool
}

// Repository returns a repository.
func (c *Client) Repository(ctx context.Context, repo string) (Repository, error) {
	k := &call{action: "read the repository " + repo, repo: repo}
	r, _, err := ask(ctx, c, k, func(ctx context.Context, owner, name string) (*github.Repository, *github.Response, error) {
		return c.gh.Repositories.Get(ctx, owner, name)
	})
	may := r.GetPermissions()
	return Repository{Name: r.GetFullName(), Default: r.GetDefaultBranch(), Private: r.GetPrivate(), Archived: r.GetArchived(),
		Admin: may["admin"], Push: may["push"]}, err
}

// Permission returns a user's permission in a repository: admin, write, read or none.
func (c *Client) Permission(ctx context.Context, repo, login string) (string, error) {
	k := &call{action: fmt.Sprintf("ask what %s may in %s", login, repo), repo: repo}
	level, _, err := ask(ctx, c, k, func(ctx context.Context, owner, name string) (*github.RepositoryPermissionLevel, *github.Response, error) {
		return c.gh.Repositories.GetPermissionLevel(ctx, owner, name, login)
	})
	if ErrorClassOf(err) == NotFound {
		return "none", nil // GitHub answers 404 for a user without access
	}
	return level.GetPermission(), err
}

// BranchCommits returns the last commits of a branch, newest first.
func (c *Client) BranchCommits(ctx context.Context, repo, branch string, most int, etag string) (Page[Commit], error) {
	k := &call{action: fmt.Sprintf("list the commits of %s in %s", branch, repo), repo: repo, etag: etag}
	return listing(ctx, c, k, most, commitOf,
		func(ctx context.Context, owner, name string, page github.ListOptions) ([]*github.RepositoryCommit, *github.Response, error) {
			return c.gh.Repositories.ListCommits(ctx, owner, name, &github.CommitsListOptions{SHA: branch, ListOptions: page})
		})
}

// Release is a published release.
type Release struct {
	ID         int64
	Tag        string
	Title      string
	Body       string
	Author     string
	URL        string
	Draft      bool
	Prerelease bool
	At         time.Time
}

// Releases returns the last releases, newest first.
func (c *Client) Releases(ctx context.Context, repo string, most int, etag string) (Page[Release], error) {
	k := &call{action: "list the releases of " + repo, repo: repo, etag: etag}
	return listing(ctx, c, k, most, releaseOf,
		func(ctx context.Context, owner, name string, page github.ListOptions) ([]*github.RepositoryRelease, *github.Response, error) {
			return c.gh.Repositories.ListReleases(ctx, owner, name, &page)
		})
}

func releaseOf(r *github.RepositoryRelease) Release {
	return Release{ID: r.GetID(), Tag: r.GetTagName(), Title: r.GetName(), Body: r.GetBody(), Author: r.GetAuthor().GetLogin(), URL: r.GetHTMLURL(),
		Draft: r.GetDraft(), Prerelease: r.GetPrerelease(), At: r.GetPublishedAt().Time}
}

// OwnLogin returns Mews's own login on GitHub: the token's owner, or slug[bot] for an App.
func (c *Client) OwnLogin(ctx context.Context) (string, error) {
	k := &call{action: "ask whose the token is"}
	if c.auth.key != nil {
		k.need = needApp
		app, _, err := ask(ctx, c, k, func(ctx context.Context, _, _ string) (*github.App, *github.Response, error) {
			return c.gh.Apps.Get(ctx, "")
		})
		return app.GetSlug() + "[bot]", err
	}
	user, _, err := ask(ctx, c, k, func(ctx context.Context, _, _ string) (*github.User, *github.Response, error) {
		return c.gh.Users.Get(ctx, "")
	})
	return user.GetLogin(), err
}

// MissingPermissions returns the permissions that an App's installation lacks. An example is
// issues=write. With a token it returns none, because GitHub does not tell a token's permissions.
func (c *Client) MissingPermissions(ctx context.Context, repo string) ([]string, error) {
	if c.auth.key == nil {
		return nil, nil
	}
	k := &call{action: "ask what the app may in " + repo, repo: repo}
	found, _, err := ask(ctx, c, k, func(ctx context.Context, owner, name string) ([]string, *github.Response, error) {
		m, err := c.auth.installation(ctx, mintKey{lowerRepo(repo), needContent})
		return m.lacks, nil, err
	})
	return found, err
}

// RateLimit is the state of one primary rate limit.
type RateLimit struct {
	Most, Left int
	Reset      time.Time
}

// RateLimits has the state of GitHub's primary rate limits.
type RateLimits struct{ Core, Search, GraphQL RateLimit }

// RateLimits returns the state of the rate limits. With an App, these are the limits of repo's
// installation. The request itself does not count.
func (c *Client) RateLimits(ctx context.Context, repo string) (RateLimits, error) {
	k := &call{action: "ask what is left of the limits", repo: repo, isFree: true}
	var answer struct {
		Resources struct {
			Core, Search, GraphQL rate
		}
	}
	// go-github's own function for this request would store the limits. Then it would refuse
	// requests by this machine's clock.
	_, _, err := ask(ctx, c, k, func(ctx context.Context, _, _ string) (any, *github.Response, error) {
		req, err := c.gh.NewRequest(http.MethodGet, "rate_limit", nil)
		if err != nil {
			return nil, nil, err
		}
		resp, err := c.gh.Do(ctx, req, &answer)
		return nil, resp, err
	})
	r := answer.Resources
	return RateLimits{r.Core.ours(), r.Search.ours(), r.GraphQL.ours()}, err
}

// rate is a RateLimit in GitHub's JSON. It is missing if a GitHub Enterprise has no limits.
type rate struct {
	Limit, Remaining int
	Reset            int64
}

func (r rate) ours() RateLimit { return RateLimit{r.Limit, r.Remaining, time.Unix(r.Reset, 0)} }
