package protocol

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestReviewReport_BadReports_AreRefused(t *testing.T) {
	finding := ReviewFinding{Path: "a.go", Start: 1, Line: 2, Side: DiffSideRight, Severity: SeverityWarning, Title: "x", Confidence: 0.5}
	of := func(spoil func(*ReviewFinding)) ReviewReport {
		f := finding
		spoil(&f)
		return ReviewReport{Findings: []ReviewFinding{finding, f}}
	}
	triage := func(spoil func(*Triage)) ReviewReport {
		issue := Triage{Labels: []string{"bug"}, Priority: "low", Duplicate: 2, Related: []int{3}, Summary: "s"}
		spoil(&issue)
		return ReviewReport{Triage: &issue}
	}
	long := strings.Repeat("x", MaxFindingTextBytes+1)
	for name, c := range map[string]struct {
		report   ReviewReport
		good     bool
		ofTriage bool
	}{
		"empty":          {ReviewReport{}, true, false},
		"with a finding": {of(func(*ReviewFinding) {}), true, false},
		"a triage's":     {triage(func(*Triage) {}), true, true},
		"unread triage":  {ReviewReport{Unread: []ReviewText{{Text: "unreadable"}}}, true, true},

		"empty triage":         {ReviewReport{}, false, true},
		"a triage of a review": {triage(func(*Triage) {}), false, false},
		"a review of a triage": {of(func(*ReviewFinding) {}), false, true},
		"no side":              {of(func(f *ReviewFinding) { f.Side = "" }), false, false},
		"another severity":     {of(func(f *ReviewFinding) { f.Severity = "style" }), false, false},
		"negative line":        {of(func(f *ReviewFinding) { f.Line = -1 }), false, false},
		"it begins behind":     {of(func(f *ReviewFinding) { f.Start = 3 }), false, false},
		"no path":              {of(func(f *ReviewFinding) { f.Path = "" }), false, false},
		"a long title":         {of(func(f *ReviewFinding) { f.Title = long }), false, false},
		"a long quote":         {of(func(f *ReviewFinding) { f.Quote = long }), false, false},
		"surer than sure":      {of(func(f *ReviewFinding) { f.Confidence = 2 }), false, false},
		"too many":             {ReviewReport{Findings: make([]ReviewFinding, MaxFindings+1)}, false, false},
		"negative count":       {ReviewReport{Refuted: -1}, false, false},
		"a long reason":        {ReviewReport{Unread: []ReviewText{{Text: long}}}, false, false},
		"unknown priority":     {triage(func(i *Triage) { i.Priority = "urgent" }), false, true},
		"negative issue":       {triage(func(i *Triage) { i.Related = []int{-1} }), false, true},
		"empty label":          {triage(func(i *Triage) { i.Labels = []string{""} }), false, true},
		"a long summary":       {triage(func(i *Triage) { i.Summary = long }), false, true},
	} {
		if err := c.report.Validate(c.ofTriage); (err == nil) != c.good {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzReviewReport checks that an accepted report stays within its bounds when it is encoded again.
func FuzzReviewReport(f *testing.F) {
	f.Add([]byte(`{"turn":1,"findings":[{"path":"a","line":1,"side":"LEFT","severity":"critical","category":"","title":"x","detail":"","quote":"","confidence":1e-3}]}`), false)
	f.Add([]byte(`{"turn":1,"triage":{"priority":"low","summary":""}}`), true)
	f.Fuzz(func(t *testing.T, data []byte, triage bool) {
		var r, again ReviewReport
		if DecodeStrict(data, &r) != nil || r.Validate(triage) != nil {
			return
		}
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := DecodeStrict(text, &again); err != nil || again.Validate(triage) != nil {
			t.Errorf("%s became %s: %v", data, text, err)
		}
	})
}
