package setup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mews/supervisor/github/api"
	"mews/supervisor/problem"
)

// reportedDeliveries is the number of a webhook's deliveries in a report.
const reportedDeliveries = 5

// checkHook checks the webhook for Mews.
func (s Setup) checkHook(ctx context.Context, r *RepoReport) {
	h, err := s.find(ctx, r.Name)
	switch class := api.ErrorClassOf(err); {
	case class == api.Forbidden || class == api.NotFound:
		r.Notes = append(r.Notes, fmt.Sprintf(textHookUnseen, s.Web, r.Name))
		return
	case errors.Is(err, errNoHook):
		r.Faults = append(r.Faults, fmt.Sprintf(textNoHook, s.Path, r.Name))
		return
	case err != nil:
		r.Faults = append(r.Faults, problem.UserText(err))
		return
	}
	r.Hook = &WebhookReport{ID: h.ID, URL: h.URL, Events: h.Events}
	for _, f := range []struct {
		is   bool
		text string
	}{
		{!h.Active, textHookOff}, {!h.JSON, textHookForm}, {!h.Secret, textHookSecret},
		{strings.HasPrefix(h.URL, "http:"), textHookPlain},
	} {
		if f.is {
			r.Faults = append(r.Faults, f.text)
		}
	}
	if missing := s.missing(h); len(missing) > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf(textHookEvents, strings.Join(missing, ", ")))
	}
	if r.Hook.Last, _, err = s.Client.WebhookDeliveries(ctx, r.Name, h.ID, ""); err != nil {
		r.Notes = append(r.Notes, problem.UserText(err))
		return
	}
	r.Hook.Last = r.Hook.Last[:min(len(r.Hook.Last), reportedDeliveries)]
	if last := r.Hook.Last; len(last) > 0 && !last[0].Succeeded() {
		r.Faults = append(r.Faults, fmt.Sprintf(textNotTaken, last[0].Event, last[0].At.Format(time.RFC3339), last[0].Status))
	}
}

// missing returns the events that a webhook does not send but should. An App's events are
// configured on the App's page, and GitHub's API does not list them.
func (s Setup) missing(h api.Webhook) (names []string) {
	if h.ID == api.AppWebhookID || slices.Contains(h.Events, "*") {
		return nil
	}
	for _, name := range s.Events {
		if !slices.Contains(h.Events, name) {
			names = append(names, name)
		}
	}
	return names
}

var errNoHook = errors.New("no webhook calls Mews")

// find returns the repository's webhook for Mews.
func (s Setup) find(ctx context.Context, repo string) (api.Webhook, error) {
	list, err := s.callingMews(ctx, repo)
	if err != nil {
		return api.Webhook{}, err
	}
	return list[0], nil
}
