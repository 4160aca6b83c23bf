package review

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/github/api"
	"mews/supervisor/github/diff"
	"mews/supervisor/github/finding"
	"mews/supervisor/internal/retry"
	"mews/supervisor/internal/signals"
	"mews/supervisor/spool"
)

// result is the checked result of a review of a head. It is stored in the review's row as JSON.
type result struct {
	finding.CheckedFindings
	Title, URL      string
	Verdict         string
	Skipped, Unread []string
	Hunks           []string // fingerprints of reviewed and skipped hunks
	Head            string   // head that the review has read; a result from an older version of Mews has no head
	Round           int      // the round of the review's row that has read the head
	// sentence that says why the result was not posted; "" if it was posted or there was nothing to
	// post
	Unposted    string
	Coverage    finding.Coverage
	Models      []string // names of the models that read the change
	Cost        *int64
	Refutations int  // number of findings that second checks have refuted
	Moves       int  // number of pushes that came during the review
	Moved       bool // the head of the last push is not read yet
	Silent      bool // nothing was posted, because all was read and nothing found
}

// resultOf returns the stored result of a review; the zero value if there is none.
func resultOf(w supervisor.Review) (made result) {
	_ = json.Unmarshal([]byte(w.Result), &made) // Result is "" or JSON that Mews wrote
	return made
}

// isCurrent reports whether a result is of a review's current round and head.
func (made result) isCurrent(w supervisor.Review) bool {
	return made.Round == w.Round && made.Head == w.Head && !made.Moved
}

// readHead returns the head that the result of a review is about. "" means that no head was read.
func readHead(w supervisor.Review) string {
	if w.Result == "" {
		return ""
	}
	return cmp.Or(resultOf(w).Head, w.Head)
}

// hasEarlierResult reports whether a review's head was read in an earlier round only.
func hasEarlierResult(w supervisor.Review) bool {
	return w.Result != "" && readHead(w) == w.Head && resultOf(w).Round != w.Round
}

func encoded(v any) string {
	text, _ := json.Marshal(v) // strings and numbers can always be encoded
	return string(text)
}

// RunTurn runs or continues a review in its turn, and returns the card for its user. It is called
// again after a crash, and after the turn has waited. The error supervisor.ErrWaitsForAnswer means
// that the user was asked a question. Other errors come from ctx, the store or the worker, and do
// not end the review.
func (r *Reviews) RunTurn(ctx context.Context, turn supervisor.Turn, read MaterialReader) (card string, err error) {
	defer signals.SendToken(r.woken) // another review may use the free slot now
	number, _ := strconv.Atoi(turn.Conversation.Thread)
	w, there, err := r.o.Store.FindByTurn(ctx, turn, turn.Conversation.Chat, number)
	if err != nil {
		return "", err
	}
	repo, served := r.o.Repo(w.Repo)
	if !there || !served {
		return textNotServed, nil
	}
	if w.IsActive() {
		w.Turn = turn.ID
		err = r.work(ctx, &w, repo, turn, read)
	}
	refused := new(supervisor.Error)
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.Is(err, supervisor.ErrWaitsForAnswer):
		return "", err
	case errors.As(err, &refused):
		r.o.Log.Error("review a pull request", "review", w.PullRequestName(), "error", err)
		err = r.fail(ctx, &w, repo, err)
	}
	if err == nil {
		err = r.grow(ctx, w)
	}
	if err != nil {
		return "", err
	}
	return r.card(ctx, w, repo)
}

// work continues a review from its current state to its end.
func (r *Reviews) work(ctx context.Context, w *supervisor.Review, repo supervisor.GitHubRepo, turn supervisor.Turn,
	read MaterialReader) error {
	if w.State != supervisor.ReviewRunning {
		if err := r.confirm(ctx, w, repo, turn); err != nil || w.State != supervisor.ReviewRunning {
			return err
		}
	}
	if !resultOf(*w).isCurrent(*w) {
		if err := r.read(ctx, w, read); err != nil || w.State != supervisor.ReviewRunning {
			return err
		}
	}
	made := resultOf(*w)
	err := r.retryForAWhile(ctx, func() error {
		slot, err := r.postSlots.Acquire(ctx, w.PullRequestName())
		if err != nil {
			return err
		}
		defer slot.Release()
		return r.checkAndPost(ctx, w, repo, &made)
	})
	if errors.Is(err, errMoved) {
		if err := r.move(ctx, w, made); err != nil {
			return err
		}
		return r.work(ctx, w, repo, turn, read)
	}
	if err != nil {
		if !r.keepUnposted(ctx, *w, &made, err) {
			return err
		}
		r.noteUnposted(ctx, w, repo)
	}
	w.State, w.Result, w.Buttons = supervisor.ReviewDone, encoded(made), buttons(*w, repo, made)
	return r.o.Store.Update(ctx, *w)
}

// patience is how long a turn waits for a temporary failure of GitHub to pass.
const patience = 3 * time.Minute

// retryForAWhile repeats the function do while GitHub has a temporary failure, for as long as
// patience.
func (r *Reviews) retryForAWhile(ctx context.Context, do func() error) error {
	began := r.o.Now()
	for wait := 100 * time.Millisecond; ; wait *= 2 {
		err := do()
		until, passes := isTemporary(err)
		if !until.IsZero() {
			wait = max(wait, until.Sub(r.o.Now()))
		}
		if !passes || r.o.Now().Add(wait).Sub(began) > patience {
			return err
		}
		r.o.Log.Warn("a review waits for GitHub", "error", err, "again_in", wait)
		if !retry.Sleep(ctx, wait) {
			return context.Cause(ctx)
		}
	}
}

// roles has GitHub's words for users with a role in the repository.
var roles = []string{"OWNER", "MEMBER", "COLLABORATOR"}

// confirm reads the current state of the pull request. If there is a new head, the review moves to
// that head. For a stranger's pull request, the user must approve the cost.
func (r *Reviews) confirm(ctx context.Context, w *supervisor.Review, repo supervisor.GitHubRepo, turn supervisor.Turn) error {
	var pull api.PullRequest
	err := r.retryForAWhile(ctx, func() (err error) {
		pull, err = r.o.API.PullRequest(ctx, w.Repo, w.Number)
		return err
	})
	if err != nil {
		return err
	}
	if pull.State != "open" {
		w.State, w.Why = supervisor.ReviewSkipped, textClosed
		return r.o.Store.Update(ctx, *w)
	}
	if pull.Fork && repo.ConfirmForks && w.Requester == "" && !slices.Contains(roles, pull.Standing) {
		if err := r.askApproval(ctx, w, repo, pull, turn); err != nil || w.State == supervisor.ReviewSkipped {
			return err
		}
	}
	w.State = supervisor.ReviewRunning
	if err := r.moveToHead(ctx, w, pull); err != nil {
		return err
	}
	return r.o.Store.Update(ctx, *w)
}

// moveToHead moves a review to the current head, unless that head has its own review.
func (r *Reviews) moveToHead(ctx context.Context, w *supervisor.Review, pull api.PullRequest) error {
	if pull.Head.SHA == w.Head {
		return nil
	}
	earlier, err := r.o.Store.ListOfPullRequest(ctx, w.User, w.Repo, w.Number)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(earlier, func(e supervisor.Review) bool { return e.Head == pull.Head.SHA }) {
		w.State, w.Why = supervisor.ReviewSkipped, textNewer
	} else {
		w.Head = pull.Head.SHA
	}
	return nil
}

// askApproval asks a review's user to approve the review of a stranger's pull request. The answer
// holds for all heads. If the user denies it, askApproval ends the review as skipped.
func (r *Reviews) askApproval(ctx context.Context, w *supervisor.Review, repo supervisor.GitHubRepo,
	pull api.PullRequest, turn supervisor.Turn) error {
	earlier, err := r.o.Store.ListOfPullRequest(ctx, w.User, w.Repo, w.Number)
	if err != nil || slices.ContainsFunc(earlier, func(e supervisor.Review) bool { return e.Turn != 0 && e.Result != "" }) {
		return err
	}
	w.State = supervisor.ReviewAwaitsApproval
	if err := r.o.Store.Update(ctx, *w); err != nil {
		return err
	}
	err = r.o.Approver.Allow(ctx, approval.Request{User: w.User, Conversation: turn.AnswerConversation(),
		Turn: turn.ID, Effect: EffectStrangerReview,
		Arguments: []string{w.Repo, strconv.Itoa(w.Number)}, Text: fmt.Sprintf(textStranger,
			finding.HarmlessMarkdown(pull.Author, 100), w.PullRequestName(), finding.HarmlessMarkdown(pull.Title,
				120))})
	if supervisor.ErrorCodeOf(err) != supervisor.CodeForbidden {
		return err
	}
	if err := r.noteReason(ctx, w, repo, textDenied); err != nil {
		return err
	}
	w.State, w.Why = supervisor.ReviewSkipped, textDenied
	return r.o.Store.Update(ctx, *w)
}

// isDenied reports whether the user has denied the reviews of a pull request. If somebody requested
// a review later, the denial has ended.
func isDenied(reviews []supervisor.Review) (denied bool) {
	for _, e := range reviews {
		denied = e.Why == textDenied || denied && (e.Turn == 0 || e.Result == "")
	}
	return denied
}

// read lets a worker read a head, and stores the checked result.
func (r *Reviews) read(ctx context.Context, w *supervisor.Review, read MaterialReader) error {
	c, err := r.readChange(*w)
	if errors.Is(err, spool.ErrBlobGone) {
		err = r.retryForAWhile(ctx, func() error {
			pull, err := r.o.API.PullRequest(ctx, w.Repo, w.Number)
			if err == nil {
				err = r.moveToHead(ctx, w, pull) // a push or a restart may have changed the head
			}
			if err == nil && w.State == supervisor.ReviewRunning {
				c, err = r.gather(ctx, w, pull)
			}
			return err
		})
		if err == nil {
			err = r.o.Store.Update(ctx, *w)
		}
	}
	if err != nil || w.State != supervisor.ReviewRunning {
		return err
	}
	report := protocol.ReviewReport{}
	if len(c.Material.Chunks) > 0 {
		end, err := r.awaitChecks(ctx, *w, c)
		if err != nil {
			return err
		}
		defer end()
		if report, err = read(ctx, c.Material); err != nil {
			return err
		}
		if len(report.Findings) == 0 && len(report.Unread) == len(c.Material.Chunks) {
			return supervisor.Errorf(supervisor.CodeModelFailed, textAllUnread,
				finding.HarmlessMarkdown(report.Unread[0].Text, maxVerdict))
		}
	}
	made, records, err := r.check(ctx, *w, c, report)
	if err != nil {
		return err
	}
	if made.Cost, err = r.o.Store.CostOfTurn(ctx, w.Turn); err != nil {
		return err
	}
	if made.Models, err = r.o.Store.ModelsOfTurn(ctx, w.Turn); err != nil {
		return err
	}
	w.Result = encoded(made)
	return r.o.Store.UpdateWithFindings(ctx, *w, rowsOf(records))
}

// check returns the findings that may be posted, and all findings of the pull request.
func (r *Reviews) check(ctx context.Context, w supervisor.Review, c change, report protocol.ReviewReport) (made result,
	records []finding.Record, err error) {
	if records, err = r.records(ctx, w); err != nil {
		return made, nil, err
	}
	known, err := r.known(ctx, w, records)
	if err != nil {
		return made, nil, err
	}
	raw := slices.Clone(c.Files)
	var reordered []protocol.ReviewFinding
	for _, f := range raw {
		if hunks, err := diff.ParsePatch(f.Patch); err == nil {
			reordered = append(reordered, finding.FindReorderedLines([]diff.File{{New: f.Path, Hunks: hunks}})...)
		}
	}
	made = result{Title: c.Title, URL: c.URL, Verdict: report.Verdict, Skipped: c.Skipped, Unread: c.Unread,
		Coverage: c.Coverage, Head: w.Head, Round: w.Round}
	if before := resultOf(w); before.Round == w.Round {
		made.Moves = before.Moves
	}
	checker := r.checker(c, known)
	checked := checker.Check(append(reordered, report.Findings...))
	addUnreadChunks(&made.Coverage, c.Material, report)
	if records, err = r.merge(ctx, w, checker.Files, c.Heads, made.Coverage, checked, records); err != nil {
		return made, nil, err
	}
	made.CheckedFindings = finding.GroupFindings(unposted(records), r.o.Inline)
	made.Left, made.Refutations = checked.Left, report.Refuted
	made.Unread = append(made.Unread, finding.UnreadReasons(c.Material, report.Unread)...)
	for _, u := range report.Unread {
		for _, chunk := range c.Material.Chunks {
			for _, f := range chunk.Files {
				if chunk.Name == u.Name { // the file was not read, so the review of the next head reads it
					delete(c.Hunks, f.Path)
				}
			}
		}
	}
	for _, prints := range c.Hunks {
		made.Hunks = append(made.Hunks, prints...)
	}
	slices.Sort(made.Hunks)
	return made, records, nil
}
