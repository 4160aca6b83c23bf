// Package review reviews pull requests on GitHub. What they say and change is read by a worker that
// can do nothing but report; what it reports is checked here, and as little of it as helps is
// posted: one review, whose body is changed in its place later.
//
// A pull request's head is a row from the moment that it is wanted. What was done stands in the row
// or on GitHub, so that any end of the process changes nothing: Run puts a row's inbound into its
// conversation, whose turn calls Work, which goes on from where the row is.
package review

import (
	"context"
	"errors"
	"fmt"
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
	"mews/supervisor/problem"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
)

// Approver decides whether something may be done that costs its person.
type Approver interface {
	Allow(ctx context.Context, r approval.Request) error
}

// EffectStranger is that something is reviewed at its repository's cost that somebody proposes who
// is nobody there.
const EffectStranger = "review_stranger"

// Options are what reviews work on.
type Options struct {
	Store    sqlite.Reviews
	API      *api.Client
	Spool    *spool.Spool
	Repo     func(name string) (supervisor.GitHubRepo, bool) // that is served
	Person   func(name string) (supervisor.User, bool)       // who is served
	Approver Approver
	// an inbound was kept, whose turn is to run; never blocks
	Begun func(supervisor.Inbound)
	// puts a notice into the outbox
	Say func(ctx context.Context, d supervisor.Delivery) error
	// adds to what people were told of a pull request, in Markdown
	Grow func(ctx context.Context, repo string, number int, line string) error
	// what people on GitHub call us by, without the @
	Name func() string
	// from the last push to the review
	Settle time.Duration
	// of a pull request that are reviewed unasked
	Heads int
	// the most comments of a review
	Inline int
	Now    func() time.Time
	Log    hclog.Logger
}

// Reviews has pull requests reviewed. Its methods may be called from any goroutine.
type Reviews struct {
	o     Options
	woken chan struct{} // holds a token when something may be due
}

// New makes Reviews; Run works them.
func New(o Options) *Reviews { return &Reviews{o: o, woken: make(chan struct{}, 1)} }

// byCommand begins the Asked of who has asked by a slash command, and not on GitHub, where they
// need the right to write.
const byCommand = "/"

// Want has a pull request's head be reviewed, unless that is so already. It may be called again for
// the same request.
func (r *Reviews) Want(ctx context.Context, request supervisor.GitHubRequest) error {
	repo, served := r.o.Repo(request.Repo)
	if !served {
		return nil
	}
	w := supervisor.Review{User: repo.User, Repo: repo.Name, Number: request.Number, Asked: request.Asked, Text: request.Text, WantedAt: request.At}
	if w.WantedAt.IsZero() {
		w.WantedAt = r.o.Now()
	}
	w.Due = w.WantedAt
	if request.Asked == "" {
		w.Due = w.WantedAt.Add(r.o.Settle)
	}
	err := r.o.Store.Want(ctx, w)
	if err == nil {
		signals.Send(r.woken)
	}
	return err
}

// Ask has a pull request be reviewed because a person wants it, by its address; what they want to
// know may follow. It says what happens then; its error is for the person.
func (r *Reviews) Ask(ctx context.Context, by supervisor.User, arguments string, at time.Time) (string, error) {
	pull, text, _ := strings.Cut(strings.TrimSpace(arguments), " ")
	name, number, ok := address.Parse(pull)
	if !ok {
		return "", supervisor.Errorf(supervisor.CodeInvalid, textUsage)
	}
	repo, served := r.o.Repo(name)
	if !served || repo.User != by.Name && by.Role != supervisor.RoleAdmin {
		return "", supervisor.Errorf(supervisor.CodeNotFound, textNoRepo, name)
	}
	err := r.Want(ctx, supervisor.GitHubRequest{Repo: repo.Name, Number: number, Asked: byCommand + by.Name, Text: strings.TrimSpace(text), At: at})
	return fmt.Sprintf(textAsked, repo.Name, number), err
}

const (
	atOnce   = 2                // reviews that run
	again    = time.Minute      // after which something is tried again that GitHub could not do
	lookOver = 10 * time.Minute // after which threads and reactions are looked at
)

// Run has the turns of reviews begin as these are due, until ctx ends.
func (r *Reviews) Run(ctx context.Context) error {
	looked := r.o.Now()
	for ctx.Err() == nil {
		wait := again
		if err := r.beginDue(ctx); err != nil && ctx.Err() == nil {
			r.o.Log.Error("begin the reviews that are due", "error", err)
		} else if next, there, err := r.o.Store.Next(ctx); err == nil && there {
			wait = min(wait, max(time.Second, next.Sub(r.o.Now())))
		}
		if r.o.Now().Sub(looked) >= lookOver {
			looked = r.o.Now()
			r.lookOver(ctx)
		}
		select {
		case <-ctx.Done():
		case <-r.woken:
		case <-time.After(wait):
		}
	}
	return nil
}

// beginDue begins what is due, as far as there is room, and ends what has lost its turn.
func (r *Reviews) beginDue(ctx context.Context) error {
	lost, err := r.o.Store.ListLost(ctx)
	if err != nil {
		return err
	}
	for _, w := range lost { // it was stopped, or has ended its workers: its person was told
		r.end(ctx, w, supervisor.ReviewFailed, textTurnEnded)
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
			if other.State != supervisor.ReviewConfirming {
				n++
			}
		}
		if n >= atOnce {
			return nil // the end of one wakes us
		}
		if err := r.begin(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// begin puts a review that is due on its way, or leaves its head alone.
func (r *Reviews) begin(ctx context.Context, w supervisor.Review) error {
	repo, served := r.o.Repo(w.Repo)
	person, known := r.o.Person(w.User)
	if !served || !known || repo.User != w.User {
		r.end(ctx, w, supervisor.ReviewSkipped, textNotServed)
		return nil
	}
	pull, err := r.o.API.Pull(ctx, w.Repo, w.Number)
	if err != nil {
		return r.putOff(ctx, w, err)
	}
	if w.State == supervisor.ReviewSettling {
		may, err := r.mayAsk(ctx, w)
		if err != nil {
			return r.putOff(ctx, w, err)
		}
		if !may {
			w.Asked = "" // what came of the head before stays
		}
		settling := w.ID
		if w, err = r.o.Store.Looked(ctx, w, pull.Head.SHA); err != nil {
			return err
		}
		if !may && w.ID != settling {
			r.tell(ctx, w, fmt.Sprintf(textLeftAlone, w.Name(), textMayNot))
		}
		if w.State != supervisor.ReviewSettling {
			return nil
		}
	}
	if err := r.look(ctx, w); err != nil {
		return r.putOff(ctx, w, err)
	}
	why, err := r.leftAlone(ctx, w, pull)
	if err != nil {
		return r.putOff(ctx, w, err)
	}
	if why != "" {
		r.leave(ctx, w, why)
		return nil
	}
	w.Why = "" // of an earlier look
	in, err := r.o.Store.Queue(ctx, w, supervisor.Inbound{
		Conversation: supervisor.Conversation{User: w.User, Channel: supervisor.ChannelGitHub, Chat: w.Repo, Thread: fmt.Sprint(w.Number)},
		Destination:  person.PrivateChat(), Source: "github/" + w.Repo, Key: fmt.Sprintf("review/%s/%d/%s/%d", w.Repo, w.Number, w.Head, w.Round),
		Kind: supervisor.KindReview, Text: fmt.Sprintf(textInbound, w.Name(), w.Head),
	})
	if err == nil {
		r.o.Begun(in)
	}
	return err
}

// putOff tries again later what GitHub could not do, and ends what it will not do; its person is
// told of that.
func (r *Reviews) putOff(ctx context.Context, w supervisor.Review, err error) error {
	var refused *api.Error
	switch until, passes := passing(err); {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case !errors.As(err, &refused):
		return err
	case passes:
		r.o.Log.Warn("read a pull request", "review", w.Name(), "error", err)
		if w.Due = r.o.Now().Add(again); until.After(w.Due) {
			w.Due = until
		}
		return r.o.Store.Keep(ctx, w)
	case refused.Class == api.NotFound && w.Asked == "": // it was deleted, or moved
		r.end(ctx, w, supervisor.ReviewSkipped, textGone)
		return nil
	}
	r.end(ctx, w, supervisor.ReviewFailed, problem.Message(err))
	r.tell(ctx, w, fmt.Sprintf(textFailed, w.Name(), problem.Message(err)))
	return nil
}

// passing says whether what GitHub could not do may work later, and from when on; the zero time is
// not known.
func passing(err error) (until time.Time, ok bool) {
	var e *api.Error
	if !errors.As(err, &e) {
		return until, false
	}
	return e.Until, e.Class == api.Limited || e.Class == api.Unreachable || e.Class == api.Server
}

// leave leaves a head alone. Who has asked for it is told why, and of the heads that are too many
// its person once.
func (r *Reviews) leave(ctx context.Context, w supervisor.Review, why string) {
	earlier, err := r.o.Store.ListOf(ctx, w.User, w.Repo, w.Number)
	told := err != nil
	for _, e := range earlier {
		told = told || e.Why == why
	}
	if r.end(ctx, w, supervisor.ReviewSkipped, why) && (w.Asked != "" || why == textHeads && !told) {
		r.tell(ctx, w, fmt.Sprintf(textLeftAlone, w.Name(), why))
	}
}

// end ends a review for which no turn speaks.
func (r *Reviews) end(ctx context.Context, w supervisor.Review, state supervisor.ReviewState, why string) bool {
	w.State, w.Why, w.Due = state, why, time.Time{}
	_, ok := retry.Persist(ctx, r.o.Log, "end a review", func() (struct{}, error) { return struct{}{}, r.o.Store.Keep(ctx, w) })
	return ok
}

// tell tells a review's person something.
func (r *Reviews) tell(ctx context.Context, w supervisor.Review, text string) {
	person, known := r.o.Person(w.User)
	if !known {
		return
	}
	if err := r.o.Say(ctx, supervisor.Delivery{Conversation: person.PrivateChat(), Text: text}); err != nil {
		r.o.Log.Error("tell of a review", "review", w.Name(), "error", err)
	}
}

// Reader has a worker read a material, and returns what it reports.
type Reader func(ctx context.Context, m protocol.ReviewMaterial) (protocol.ReviewReport, error)
