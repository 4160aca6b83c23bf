// Package setup checks the setup on GitHub for notices, reviews and triage: permissions, webhooks,
// the clock and the rate limits. It creates webhooks, and asks GitHub to repeat failed deliveries.
package setup

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"mews/supervisor"
	"mews/supervisor/github/api"
	"mews/supervisor/internal/slots"
	"mews/supervisor/printable"
	"mews/supervisor/problem"
)

// AccountClient asks GitHub about Mews's own account.
type AccountClient interface {
	OwnLogin(ctx context.Context) (string, error)
	RateLimits(ctx context.Context, repo string) (api.RateLimits, error)
	MissingPermissions(ctx context.Context, repo string) ([]string, error)
	ClockOffset() (ahead time.Duration, known bool)
}

// Setup describes the setup that Mews expects on GitHub.
type Setup struct {
	Account AccountClient
	// the client reads repositories, manages webhooks, and sends the two requests that test a
	// token. These two change nothing, because they name objects that cannot exist.
	Client  *api.Client
	App     bool          // Mews is a GitHub App; false means a user's token
	Listens bool          // Mews receives webhooks; false means that Mews polls
	Secret  func() string // returns the secret that signs deliveries
	Path    string        // path at which Mews receives webhooks
	Web     string        // address of GitHub's web pages: https://github.com
	Events  []string      // names of the events that Mews needs
	Repos   []supervisor.GitHubRepo
	Now     func() time.Time
}

// Report is the result of a check.
type Report struct {
	Login string `json:"login,omitempty"`
	// the reason why GitHub does not accept Mews's account; then all other fields are empty
	Wrong  string       `json:"wrong,omitempty"`
	Clock  string       `json:"clock,omitempty"` // text about the error of this machine's clock
	Limits []RateLimit  `json:"limits,omitempty"`
	Repos  []RepoReport `json:"repos"`
}

// Sentences returns the problems and the notes of the report. Each sentence names its repository.
func (r Report) Sentences() (wrong, notes []string) {
	for _, text := range []string{r.Wrong, r.Clock} {
		if text != "" {
			wrong = append(wrong, text)
		}
	}
	for _, repo := range r.Repos {
		for _, l := range repo.Missing {
			wrong = append(wrong, repo.Name+": "+l.Text())
		}
		for _, text := range repo.Faults {
			wrong = append(wrong, repo.Name+": "+text)
		}
		for _, text := range repo.Notes {
			notes = append(notes, repo.Name+": "+text)
		}
	}
	return wrong, notes
}

// Text returns a sentence about a missing permission.
func (l MissingPermission) Text() string { return fmt.Sprintf(textLack, l.Permission, l.Why, l.Page) }

// HasProblem reports whether the report has a problem.
func (r Report) HasProblem() bool {
	wrong, _ := r.Sentences()
	return len(wrong) > 0
}

// RateLimit is one of GitHub's rate limits, and how much of it is left.
type RateLimit struct {
	Name  string    `json:"name"`
	Left  int       `json:"left"`
	Most  int       `json:"most"`
	Reset time.Time `json:"reset"`
}

// RepoReport is the report about a repository.
type RepoReport struct {
	Name    string              `json:"name"`
	Missing []MissingPermission `json:"missing,omitempty"` // permissions that Mews lacks
	// sentences about other problems, with their solutions
	Faults []string `json:"faults,omitempty"`
	// sentences about things that are no problem
	Notes []string       `json:"notes,omitempty"`
	Hook  *WebhookReport `json:"hook,omitempty"`
}

// MissingPermission is a permission that Mews needs and lacks.
type MissingPermission struct {
	Permission string `json:"permission"` // in GitHub's words, such as issues: write
	Why        string `json:"why"`        // the services that do not work without the permission
	Page       string `json:"page"`       // address of the page where the permission is granted
}

// WebhookReport describes the webhook for Mews.
type WebhookReport struct {
	ID     int64                 `json:"id"`
	URL    string                `json:"url"`
	Events []string              `json:"events"`
	Last   []api.WebhookDelivery `json:"last,omitempty"` // the webhook's last deliveries, newest first
}

// maxClock is the allowed error of this machine's clock. (GitHub refuses an App's token whose time
// is more than 60 s ahead.)
const maxClock = 30 * time.Second

// atOnce is how many repositories are checked at once. A user waits for the result.
const atOnce = 8

// Check checks the account, the clock, the limits and all repositories.
func (s Setup) Check(ctx context.Context) (r Report) {
	login, err := s.Account.OwnLogin(ctx)
	if err != nil {
		r.Wrong = problem.UserText(err)
		return r
	}
	r.Login = login
	if ahead, known := s.Account.ClockOffset(); known && ahead.Abs() > maxClock {
		r.Clock = clockText(ahead)
	}
	r.Repos = make([]RepoReport, len(s.Repos))
	var all sync.WaitGroup
	checks := slots.New(atOnce)
	for i, repo := range s.Repos {
		slot := checks.RequestSlot("")
		<-slot.Granted()
		all.Go(func() {
			r.Repos[i] = s.check(ctx, repo)
			slot.Release()
		})
	}
	all.Wait()
	r.Limits = s.RateLimits(ctx)
	return r
}

// RateLimits returns GitHub's rate limits; nil if they are unknown or there are none.
func (s Setup) RateLimits(ctx context.Context) (list []RateLimit) {
	if len(s.Repos) == 0 {
		return nil
	}
	found, err := s.Account.RateLimits(ctx, s.Repos[0].Name)
	if err != nil {
		return nil
	}
	for _, l := range []struct {
		name string
		rate api.RateLimit
	}{{"requests", found.Core}, {"searches", found.Search}, {"GraphQL", found.GraphQL}} {
		if l.rate.Most > 0 {
			list = append(list, RateLimit{Name: l.name, Left: l.rate.Left, Most: l.rate.Most, Reset: l.rate.Reset})
		}
	}
	return list
}

// check checks one repository.
func (s Setup) check(ctx context.Context, repo supervisor.GitHubRepo) RepoReport {
	r := RepoReport{Name: repo.Name}
	there, err := s.Client.Repository(ctx, repo.Name)
	if err != nil {
		r.Faults = append(r.Faults, problem.UserText(err))
		return r
	}
	if there.Archived {
		r.Notes = append(r.Notes, textArchived)
	}
	lacks, err := s.missingPermissions(ctx, repo, there)
	if err != nil {
		r.Faults = append(r.Faults, problem.UserText(err))
	}
	for _, l := range permissions {
		if slices.Contains(lacks, l.name) && l.wanted(repo) {
			r.Missing = append(r.Missing, MissingPermission{Permission: l.shown(), Why: l.why, Page: s.page()})
		}
	}
	if repo.Project != "" {
		if id, err := s.Client.FindProject(ctx, repo.Name, repo.Project); err != nil || id == "" {
			r.Notes = append(r.Notes, projectText(repo.Project, err))
		}
	}
	if s.Listens {
		s.checkHook(ctx, &r)
	}
	return r
}

// missingPermissions returns the missing permissions. GitHub reports the permissions of an App. For
// a user's token, a request tests each permission.
func (s Setup) missingPermissions(ctx context.Context, repo supervisor.GitHubRepo, there api.Repository) (missingPermissions []string, err error) {
	if s.App {
		return s.Account.MissingPermissions(ctx, repo.Name)
	}
	for _, p := range permissions {
		if p.try == nil || !p.wanted(repo) {
			continue
		}
		switch err := p.try(ctx, s.Client, there); api.ErrorClassOf(err) {
		case api.Forbidden:
			missingPermissions = append(missingPermissions, p.name)
		case api.RateLimited, api.Unreachable, api.ServerError, api.BadCredentials:
			return missingPermissions, err
		}
	}
	return missingPermissions, nil
}

// page returns the address of the page for granting permissions.
func (s Setup) page() string {
	if s.App {
		return fmt.Sprintf(pageApp, s.Web)
	}
	return s.Web + pageToken
}

// permission is a permission to check.
type permission struct {
	name   string // name in GitHub's API, such as issues=write
	why    string // the services that do not work without the permission
	wanted func(supervisor.GitHubRepo) bool
	// tests whether a token has the permission; nil means that no test exists
	try func(ctx context.Context, c *api.Client, there api.Repository) error
}

// shown returns a permission in the form of GitHub's page, such as issues: write.
func (p permission) shown() string {
	name, level, _ := strings.Cut(p.name, "=")
	return strings.ReplaceAll(name, "_", " ") + ": " + level
}

func always(supervisor.GitHubRepo) bool       { return true }
func reviews(r supervisor.GitHubRepo) bool    { return r.Review && r.Post != supervisor.PostOnlyCard }
func triages(r supervisor.GitHubRepo) bool    { return r.Triage && r.Post != supervisor.PostOnlyCard }
func postsCheck(r supervisor.GitHubRepo) bool { return r.Review && r.Post == supervisor.PostAsCheckRun }

// unusedNumber is a number that no pull request has.
const unusedNumber = 1<<31 - 1

var permissions = []permission{
	{"contents=read", whyContents, always, func(ctx context.Context, c *api.Client, there api.Repository) error {
		_, err := c.BranchCommits(ctx, there.Name, there.Default, 1, "")
		return err
	}},
	{"pull_requests=read", whyPulls, always, func(ctx context.Context, c *api.Client, there api.Repository) error {
		_, err := c.PullRequests(ctx, there.Name, "open", 1, "")
		return err
	}},
	{"pull_requests=write", whyReview, reviews, func(ctx context.Context, c *api.Client, there api.Repository) error {
		return c.UpdateReview(ctx, there.Name, unusedNumber, unusedNumber, "-")
	}},
	{"issues=write", whyIssues, func(r supervisor.GitHubRepo) bool { return reviews(r) || triages(r) }, func(ctx context.Context, c *api.Client, there api.Repository) error {
		return c.CreateLabel(ctx, there.Name, api.Label{}) // GitHub never creates a label without a name
	}},
	{"checks=write", whyChecks, postsCheck, nil},
}

// callsMews reports whether a webhook calls the address of Mews.
func (s Setup) callsMews(h api.Webhook) bool {
	u, err := url.Parse(h.URL)
	return err == nil && strings.HasSuffix(u.Path, s.Path)
}

// Text returns the report for users, with a line for each check.
func (r Report) Text() string {
	var b strings.Builder
	line := func(mark, text string) { fmt.Fprintf(&b, "%-4s  %s\n", mark, text) }
	if r.Wrong != "" {
		line("BAD", r.Wrong)
	} else {
		line("ok", fmt.Sprintf(textLogin, r.Login))
	}
	if r.Clock != "" {
		line("BAD", r.Clock)
	}
	for _, l := range r.Limits {
		line("ok", fmt.Sprintf(textLimit, l.Name, l.Left, l.Most, l.Reset.Local().Format("15:04")))
	}
	for _, repo := range r.Repos {
		fmt.Fprintf(&b, "\n%s\n", repo.Name)
		for _, l := range repo.Missing {
			line("BAD", l.Text())
		}
		for _, text := range repo.Faults {
			line("BAD", printable.DropControls(text))
		}
		for _, text := range repo.Notes {
			line("WARN", printable.DropControls(text))
		}
		if len(repo.Missing)+len(repo.Faults) == 0 {
			line("ok", textAllowed)
		}
		if h := repo.Hook; h != nil {
			line("", fmt.Sprintf(textHook, printable.DropControls(h.URL), strings.Join(h.Events, ", ")))
			for _, d := range h.Last {
				line("", fmt.Sprintf("  %s  %d  %s %s: %s", d.At.Local().Format("2006-01-02 15:04:05"), d.ID, d.Event,
					d.Action, printable.DropControls(d.Status)))
			}
		}
	}
	return b.String()
}
