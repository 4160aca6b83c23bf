package notice

import (
	"fmt"

	"mews/protocol/amount"
)

// saying has the words for a comment or a review, in a headline and in a list.
type saying struct{ head, list string }

// sayings has the words for each state of a review; "" means a comment. (GitHub, webhooks:
// pull_request_review. REST has the states in upper case.)
var sayings = map[string]saying{
	"":                  {textCommented, textSaidBy},
	"approved":          {textApproved, textApproved},
	"changes_requested": {textChangesWantedOn, textChangesWanted},
	"commented":         {textReviewed, textReviewed},
	"dismissed":         {textDismissedOf, textDismissed},
}

// sayingOf returns the words for a comment or a review.
func sayingOf(e event) saying {
	if !isReview(e) {
		return sayings[""]
	}
	if s, known := sayings[lower(e.State)]; known {
		return s
	}
	return sayings["commented"]
}

// isReview reports whether an event is a submitted review, not a comment.
func isReview(e event) bool { return e.Event == "pull_request_review" }

// isBare reports whether an event is a review without text and verdict. The review's comments are
// separate events.
func isBare(e event) bool { return isReview(e) && lower(e.State) == "commented" && quote(e.Text) == "" }

// talkText returns the text about comments and reviews on one subject.
func talkText(all []event) []string {
	last := all[len(all)-1]
	var shown []event
	for _, e := range all {
		if !isBare(e) {
			shown = append(shown, e)
		}
	}
	if len(shown) == 0 {
		shown = all[:1]
	}
	if len(shown) == 1 {
		head := fmt.Sprintf(sayingOf(shown[0]).head, name(shown[0].Sender))
		return []string{lines(fmt.Sprintf(textSaid, head, subject(last), code(last.Repo)), title(shown[0])), quote(shown[0].Text)}
	}
	reviews := 0
	for _, e := range shown {
		if isReview(e) {
			reviews++
		}
	}
	var counts []string
	if reviews > 0 {
		counts = append(counts, amount.Plural(reviews, textReview, textReviews))
	}
	if comments := len(shown) - reviews; comments > 0 {
		counts = append(counts, amount.Plural(comments, textComment, textComments))
	}
	parts := []string{lines(fmt.Sprintf(textTalk, listed(counts), subject(last), code(last.Repo)), title(shown[0]))}
	for _, e := range shown[:min(len(shown), maxListed)] {
		line, text := fmt.Sprintf(sayingOf(e).list, name(e.Sender)), quote(e.Text)
		if text != "" {
			line += ":"
		}
		parts = append(parts, lines(line, text))
	}
	if more := len(shown) - maxListed; more > 0 {
		parts = append(parts, fmt.Sprintf(textMore, more))
	}
	return parts
}
