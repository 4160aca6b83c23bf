package review

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/github/api"
	"mews/supervisor/github/finding"
	"mews/supervisor/internal/money"
)

// openBefore returns the open findings of a review's pull request that the review's result does not
// have.
func (r *Reviews) openBefore(ctx context.Context, w supervisor.Review, made result) (before []finding.Finding,
	err error) {
	records, err := r.records(ctx, w)
	for _, f := range records {
		isNew := slices.ContainsFunc(made.All(), func(n finding.Finding) bool { return n.Fingerprint == f.Fingerprint })
		if f.IsOpen() && !isNew {
			before = append(before, f.Finding)
		}
	}
	return before, err
}

// cardHead returns the first lines of a card: the verdict, and the numbers of findings and files.
// The verdict is cut if it is longer than most, in bytes. The list before has the open findings of
// earlier reviews.
func cardHead(made result, before []finding.Finding, most int) (lines []string) {
	// the verdict may be about findings that were refuted or dropped
	if dropped := made.Refutations + made.Left[finding.OmittedUnfounded]; made.Verdict != "" &&
		(len(made.All()) > 0 || dropped == 0) {
		lines = append(lines, finding.HarmlessMarkdown(made.Verdict, most))
	}
	if len(made.All()) == 0 && len(before) > 0 {
		lines = append(lines, textCardNothingNew)
	} else {
		lines = append(lines, fmt.Sprintf(textCardFound, made.FormatCounts()))
	}
	if len(before) > 0 {
		lines = append(lines, fmt.Sprintf(textCardOpen, finding.GroupFindings(before, 0).FormatCounts()))
	}
	if n := made.Refutations; n > 0 {
		lines = append(lines, fmt.Sprintf(textCardRefuted, amount.Plural(n, textRefutedOne, textRefutedMany)))
	}
	if c := made.Coverage; c.Files > 0 {
		lines = append(lines, fmt.Sprintf(textCardRead, c.ReadCount(), amount.Plural(c.Files, textFile, textFiles)))
	}
	return lines
}

// cardFoot returns the last line of a card: where the findings are, and what the review cost.
func cardFoot(w supervisor.Review, repo supervisor.GitHubRepo, made result) string {
	cost, models := textNoPrice, ""
	if made.Cost != nil {
		cost = money.FormatDollars(*made.Cost)
	}
	if len(made.Models) > 0 {
		models = fmt.Sprintf(textWithModels, strings.Join(made.Models, ", "))
	}
	switch {
	case made.Unposted != "":
		return fmt.Sprintf(textNotPosted, made.Unposted, cost, models)
	case made.Silent:
		return fmt.Sprintf(textNothingToPost, cost, models)
	case repo.Post == supervisor.PostAsReview && !postedOf(w).isOfRound(w):
		return fmt.Sprintf(textOnlySummary, cost, models)
	}
	return fmt.Sprintf(textsPosted[repo.Post], cost, models)
}

func isPosted(records []finding.Record, f finding.Finding) bool {
	return slices.ContainsFunc(records, func(r finding.Record) bool {
		return r.Posted &&
			r.Fingerprint == f.Fingerprint
	})
}

// postPicks posts the findings that a user picked. The first review on a pull request becomes the
// pull request's summary. Later posts update the summary.
func (r *Reviews) postPicks(ctx context.Context, w supervisor.Review, p posted, picked *result, mark string) error {
	summary, there, err := r.summary(ctx, w)
	if err != nil {
		return err
	}
	s, err := r.summaryOf(ctx, w, *picked, mark)
	if err != nil {
		return err
	}
	body := s.Body()
	if p.Summary = p.Summary || !there; there {
		body = s.FollowUpBody(picked.CheckedFindings)
	}
	if err := r.create(ctx, &w, &p, picked, api.ReviewParams{Head: w.Head, Body: body}, mark); err != nil || !there {
		return err
	}
	return r.updateSummary(ctx, w, *picked, summary, mark+"/summary")
}
