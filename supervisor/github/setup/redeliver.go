package setup

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"mews/supervisor/github/api"
	"mews/supervisor/problem"
)

// redeliverFor is the time within which GitHub can redeliver: 3 days. (docs.github.com:
// redelivering webhooks)
const redeliverFor = 3 * 24 * time.Hour

// maxAgain is the maximum number of redeliveries at once. Each redelivery is a write request, and
// GitHub limits their number.
const maxAgain = 50

// Redelivery is a delivery that GitHub was asked to repeat.
type Redelivery struct {
	Repo string `json:"repo"`
	ID   int64  `json:"id"`
	What string `json:"what"`
}

// RedeliveryFailure is a repository whose deliveries could not all be repeated.
type RedeliveryFailure struct {
	Repo string `json:"repo"`
	Why  string `json:"why"` // the reason, as a text for users
}

// Redeliver asks GitHub to repeat the delivery with an id. The id 0 means all failed deliveries of
// the last three days. After a failure in one repository it goes on with the next, unless GitHub
// refuses all requests. The error err is only set if ctx has ended.
func (s Setup) Redeliver(ctx context.Context, id int64) (sent []Redelivery, failed []RedeliveryFailure, err error) {
	again := redeliverer{Setup: s, id: id}
	for _, repo := range s.Repos {
		err := again.repeat(ctx, repo.Name)
		switch class := api.ErrorClassOf(err); {
		case ctx.Err() != nil:
			return again.sent, failed, context.Cause(ctx)
		case err == nil:
			continue
		case class == api.RateLimited || class == api.BadCredentials:
			return again.sent, append(failed, RedeliveryFailure{repo.Name, problem.UserText(err)}), nil
		}
		failed = append(failed, RedeliveryFailure{repo.Name, problem.UserText(err)})
	}
	return again.sent, failed, nil
}

// redeliverer has the deliveries that GitHub was asked to repeat so far.
type redeliverer struct {
	Setup
	id   int64
	sent []Redelivery
	seen []string // GUIDs of repeated deliveries, because several repositories may share an App's webhook
}

// repeat asks GitHub to repeat the deliveries to a repository's webhook. If GitHub does not repeat
// a delivery, repeat goes on with the later ones, and returns the first error.
func (r *redeliverer) repeat(ctx context.Context, repo string) error {
	h, err := r.find(ctx, repo)
	if errors.Is(err, errNoHook) {
		return nil
	}
	if err != nil {
		return err
	}
	due, err := r.failed(ctx, repo, h.ID, r.id)
	if err != nil {
		return err
	}
	var first error
	for _, d := range due {
		if slices.Contains(r.seen, d.GUID) || len(r.sent) == maxAgain {
			continue
		}
		if err := r.Client.RedeliverWebhook(ctx, repo, h.ID, d.ID); err != nil {
			if api.ErrorClassOf(err) == api.RateLimited || ctx.Err() != nil {
				return err
			}
			if first == nil {
				first = err
			}
			continue
		}
		r.seen = append(r.seen, d.GUID)
		r.sent = append(r.sent, Redelivery{Repo: repo, ID: d.ID, What: strings.TrimSpace(d.Event + " " + d.Action)})
	}
	return first
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
		for _, d := range page { // GitHub lists newer attempts before older ones
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
