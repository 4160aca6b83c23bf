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

// reconcile is how often open pull requests are looked at where a webhook tells what happens: it
// may have been lost.
const reconcile = 10 * time.Minute

// lookAgain is after how long all is looked at again where something could not be seen.
const lookAgain = 30 * time.Second

// WatchOptions are what a Watch works on.
type WatchOptions struct {
	Repos      []supervisor.GitHubRepo
	Client     *api.Client
	Deliveries sqlite.WebhookDeliveries
	Settings   sqlite.Settings // under the service's own: what was seen of each repository
	// how often each repository is asked what has happened; 0: a webhook tells
	Poll time.Duration
	Wake func() // a delivery was kept; never blocks
	// Reviewed are the heads of a repository's pull requests of which a review was wanted last, ""
	// where nobody knows yet; nil: none are.
	Reviewed func(ctx context.Context, repo string) (map[int]string, error)
	Now      func() time.Time
	Log      hclog.Logger
}

// Watch finds out by looking what has happened in repositories. Without a webhook that is how
// everything is known; with one it finds what was lost on the way.
type Watch struct {
	o WatchOptions

	mu     sync.Mutex // guards looked
	looked map[string]Looked
}

// Looked is how it went when a repository was looked at last.
type Looked struct {
	At      time.Time
	Failure string // a sentence: why not all could be seen; "" for nothing
}

// NewWatch makes a Watch; Run looks.
func NewWatch(o WatchOptions) *Watch { return &Watch{o: o, looked: map[string]Looked{}} }

// Looked says how it went when a repository was looked at last; the zero value where it was not
// yet.
func (w *Watch) Looked(repo string) Looked {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.looked[repo]
}

// Way says how it is known what happens, for people. poll is a Watch's.
func Way(poll time.Duration) string {
	if poll == 0 {
		return textCalled
	}
	return fmt.Sprintf(textAsked, amount.Duration(poll))
}

// Run looks until ctx ends, each repository in turn.
func (w *Watch) Run(ctx context.Context) error {
	every := w.o.Poll
	if every == 0 {
		every = reconcile
	}
	for {
		begun, wait := w.o.Now(), every
		for _, repo := range w.o.Repos {
			if ctx.Err() == nil && !w.Look(ctx, repo) {
				wait = min(wait, lookAgain)
			}
		}
		if !retry.Wait(ctx, max(wait-w.o.Now().Sub(begun), time.Second)) {
			return nil
		}
	}
}

// seen is what was seen of a repository, as it is kept.
type seen struct {
	Tags map[string]string `json:"tags"` // ETags, by list
	// up to when each list was seen; a list that is not there was never seen
	Since  map[string]time.Time `json:"since"`
	Pulls  map[int]seenPull     `json:"pulls"`            // those that were open
	Branch string               `json:"branch,omitempty"` // the default one
	Head   string               `json:"head,omitempty"`   // its commit
}

// seenPull is an open pull request as it was seen.
type seenPull struct {
	Head  string `json:"head"`
	Ref   string `json:"ref"`
	Draft bool   `json:"draft,omitempty"`
}

// found is something that was found to have happened.
type found struct {
	key   string
	event supervisor.GitHubEvent
}

// look reads one list of a repository, and says what has happened since it was read last. It
// changes s.
type look func(w *Watch, ctx context.Context, repo string, s *seen) ([]found, error)

// looks are what is looked at, by the names under which it is kept.
var looks = []look{(*Watch).pulls, (*Watch).issues, (*Watch).comments, (*Watch).diffComments, (*Watch).releases, (*Watch).commits, (*Watch).checks}

// looksBeside are what is looked at beside a webhook.
var looksBeside = []look{(*Watch).heads, (*Watch).reviewed, (*Watch).lost}

// Look looks at one repository once, and says whether all could be seen. What can't be seen hides
// nothing else, and is looked for again the next time.
func (w *Watch) Look(ctx context.Context, repo supervisor.GitHubRepo) (whole bool) {
	s, err := w.seen(ctx, repo.Name)
	if err == nil {
		all := looks
		if w.o.Poll == 0 {
			all = looksBeside
		}
		for _, see := range all {
			err = errors.Join(err, w.see(ctx, repo, see, &s))
			if api.ClassOf(err) == api.Limited || ctx.Err() != nil {
				break
			}
		}
	}
	if ctx.Err() != nil {
		return false
	}
	looked := Looked{At: w.o.Now()}
	if err != nil {
		w.o.Log.Warn("look at a repository", "repo", repo.Name, "error", err)
		looked.Failure = problem.Message(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looked[repo.Name] = looked
	return err == nil
}

// see takes one look. What it has found is kept together with how far it has seen.
func (w *Watch) see(ctx context.Context, repo supervisor.GitHubRepo, see look, s *seen) error {
	before, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("encode what was seen: %w", err)
	}
	next := s.clone()
	list, err := see(w, ctx, repo.Name, &next)
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

// seenPrefix begins the names of the service's settings that have what was seen.
const seenPrefix = "github seen "

// seen is what was seen of a repository.
func (w *Watch) seen(ctx context.Context, repo string) (seen, error) {
	s := seen{Tags: map[string]string{}, Since: map[string]time.Time{}, Pulls: map[int]seenPull{}}
	kept, ok, err := w.o.Settings.Find(ctx, everyone, seenPrefix+repo)
	if err == nil && ok {
		err = json.Unmarshal([]byte(kept), &s)
	}
	return s, err
}

// How much is kept of others' texts, in bytes. A delivery has at most 8 KiB.
const (
	maxTitle = 300
	maxText  = 2000
)

// clipped is an event whose texts are as long as they may be.
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
