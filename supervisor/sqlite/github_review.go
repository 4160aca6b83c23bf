package sqlite

import (
	"context"
	"slices"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// Reviews are the heads of pull requests on GitHub that are to be reviewed, or were.
type Reviews struct{ db *DB }

// Reviews are the heads of pull requests on GitHub that are to be reviewed, or were.
func (db *DB) Reviews() Reviews { return Reviews{db} }

const (
	selectReview = `SELECT r.id, r.user, r.repo, r.number, r.head, r.state, r.round, r.asked, r.text, r.wanted_at, r.due_at, coalesce(r.turn, 0),
		r.change, r.result, r.posted, r.buttons, r.why FROM review r `
	// Who asks is told from who asked before by the time of it. A push needs no such care, and
	// GitHub's clock is not ours: which head is reviewed is asked when it is due, and one that was
	// reviewed is not again. A push has it settle for longer, unless somebody waits.
	wantReview = `INSERT INTO review (user, repo, number, state, asked, text, wanted_at, due_at, updated_at)
		SELECT ?1, ?2, ?3, 'settling', ?4, ?5, ?6, ?7, ?8
		WHERE ?4 = '' OR NOT EXISTS (SELECT 1 FROM review WHERE user = ?1 AND repo = ?2 AND number = ?3 AND asked = ?4 AND wanted_at >= ?6)
		ON CONFLICT (user, repo, number, head) DO UPDATE SET updated_at = excluded.updated_at,
			due_at = CASE WHEN excluded.asked <> '' THEN min(due_at, excluded.due_at) WHEN asked = '' THEN max(due_at, excluded.due_at) ELSE due_at END,
			wanted_at = iif(excluded.asked = '', wanted_at, excluded.wanted_at), text = iif(excluded.asked = '', text, excluded.text),
			asked = iif(excluded.asked = '', asked, excluded.asked)`
	activeReview = `EXISTS (SELECT 1 FROM review a WHERE a.user = r.user AND a.repo = r.repo AND a.number = r.number
		AND a.state IN ('queued', 'confirming', 'running'))`
	dueReviews     = selectReview + `WHERE r.due_at <= ? AND NOT ` + activeReview + ` ORDER BY r.due_at, r.id`
	nextReview     = `SELECT r.due_at FROM review r WHERE r.due_at IS NOT NULL AND NOT ` + activeReview + ` ORDER BY r.due_at LIMIT 1`
	findReview     = selectReview + `WHERE r.id = ?`
	findReviewHead = selectReview + `WHERE r.user = ? AND r.repo = ? AND r.number = ? AND r.head = ?`
	deleteReview   = `DELETE FROM review WHERE id = ?`
	lookedAt       = `UPDATE review SET head = ? WHERE id = ?`
	wantAgain      = `UPDATE review SET state = 'settling', round = round + 1, asked = ?, text = ?, wanted_at = ?, due_at = ?, turn = NULL,
		change = '', result = '', buttons = '', why = '', updated_at = ? WHERE id = ?`
	// Why it was left alone stays, so that nobody is told of that twice.
	lookAgain    = `UPDATE review SET state = 'settling', round = round + 1, asked = '', due_at = ?, updated_at = ? WHERE id = ?`
	updateReview = `UPDATE review SET head = ?, state = ?, due_at = ?, turn = ?, change = ?, result = ?, posted = ?, buttons = ?, why = ?,
		updated_at = ? WHERE id = ?`
	listActive = selectReview + `INDEXED BY review_active WHERE r.state IN ('queued', 'confirming', 'running') ORDER BY r.id`
	// What is at work and has neither a turn that runs nor an inbound that waits for one.
	listLost = selectReview + `INDEXED BY review_active WHERE r.state IN ('queued', 'confirming', 'running') AND NOT EXISTS (SELECT 1 FROM conversation c
		WHERE c.user = r.user AND c.channel = 'github' AND c.chat = r.repo AND c.thread = CAST(r.number AS TEXT)
		AND (EXISTS (SELECT 1 FROM turn t WHERE t.conversation = c.id AND t.ended_at IS NULL)
			OR EXISTS (SELECT 1 FROM inbox i WHERE i.conversation = c.id AND i.state = 'new' AND i.held = 0)))`
	listOfPull = selectReview + `WHERE r.user = ? AND r.repo = ? AND r.number = ? ORDER BY r.id`
	listPosted = selectReview + `WHERE r.posted <> '' AND r.updated_at >= ? ORDER BY r.id`
	listHeads  = `SELECT number, head FROM review WHERE user = ? AND repo = ? ORDER BY wanted_at, id`
	findOfTurn = selectReview + `WHERE r.turn = ?`
	findActive = selectReview + `INDEXED BY review_active WHERE r.user = ? AND r.repo = ? AND r.number = ? AND r.state IN ('queued', 'confirming', 'running')`
)

// Want keeps that a pull request's head is to be reviewed, by the fields User, Repo, Number, Asked,
// Text, WantedAt and Due; the same again changes nothing.
func (s Reviews) Want(ctx context.Context, r supervisor.Review) error {
	return s.db.write(ctx, func(t *tx) {
		t.Exec(wantReview, r.User, r.Repo, r.Number, r.Asked, r.Text, r.WantedAt.UnixMilli(), r.Due, t.Now)
	}, "keep that %s is to be reviewed", r.Name())
}

// Heads are the heads of a repository's pull requests that a review was wanted of last, "" where it
// is yet to be looked which that is.
func (s Reviews) Heads(ctx context.Context, user, repo string) (map[int]string, error) {
	heads := map[int]string{}
	return heads, s.db.reader(ctx, "list the heads of %s that were to be reviewed", repo).
		Query(func(row *engine.Row) bool {
			var number int
			var head string
			row.Scan(&number, &head)
			heads[number] = head
			return true
		}, listHeads, user, repo)
}

// ListDue lists, of all persons, what is due at a time, where no other review of its pull request
// is at work.
func (s Reviews) ListDue(ctx context.Context, now time.Time) ([]supervisor.Review, error) {
	return engine.All(s.db.reader(ctx, "list the reviews that are due"), scanReview, dueReviews, now.UnixMilli())
}

// Next is when the next one is due, if there is one.
func (s Reviews) Next(ctx context.Context) (due time.Time, ok bool, err error) {
	return engine.One(s.db.reader(ctx, "find when the next review is due"), engine.Time, nextReview)
}

// Looked keeps the head of one that settles, and returns the review of that head: where there was
// one, it is done once more if somebody has asked for it, is looked at once more if it was left
// alone, and is returned as it is if not.
func (s Reviews) Looked(ctx context.Context, r supervisor.Review, head string) (supervisor.Review, error) {
	return inTransaction(ctx, s.db, func(t *tx) supervisor.Review {
		before, ok := one(t, scanReview, findReviewHead, r.User, r.Repo, r.Number, head)
		switch {
		case !ok:
			t.Exec(lookedAt, head, r.ID)
			return t.review(r.ID)
		case before.ID == r.ID:
			return before
		}
		t.Exec(deleteReview, r.ID)
		switch {
		case r.Asked != "":
			t.Exec(wantAgain, r.Asked, r.Text, r.WantedAt.UnixMilli(), t.Now, t.Now, before.ID)
		case before.State == supervisor.ReviewSkipped: // it may be a draft no more, or be open again
			t.Exec(lookAgain, t.Now, t.Now, before.ID)
		}
		return t.review(before.ID)
	}, "keep the head of %s", r.Name())
}

func (t *tx) review(id int64) supervisor.Review { return byID(t, "review", scanReview, findReview, id) }

// reviewTransitions says which states a review may go to from each; it may also stay what it is.
// One that ended goes on where somebody asks for it, and one that failed by itself too.
var reviewTransitions = map[supervisor.ReviewState][]supervisor.ReviewState{
	supervisor.ReviewSettling: {supervisor.ReviewQueued, supervisor.ReviewSkipped, supervisor.ReviewFailed},
	supervisor.ReviewQueued: {
		supervisor.ReviewConfirming,
		supervisor.ReviewRunning,
		supervisor.ReviewSkipped,
		supervisor.ReviewFailed,
	},
	supervisor.ReviewConfirming: {supervisor.ReviewRunning, supervisor.ReviewSkipped, supervisor.ReviewFailed},
	supervisor.ReviewRunning:    {supervisor.ReviewDone, supervisor.ReviewSkipped, supervisor.ReviewFailed},
	supervisor.ReviewFailed:     {supervisor.ReviewQueued, supervisor.ReviewSkipped},
}

// Keep keeps how far a review has come, by the fields Head, State, Due and from Turn on. Refused
// where it was wanted anew meanwhile, and where its state does not lead there.
func (s Reviews) Keep(ctx context.Context, r supervisor.Review) error {
	return s.db.write(ctx, func(t *tx) { t.keepReview(r) }, "keep how far the review of %s has come", r.Name())
}

func (t *tx) keepReview(r supervisor.Review) {
	now := t.review(r.ID)
	if now.Round != r.Round || now.State != r.State && !slices.Contains(reviewTransitions[now.State], r.State) {
		t.fail(
			invalid(
				"review %d is %s in round %d and cannot become %s in round %d",
				r.ID,
				now.State,
				now.Round,
				r.State,
				r.Round,
			),
		)
	}
	var due any
	if !r.Due.IsZero() {
		due = r.Due
	}
	t.Exec(
		updateReview,
		r.Head,
		r.State,
		due,
		orNull(r.Turn),
		r.Change,
		r.Result,
		r.Posted,
		encodedList(r.Buttons),
		r.Why,
		t.Now,
		r.ID,
	)
}

// Queue keeps that a review is queued, with the inbound with which its turn begins.
func (s Reviews) Queue(ctx context.Context, r supervisor.Review, in supervisor.Inbound) (supervisor.Inbound, error) {
	in.State = supervisor.InboundNew
	return inTransaction(ctx, s.db, func(t *tx) supervisor.Inbound {
		r.State, r.Due = supervisor.ReviewQueued, time.Time{}
		t.keepReview(r)
		kept, _ := t.putInbound(in)
		return kept
	}, "queue the review of %s", r.Name())
}

// FindOf is the review that a turn does: of a turn that begins, the one of its pull request that is
// at work.
func (s Reviews) FindOf(
	ctx context.Context,
	turn supervisor.Turn,
	repo string,
	number int,
) (r supervisor.Review, ok bool, err error) {
	read := s.db.reader(ctx, "find the review that turn %d does", turn.ID)
	if r, ok, err = engine.One(read, scanReview, findOfTurn, turn.ID); err != nil || ok {
		return r, ok, err
	}
	return engine.One(read, scanReview, findActive, turn.Conversation.User, repo, number)
}

// Find is a review by its id, if there is one.
func (s Reviews) Find(ctx context.Context, id int64) (supervisor.Review, bool, error) {
	return engine.One(s.db.reader(ctx, "find review %d", id), scanReview, findReview, id)
}

// ListOf lists a pull request's reviews, oldest first.
func (s Reviews) ListOf(ctx context.Context, user, repo string, number int) ([]supervisor.Review, error) {
	return engine.All(
		s.db.reader(ctx, "list the reviews of %s#%d", repo, number),
		scanReview,
		listOfPull,
		user,
		repo,
		number,
	)
}

// ListActive lists what is at work, of all persons.
func (s Reviews) ListActive(ctx context.Context) ([]supervisor.Review, error) {
	return engine.All(s.db.reader(ctx, "list the reviews at work"), scanReview, listActive)
}

// ListLost lists what is at work of which no turn runs any more, nor begins.
func (s Reviews) ListLost(ctx context.Context) ([]supervisor.Review, error) {
	return engine.All(s.db.reader(ctx, "list the reviews that have lost their turns"), scanReview, listLost)
}

// ListPosted lists what stands on GitHub and has changed since a time, of all persons, oldest
// first.
func (s Reviews) ListPosted(ctx context.Context, since time.Time) ([]supervisor.Review, error) {
	return engine.All(
		s.db.reader(ctx, "list the reviews that stand on GitHub"),
		scanReview,
		listPosted,
		since.UnixMilli(),
	)
}

const sumReview = `SELECT iif(count(*) = count(cost), coalesce(sum(cost), 0), -1) FROM usage
	WHERE turn = ?1 OR turn IN (SELECT id FROM turn WHERE parent = ?1)`

// Cost is what a turn and those below it have cost, in millionths of a dollar; nil where somebody's
// price is not known.
func (s Reviews) Cost(ctx context.Context, turn int64) (*int64, error) {
	sum, err := engine.Value(s.db.reader(ctx, "add up what turn %d has cost", turn), engine.Integer, sumReview, turn)
	if err != nil || sum < 0 {
		return nil, err
	}
	return &sum, nil
}

// buttonsOf are those below the answer of a turn that reviews.
const buttonsOf = `SELECT buttons FROM review WHERE turn = ?`

func scanReview(row *engine.Row) (r supervisor.Review) {
	row.Scan(
		&r.ID,
		&r.User,
		&r.Repo,
		&r.Number,
		&r.Head,
		&r.State,
		&r.Round,
		&r.Asked,
		&r.Text,
		&r.WantedAt,
		&r.Due,
		&r.Turn,
		&r.Change,
		&r.Result,
		&r.Posted,
		decoded{&r.Buttons},
		&r.Why,
	)
	return r
}
