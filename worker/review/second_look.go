package review

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mews/protocol"
	"mews/worker/host"
)

// secondLooks has the model's answers by the findings' indexes: why a finding is wrong, or "" if it
// stands.
type secondLooks map[int]string

// checkAgain asks the model to refute the grave findings of a part, and returns all findings with
// their refutations. A finding whose second look failed stands, and the report says so. Findings
// that the supervisor would not post get no second look, because that costs money.
func (r *reader) checkAgain(ctx context.Context, i int, found []protocol.ReviewFinding, report *protocol.ReviewReport) (
	checked []protocol.ReviewFinding) {
	pending := r.pending(ctx, found)
	var grave []protocol.ReviewFinding
	for _, n := range pending {
		grave = append(grave, found[n])
	}
	answers, err := r.askSecondLooks(ctx, i, grave)
	for n, f := range found {
		at := slices.Index(pending, n)
		why, had := answers[at]
		switch {
		case at >= 0 && !had:
			report.Unread = append(report.Unread, unread(r.material.Chunks[i],
				fmt.Sprintf(textNotTwice, f.Title, reason(err))))
		case why != "":
			f.Refutation = why
			report.Refuted++
		}
		checked = append(checked, f)
	}
	return checked
}

// pending returns the indexes of the grave findings that the supervisor would post. If the
// supervisor does not answer, pending returns all grave findings.
func (r *reader) pending(ctx context.Context, found []protocol.ReviewFinding) (indexes []int) {
	var asked protocol.ReviewCheckParams
	for i, f := range found {
		if f.Severity != protocol.SeveritySuggestion {
			f.Detail, f.Replacement = "", ""
			asked.Findings, indexes = append(asked.Findings, f), append(indexes, i)
		}
	}
	if len(indexes) == 0 || r.failed != nil {
		return indexes
	}
	if text, _ := json.Marshal(asked); len(text) > protocol.MaxReviewCheckBytes-100 {
		return indexes
	}
	checked, err := host.CallMethod[protocol.ReviewCheckResult](ctx, r.turn, protocol.MethodReviewCheck, asked)
	switch refused := new(protocol.Error); {
	case ctx.Err() != nil:
		r.failed = context.Cause(ctx)
		return indexes
	case errors.As(err, &refused):
		return indexes
	case err != nil:
		r.failed = err
		return indexes
	}
	var pending []int
	for i, index := range indexes {
		if slices.Contains(checked.Pending, i) {
			pending = append(pending, index)
		}
	}
	return pending
}

// askSecondLooks asks the model to refute findings of a part, all in one window. The error is the
// reason why a finding has no answer.
func (r *reader) askSecondLooks(ctx context.Context, i int, found []protocol.ReviewFinding) (secondLooks, error) {
	if len(found) == 0 {
		return nil, nil
	}
	tries := 0
	answers, err := ask(ctx, r, fmt.Sprintf("part %d findings", i+1), systemReview, r.refuteQuestion(i, found),
		func(answer string) (secondLooks, error) {
			tries++
			return parseSecondLooks(answer, len(found), tries > 1)
		})
	if err == nil {
		err = errNoSecondLook
	}
	return answers, err
}

// refuteQuestion asks which findings of a part stand.
func (r *reader) refuteQuestion(i int, found []protocol.ReviewFinding) question {
	p := newPrompt(r.marks())
	shared := r.addPart(p, i)
	for n, f := range found {
		text, _ := json.MarshalIndent(f, "", " ") // strings and numbers can always be encoded
		p.addData(fmt.Sprintf("finding %d", n+1), string(text), protocol.MaxWindowTextBytes)
	}
	p.WriteString("TASK: " + askRefute)
	return question{p.String(), shared}
}

// parseSecondLooks reads the answers about n findings. Unless partly is true, each finding needs an
// answer.
func parseSecondLooks(answer string, n int, partly bool) (secondLooks, error) {
	keys, err := jsonObject(answer)
	if err != nil {
		return nil, err
	}
	list := []json.RawMessage{}
	if json.Unmarshal(keys["findings"], &list) != nil || len(list) == 0 {
		one, err := json.Marshal(keys) // a model may leave out the list for one finding
		if err != nil {
			return nil, err
		}
		list = []json.RawMessage{one}
	}
	answers := secondLooks{}
	for i, raw := range list {
		one, _ := fieldsOf(raw)
		number, last := one.lines("number")
		if number == 0 && len(list) == n {
			number, last = i+1, i+1
		}
		refuted, known := one.truth("refuted")
		if known && number == last && number >= 1 && number <= n {
			answers[number-1] = ""
			if refuted {
				answers[number-1] = cmp.Or(clip(strings.TrimSpace(one.text("why")), maxReason), textNoReason)
			}
		}
	}
	if len(answers) == 0 || len(answers) < n && !partly {
		return nil, fmt.Errorf("it says of %d of %d findings whether they are refuted", len(answers), n)
	}
	return answers, nil
}
