package github

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/github/api"
)

const (
	// lostFor is how long after a failed delivery GitHub can repeat it. (docs.github.com:
	// redelivering webhooks)
	lostFor = 3 * 24 * time.Hour
	// WebhookPath is the path of the address for GitHub's webhooks.
	WebhookPath = "/webhook/github"

	maxAttempts = 5  // how often Mews asks GitHub to repeat one delivery
	maxPages    = 30 // maximum number of pages of the list of deliveries that are read
)

// heads finds open pull requests with a new head. A new head needs a review, even if a webhook has
// reported the head. Pull requests that were open at the first poll do not count as opened.
func (w *Poller) heads(ctx context.Context, repo string, s *seen) (list []found, err error) {
	_, before := s.Since["pulls"]
	page, err := w.o.Client.PullRequests(ctx, repo, "open", manyOpen, s.Tags["pulls"])
	if err != nil || page.Same {
		return nil, err
	}
	w.since(s, "pulls")
	was := s.Pulls
	if s.Pulls = map[int]seenPull{}; page.More { // the pull requests on further pages keep their last known state
		maps.Copy(s.Pulls, was)
	}
	for _, p := range page.Items {
		now := seenPullOf(p)
		s.Pulls[p.Number] = now
		old, known := was[p.Number]
		moved := !known || old.Head != now.Head || old.Ref != now.Ref || old.Draft != now.Draft
		switch {
		case !before:
		case moved:
			list = append(list, foundPull(p, "synchronize"))
		case old.changed(now) != "":
			list = append(list, foundPull(p, "edited"))
		}
	}
	s.Tags["pulls"] = page.ETag
	return list, nil
}

// reviewed finds open pull requests whose head changed after their review. It finds heads whose
// webhook delivery was lost before the first poll.
func (w *Poller) reviewed(ctx context.Context, repo string, s *seen) (list []found, err error) {
	if w.o.Reviewed == nil {
		return nil, nil
	}
	heads, err := w.o.Reviewed(ctx, repo)
	if err != nil {
		return nil, err
	}
	if _, polled := s.Since["pulls"]; s.Restored && !polled {
		return nil, nil // the pull requests could not be read
	}
	if s.Restored { // all that was pushed after the backup may have been reviewed
		s.Restored, s.Heads = false, map[int]string{}
		for number, p := range s.Pulls {
			s.Heads[number] = p.Head
		}
	}
	for _, number := range slices.Sorted(maps.Keys(heads)) {
		p, open := s.Pulls[number]
		if open && heads[number] != "" && heads[number] != p.Head && s.Heads[number] != p.Head {
			list = append(list, found{fmt.Sprintf("pull/%d/head/%s/after/%s", number, p.Head, heads[number]), supervisor.GitHubEvent{Event: "pull_request", Action: "synchronize",
				Number: number, IsPull: true, Ref: p.Ref, Head: p.Head, Draft: p.Draft, At: w.o.Now()}})
		}
	}
	return list, err
}

// lost asks GitHub to repeat failed deliveries. The token needs the rights of the repository's
// admin.
func (w *Poller) lost(ctx context.Context, repo string, s *seen) ([]found, error) {
	hooks, err := w.o.Client.Webhooks(ctx, repo)
	if class := api.ErrorClassOf(err); class == api.Forbidden || class == api.NotFound {
		err = nil
	}
	for _, h := range hooks {
		if u, bad := url.Parse(h.URL); bad != nil || !strings.HasSuffix(u.Path, WebhookPath) || err != nil {
			continue
		}
		err = w.redeliver(ctx, repo, h.ID, s.RestoredAt)
	}
	return nil, err
}

// redeliver asks GitHub to repeat a webhook's failed deliveries since a time, each at most a few
// times.
func (w *Poller) redeliver(ctx context.Context, repo string, hook int64, since time.Time) error {
	since = later(since, w.o.Now().Add(-lostFor))
	type attempts struct {
		newest int64
		n      int
		ok     bool
	}
	all, order := map[string]*attempts{}, []string{}
	cursor, old := "", false
	for range maxPages {
		list, next, err := w.o.Client.WebhookDeliveries(ctx, repo, hook, cursor)
		if err != nil {
			return fmt.Errorf("what was sent: %w", err)
		}
		for _, d := range list {
			if old = d.At.Before(since); old {
				break
			}
			a := all[d.GUID]
			if a == nil { // the newest attempt of a delivery comes first
				a = &attempts{newest: d.ID}
				all[d.GUID], order = a, append(order, d.GUID)
			}
			a.n++
			a.ok = a.ok || d.Succeeded()
		}
		if cursor = next; cursor == "" || old {
			break
		}
	}
	for _, guid := range order {
		if a := all[guid]; !a.ok && a.n < maxAttempts {
			if err := w.o.Client.RedeliverWebhook(ctx, repo, hook, a.newest); err != nil {
				return err
			}
		}
	}
	return nil
}
