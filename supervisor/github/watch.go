package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/github/api"
	"mews/supervisor/internal/retry"
	"mews/supervisor/printable"
	"mews/supervisor/problem"
	"mews/supervisor/sqlite"
)

// reconcile is the interval of the polls of open pull requests if there is a webhook. These polls
// find events whose deliveries were lost.
const reconcile = 10 * time.Minute

// pollAgain is the pause after a failed poll.
const pollAgain = 30 * time.Second

// PollerOptions configure a Poller.
type PollerOptions struct {
	Repos      []supervisor.GitHubRepo
	Client     *api.Client
	Deliveries sqlite.WebhookDeliveries
	Settings   sqlite.Settings // stores the state of each repository, as settings of the service
	// interval of the polls of a repository; 0 means that events come by a webhook
	Poll time.Duration
	Self func() string // returns Mews's login on GitHub; "" if unknown; nil means unknown
	Wake func()        // called when a delivery was stored; must not block
	// Reviewed returns, for each pull request, the last head for which a review was requested; ""
	// if unknown. nil means that reviews are off.
	Reviewed func(ctx context.Context, repo string) (map[int]string, error)
	Now      func() time.Time
	Log      hclog.Logger
}

// Poller polls repositories. Without a webhook it finds all events. With a webhook it finds events
// whose deliveries were lost.
type Poller struct {
	o PollerOptions

	mu        sync.Mutex // guards lastPolls
	lastPolls map[string]PollResult
}

// PollResult is the result of the last poll of a repository.
type PollResult struct {
	At      time.Time
	Failure string // text about the lists that could not be read; "" if all were read
}

// NewPoller returns a Poller. Its Run must be called.
func NewPoller(o PollerOptions) *Poller { return &Poller{o: o, lastPolls: map[string]PollResult{}} }

// LastPoll returns the result of a repository's last poll; the zero value if there was none.
func (w *Poller) LastPoll(repo string) PollResult {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lastPolls[repo]
}

// DescribeEventArrival describes for users how events arrive. poll is the interval of the polls.
func DescribeEventArrival(poll time.Duration) string {
	if poll == 0 {
		return textCalled
	}
	return fmt.Sprintf(textAsked, amount.FormatDuration(poll))
}

// Run polls all repositories, one after another, until ctx ends.
func (w *Poller) Run(ctx context.Context) error {
	every := w.o.Poll
	if every == 0 {
		every = reconcile
	}
	for {
		begun, wait := w.o.Now(), every
		for _, repo := range w.o.Repos {
			if ctx.Err() == nil && !w.PollRepo(ctx, repo) {
				wait = min(wait, pollAgain)
			}
		}
		if !retry.Sleep(ctx, max(wait-w.o.Now().Sub(begun), time.Second)) {
			return nil
		}
	}
}

// seen is the last known state of a repository. It is stored as JSON.
type seen struct {
	Tags map[string]string `json:"tags"` // ETag of each list
	// the time up to which each list was read; a missing list was never read
	Since  map[string]time.Time `json:"since"`
	Pulls  map[int]seenPull     `json:"pulls"`            // pull requests that were open at the last poll, by number
	Branch string               `json:"branch,omitempty"` // name of the default branch
	Head   string               `json:"head,omitempty"`   // last commit of the default branch

	// Restored marks a state that comes from a backup: what the next poll finds needs no review.
	Restored   bool           `json:"restored,omitempty"`
	RestoredAt time.Time      `json:"restored_at,omitzero"` // time of that poll
	Heads      map[int]string `json:"heads,omitempty"`      // heads that needed no review in that poll
}

// seenPull is the last known state of an open pull request.
type seenPull struct {
	Head  string `json:"head"`
	Ref   string `json:"ref"`
	Draft bool   `json:"draft,omitempty"`
	// digest of the title and the labels; "" means unknown
	Text string `json:"text,omitempty"`
}

// seenPullOf returns the state of an open pull request.
func seenPullOf(p api.PullRequest) seenPull {
	text := fnv.New64a()
	for _, part := range append([]string{p.Title}, slices.Sorted(slices.Values(p.Labels))...) {
		text.Write([]byte(part + "\x00")) // writing to a hash never fails
	}
	return seenPull{Head: p.Head.SHA, Ref: p.Head.Ref, Draft: p.Draft, Text: fmt.Sprintf("%x", text.Sum64())}
}

// changed returns GitHub's action for the difference between two states of a pull request; "" means
// no difference.
func (s seenPull) changed(to seenPull) string {
	switch {
	case s.Draft && !to.Draft:
		return "ready_for_review"
	case s.Head != to.Head:
		return "synchronize"
	case s.Text != "" && s.Text != to.Text:
		return "edited"
	}
	return ""
}

// found is an event that a poll found.
type found struct {
	key   string
	event supervisor.GitHubEvent
}

// listPoll reads one list of a repository. It returns the events since the last poll, and updates
// s.
type listPoll func(w *Poller, ctx context.Context, repo string, s *seen) ([]found, error)

// listPolls are the lists to poll if there is no webhook.
var listPolls = []listPoll{(*Poller).pulls, (*Poller).issues, (*Poller).comments, (*Poller).diffComments,
	(*Poller).releases, (*Poller).commits, (*Poller).checks}

// webhookListPolls are the lists to poll if there is a webhook.
var webhookListPolls = []listPoll{(*Poller).heads, (*Poller).reviewed, (*Poller).lost}

// PollRepo polls one repository, and reports whether all lists could be read. If a list can't be
// read, the other lists are still read. The next poll tries again.
func (w *Poller) PollRepo(ctx context.Context, repo supervisor.GitHubRepo) (whole bool) {
	s, err := w.seen(ctx, repo.Name)
	if err == nil {
		if s.Restored && s.RestoredAt.IsZero() {
			s.RestoredAt = w.o.Now().UTC()
		}
		all := listPolls
		if w.o.Poll == 0 {
			all = webhookListPolls
		}
		for _, see := range all {
			err = errors.Join(err, w.pollList(ctx, repo, see, &s))
			if api.ErrorClassOf(err) == api.RateLimited || ctx.Err() != nil {
				break
			}
		}
	}
	if ctx.Err() != nil {
		return false
	}
	polled := PollResult{At: w.o.Now()}
	if err != nil {
		w.o.Log.Warn("poll a repository", "repo", repo.Name, "error", err)
		polled.Failure = problem.UserText(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lastPolls[repo.Name] = polled
	return err == nil
}

// pollList polls one list. It stores the events and the new state together.
func (w *Poller) pollList(ctx context.Context, repo supervisor.GitHubRepo, pollList listPoll, s *seen) error {
	before, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("encode what was seen: %w", err)
	}
	next := s.clone()
	list, err := pollList(w, ctx, repo.Name, &next)
	if err != nil {
		return err
	}
	after, err := json.Marshal(next)
	if err != nil {
		return fmt.Errorf("encode what was seen: %w", err)
	}
	var deliveries []supervisor.WebhookDelivery
	for _, f := range list {
		f.event.Repo = repo.Name
		deliveries = append(deliveries, supervisor.WebhookDelivery{User: repo.User,
			Source: supervisor.WebhookSourceGitHub, Hook: "poll", Key: f.key, Event: clipped(f.event)})
	}
	if len(deliveries) > 0 || string(before) != string(after) {
		err = w.o.Deliveries.PutPolledEvents(ctx, deliveries, seenPrefix+repo.Name, string(after))
	}
	if err == nil {
		*s = next
		w.o.Wake()
	}
	return err
}

// seenPrefix begins the names of the settings with repositories' states.
const seenPrefix = "github seen "

// seen returns the last known state of a repository.
func (w *Poller) seen(ctx context.Context, repo string) (seen, error) {
	s := seen{Tags: map[string]string{}, Since: map[string]time.Time{}, Pulls: map[int]seenPull{}}
	kept, ok, err := w.o.Settings.Find(ctx, everybody, seenPrefix+repo)
	if err == nil && ok {
		err = json.Unmarshal([]byte(kept), &s)
	}
	return s, err
}

// Maximum sizes of foreign texts in bytes. A delivery has at most 8 KiB.
const (
	maxTitle = 300
	maxText  = 2000
)

// clipped returns an event whose texts are cut to the maximum sizes.
func clipped(e supervisor.GitHubEvent) supervisor.GitHubEvent {
	e.Title, e.Text = clip(e.Title, maxTitle), clip(e.Text, maxText)
	for i := range e.Commits {
		e.Commits[i].Title = clip(e.Commits[i].Title, maxTitle)
	}
	return e
}

func clip(text string, most int) string {
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		lines = append(lines, printable.DropControls(line))
	}
	text = strings.Join(lines, "\n")
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}
