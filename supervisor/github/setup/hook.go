package setup

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"mews/supervisor"
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
// configured on the App's page, and GitHub's API does not tell them.
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
	list, err := s.Client.Webhooks(ctx, repo)
	for _, h := range list {
		if s.callsMews(h) {
			return h, nil
		}
	}
	if err != nil {
		return api.Webhook{}, err
	}
	return api.Webhook{}, errNoHook
}

// AddWebhook creates a repository's webhook with an address, unless there is one. GitHub then tests
// the webhook. made reports whether the webhook is new. Errors are for users.
func (s Setup) AddWebhook(ctx context.Context, repo, address string) (made bool, err error) {
	if _, err = s.find(ctx, repo); err == nil {
		return false, nil
	}
	if !errors.Is(err, errNoHook) {
		return false, err
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.Host == "" || !strings.HasSuffix(u.Path, s.Path) {
		return false, supervisor.Errorf(supervisor.CodeInvalid, textNoAddress, address, s.Path)
	}
	_, err = s.Client.CreateWebhook(ctx, repo, address, s.Secret, s.Events)
	return err == nil, err
}

// redeliverFor is the time within which GitHub can redeliver: 3 days. (docs.github.com:
// redelivering webhooks)
const redeliverFor = 3 * 24 * time.Hour

// maxAgain is the maximum number of redeliveries at once. Each needs a write, and writes are
// limited.
const maxAgain = 50

// Redelivery is a delivery that GitHub was asked to repeat.
type Redelivery struct {
	Repo string `json:"repo"`
	ID   int64  `json:"id"`
	What string `json:"what"`
}

// Redeliver asks GitHub to repeat the delivery with an id. The id 0 means all failed deliveries of
// the last three days. The error is for users.
func (s Setup) Redeliver(ctx context.Context, id int64) (sent []Redelivery, err error) {
	var seen []string // repositories that share an App's webhook get it only once
	for _, repo := range s.Repos {
		h, err := s.find(ctx, repo.Name)
		if errors.Is(err, errNoHook) {
			continue
		}
		if err != nil {
			return sent, err
		}
		due, err := s.failed(ctx, repo.Name, h.ID, id)
		if err != nil {
			return sent, err
		}
		for _, d := range due {
			if slices.Contains(seen, d.GUID) || len(sent) == maxAgain {
				continue
			}
			if err := s.Client.RedeliverWebhook(ctx, repo.Name, h.ID, d.ID); err != nil {
				return sent, err
			}
			seen = append(seen, d.GUID)
			sent = append(sent, Redelivery{Repo: repo.Name, ID: d.ID, What: strings.TrimSpace(d.Event + " " + d.Action)})
		}
	}
	return sent, nil
}

// failed returns a webhook's deliveries whose attempts all failed, oldest first. If id is not 0, it
// returns only that delivery.
func (s Setup) failed(ctx context.Context, repo string, hook, id int64) (due []api.WebhookDelivery, err error) {
	taken := map[string]bool{}
	for cursor, more := "", true; more; more = cursor != "" {
		var page []api.WebhookDelivery
		if page, cursor, err = s.Client.WebhookDeliveries(ctx, repo, hook, cursor); err != nil {
			return nil, err
		}
		for _, d := range page { // newer attempts come before older ones
			if d.At.Before(s.Now().Add(-redeliverFor)) {
				cursor = ""
				break
			}
			if d.ID == id {
				return []api.WebhookDelivery{d}, nil
			}
			if !taken[d.GUID] && !d.Succeeded() && id == 0 {
				due = append(due, d)
			}
			taken[d.GUID] = true
		}
	}
	slices.Reverse(due)
	return due, nil
}
