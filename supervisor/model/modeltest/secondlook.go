package modeltest

import (
	"fmt"
	"regexp"
	"strings"
)

// lookedAt matches the line before a finding in the prompt of a review's second look.
var lookedAt = regexp.MustCompile(`(?m)^BEGIN finding (\d+) `)

// AnswerReviewSecondLook answers the second look of a review. It refutes all findings, or none. ok is
// false for any other request.
func AnswerReviewSecondLook(r Request, refuted bool) (a Answer, ok bool) {
	var looks []string
	for _, m := range lookedAt.FindAllStringSubmatch(r.NewestUserMessage(), -1) {
		looks = append(looks, fmt.Sprintf(`{"number": %s, "refuted": %t, "why": "I have looked again"}`, m[1], refuted))
	}
	return Answer{Text: `{"findings": [` + strings.Join(looks, ", ") + `]}`}, len(looks) > 0
}
