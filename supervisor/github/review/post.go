package review

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"mews/supervisor"
	"mews/supervisor/github/api"
	"mews/supervisor/github/diff"
	"mews/supervisor/github/finding"
)

// posted records the parts of a review that are on GitHub, or are being posted.
type posted struct {
	// hidden mark of a review that GitHub may have already; before another try, Mews searches for
	// it
	Begun   string   `json:"begun,omitempty"`
	Review  int64    `json:"review,omitempty"`  // GitHub's id of the first review of this head
	Summary bool     `json:"summary,omitempty"` // the body of Review is the summary of the pull request
	Round   int      `json:"round,omitempty"`   // round of this head in which Review was created
	Note    bool     `json:"note,omitempty"`    // Review only says that this head was not read
	More    []int64  `json:"more,omitempty"`    // GitHub's ids of further reviews of this head
	Check   int64    `json:"check,omitempty"`
	Said    []string `json:"said,omitempty"` // fingerprints of findings in Review; set only by older versions of Mews
}

func postedOf(w supervisor.Review) (p posted) {
	_ = json.Unmarshal([]byte(w.Posted), &p) // Posted is "" or JSON that Mews wrote
	return p
}

// isOfRound reports whether GitHub has got a review with findings in a review's current round.
func (p posted) isOfRound(w supervisor.Review) bool {
	return p.Review != 0 && !p.Note && p.Round == w.Round
}

// post posts a review in the form that the repository is configured for. If an earlier call was
// interrupted, it continues.
func (r *Reviews) post(ctx context.Context, w *supervisor.Review, repo supervisor.GitHubRepo, made *result) error {
	switch repo.Post {
	case supervisor.PostOnlyCard:
		return nil
	case supervisor.PostAsCheckRun:
		s, err := r.summaryOf(ctx, *w, *made, w.Head)
		if err != nil {
			return err
		}
		if err := r.postCheck(ctx, w, s); err != nil {
			return err
		}
		return r.keepInSummary(ctx, w, made.CheckedFindings)
	}
	return r.postReview(ctx, w, made)
}

// summary returns GitHub's id of the review whose body is the summary of a pull request.
func (r *Reviews) summary(ctx context.Context, w supervisor.Review) (id int64, there bool, err error) {
	list, err := r.o.Store.ListOfPullRequest(ctx, w.User, w.Repo, w.Number)
	for _, e := range list {
		if p := postedOf(e); p.Summary && p.Review != 0 {
			id = p.Review
		}
	}
	return id, id != 0, err
}

// postReview creates a review on GitHub if there are new findings, and updates the summary. The
// first review becomes the summary. If all was read and nothing found, it posts only if somebody on
// GitHub requested the review.
func (r *Reviews) postReview(ctx context.Context, w *supervisor.Review, made *result) error {
	summary, there, err := r.summary(ctx, *w)
	if err != nil {
		return err
	}
	p := postedOf(*w)
	if p.Review != 0 && !p.Note && p.Round != w.Round { // GitHub has a review of this head from an earlier round
		made.Summary, made.Inline = slices.Concat(made.Inline, made.Summary), nil
	}
	if p.Review == 0 || p.Note {
		if err := r.dropPosted(ctx, *w, made); err != nil {
			return err
		}
	}
	s, err := r.summaryOf(ctx, *w, *made, w.Head)
	if err != nil {
		return err
	}
	news := len(made.Inline)+len(made.Summary) > 0
	answers := w.Requester != "" && !strings.HasPrefix(w.Requester, byCommand)
	if (p.Review == 0 || p.Note) && (news || !there && (s.IsNeeded() || answers)) {
		body := s.Body()
		if p.Summary = p.Summary || !there; there {
			body = s.FollowUpBody(made.CheckedFindings)
		}
		if err := r.create(ctx, w, &p, made, api.ReviewParams{Head: w.Head, Body: body}, w.Head); err != nil {
			return err
		}
	}
	if there {
		err = r.updateSummary(ctx, *w, *made, summary, w.Head)
	}
	made.Silent = !there && p.Review == 0
	if err != nil || made.Silent {
		return err
	}
	return r.keepInSummary(ctx, w, made.CheckedFindings)
}

// dropPosted removes findings from a result that were posted since, by a button on an older card.
func (r *Reviews) dropPosted(ctx context.Context, w supervisor.Review, made *result) error {
	records, err := r.records(ctx, w)
	for _, list := range []*[]finding.Finding{&made.Inline, &made.Summary, &made.Suggestions} {
		*list = slices.DeleteFunc(*list, func(f finding.Finding) bool { return isPosted(records, f) })
	}
	return err
}

// refusals is the maximum number of further tries after GitHub has refused a review.
const refusals = 2

// errMoved means that the pull request got a new head after the review had read it.
var errMoved = errors.New("the pull request has another head now")

// create posts a review with a hidden mark. First it searches for a review from an earlier try
// whose answer was lost. If one comment has a wrong position, GitHub refuses the whole review. Then
// create moves the misplaced comments into the summary, and in the last try all comments.
func (r *Reviews) create(ctx context.Context, w *supervisor.Review, p *posted, made *result, n api.ReviewParams,
	mark string) error {
	if p.Begun == mark {
		if id, err := r.ours(ctx, *w, mark); err != nil || id != 0 {
			return r.keepPosted(ctx, w, p, made, id, err)
		}
	}
	p.Begun = mark
	if err := r.keepPosted(ctx, w, p, made, 0, nil); err != nil {
		return err
	}
	for try := 0; ; try++ {
		n.Comments = nil
		for _, f := range made.Inline {
			n.Comments = append(n.Comments, api.ReviewCommentParams{Path: f.Path, Start: f.Start, Line: f.Line,
				Side: f.Side, Body: f.CommentBody()})
		}
		review, err := r.o.API.CreateReview(ctx, w.Repo, w.Number, n)
		if api.ErrorClassOf(err) != api.InvalidRequest || len(made.Inline) == 0 || try == refusals {
			return r.keepPosted(ctx, w, p, made, review.ID, err)
		}
		r.o.Log.Warn("GitHub refused a review", "review", w.PullRequestName(), "comments", len(n.Comments), "error",
			err)
		if pull, err := r.o.API.PullRequest(ctx, w.Repo, w.Number); err != nil || pull.Head.SHA != w.Head &&
			w.State == supervisor.ReviewRunning {
			return cmp.Or(err, errMoved)
		}
		if err := r.dropMisplaced(ctx, *w, made, try, err); err != nil {
			return err
		}
		if p.Summary && p.Review == 0 {
			s, err := r.summaryOf(ctx, *w, *made, mark)
			if err != nil {
				return err
			}
			n.Body = s.Body()
		}
	}
}

// keepPosted stores the posted parts of a review. A finding counts as posted only if GitHub has
// confirmed it.
func (r *Reviews) keepPosted(ctx context.Context, w *supervisor.Review, p *posted, made *result, id int64, err error) error {
	if err != nil {
		return err
	}
	var rows []supervisor.PullRequestFinding
	isNote := p.Begun == noteMark(w.Head)
	if id != 0 {
		if p.Review != 0 {
			p.More = append(p.More, id)
		}
		p.Review, p.Round, p.Note, p.Begun = cmp.Or(p.Review, id), w.Round, isNote, ""
		if rows, err = r.postedRows(ctx, *w, made.CheckedFindings); err != nil {
			return err
		}
	}
	w.Posted = encoded(p)
	// a review in another state has its result already: the user only posts picked findings
	if w.State == supervisor.ReviewRunning && !isNote {
		w.Result = encoded(made)
	}
	return r.o.Store.UpdateWithFindings(ctx, *w, rows)
}

// dropMisplaced moves comments into the summary that GitHub refuses. These are comments on files
// that GitHub names, or outside of the current diff. If there are none, or after a second refusal,
// all comments move.
func (r *Reviews) dropMisplaced(ctx context.Context, w supervisor.Review, made *result, try int, refusal error) error {
	page, err := r.o.API.ChangedFiles(ctx, w.Repo, w.Number)
	if err != nil {
		return err
	}
	files, _ := filesOf(page.Items)
	said := new(api.Error)
	_ = errors.As(refusal, &said) // the error is always an *api.Error
	wrong := func(f finding.Finding) bool {
		at := diff.Position{Path: f.Path, Side: diff.Side(f.Side), Start: f.Start, Line: f.Line}
		_, fit := diff.FindPosition(files, at, "")
		return try > 0 || fit != diff.ExactMatch || strings.Contains(said.Text, f.Path)
	}
	if !slices.ContainsFunc(made.Inline, wrong) {
		wrong = func(finding.Finding) bool { return true }
	}
	for _, f := range made.Inline {
		if wrong(f) {
			f.Placed = false
			made.Summary = append(made.Summary, f)
		}
	}
	made.Inline = slices.DeleteFunc(made.Inline, wrong)
	return nil
}

// ours returns GitHub's id of Mews's own review with a hidden mark; 0 if there is none. It checks
// the author, because anybody can write such a mark.
func (r *Reviews) ours(ctx context.Context, w supervisor.Review, mark string) (int64, error) {
	self, err := r.o.API.OwnLogin(ctx)
	if err != nil {
		return 0, err
	}
	page, err := r.o.API.Reviews(ctx, w.Repo, w.Number)
	for _, review := range page.Items {
		if strings.EqualFold(review.Author, self) && strings.HasPrefix(review.Body, finding.ReviewMark(mark)) {
			return review.ID, err
		}
	}
	return 0, err
}
