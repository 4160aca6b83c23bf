package modeltest

import (
	"fmt"
	"regexp"
	"strings"
)

// findingHeading matches the line before a finding in the prompt of a review's second look.
var findingHeading = regexp.MustCompile(`(?m)^BEGIN finding (\d+) `)

// AnswerReviewSecondLook answers the second look of a review. It refutes all findings, or none. ok
// is false for any other request.
func AnswerReviewSecondLook(r Request, refuted bool) (a Answer, ok bool) {
	var verdicts []string
	for _, m := range findingHeading.FindAllStringSubmatch(r.NewestUserMessage(), -1) {
		verdicts = append(verdicts, fmt.Sprintf(`{"number": %s, "refuted": %t, "why": "I have looked again"}`,
			m[1], refuted))
	}
	return Answer{Text: `{"findings": [` + strings.Join(verdicts, ", ") + `]}`}, len(verdicts) > 0
}
