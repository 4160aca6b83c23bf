// Package review reviews pull requests on GitHub. A worker reads the text and the changes, and can
// only report. This package checks the report, and posts little: one review, whose body is updated
// later. Each head to review is a row in the database. All finished steps are in the row or on
// GitHub, so a crash loses nothing. Run puts an inbound for the row into the row's conversation.
// The turn of that conversation calls RunTurn, which continues at the row's state.
package review

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/github/address"
	"mews/supervisor/github/api"
	"mews/supervisor/internal/retry"
	"mews/supervisor/internal/signals"
	"mews/supervisor/internal/slots"
	"mews/supervisor/problem"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
)

// Approver asks a user whether an effect is allowed.
type Approver interface {
	Allow(ctx context.Context, r approval.Request) error
}

// EffectStrangerReview is the effect of reviewing a stranger's pull request. A user must approve it
// first, because the repository's user pays for the review.
const EffectStrangerReview = "review_stranger"

// Options configure Reviews.
type Options struct {
	Store    sqlite.Reviews
	API      *api.Client
	Spool    *spool.Spool
	Repo     func(name string) (supervisor.GitHubRepo, bool) // returns a repository by its name, if Mews serves it
	Person   func(name string) (supervisor.User, bool)       // returns a user by name, if Mews serves the user
	Approver Approver
	// Begun is called after an inbound was stored whose turn must run. It must not block.
	Begun func(supervisor.Inbound)
	// puts a notice into the outbox
	Say func(ctx context.Context, d supervisor.Delivery) error
	// AppendToNotice adds a line of Markdown to the messages about a pull request.
	AppendToNotice func(ctx context.Context, repo string, number int, line string) error
	// AwaitChecks lets a turn's worker ask which findings to check a second time. The function
	// check answers the worker, until the returned function end is called. A nil AwaitChecks means
	// that the worker checks all findings again.
	AwaitChecks func(turn int64, check func([]protocol.ReviewFinding) []int) (end func())
	// Name returns the name by which comments address Mews, without the @.
	Name func() string
	// time between the last push and the review
	Settle time.Duration
	// maximum number of heads of a pull request that are reviewed without a request
	Heads int
	// maximum number of comments in a review
	Inline int
	Now    func() time.Time
	Log    hclog.Logger
}

// Reviews reviews pull requests. Its methods may be called from any goroutine.
type Reviews struct {
	o         Options
	woken     chan struct{} // holds a token if a review may be due
	postSlots *slots.Slots  // one slot for each pull request: a second tap waits until the first has posted
}

// New returns Reviews. Its Run must be called to start reviews.
func New(o Options) *Reviews {
	return &Reviews{o: o, woken: make(chan struct{}, 1), postSlots: slots.NewWithUserLimit(0, 1)}
}

// byCommand is the beginning of Requester if a slash command requested the review. A user of Mews
// needs no write permission on GitHub.
const byCommand = "/"

// AddRequest requests a review of a pull request's head, unless the head has a review. Repeating
// the request changes nothing.
func (r *Reviews) AddRequest(ctx context.Context, request supervisor.GitHubWorkRequest) error {
	repo, served := r.o.Repo(request.Repo)
	if !served {
		return nil
	}
	w := supervisor.Review{User: repo.User, Repo: repo.Name, Number: request.Number, Requester: request.Requester, Text: request.Text, WantedAt: request.At}
	if w.WantedAt.IsZero() {
		w.WantedAt = r.o.Now()
	}
	w.Due = w.WantedAt
	if request.Requester == "" {
		w.Due = w.WantedAt.Add(r.o.Settle)
	}
	if request.Recheck {
		earlier, err := r.o.Store.ListOfPullRequest(ctx, w.User, w.Repo, w.Number)
		if err != nil || !slices.ContainsFunc(earlier, dependsOnText) {
			return err
		}
	}
	err := r.o.Store.RequestReview(ctx, w)
	if err == nil {
		signals.SendToken(r.woken)
	}
	return err
}

// dependsOnText reports whether a head was skipped because of the pull request's title or labels.
func dependsOnText(w supervisor.Review) bool {
	return w.State == supervisor.ReviewSkipped && (w.Why == textUnfinished || w.Why == textLabelled)
}

// RequestByAddress requests a review by the address of a pull request. A question may follow the
// address. The returned text and the error are for the user.
func (r *Reviews) RequestByAddress(ctx context.Context, by supervisor.User, arguments string, at time.Time) (string,
	error) {
	pull, text, _ := strings.Cut(strings.TrimSpace(arguments), " ")
	name, number, ok := address.Parse(pull)
	if !ok {
		return "", supervisor.Errorf(supervisor.CodeInvalid, textUsage)
	}
	repo, served := r.o.Repo(name)
	if !served || repo.User != by.Name && by.Role != supervisor.RoleAdmin {
		return "", supervisor.Errorf(supervisor.CodeNotFound, textNoRepo, name)
	}
	err := r.AddRequest(ctx, supervisor.GitHubWorkRequest{Repo: repo.Name, Number: number, Requester: byCommand +
		by.Name, Text: strings.TrimSpace(text), At: at})
	return fmt.Sprintf(textAsked, repo.Name, number), err
}

const (
	atOnce            = 2                // maximum number of reviews that run at once
	again             = time.Minute      // pause before another try after a temporary error of GitHub
	reactionPollPause = 10 * time.Minute // interval of the polls for reactions to comments
)

// Run starts the turns of due reviews, until ctx ends.
func (r *Reviews) Run(ctx context.Context) error {
	polled := r.o.Now()
	for ctx.Err() == nil {
		wait := again
		if err := r.beginDue(ctx); err != nil && ctx.Err() == nil {
			r.o.Log.Error("begin the reviews that are due", "error", err)
		} else if next, there, err := r.o.Store.NextDue(ctx); err == nil && there {
			wait = min(wait, max(time.Second, next.Sub(r.o.Now())))
		}
		if r.o.Now().Sub(polled) >= reactionPollPause {
			polled = r.o.Now()
			r.pollReactions(ctx)
		}
		select {
		case <-ctx.Done():
		case <-r.woken:
		case <-time.After(wait):
		}
	}
	return nil
}

// beginDue starts due reviews, up to the limit. It also ends reviews whose turn ended without a
// result.
func (r *Reviews) beginDue(ctx context.Context) error {
	lost, err := r.o.Store.ListWithoutTurn(ctx)
	if err != nil {
		return err
	}
	for _, w := range lost { // the turns of these reviews were stopped or parked, and the users know that
		r.endLost(ctx, w)
	}
	due, err := r.o.Store.ListDue(ctx, r.o.Now())
	if err != nil {
		return err
	}
	for _, w := range due {
		running, err := r.o.Store.ListActive(ctx)
		if err != nil {
			return err
		}
		n := 0
		for _, other := range running {
			if other.State != supervisor.ReviewAwaitsApproval {
				n++
			}
		}
		if n >= atOnce {
			return nil // the end of another review wakes Run
		}
		if err := r.begin(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// begin starts a due review, or decides not to review its head.
func (r *Reviews) begin(ctx context.Context, w supervisor.Review) error {
	repo, served := r.o.Repo(w.Repo)
	person, known := r.o.Person(w.User)
	if !served || !known || repo.User != w.User {
		r.end(ctx, w, supervisor.ReviewSkipped, textNotServed)
		return nil
	}
	pull, err := r.o.API.PullRequest(ctx, w.Repo, w.Number)
	if err != nil {
		return r.putOff(ctx, w, err)
	}
	if w.State == supervisor.ReviewDelayed {
		may, err := r.mayAsk(ctx, w)
		if err != nil {
			return r.putOff(ctx, w, err)
		}
		if !may {
			w.Requester = "" // the request is dropped; the row then keeps the result for the previous head
		}
		settling := w.ID
		outdated, err := r.isOutdated(ctx, w, pull.Head.SHA)
		if err != nil {
			return err
		}
		if w, err = r.o.Store.SetHead(ctx, w, pull.Head.SHA, outdated); err != nil {
			return err
		}
		if !may && w.ID != settling {
			r.tell(ctx, w, fmt.Sprintf(textLeftAlone, w.PullRequestName(), textMayNot))
		}
		if w.State != supervisor.ReviewDelayed {
			return nil
		}
	}
	if _, err := r.muteRejected(ctx, w); err != nil {
		return r.putOff(ctx, w, err)
	}
	why, err := r.leftAlone(ctx, w, pull)
	if err != nil {
		return r.putOff(ctx, w, err)
	}
	if why != "" {
		if err := r.noteReason(ctx, &w, repo, why); err != nil {
			return r.putOff(ctx, w, err)
		}
		r.leave(ctx, w, why)
		return nil
	}
	w.Why = "" // deletes a reason from an earlier failure
	source := "github/" + w.Repo
	if w.Requester == byCommand+w.User {
		source = supervisor.SourceGitHubWorkRequest
	}
	in, err := r.o.Store.EnqueueReview(ctx, w, supervisor.Inbound{
		Conversation: supervisor.Conversation{User: w.User, Channel: supervisor.ChannelGitHub, Chat: w.Repo, Thread: fmt.Sprint(w.Number)},
		Destination:  person.PrivateChat(), Source: source, Key: fmt.Sprintf("review/%s/%d/%s/%d", w.Repo, w.Number,
			w.Head, w.Round),
		Kind: supervisor.KindReview, Text: fmt.Sprintf(textInbound, w.PullRequestName(), w.Head),
	})
	if err == nil {
		r.o.Begun(in)
	}
	return err
}

// putOff handles an error of GitHub before a review. After a temporary error it tries later. After
// a refusal it ends the review and tells the user.
func (r *Reviews) putOff(ctx context.Context, w supervisor.Review, err error) error {
	var refused *api.Error
	switch until, passes := isTemporary(err); {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case !errors.As(err, &refused):
		return err
	case passes:
		r.o.Log.Warn("read a pull request", "review", w.PullRequestName(), "error", err)
		if w.Due = r.o.Now().Add(again); until.After(w.Due) {
			w.Due = until
		}
		return r.o.Store.Update(ctx, w)
	case refused.Class == api.NotFound && w.Requester == "": // the pull request was deleted or moved
		r.end(ctx, w, supervisor.ReviewSkipped, textGone)
		return nil
	}
	r.end(ctx, w, supervisor.ReviewFailed, problem.UserText(err))
	r.tell(ctx, w, fmt.Sprintf(textFailed, w.PullRequestName(), problem.UserText(err)))
	return nil
}

// isTemporary reports whether an error of GitHub may pass. until is the time for another try; zero
// means unknown.
func isTemporary(err error) (until time.Time, ok bool) {
	var e *api.Error
	if !errors.As(err, &e) {
		return until, false
	}
	return e.Until, e.Class == api.RateLimited || e.Class == api.Unreachable || e.Class == api.ServerError
}

// leave ends a review without reading its head, and tells the requester why. If the limit of heads
// is the reason, it tells the repository's user once.
func (r *Reviews) leave(ctx context.Context, w supervisor.Review, why string) {
	earlier, err := r.o.Store.ListOfPullRequest(ctx, w.User, w.Repo, w.Number)
	told := err != nil
	for _, e := range earlier {
		told = told || e.Why == why
	}
	if r.end(ctx, w, supervisor.ReviewSkipped, why) && (w.Requester != "" || why == textHeads && !told) {
		r.tell(ctx, w, fmt.Sprintf(textLeftAlone, w.PullRequestName(), why))
	}
}

// end ends a review without a turn that could tell the user. If an earlier round has read the head,
// the review stays done, and keeps only the reason for a failure.
func (r *Reviews) end(ctx context.Context, w supervisor.Review, state supervisor.ReviewState, why string) bool {
	w.State, w.Why, w.Due = state, why, time.Time{}
	if hasEarlierResult(w) {
		w.State = supervisor.ReviewDone
		if state == supervisor.ReviewSkipped && w.Requester == "" {
			w.Why = ""
		}
	}
	_, ok := retry.StoreUntilDone(ctx, r.o.Log, "end a review", func() (struct{}, error) {
		return struct{}{},
			r.o.Store.Update(ctx, w)
	})
	return ok
}

// tell sends a message to a review's user.
func (r *Reviews) tell(ctx context.Context, w supervisor.Review, text string) {
	person, known := r.o.Person(w.User)
	if !known {
		return
	}
	if err := r.o.Say(ctx, supervisor.Delivery{Conversation: person.PrivateChat(), Text: text}); err != nil {
		r.o.Log.Error("tell of a review", "review", w.PullRequestName(), "error", err)
	}
}

// MaterialReader gives material to a worker and returns the worker's report.
type MaterialReader func(ctx context.Context, m protocol.ReviewMaterial) (protocol.ReviewReport, error)
