package sqlite

import (
	"context"
	"slices"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// Reviews stores the reviews of pull requests, planned and done.
type Reviews struct{ db *DB }

// Reviews returns the store of reviews.
func (db *DB) Reviews() Reviews { return Reviews{db} }

const (
	selectReview = `SELECT r.id, r.user, r.repo, r.number, r.head, r.state, r.round, r.asked, r.text, r.wanted_at, r.due_at, coalesce(r.turn, 0),
		r.change, r.result, r.posted, r.buttons, r.why FROM review r `
	// wantReview recognizes a repeated request by its time. A push has no time, because the head is
	// read only when the review is due, and GitHub's clock differs from ours. A push delays the
	// review unless somebody has asked for the review.
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
	setReviewHead  = `UPDATE review SET head = ? WHERE id = ?`
	// requestReviewAgain keeps the earlier round's result until the new round has a result.
	requestReviewAgain = `UPDATE review SET state = 'settling', round = round + 1, asked = ?, text = ?, wanted_at = ?, due_at = ?, turn = NULL,
		change = '', buttons = '', why = '', updated_at = ? WHERE id = ?`
	// recheckReview keeps the stored reason for skipping, so that nobody gets the notice about the
	// skipping twice. The review becomes the newest of its pull request.
	recheckReview = `UPDATE review SET state = 'settling', round = round + 1, asked = '', change = '', due_at = ?1, updated_at = ?1,
		wanted_at = max(?2, 1 + (SELECT max(o.wanted_at) FROM review o WHERE o.user = review.user AND o.repo = review.repo
			AND o.number = review.number)) WHERE id = ?3`
	updateReview = `UPDATE review SET head = ?, state = ?, due_at = ?, turn = ?, change = ?, result = ?, posted = ?, buttons = ?, why = ?,
		updated_at = ? WHERE id = ?`
	listActive = selectReview + `INDEXED BY review_active WHERE r.state IN ('queued', 'confirming', 'running') ORDER BY r.id`
	// listLost selects active reviews without a running turn and without an inbound that will start
	// a turn.
	listLost = selectReview + `INDEXED BY review_active WHERE r.state IN ('queued', 'confirming', 'running') AND NOT EXISTS (SELECT 1 FROM conversation c
		WHERE c.user = r.user AND c.channel = 'github' AND c.chat = r.repo AND c.thread = CAST(r.number AS TEXT)
		AND (EXISTS (SELECT 1 FROM turn t WHERE t.conversation = c.id AND t.ended_at IS NULL)
			OR EXISTS (SELECT 1 FROM inbox i WHERE i.conversation = c.id AND i.state = 'new' AND i.held = 0)))`
	listOfPull = selectReview + `WHERE r.user = ? AND r.repo = ? AND r.number = ? ORDER BY r.wanted_at, r.id`
	listPosted = selectReview + `WHERE r.posted <> '' AND r.updated_at >= ? ORDER BY r.id`
	listHeads  = `SELECT number, head FROM review WHERE user = ? AND repo = ? ORDER BY wanted_at, id`
	findOfTurn = selectReview + `WHERE r.turn = ?`
	findActive = selectReview + `INDEXED BY review_active WHERE r.user = ? AND r.repo = ? AND r.number = ? AND r.state IN ('queued', 'confirming', 'running')`
)

// RequestReview requests the review of a pull request's head. It reads User, Repo, Number,
// Requester, Text, WantedAt and Due. The same request again changes nothing.
func (s Reviews) RequestReview(ctx context.Context, r supervisor.Review) error {
	return s.db.write(ctx, func(t *tx) {
		t.Exec(wantReview, r.User, r.Repo, r.Number, r.Requester, r.Text, r.WantedAt.UnixMilli(), r.Due, t.Now)
	}, "request the review of %s", r.PullRequestName())
}

// LastHeads returns the last requested head of each pull request of a repository. "" means that the
// head was not read yet.
func (s Reviews) LastHeads(ctx context.Context, user, repo string) (map[int]string, error) {
	heads := map[int]string{}
	return heads, s.db.reader(ctx, "list requested heads of %s", repo).
		Query(func(row *engine.Row) bool {
			var number int
			var head string
			row.Scan(&number, &head)
			heads[number] = head
			return true
		}, listHeads, user, repo)
}

// ListDue lists the due reviews of all users. It leaves out reviews of pull requests with another
// active review.
func (s Reviews) ListDue(ctx context.Context, now time.Time) ([]supervisor.Review, error) {
	return engine.AllRows(s.db.reader(ctx, "list due reviews"), scanReview, dueReviews, now.UnixMilli())
}

// NextDue returns when the next review is due. ok is false without a review.
func (s Reviews) NextDue(ctx context.Context) (due time.Time, ok bool, err error) {
	return engine.FirstRow(s.db.reader(ctx, "find the next due review"), engine.ScanTime, nextReview)
}

// SetHead stores the head of a settling review, and returns the review of that head. If the head
// already has a review, SetHead returns that earlier review. If a person has made the request, the
// earlier review runs again. A skipped review is checked again, and any ended review if recheck is
// true.
func (s Reviews) SetHead(ctx context.Context, r supervisor.Review, head string, recheck bool) (supervisor.Review,
	error) {
	return inTransaction(ctx, s.db, func(t *tx) supervisor.Review {
		before, ok := one(t, scanReview, findReviewHead, r.User, r.Repo, r.Number, head)
		switch {
		case !ok:
			t.Exec(setReviewHead, head, r.ID)
			return t.review(r.ID)
		case before.ID == r.ID:
			return before
		}
		t.Exec(deleteReview, r.ID)
		switch {
		case r.Requester != "":
			t.Exec(requestReviewAgain, r.Requester, r.Text, r.WantedAt.UnixMilli(), t.Now, t.Now, before.ID)
		// A skipped review is checked again, since the pull request may no longer be a draft or
		// closed.
		case before.State == supervisor.ReviewSkipped || recheck:
			t.Exec(recheckReview, t.Now, r.WantedAt.UnixMilli(), before.ID)
		}
		return t.review(before.ID)
	}, "store the head of %s", r.PullRequestName())
}

func (t *tx) review(id int64) supervisor.Review { return byID(t, "review", scanReview, findReview, id) }

// reviewTransitions lists the allowed next states of each state of a review. A review may also keep
// its state. An ended review starts again if somebody asks. A failed review is also retried
// automatically. A review with a result of an earlier round may become done in any state.
var reviewTransitions = map[supervisor.ReviewState][]supervisor.ReviewState{
	supervisor.ReviewDelayed: {
		supervisor.ReviewQueued,
		supervisor.ReviewSkipped,
		supervisor.ReviewFailed,
		supervisor.ReviewDone,
	},
	supervisor.ReviewQueued: {
		supervisor.ReviewAwaitsApproval,
		supervisor.ReviewRunning,
		supervisor.ReviewSkipped,
		supervisor.ReviewFailed,
		supervisor.ReviewDone,
	},
	supervisor.ReviewAwaitsApproval: {
		supervisor.ReviewRunning,
		supervisor.ReviewSkipped,
		supervisor.ReviewFailed,
		supervisor.ReviewDone,
	},
	supervisor.ReviewRunning: {supervisor.ReviewDone, supervisor.ReviewSkipped, supervisor.ReviewFailed},
	supervisor.ReviewFailed:  {supervisor.ReviewQueued, supervisor.ReviewSkipped},
}

// Update stores a review's progress: the fields Head, State, Due, and all from Turn on. It fails if
// the review was requested again meanwhile. It fails if the stored state does not allow the new
// state.
func (s Reviews) Update(ctx context.Context, r supervisor.Review) error {
	return s.db.write(ctx, func(t *tx) { t.keepReview(r) }, "store the progress of the review of %s",
		r.PullRequestName())
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

// EnqueueReview marks a review as queued and stores the inbound that starts its turn.
func (s Reviews) EnqueueReview(ctx context.Context, r supervisor.Review, in supervisor.Inbound) (supervisor.Inbound,
	error) {
	in.State = supervisor.InboundNew
	return inTransaction(ctx, s.db, func(t *tx) supervisor.Inbound {
		r.State, r.Due = supervisor.ReviewQueued, time.Time{}
		t.keepReview(r)
		kept, _ := t.putInbound(in)
		return kept
	}, "queue the review of %s", r.PullRequestName())
}

// FindByTurn returns the review that a turn works on. If the turn has only just begun, it returns
// the active review of the turn's pull request.
func (s Reviews) FindByTurn(
	ctx context.Context,
	turn supervisor.Turn,
	repo string,
	number int,
) (r supervisor.Review, ok bool, err error) {
	read := s.db.reader(ctx, "find the review of turn %d", turn.ID)
	if r, ok, err = engine.FirstRow(read, scanReview, findOfTurn, turn.ID); err != nil || ok {
		return r, ok, err
	}
	return engine.FirstRow(read, scanReview, findActive, turn.Conversation.User, repo, number)
}

// Find returns a review by its id, if there is one.
func (s Reviews) Find(ctx context.Context, id int64) (supervisor.Review, bool, error) {
	return engine.FirstRow(s.db.reader(ctx, "find review %d", id), scanReview, findReview, id)
}

// ListOfPullRequest lists a pull request's reviews, the last requested one at the end.
func (s Reviews) ListOfPullRequest(ctx context.Context, user, repo string, number int) ([]supervisor.Review, error) {
	return engine.AllRows(
		s.db.reader(ctx, "list the reviews of %s#%d", repo, number),
		scanReview,
		listOfPull,
		user,
		repo,
		number,
	)
}

// ListActive lists the active reviews of all users.
func (s Reviews) ListActive(ctx context.Context) ([]supervisor.Review, error) {
	return engine.AllRows(s.db.reader(ctx, "list active reviews"), scanReview, listActive)
}

// ListWithoutTurn lists active reviews without a turn that runs or will start.
func (s Reviews) ListWithoutTurn(ctx context.Context) ([]supervisor.Review, error) {
	return engine.AllRows(s.db.reader(ctx, "list active reviews without a turn"), scanReview, listLost)
}

// ListPosted lists the posted reviews that changed since a time, of all users, oldest first.
func (s Reviews) ListPosted(ctx context.Context, since time.Time) ([]supervisor.Review, error) {
	return engine.AllRows(
		s.db.reader(ctx, "list posted reviews"),
		scanReview,
		listPosted,
		since.UnixMilli(),
	)
}

const sumReview = `SELECT iif(count(*) = count(cost), coalesce(sum(cost), 0), -1) FROM usage
	WHERE turn = ?1 OR turn IN (SELECT id FROM turn WHERE parent = ?1)`

// CostOfTurn returns the cost of a turn with its child turns, in millionths of a dollar. nil means
// that the price of a call is unknown.
func (s Reviews) CostOfTurn(ctx context.Context, turn int64) (*int64, error) {
	sum, err := engine.FirstValue(s.db.reader(ctx, "sum the cost of turn %d", turn), engine.ScanInteger, sumReview,
		turn)
	if err != nil || sum < 0 {
		return nil, err
	}
	return &sum, nil
}

// buttonsOf selects the buttons below the answer of a turn that made a review.
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
		&r.Requester,
		&r.Text,
		&r.WantedAt,
		&r.Due,
		&r.Turn,
		&r.Change,
		&r.Result,
		&r.Posted,
		columnDecoder{&r.Buttons},
		&r.Why,
	)
	return r
}
