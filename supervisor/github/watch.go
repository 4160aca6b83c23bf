package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// reconcile is the time between two polls of open pull requests if there is a webhook. The polls
// are needed because deliveries may be lost.
const reconcile = 10 * time.Minute

// pollAgain is the pause before the next poll after a failed one.
const pollAgain = 30 * time.Second

// WatchOptions configure a Watch.
type WatchOptions struct {
	Repos      []supervisor.GitHubRepo
	Client     *api.Client
	Deliveries sqlite.WebhookDeliveries
	Settings   sqlite.Settings // holds the state of each repository, under the service's own user
	// time between two polls of a repository; 0 means that a webhook tells
	Poll time.Duration
	Wake func() // called when a delivery was stored; never blocks
	// Reviewed returns the last head with a requested review for each pull request, "" if unknown.
	// nil means that no pull request is reviewed.
	Reviewed func(ctx context.Context, repo string) (map[int]string, error)
	Now      func() time.Time
	Log      hclog.Logger
}

// Watch polls repositories for events. Without a webhook it finds all events. With a webhook it
// finds lost deliveries.
type Watch struct {
	o WatchOptions

	mu        sync.Mutex // guards lastPolls
	lastPolls map[string]PollResult
}

// PollResult is the result of the last poll of a repository.
type PollResult struct {
	At      time.Time
	Failure string // a sentence about the lists that could not be read; "" if all were read
}

// NewWatch creates a Watch; its Run polls.
func NewWatch(o WatchOptions) *Watch { return &Watch{o: o, lastPolls: map[string]PollResult{}} }

// LastPoll returns the result of a repository's last poll; the zero value before the first.
func (w *Watch) LastPoll(repo string) PollResult {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lastPolls[repo]
}

// Way describes how events arrive, for users. poll is the interval of a Watch.
func Way(poll time.Duration) string {
	if poll == 0 {
		return textCalled
	}
	return fmt.Sprintf(textAsked, amount.Duration(poll))
}

// Run polls all repositories in turn until ctx ends.
func (w *Watch) Run(ctx context.Context) error {
	every := w.o.Poll
	if every == 0 {
		every = reconcile
	}
	for {
		begun, wait := w.o.Now(), every
		for _, repo := range w.o.Repos {
			if ctx.Err() == nil && !w.Poll(ctx, repo) {
				wait = min(wait, pollAgain)
			}
		}
		if !retry.Wait(ctx, max(wait-w.o.Now().Sub(begun), time.Second)) {
			return nil
		}
	}
}

// seen is the last known state of a repository, as it is stored.
type seen struct {
	Tags map[string]string `json:"tags"` // ETags, by list
	// the time up to which each list was read; a missing list was never read
	Since  map[string]time.Time `json:"since"`
	Pulls  map[int]seenPull     `json:"pulls"`            // pull requests that were open at the last poll
	Branch string               `json:"branch,omitempty"` // the default branch
	Head   string               `json:"head,omitempty"`   // the last commit of the default branch
}

// seenPull is the last known state of an open pull request.
type seenPull struct {
	Head  string `json:"head"`
	Ref   string `json:"ref"`
	Draft bool   `json:"draft,omitempty"`
}

// found is an event that a poll found.
type found struct {
	key   string
	event supervisor.GitHubEvent
}

// listPoll reads one list of a repository, and returns the events since the last reading. It
// changes s.
type listPoll func(w *Watch, ctx context.Context, repo string, s *seen) ([]found, error)

// listPolls are the lists to poll without a webhook.
var listPolls = []listPoll{(*Watch).pulls, (*Watch).issues, (*Watch).comments, (*Watch).diffComments, (*Watch).releases, (*Watch).commits, (*Watch).checks}

// webhookListPolls are the lists to poll if there is a webhook.
var webhookListPolls = []listPoll{(*Watch).heads, (*Watch).reviewed, (*Watch).lost}

// Poll polls one repository once, and reports whether all lists could be read. A list that fails
// does not affect the others, and is read again at the next poll.
func (w *Watch) Poll(ctx context.Context, repo supervisor.GitHubRepo) (whole bool) {
	s, err := w.seen(ctx, repo.Name)
	if err == nil {
		all := listPolls
		if w.o.Poll == 0 {
			all = webhookListPolls
		}
		for _, see := range all {
			err = errors.Join(err, w.pollList(ctx, repo, see, &s))
			if api.ClassOf(err) == api.Limited || ctx.Err() != nil {
				break
			}
		}
	}
	if ctx.Err() != nil {
		return false
	}
	looked := PollResult{At: w.o.Now()}
	if err != nil {
		w.o.Log.Warn("look at a repository", "repo", repo.Name, "error", err)
		looked.Failure = problem.Message(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lastPolls[repo.Name] = looked
	return err == nil
}

// pollList reads one list. Its events and the new state are stored together.
func (w *Watch) pollList(ctx context.Context, repo supervisor.GitHubRepo, pollList listPoll, s *seen) error {
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
		deliveries = append(deliveries, supervisor.WebhookDelivery{User: repo.User, Source: supervisor.WebhookGitHub, Hook: "poll", Key: f.key, Event: clipped(f.event)})
	}
	if len(deliveries) > 0 || string(before) != string(after) {
		err = w.o.Deliveries.PutFound(ctx, deliveries, seenPrefix+repo.Name, string(after))
	}
	if err == nil {
		*s = next
		w.o.Wake()
	}
	return err
}

// seenPrefix begins the names of the settings with a repository's state.
const seenPrefix = "github seen "

// seen returns the last known state of a repository.
func (w *Watch) seen(ctx context.Context, repo string) (seen, error) {
	s := seen{Tags: map[string]string{}, Since: map[string]time.Time{}, Pulls: map[int]seenPull{}}
	kept, ok, err := w.o.Settings.Find(ctx, everybody, seenPrefix+repo)
	if err == nil && ok {
		err = json.Unmarshal([]byte(kept), &s)
	}
	return s, err
}

// Limits of foreign texts, in bytes. A delivery has at most 8 KiB.
const (
	maxTitle = 300
	maxText  = 2000
)

// clipped returns an event with its texts cut to the limits.
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
		lines = append(lines, printable.Text(line))
	}
	text = strings.Join(lines, "\n")
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}
