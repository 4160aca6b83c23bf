package github

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/github/address"
	"mews/supervisor/github/api"
	"mews/supervisor/github/setup"
	"mews/supervisor/printable"
)

// Methods of the control socket for admins, about repositories on GitHub.
const (
	MethodCheckSetup = "github.check"     // parameters RepoQuery, result setup.Report
	MethodAddRepo    = "github.add"       // parameters AddRepoRequest, result AddRepoResult
	MethodRedeliver  = "github.redeliver" // parameters RedeliverRequest, result RedeliverResult
)

// RepoQuery has the parameters of a call about one repository or all repositories.
type RepoQuery struct {
	Repo string `json:"repo,omitempty"` // owner/name; "" means all repositories
}

// AddRepoRequest has the parameters of MethodAddRepo.
type AddRepoRequest struct {
	Repo string `json:"repo"`
	URL  string `json:"url,omitempty"` // the address under which GitHub reaches Mews
	// the webhook's present address, which the admin has agreed to change to URL; "" changes no
	// webhook
	Replace string `json:"replace,omitempty"`
}

// AddRepoResult is the result of MethodAddRepo.
type AddRepoResult struct {
	Text string `json:"text"` // text for the admin
	YAML string `json:"yaml"` // lines to add to the configuration
	// the webhook's present address, if the request has another one; then nothing was changed
	Other string `json:"other,omitempty"`
}

// RedeliverRequest has the parameters of MethodRedeliver.
type RedeliverRequest struct {
	ID int64 `json:"id,omitempty"` // id of a delivery; 0 means all failed deliveries
}

// RedeliverResult is the result of MethodRedeliver.
type RedeliverResult struct {
	Sent   []setup.Redelivery        `json:"sent"`
	Failed []setup.RedeliveryFailure `json:"failed,omitempty"`
}

// calls returns the calls behind `mews github` and `mews review`.
func (g *GitHub) calls() []feature.ControlCall {
	return append(patches{g}.calls(),
		adminCall(g, MethodCheckSetup, g.check), adminCall(g, MethodAddRepo, g.add), adminCall(g, MethodStatus,
			g.status),
		adminCall(g, MethodMutes, g.quiet), adminCall(g, MethodRedeliver, g.redeliver))
}

// adminCall returns a call that only admins may make. It fails if Mews has no account on GitHub.
func adminCall[Q, R any](g *GitHub, name string, do func(context.Context, setup.Setup, Q) (R,
	error)) feature.ControlCall {
	call := feature.NewControlCall(name, func(ctx context.Context, _ feature.Caller, q Q) (r R, err error) {
		if g.o.Client == nil {
			return r, supervisor.Errorf(supervisor.CodeInvalid, textNoGitHub)
		}
		return do(ctx, g.o.Setup, q)
	})
	call.AdminsOnly = true
	return call
}

// check checks the permissions, webhooks and limits of the repositories.
func (g *GitHub) check(ctx context.Context, in setup.Setup, q RepoQuery) (setup.Report, error) {
	err := oneRepo(&in, q.Repo)
	return in.Check(ctx), err
}

// redeliver asks GitHub to repeat deliveries.
func (g *GitHub) redeliver(ctx context.Context, in setup.Setup, q RedeliverRequest) (RedeliverResult, error) {
	sent, failed, err := in.Redeliver(ctx, q.ID)
	return RedeliverResult{Sent: append([]setup.Redelivery{}, sent...), Failed: failed}, err
}

// oneRepo limits a setup to one repository. The name "" changes nothing.
func oneRepo(in *setup.Setup, name string) error {
	if name == "" {
		return nil
	}
	named, _ := address.ParseRepo(name)
	in.Repos = slices.DeleteFunc(slices.Clone(in.Repos), func(r supervisor.GitHubRepo) bool {
		return r.Name != supervisor.NormalizeRepoName(named)
	})
	if len(in.Repos) == 0 {
		return supervisor.Errorf(supervisor.CodeNotFound, textNotServedRepo, name)
	}
	return nil
}

// add creates a repository's webhook if Mews receives webhooks, or changes its address if the admin
// has agreed. It also returns the steps that the admin must do.
func (g *GitHub) add(ctx context.Context, in setup.Setup, q AddRepoRequest) (added AddRepoResult, err error) {
	named, ok := address.ParseRepo(q.Repo)
	if !ok {
		return added, supervisor.Errorf(supervisor.CodeInvalid, textNoRepoName, q.Repo)
	}
	q.Repo = named
	if _, err := in.Client.Repository(ctx, q.Repo); api.ErrorClassOf(err) == api.NotFound {
		return added, supervisor.Errorf(supervisor.CodeNotFound, textRepoUnseen, q.Repo)
	} else if err != nil {
		return added, err
	}
	added = AddRepoResult{Text: textPolled, YAML: fmt.Sprintf(textRepoYAML, q.Repo, g.o.Names()[0])}
	if !in.Listens {
		return added, nil
	}
	made, err := in.AddWebhook(ctx, q.Repo, q.URL)
	other := new(setup.WebhookAddressError)
	changed := errors.As(err, &other) && other.Address == q.Replace
	if changed {
		err = in.ChangeWebhook(ctx, q.Repo, q.Replace, q.URL)
	}
	switch class := api.ErrorClassOf(err); {
	case errors.As(err, &other):
		added.Other, added.Text = other.Address, fmt.Sprintf(textHookElsewhere, q.Repo, other.Address, q.URL)
		err = nil
	case changed && err == nil:
		added.Text = fmt.Sprintf(textHookChanged, q.URL)
		g.o.Audit("", "github.hook", fmt.Sprintf("changed the webhook of %s from %s to %s", q.Repo, q.Replace, q.URL))
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

// Text describes the redeliveries for an admin.
func (r RedeliverResult) Text() (text string) {
	for _, d := range r.Sent {
		text += fmt.Sprintf("%d  %s  %s\n", d.ID, d.Repo, printable.DropControls(d.What))
	}
	if text != "" {
		text += textRedelivered
	}
	for _, f := range r.Failed {
		text += fmt.Sprintf(textNotRedelivered, f.Repo, printable.DropControls(f.Why))
	}
	return cmp.Or(text, textNoRedelivery)
}
