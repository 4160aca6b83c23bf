package github

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/github/api"
	"mews/supervisor/github/setup"
	"mews/supervisor/printable"
)

// What the control socket answers admins about repositories on GitHub.
const (
	MethodCheck     = "github.check"     // Question to setup.Report
	MethodAdd       = "github.add"       // NewRepo to Added
	MethodRedeliver = "github.redeliver" // Redeliver to Redelivered
)

// Question is about a repository.
type Question struct {
	Repo string `json:"repo,omitempty"` // "" is about all
}

// NewRepo asks for what a repository needs to be served.
type NewRepo struct {
	Repo string `json:"repo"`
	URL  string `json:"url,omitempty"` // at which GitHub reaches Mews
}

// Added answers that.
type Added struct {
	Text string `json:"text"` // what was done
	YAML string `json:"yaml"` // for the configuration
}

// Redeliver asks for deliveries to be sent again.
type Redeliver struct {
	ID int64 `json:"id,omitempty"` // 0 is all that were not taken
}

// Redelivered answers that.
type Redelivered struct {
	Sent []setup.Redelivery `json:"sent"`
}

// calls are what `mews github` and `mews review` ask.
func (g *GitHub) calls() []feature.Call {
	return append(patches{g}.calls(),
		adminCall(g, MethodCheck, g.check), adminCall(g, MethodAdd, g.add), adminCall(g, MethodStatus, g.status),
		adminCall(g, MethodQuiet, g.quiet), adminCall(g, MethodRedeliver, g.redeliver))
}

// adminCall is what only an admin may ask, if Mews has an account on GitHub.
func adminCall[Q, R any](g *GitHub, name string, do func(context.Context, setup.Setup, Q) (R, error)) feature.Call {
	call := feature.NewCall(name, func(ctx context.Context, _ feature.Caller, q Q) (r R, err error) {
		if g.o.Client == nil {
			return r, supervisor.Errorf(supervisor.CodeInvalid, textNoGitHub)
		}
		return do(ctx, g.o.Setup, q)
	})
	call.AdminsOnly = true
	return call
}

// check looks whether all is there that the repositories of a setup take.
func (g *GitHub) check(ctx context.Context, in setup.Setup, q Question) (setup.Report, error) {
	err := oneRepo(&in, q.Repo)
	return in.Check(ctx), err
}

// redeliver has GitHub send deliveries again.
func (g *GitHub) redeliver(ctx context.Context, in setup.Setup, q Redeliver) (Redelivered, error) {
	sent, err := in.Redeliver(ctx, q.ID)
	return Redelivered{Sent: append([]setup.Redelivery{}, sent...)}, err
}

// oneRepo has a setup be about one repository alone, where one is named.
func oneRepo(in *setup.Setup, name string) error {
	if name == "" {
		return nil
	}
	in.Repos = slices.DeleteFunc(slices.Clone(in.Repos), func(r supervisor.GitHubRepo) bool {
		return r.Name != supervisor.GitHubRepoName(name)
	})
	if len(in.Repos) == 0 {
		return supervisor.Errorf(supervisor.CodeNotFound, textNotServedRepo, name)
	}
	return nil
}

// add makes a repository's webhook where GitHub is to call, and says what is left to be done.
func (g *GitHub) add(ctx context.Context, in setup.Setup, q NewRepo) (added Added, err error) {
	added = Added{Text: textPolled, YAML: fmt.Sprintf(textRepoYAML, q.Repo, g.o.Names()[0])}
	if !in.Listens {
		return added, nil
	}
	made, err := in.Add(ctx, q.Repo, q.URL)
	switch class := api.ClassOf(err); {
	case made && err == nil:
		added.Text = textHookMade
		g.o.Audit("", "github.hook", "made a webhook in "+q.Repo)
	case err == nil:
		added.Text = textHookThere
	case class == api.Forbidden || class == api.NotFound:
		added.Text = fmt.Sprintf(textHookByHand, in.Web, q.Repo, strings.Join(in.Events, ", "))
		err = nil
	}
	return added, err
}

// Text is them for people.
func (r Redelivered) Text() (text string) {
	for _, d := range r.Sent {
		text += fmt.Sprintf("%d  %s  %s\n", d.ID, d.Repo, printable.Text(d.What))
	}
	if text == "" {
		return textNoRedelivery
	}
	return text + textRedelivered
}
