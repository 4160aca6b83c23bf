package review

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/github/finding"
)

// Limits of a card: number of entries, and sizes of texts in bytes.
const (
	maxCard    = 12
	maxVerdict = 600
	maxShort   = 160
	maxLong    = 1500
	maxPicks   = 8
)

// card returns the message about a review to its user.
func (r *Reviews) card(ctx context.Context, w supervisor.Review, repo supervisor.GitHubRepo) (string, error) {
	made := resultOf(w)
	lines := []string{fmt.Sprintf(textCard, w.PullRequestName(), finding.HarmlessMarkdown(made.Title, maxShort))}
	if made.URL != "" {
		lines[0] += "\n" + made.URL
	}
	switch {
	case w.State == supervisor.ReviewFailed:
		return lines[0] + "\n\n" + fmt.Sprintf(textCardFailed, w.Why, w.PullRequestName()), nil
	case w.State == supervisor.ReviewSkipped:
		return lines[0] + "\n\n" + fmt.Sprintf(textCardSkipped, w.Why), nil
	case w.Why != "": // the review's last round failed
		return lines[0] + "\n\n" + fmt.Sprintf(textCardFailedAgain, w.Why, w.PullRequestName()), nil
	}
	before, err := r.openBefore(ctx, w, made)
	if err != nil {
		return "", err
	}
	most := maxVerdict
	if made.Unposted != "" {
		most = protocol.MaxReviewVerdictBytes
	}
	lines = append(lines, "")
	lines = append(lines, cardHead(made, before, most)...)
	all := made.All()
	if made.Unposted != "" {
		lines, all = append(lines, fullFindings(made)...), nil
	}
	for i, f := range all[:min(len(all), maxCard)] {
		lines = append(lines, fmt.Sprintf("%d. %s %s: %s", i+1, finding.FormatPosition(f), f.Severity,
			finding.HarmlessMarkdown(f.Title, maxShort)))
	}
	if more := len(all) - maxCard; more > 0 {
		lines = append(lines, fmt.Sprintf(textCardMore, more))
	}
	for _, note := range [][]string{{textCardSkips, strings.Join(made.Skipped, "; ")}, {textCardUnread, strings.Join(made.Unread, "; ")}} {
		if note[1] != "" {
			lines = append(lines, "", fmt.Sprintf(note[0], finding.HarmlessMarkdown(note[1], most)))
		}
	}
	return strings.Join(append(lines, "", cardFoot(w, repo, made)), "\n"), nil
}

// grow adds the state of a review to all earlier messages about its pull request.
func (r *Reviews) grow(ctx context.Context, w supervisor.Review) error {
	switch w.State {
	case supervisor.ReviewFailed:
		return r.o.AppendToNotice(ctx, w.Repo, w.Number, textGrownFailed)
	case supervisor.ReviewDone:
		records, err := r.records(ctx, w)
		if err != nil {
			return err
		}
		format := textGrown
		if w.Why != "" { // the review's last round failed
			format = textGrownFailedAgain
		}
		return r.o.AppendToNotice(ctx, w.Repo, w.Number, fmt.Sprintf(format, finding.ShortSHA(w.Head),
			finding.Summary{Records: records, Coverage: resultOf(w).Coverage}.Title()))
	}
	return nil
}

// buttons returns the buttons below a card.
func buttons(w supervisor.Review, repo supervisor.GitHubRepo, made result) (rows [][]supervisor.Button) {
	button := func(text, action, rest string) supervisor.Button {
		return supervisor.Button{Text: text, Press: press(action, w.ID, rest)}
	}
	if made.Unposted != "" {
		return [][]supervisor.Button{{button(textPostAgain, pressAgain, ""), button(textMute, pressMuteAll, "")}}
	}
	var row []supervisor.Button
	all := made.All()
	if len(all) > 0 {
		row = append(row, button(textExplain, pressExplain, ""))
	}
	if len(all) > 0 && repo.Post != supervisor.PostAsReview {
		row = append(row, button(textPost, pressPost, ""))
	}
	rows = append(rows, append(row, button(textMute, pressMuteAll, "")))
	if len(all) < 2 || repo.Post == supervisor.PostAsReview {
		return rows
	}
	var picks []supervisor.Button
	for i := range all[:min(len(all), maxPicks)] {
		picks = append(picks, button(fmt.Sprintf(textPick, i+1), pressPost, fmt.Sprint("/", i+1)))
	}
	return append(rows, slices.Collect(slices.Chunk(picks, 4))...)
}

// pressHandler handles a press of a button below the card of the review w. rest is the button's
// data.
type pressHandler func(r *Reviews, ctx context.Context, w supervisor.Review, rest string) (string, error)

// presses maps the actions of the buttons below a card to functions.
var presses = map[string]pressHandler{
	pressExplain: (*Reviews).explain,
	pressPost:    postHandler((*Reviews).postPicked),
	pressMuteAll: (*Reviews).muteAll,
	pressAgain:   postHandler((*Reviews).postAgain),
}

// HandlePress handles a press of a button below a review's card. Only the review's user may press
// it. press is the button's data after PressPrefix; anybody may have forged it.
func (r *Reviews) HandlePress(ctx context.Context, user, press string) (string, error) {
	parts := strings.SplitN(press, "/", 3)
	do, known := presses[parts[0]]
	if !known || len(parts) < 2 {
		return "", supervisor.Errorf(supervisor.CodeNotFound, textNoReview)
	}
	id, _ := strconv.ParseInt(parts[1], 10, 64) // an invalid number becomes 0, which is no review's id
	w, there, err := r.o.Store.Find(ctx, id)
	if err != nil {
		return "", err
	}
	if !there || w.User != user {
		return "", supervisor.Errorf(supervisor.CodeNotFound, textNoReview)
	}
	return do(r, ctx, w, strings.Join(parts[2:], "/"))
}

// explain returns a text for each finding that says how and when the code fails.
func (r *Reviews) explain(_ context.Context, w supervisor.Review, _ string) (string, error) {
	var parts []string
	for i, f := range resultOf(w).All() {
		parts = append(parts, findingText(i+1, f, maxLong))
	}
	return strings.Join(parts, "\n\n"), nil
}

// postPicked posts the findings that the user picked: one, or all that were not posted. It is for
// repositories whose reviews are not posted automatically.
func (r *Reviews) postPicked(ctx context.Context, w supervisor.Review, rest string) (string, error) {
	made, p := resultOf(w), postedOf(w)
	all := made.All()
	records, failed := r.records(ctx, w)
	if failed != nil {
		return "", failed
	}
	n, err := strconv.Atoi(rest)
	if rest != "" && (err != nil || n < 1 || n > len(all)) {
		return "", supervisor.Errorf(supervisor.CodeNotFound, textNoReview)
	}
	picked := made
	picked.CheckedFindings = finding.CheckedFindings{}
	for i, f := range all {
		switch {
		case rest != "" && i != n-1 || isPosted(records, f):
		case f.Placed:
			picked.Inline = append(picked.Inline, f)
		default:
			picked.CheckedFindings.Summary = append(picked.CheckedFindings.Summary, f)
		}
	}
	if len(picked.All()) == 0 {
		return textPostedBefore, nil
	}
	err = r.postPicks(ctx, w, p, &picked, w.Head+"/"+cmp.Or(rest, "all"))
	return fmt.Sprintf(textPosted, w.PullRequestName()), err
}

// muteAll ends the automatic reviews of a pull request.
func (r *Reviews) muteAll(ctx context.Context, w supervisor.Review, _ string) (string, error) {
	if _, served := r.o.Repo(w.Repo); !served {
		return "", supervisor.Errorf(supervisor.CodeNotFound, textNotServed)
	}
	_, err := r.o.Store.AddMute(ctx, supervisor.ReviewMute{User: w.User, Repo: w.Repo,
		Kind:    supervisor.MuteKindPullRequest,
		Subject: strconv.Itoa(w.Number), By: w.User, Why: textByPress})
	return fmt.Sprintf(textMuted, w.PullRequestName(), w.PullRequestName()), err
}
