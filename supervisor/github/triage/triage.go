// Package triage sorts issues on GitHub. It adds labels of the repository, a priority, duplicates
// or related issues, and a short summary. A worker reads the issue, and can only report. This
// package checks the report. Only the checked part reaches GitHub.
//
// Each issue to triage is a row in the database. All finished steps are in the row or on GitHub, so
// a crash loses nothing. Run stores an inbound for each due row, which starts a turn. The turn
// calls RunTurn, which continues from the row's state.
package triage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
	"mews/supervisor/github/address"
	"mews/supervisor/github/api"
	"mews/supervisor/internal/retry"
	"mews/supervisor/internal/signals"
	"mews/supervisor/problem"
	"mews/supervisor/sqlite"
)

// GitHubWriter changes issues on GitHub.
type GitHubWriter interface {
	CreateLabel(ctx context.Context, repo string, label api.Label) error
	AddLabels(ctx context.Context, repo string, number int, labels []string) error
	CreateComment(ctx context.Context, repo string, number int, body string) (api.Comment, error)
	EditComment(ctx context.Context, repo string, id int64, body string) error
	AddToProject(ctx context.Context, repo, project, node string) error
}

// Options configure Triages.
type Options struct {
	Store  sqlite.Triages
	Issues *api.Client
	Writer GitHubWriter
	Repo   func(name string) (supervisor.GitHubRepo, bool) // returns the repository with that name if Mews serves it
	Person func(name string) (supervisor.User, bool)       // returns the named user, if Mews serves that user
	// Begin stores an inbound once, and starts the turn of its conversation.
	Begin func(ctx context.Context, in supervisor.Inbound) (supervisor.Inbound, error)
	Say   func(ctx context.Context, d supervisor.Delivery) error // puts a notice into the outbox
	// Writers returns the users who may write in a repository and want its notices.
	Writers func(ctx context.Context, repo supervisor.GitHubRepo) ([]supervisor.User, error)
	Queued  func(conversation int64) // starts the delivery of a conversation's outbox; must not block
	// IsPrivate reports whether only users who may write get an issue's notices. MarkPrivate
	// restricts the issue's notices to these users from then on.
	IsPrivate   func(ctx context.Context, repo string, number int) (bool, error)
	MarkPrivate func(ctx context.Context, repo string, number int) error
	// wait between the opening of an issue and its triage
	Settle time.Duration
	Now    func() time.Time
	Log    hclog.Logger
}

// Triages runs the triages of issues. Its methods may be called from any goroutine.
type Triages struct {
	o     Options
	woken chan struct{} // holds a token if a triage may be due

	firstWait time.Duration // wait before the first retry
}

// New returns Triages. The caller must call Run.
func New(o Options) *Triages {
	return &Triages{o: o, woken: make(chan struct{}, 1), firstWait: firstWait}
}

// AddRequest requests the triage of an issue. It changes nothing if the issue already has a triage.
func (t *Triages) AddRequest(ctx context.Context, request supervisor.GitHubWorkRequest) error {
	repo, served := t.o.Repo(request.Repo)
	if !served || !repo.Triage && request.Requester == "" {
		return nil
	}
	at := cmp.Or(request.At, t.o.Now())
	due := at
	if request.Requester == "" {
		due = at.Add(t.o.Settle)
	}
	err := t.o.Store.RequestTriage(ctx, supervisor.IssueTriage{User: repo.User, Repo: repo.Name, Number: request.Number,
		Requester: request.Requester, WantedAt: at, Due: due})
	if err == nil {
		signals.SendToken(t.woken)
	}
	return err
}

// RequestByAddress requests a triage by the address of an issue. The returned text and the error
// are for the user.
func (t *Triages) RequestByAddress(ctx context.Context, by supervisor.User, issue string, at time.Time) (string,
	error) {
	name, number, ok := address.Parse(issue)
	if !ok {
		return "", supervisor.Errorf(supervisor.CodeInvalid, textUsage)
	}
	repo, served := t.o.Repo(name)
	if !served || repo.User != by.Name && by.Role != supervisor.RoleAdmin {
		return "", supervisor.Errorf(supervisor.CodeNotFound, textNoRepo, name)
	}
	err := t.AddRequest(ctx, supervisor.GitHubWorkRequest{Repo: repo.Name, Number: number, Requester: by.Name, At: at})
	return fmt.Sprintf(textAsked, repo.Name, number), err
}

// again is the pause before another try after an error of GitHub.
const again = time.Minute

// Run starts the turns of due triages until ctx ends.
func (t *Triages) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		due, _ := retry.StoreUntilDone(ctx, t.o.Log, "list the triages that are due", func() ([]supervisor.IssueTriage,
			error) {
			return t.o.Store.ListDue(ctx, t.o.Now())
		})
		for _, w := range due {
			t.begin(ctx, w)
		}
		next, there, err := t.o.Store.NextDue(ctx)
		wait := again
		if err == nil && there {
			wait = min(wait, max(0, next.Sub(t.o.Now())))
		}
		select {
		case <-ctx.Done():
		case <-t.woken:
		case <-time.After(wait):
		}
	}
	return nil
}

// begin starts a due triage, or decides not to triage its issue.
func (t *Triages) begin(ctx context.Context, w supervisor.IssueTriage) {
	repo, served := t.o.Repo(w.Repo)
	person, known := t.o.Person(w.User)
	if !served || !known || repo.User != w.User {
		t.end(ctx, w, supervisor.TriageSkipped, textNotServed)
		return
	}
	if w.State == supervisor.TriageDelayed && !t.queueIfDue(ctx, &w) {
		return
	}
	source, key := "github/"+w.Repo, fmt.Sprintf("triage/%d/%d", w.Number, w.Round)
	if w.Requester == w.User {
		source, key = supervisor.SourceGitHubWorkRequest, w.Repo+"/"+key
	}
	in, ok := retry.StoreUntilDone(ctx, t.o.Log, "begin a triage", func() (supervisor.Inbound, error) {
		return t.o.Begin(ctx, supervisor.Inbound{
			Conversation: supervisor.Conversation{User: w.User, Channel: supervisor.ChannelGitHub, Chat: w.Repo, Thread: strconv.Itoa(w.Number)},
			Destination:  person.PrivateChat(), Source: source, Key: key,
			Kind: supervisor.KindTriage, Text: fmt.Sprintf(textInbound, w.Repo, w.Number),
		})
	})
	if ok && in.State != supervisor.InboundNew && in.State != supervisor.InboundRunning {
		// the turn was stopped or parked
		t.end(ctx, w, supervisor.TriageFailed, textTurnEnded)
	}
}

// queueIfDue queues a due triage. It reports whether the issue still needs one.
func (t *Triages) queueIfDue(ctx context.Context, w *supervisor.IssueTriage) bool {
	issue, err := t.o.Issues.Issue(ctx, w.Repo, w.Number)
	if ctx.Err() != nil {
		return false
	}
	if err != nil {
		t.putOff(ctx, *w, err)
		return false
	}
	if why := leftAlone(*w, issue); why != "" {
		t.end(ctx, *w, supervisor.TriageSkipped, why)
		return false
	}
	w.State = supervisor.TriageQueued
	return t.keep(ctx, *w)
}

// putOff handles GitHub's error before a triage. After a temporary failure it tries later. After a
// refusal it ends the triage and tells its user.
func (t *Triages) putOff(ctx context.Context, w supervisor.IssueTriage, err error) {
	if until, passes := isTemporary(err); passes {
		t.o.Log.Warn("read an issue", "repo", w.Repo, "number", w.Number, "error", err)
		w.Due = t.o.Now().Add(again)
		if until.After(w.Due) {
			w.Due = until
		}
		t.keep(ctx, w)
		return
	}
	if api.ErrorClassOf(err) == api.NotFound && w.Requester == "" { // the issue was deleted or moved
		t.end(ctx, w, supervisor.TriageSkipped, textGone)
		return
	}
	t.fail(ctx, w, err)
}

// isTemporary reports whether GitHub's failure may pass. The result until is the time for another
// try; zero means unknown.
func isTemporary(err error) (until time.Time, ok bool) {
	var e *api.Error
	if !errors.As(err, &e) {
		return until, false
	}
	return e.Until, e.Class == api.RateLimited || e.Class == api.Unreachable || e.Class == api.ServerError
}

// leftAlone returns the reason why an issue is not triaged; "" means that it is triaged.
func leftAlone(w supervisor.IssueTriage, issue api.Issue) string {
	switch {
	case issue.Pull:
		return textIsPull
	case issue.State != "open":
		return textClosed
	case w.Requester != "":
		return ""
	case issue.Bot:
		return textBots
	case labelled(w, issue):
		return textLabelled
	case saysNothing(issue):
		return textEmpty
	}
	return ""
}

// end ends a triage that has no turn. If the triage was requested, end tells the requester why the
// issue was skipped.
func (t *Triages) end(ctx context.Context, w supervisor.IssueTriage, state supervisor.TriageState, why string) {
	w.State, w.Why = state, why
	if t.keep(ctx, w) && (w.Requester != "" || state == supervisor.TriageFailed) {
		t.tell(ctx, w, cardOf(w, result{}, supervisor.GitHubRepo{}))
	}
}

// fail ends a triage that has no turn as failed, and tells its user why.
func (t *Triages) fail(ctx context.Context, w supervisor.IssueTriage, err error) {
	t.o.Log.Error("triage an issue", "repo", w.Repo, "number", w.Number, "error", err)
	w.State, w.Why = supervisor.TriageFailed, problem.UserText(err)
	if t.keep(ctx, w) {
		t.tell(ctx, w, cardOf(w, result{}, supervisor.GitHubRepo{}))
	}
}

// tell sends a message to a triage's user.
func (t *Triages) tell(ctx context.Context, w supervisor.IssueTriage, text string) {
	person, known := t.o.Person(w.User)
	if !known {
		return
	}
	if err := t.o.Say(ctx, supervisor.Delivery{Conversation: person.PrivateChat(), Text: text}); err != nil {
		t.o.Log.Error("tell of a triage", "repo", w.Repo, "number", w.Number, "error", err)
	}
}

func (t *Triages) keep(ctx context.Context, w supervisor.IssueTriage) bool {
	_, ok := retry.StoreUntilDone(ctx, t.o.Log, "keep a triage", func() (struct{}, error) {
		return struct{}{},
			t.o.Store.Update(ctx, w)
	})
	return ok
}
