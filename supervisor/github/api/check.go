package api

import (
	"context"
	"fmt"
	"time"

	"github.com/google/go-github/v66/github"
)

// CheckRun is a check run of a commit.
type CheckRun struct {
	ID         int64
	Name       string
	App        string // slug of the App that created the check run
	Status     string // state of the check run: queued, in_progress or completed
	Conclusion string // success, failure, neutral, cancelled, skipped, timed_out, action_required
	URL        string
	Head       string
	External   string // id that the creator has chosen
	Completed  time.Time
}

// CheckRunParams has the data of a check run to create. The check run is completed at once and
// either succeeds or is neutral, so it never blocks a merge.
type CheckRunParams struct {
	Name     string
	Head     string
	External string
	Title    string
	Summary  string
	Passed   bool // the check run succeeds; false means neutral
}

func (n CheckRunParams) conclusion() *string {
	if n.Passed {
		return github.String("success")
	}
	return github.String("neutral")
}

// CheckRuns returns the latest check runs of a commit or branch.
func (c *Client) CheckRuns(ctx context.Context, repo, ref, etag string) (Page[CheckRun], error) {
	k := &call{action: fmt.Sprintf("list the checks of %s", repo), repo: repo, etag: etag}
	return listing(ctx, c, k, 3*pageSize, checkOf,
		func(ctx context.Context, owner, name string, page github.ListOptions) ([]*github.CheckRun, *github.Response, error) {
			r, resp, err := c.gh.Checks.ListCheckRunsForRef(ctx, owner, name, ref, &github.ListCheckRunsOptions{ListOptions: page})
			if err != nil {
				return nil, resp, err
			}
			return r.CheckRuns, resp, nil
		})
}

// CreateCheckRun creates a check run. Only GitHub Apps may do that.
func (c *Client) CreateCheckRun(ctx context.Context, repo string, n CheckRunParams) (CheckRun, error) {
	k := &call{action: "make a check run in " + repo, repo: repo}
	r, _, err := ask(ctx, c, k, func(ctx context.Context, owner, name string) (*github.CheckRun, *github.Response, error) {
		return c.gh.Checks.CreateCheckRun(ctx, owner, name, github.CreateCheckRunOptions{Name: n.Name, HeadSHA: n.Head, ExternalID: &n.External,
			Status: github.String("completed"), Conclusion: n.conclusion(), Output: outputOf(n)})
	})
	return checkOf(r), err
}

// UpdateCheckRun replaces the text of a check run.
func (c *Client) UpdateCheckRun(ctx context.Context, repo string, id int64, n CheckRunParams) error {
	k := &call{action: "edit a check run in " + repo, repo: repo}
	_, _, err := ask(ctx, c, k, func(ctx context.Context, owner, name string) (*github.CheckRun, *github.Response, error) {
		return c.gh.Checks.UpdateCheckRun(ctx, owner, name, id, github.UpdateCheckRunOptions{Name: n.Name,
			Status: github.String("completed"), Conclusion: n.conclusion(), Output: outputOf(n)})
	})
	return err
}

func outputOf(n CheckRunParams) *github.CheckRunOutput {
	return &github.CheckRunOutput{Title: &n.Title, Summary: &n.Summary}
}

func checkOf(r *github.CheckRun) CheckRun {
	return CheckRun{ID: r.GetID(), Name: r.GetName(), App: r.GetApp().GetSlug(), Status: r.GetStatus(),
		Conclusion: r.GetConclusion(), URL: r.GetHTMLURL(),
		Head: r.GetHeadSHA(), External: r.GetExternalID(), Completed: r.GetCompletedAt().Time}
}
