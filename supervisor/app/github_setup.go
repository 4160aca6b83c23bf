package app

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mews/config"
	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/control"
	"mews/supervisor/github/api"
	"mews/supervisor/github/event"
	"mews/supervisor/github/setup"
	"mews/supervisor/printable"
)

// What the control socket answers admins about repositories on GitHub.
const (
	MethodGitHubCheck     = "github.check"     // GitHubQuestion to setup.Report
	MethodGitHubAdd       = "github.add"       // GitHubNewRepo to GitHubAdded
	MethodGitHubRedeliver = "github.redeliver" // GitHubRedeliver to GitHubRedelivered
)

// GitHubQuestion is about a repository.
type GitHubQuestion struct {
	Repo string `json:"repo,omitempty"` // "" is about all
}

// GitHubNewRepo asks for what a repository needs to be served.
type GitHubNewRepo struct {
	Repo string `json:"repo"`
	URL  string `json:"url,omitempty"` // at which GitHub reaches Mews
}

// GitHubAdded answers that.
type GitHubAdded struct {
	Text string `json:"text"` // what was done
	YAML string `json:"yaml"` // for the configuration
}

// GitHubRedeliver asks for deliveries to be sent again.
type GitHubRedeliver struct {
	ID int64 `json:"id,omitempty"` // 0 is all that were not taken
}

// GitHubRedelivered answers that.
type GitHubRedelivered struct {
	Sent []setup.Redelivery `json:"sent"`
}

// GitHubSetup is what a configuration wants to be there on GitHub.
func GitHubSetup(cfg *config.Config, client *api.Client) setup.Setup {
	repos := slices.SortedFunc(maps.Values(gitHubRepos(cfg.GitHub)), func(a, b supervisor.GitHubRepo) int { return cmp.Compare(a.Name, b.Name) })
	web, _, _ := strings.Cut(strings.Replace(cfg.GitHub.APIURL, "://api.", "://", 1), "/api/v3")
	return setup.Setup{Account: client, Content: client, Hooks: client, App: cfg.GitHub.App.ID != 0, Listens: cfg.Webhooks.Listen != "",
		Secret: cfg.GitHub.WebhookSecret.Reveal, Path: config.GitHubPath, Web: strings.TrimSuffix(web, "/"), Events: event.Names(),
		Repos: repos, Now: time.Now}
}

// gitHubMethods answers `mews github`.
type gitHubMethods struct{ *service }

func (s gitHubMethods) answers() map[string]control.Method {
	return map[string]control.Method{
		MethodGitHubCheck: forGitHub(s, func(ctx context.Context, in setup.Setup, q GitHubQuestion) (setup.Report, error) {
			err := oneRepo(&in, q.Repo)
			return in.Check(ctx), err
		}),
		MethodGitHubAdd:    forGitHub(s, s.add),
		MethodGitHubStatus: forGitHub(s, s.status),
		MethodGitHubQuiet:  forGitHub(s, s.quiet),
		MethodGitHubRedeliver: forGitHub(s, func(ctx context.Context, in setup.Setup, q GitHubRedeliver) (GitHubRedelivered, error) {
			sent, err := in.Redeliver(ctx, q.ID)
			return GitHubRedelivered{Sent: append([]setup.Redelivery{}, sent...)}, err
		}),
	}
}

// forGitHub is a method that only an admin has done, where Mews is somebody on GitHub.
func forGitHub[Q, R any](s gitHubMethods, do func(context.Context, setup.Setup, Q) (R, error)) control.Method {
	return func(ctx context.Context, uid uint32, req *protocol.Request) (any, error) {
		var q Q
		switch err := req.Decode(&q); {
		case err != nil:
			return nil, err
		case !s.people.Admin(uid):
			return nil, supervisor.Errorf(supervisor.CodeForbidden, textGitHubAdmins)
		case s.github == nil:
			return nil, supervisor.Errorf(supervisor.CodeInvalid, textNoGitHub)
		}
		return do(ctx, GitHubSetup(s.config, s.github), q)
	}
}

// oneRepo has a setup be about one repository alone, where one is named.
func oneRepo(in *setup.Setup, name string) error {
	if name == "" {
		return nil
	}
	in.Repos = slices.DeleteFunc(in.Repos, func(r supervisor.GitHubRepo) bool { return r.Name != supervisor.GitHubRepoName(name) })
	if len(in.Repos) == 0 {
		return supervisor.Errorf(supervisor.CodeNotFound, textNotServedRepo, name)
	}
	return nil
}

// add makes a repository's webhook where GitHub is to call, and says what is left to be done.
func (s gitHubMethods) add(ctx context.Context, in setup.Setup, q GitHubNewRepo) (added GitHubAdded, err error) {
	added = GitHubAdded{Text: textPolled, YAML: fmt.Sprintf(textRepoYAML, q.Repo, s.people.Names()[0])}
	if !in.Listens {
		return added, nil
	}
	made, err := in.Add(ctx, q.Repo, q.URL)
	switch class := api.ClassOf(err); {
	case made && err == nil:
		added.Text = textHookMade
		s.audit.Note("", "github.hook", "made a webhook in "+q.Repo)
	case err == nil:
		added.Text = textHookThere
	case class == api.Forbidden || class == api.NotFound:
		added.Text = fmt.Sprintf(textHookByHand, in.Web, q.Repo, strings.Join(in.Events, ", "))
		err = nil
	}
	return added, err
}

// Text is them for people.
func (r GitHubRedelivered) Text() (text string) {
	for _, d := range r.Sent {
		text += fmt.Sprintf("%d  %s  %s\n", d.ID, d.Repo, printable.Text(d.What))
	}
	if text == "" {
		return textNoRedelivery
	}
	return text + textRedelivered
}
