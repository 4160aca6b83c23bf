package review

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mews/protocol"
)

const (
	maxOfPart   = 20  // most findings of one part of a change
	maxTitle    = 200 // most bytes of a finding's title
	maxCategory = 40
	maxDetail   = 4 << 10
	maxQuote    = 2 << 10
)

// partAnswer is a model's answer about one part of a change.
type partAnswer struct {
	verdict string
	list    []protocol.ReviewFinding
}

// jsonObject returns the JSON object in an answer. It ignores other text around the object, such as
// a fence or a sentence. The object must have the keys in want.
func jsonObject(answer string, want ...string) (keys map[string]json.RawMessage, err error) {
	err = errors.New("there is no JSON object in it")
	for at := strings.IndexByte(answer, '{'); at >= 0; {
		keys = nil
		if bad := json.NewDecoder(strings.NewReader(answer[at:])).Decode(&keys); bad != nil {
			err = bad
		} else if missing := slices.IndexFunc(want, func(k string) bool { return keys[k] == nil }); missing < 0 {
			return keys, nil
		} else {
			err = fmt.Errorf("there is no %q in it", want[missing])
		}
		next := strings.IndexByte(answer[at+1:], '{')
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return nil, err
}

// parseFindings reads the findings of a part.
func parseFindings(answer string) (f partAnswer, err error) {
	keys, err := jsonObject(answer, "findings")
	if err != nil {
		return f, err
	}
	f.verdict = clip(fields(keys).text("verdict"), protocol.MaxReviewVerdictBytes)
	list := []json.RawMessage{keys["findings"]}
	if _, one := fieldsOf(keys["findings"]); !one {
		if err := json.Unmarshal(keys["findings"], &list); err != nil {
			return f, fmt.Errorf("findings: %w", err)
		}
	}
	for _, raw := range list[:min(len(list), maxOfPart)] {
		if one, ok := parseFinding(raw); ok {
			f.list = append(f.list, one)
		}
	}
	if len(list) > 0 && len(f.list) == 0 {
		return f, errors.New("findings: none has a path, and a title or a detail")
	}
	return f, nil
}

// parseFinding reads one finding. A field of a wrong type is read or dropped. ok is false for a
// finding that names no file or says nothing.
func parseFinding(raw json.RawMessage) (f protocol.ReviewFinding, ok bool) {
	keys, ok := fieldsOf(raw)
	first, last := keys.lines("line")
	if start, _ := keys.lines("start"); start > 0 || first == last {
		first = start
	}
	f = protocol.ReviewFinding{Path: keys.text("path"), Start: first, Line: last, Side: keys.text("side"),
		Severity: protocol.Severity(keys.text("severity")), Category: keys.text("category"), Title: keys.text("title"),
		Detail: keys.text("detail"), Quote: keys.text("quote"), Replacement: keys.text("replacement"),
		Confidence: keys.confidence("confidence")}
	return normalize(f), ok && f.Path != "" && f.Title+f.Detail != ""
}

// normalize returns a finding within the wire's bounds. The supervisor checks whether it is about a
// line of the change.
func normalize(f protocol.ReviewFinding) protocol.ReviewFinding {
	if f.Severity = protocol.Severity(strings.ToLower(strings.TrimSpace(string(f.Severity)))); !slices.Contains(protocol.Severities, f.Severity) {
		f.Severity = protocol.SeveritySuggestion
	}
	if f.Side = strings.ToUpper(strings.TrimSpace(f.Side)); f.Side != protocol.DiffSideLeft {
		f.Side = protocol.DiffSideRight
	}
	if f.Line < 0 || f.Line > protocol.MaxReviewLineNumber {
		f.Line = 0
	}
	if f.Start < 0 || f.Start >= f.Line {
		f.Start = 0
	}
	f.Confidence = min(max(f.Confidence, 0), 1)
	for _, text := range []struct {
		of   *string
		most int
	}{{&f.Path, protocol.MaxFindingPathBytes}, {&f.Category, maxCategory}, {&f.Title, maxTitle}, {&f.Detail, maxDetail},
		{&f.Quote, maxQuote},
		{&f.Replacement, maxDetail}} {
		*text.of = clip(strings.ToValidUTF8(*text.of, "?"), text.most)
	}
	return f
}

// parseTriage reads the triage of an issue. Values of a wrong type and unknown priorities are left
// out.
func parseTriage(answer string) (t protocol.Triage, err error) {
	keys, err := jsonObject(answer, "summary")
	if err != nil {
		return t, err
	}
	var labels, related []json.RawMessage
	for key, to := range map[string]any{"labels": &labels, "related": &related, "priority": &t.Priority,
		"duplicate": &t.Duplicate, "summary": &t.Summary,
		"security": &t.Security} {
		if bad := json.Unmarshal(keys[key], to); bad != nil && key == "summary" {
			return t, fmt.Errorf("summary: %w", bad)
		}
	}
	for _, raw := range labels {
		var label string
		if json.Unmarshal(raw, &label) == nil && label != "" && len(label) <= protocol.MaxFindingLabelBytes &&
			len(t.Labels) < protocol.MaxTriageNames {
			t.Labels = append(t.Labels, label)
		}
	}
	for _, raw := range related {
		var number int
		if json.Unmarshal(raw, &number) == nil && isIssue(number) && len(t.Related) < protocol.MaxTriageNames {
			t.Related = append(t.Related, number)
		}
	}
	if !isIssue(t.Duplicate) {
		t.Duplicate = 0
	}
	if !slices.Contains(protocol.Priorities, t.Priority) {
		t.Priority = ""
	}
	t.Summary = clip(t.Summary, maxDetail)
	return t, nil
}

func isIssue(number int) bool { return number > 0 && number <= protocol.MaxIssueNumber }

// shrinkReport shortens a report to the size that the wire takes. It drops refuted findings first,
// then the least important finding, and among equals the last finding.
func shrinkReport(r *protocol.ReviewReport) {
	rank := func(f protocol.ReviewFinding) int {
		if f.Refutation != "" {
			return len(protocol.Severities)
		}
		return slices.Index(protocol.Severities, f.Severity)
	}
	slices.SortStableFunc(r.Findings, func(a, b protocol.ReviewFinding) int { return rank(a) - rank(b) })
	r.Unread = r.Unread[:min(len(r.Unread), protocol.MaxUnreadChunks-1)]
	left, room := 0, protocol.MaxReviewReportBytes-16<<10
	for len(r.Findings) > protocol.MaxFindings || len(r.Findings) > 0 && size(r) > room {
		r.Findings, left = r.Findings[:len(r.Findings)-1], left+1
	}
	for len(r.Unread) > 1 && size(r) > room {
		r.Unread = r.Unread[:len(r.Unread)-1]
	}
	if left > 0 {
		r.Unread = append(r.Unread, protocol.ReviewText{Text: fmt.Sprintf(textLeftOut, left)})
	}
}

func size(r *protocol.ReviewReport) int {
	text, _ := json.Marshal(r) // strings and numbers can always be encoded
	return len(text)
}
