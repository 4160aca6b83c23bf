package review_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mews/protocol"
	"mews/worker/review"
)

// twoFiles is a change of one part with two files.
func twoFiles() protocol.ReviewMaterial {
	return protocol.ReviewMaterial{Repo: "acme/widget", Description: "It counts.",
		Chunks: []protocol.ReviewChunk{{Name: "chunk-1", Files: []protocol.ReviewFile{
			{Path: "a.go", Status: "modified", Diff: "R1 +var m map[int]int\nR2 +m[1] = 2\n"},
			{Path: "b.go", Status: "modified", Diff: "R1 +x()\n"},
		}}}}
}

// fault returns a finding with a title and a severity.
func fault(path, title, severity string) string {
	return fmt.Sprintf(`{"path":%q,"line":1,"severity":%q,"title":%q,"quote":"x"}`, path, severity, title)
}

// looks returns an answer about findings, such as "1+ 2-": the first stands, the second is refuted.
func looks(about string) string {
	var list []string
	for _, one := range strings.Fields(about) {
		list = append(list, fmt.Sprintf(`{"number":%c,"refuted":%t,"why":"so"}`, one[0], one[1] == '-'))
	}
	return `{"findings":[` + strings.Join(list, ",") + `]}`
}

func TestSecondLook_Answers_AreRead(t *testing.T) {
	found := findings(fault("a.go", "one", "critical"), fault("a.go", "idea", "suggestion"),
		fault("b.go", "two", "warning"), fault("b.go", "three", "critical"))
	for name, c := range map[string]struct {
		answer, again string
		titles        string // titles of the findings that stand, the worst first
		refuted       int
		unchecked     string // titles of the findings without a second look
	}{
		"all stand":       {looks("1+ 2+ 3+"), "", "one three two idea", 0, ""},
		"one is refuted":  {looks("1+ 2- 3+"), "", "one three idea", 1, ""},
		"all are refuted": {looks("1- 2- 3-"), "", "idea", 3, ""},
		"another order":   {looks("3- 1+ 2+"), "", "one two idea", 1, ""},
		"without numbers": {`{"findings":[{"refuted":false},{"refuted":true},{"refuted":false}]}`, "",
			"one three idea", 1, ""},
		"wrong types": {`{"findings":[{"number":"1","refuted":"no"},{"number":2.0,"refuted":1},` +
			`{"Number":[3],"Refuted":"Yes"}]}`, "", "one idea", 2, ""},
		"in a fence":            {"Here:\n```json\n" + looks("1- 2+ 3+") + "\n```", "", "three two idea", 1, ""},
		"one missing, then all": {looks("1- 2-"), looks("1- 2- 3+"), "three idea", 2, ""},
		"one missing twice":     {looks("1- 2-"), looks("1- 2-"), "three idea", 2, "three"},
		"numbers of others":     {looks("0- 4-"), "?", "one three two idea", 0, "one two three"},
		"no word of it": {`{"findings":[]}`, `{"findings":[{"number":1}]}`, "one three two idea", 0,
			"one two three"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, twoFiles(), answersBy(map[string]string{"part 1": found, "part 1 findings": c.answer,
				"part 1 findings again": c.again}))
			if _, err := review.Run(t.Context(), start("review"), h); err != nil {
				t.Fatal(err)
			}
			r := h.reports[0]
			var titles, unchecked []string
			for _, f := range r.Findings {
				if f.Refutation == "" {
					titles = append(titles, f.Title)
				}
			}
			for _, u := range r.Unread {
				_, title, _ := strings.Cut(u.Text, "“")
				title, _, _ = strings.Cut(title, "”")
				unchecked = append(unchecked, title)
			}
			if got := strings.Join(titles, " "); got != c.titles || r.Refuted != c.refuted ||
				strings.Join(unchecked, " ") != c.unchecked {
				t.Errorf("%q stand, %d refuted, %q without a second look", got, r.Refuted, unchecked)
			}
			if want := 2 + min(len(c.again), 1); h.calls != want {
				t.Errorf("%d calls, want %d", h.calls, want)
			}
		})
	}
}

// TestSecondLook_ChecksOnlyPostableFindings checks that only findings that the supervisor would
// post cost a second look.
func TestSecondLook_ChecksOnlyPostableFindings(t *testing.T) {
	found := findings(fault("a.go", "unfounded", "critical"), fault("b.go", "idea", "suggestion"),
		fault("b.go", "known", "warning"), fault("b.go", "new", "critical"))
	for name, c := range map[string]struct {
		pending []int // indexes of the findings that the supervisor would post
		calls   int
		asked   string
	}{
		"none":          {[]int{}, 1, ""},
		"one":           {[]int{2}, 2, "new"},
		"all":           {[]int{0, 1, 2}, 2, "unfounded known new"},
		"beyond a list": {[]int{2, 3, -1}, 2, "new"},
	} {
		h := newHost(t, twoFiles(), answersBy(map[string]string{"part 1": found, "part 1 findings": looks("1+ 2+ 3+")}))
		h.pending = func(list []protocol.ReviewFinding) []int {
			for _, f := range list {
				if f.Severity == protocol.SeveritySuggestion || f.Detail != "" {
					t.Errorf("%s: %+v is asked for", name, f)
				}
			}
			return c.pending
		}
		if _, err := review.Run(t.Context(), start("review"), h); err != nil {
			t.Fatal(err)
		}
		asked := ""
		for window, text := range h.asked {
			if strings.HasPrefix(window, "part 1 findings") {
				for _, title := range []string{"unfounded", "known", "idea", "new"} {
					if strings.Contains(text, `"title\": \"`+title) {
						asked = strings.TrimSpace(asked + " " + title)
					}
				}
			}
		}
		if h.calls != c.calls || asked != c.asked || len(h.reports[0].Findings) != 4 || len(h.reports[0].Unread) > 0 {
			t.Errorf("%s: %d calls about %q; %+v", name, h.calls, asked, h.reports[0])
		}
	}
}

// TestModelCalls_SharedBeginnings_AreEqual compares the beginnings that prompts declare as shared.
// The provider then reads these beginnings from its cache.
func TestModelCalls_SharedBeginnings_AreEqual(t *testing.T) {
	h := newHost(t, material(), answersBy(map[string]string{"part 1": findings(bug), "part 1 findings": "?",
		"part 1 findings again": stands, "part 2": clean}))
	if _, err := review.Run(t.Context(), start("review"), h); err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for window, text := range h.asked {
		texts[nameOf(window)] = text
	}
	shared := h.shared
	if len(shared) != 4 || len(h.systems) != 1 {
		t.Fatalf("%d windows, %d system texts", len(shared), len(h.systems))
	}
	part, second := shared["part 1"], texts["part 1"]
	for _, name := range []string{"part 1 findings", "part 1 findings again"} {
		if !slices.Equal(shared[name], part) || !strings.HasPrefix(texts[name], second[:part[1]]) {
			t.Errorf("%s shares %v with part 1, which shares %v", name, shared[name], part)
		}
	}
	if other := shared["part 2"]; other[0] != part[0] || texts["part 2"][:other[0]] != second[:part[0]] {
		t.Errorf("part 2 shares %v, part 1 %v", other, part)
	}
	if rest := len(second) - part[1]; rest > 100 {
		t.Errorf("%d bytes of part 1 are not shared", rest)
	}
}
