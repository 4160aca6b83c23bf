package triage

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
)

var material = protocol.ReviewMaterial{Labels: []string{"Bug", "docs", "area: web", "p1", "p2", "p3", "p4"}, Issues: []protocol.ReviewText{
	{Name: "#3 (open) The page is white"}, {Name: "#12 (closed) White page"}, {Name: "#31 (open) Other"}}}

func TestCheck_InventedValues_AreDropped(t *testing.T) {
	for name, c := range map[string]struct{ said, want protocol.Triage }{
		"all right": {protocol.Triage{Labels: []string{"bug", "area: web"}, Priority: "high", Duplicate: 12, Related: []int{3, 31}, Summary: "The page stays white."},
			protocol.Triage{Labels: []string{"Bug", "area: web"}, Priority: "high", Duplicate: 12, Related: []int{3, 31}, Summary: "The page stays white."}},
		"labels that nobody offered":   {protocol.Triage{Labels: []string{"admin", "bug ", "docs", "docs"}}, protocol.Triage{Labels: []string{"docs"}}},
		"too many labels":              {protocol.Triage{Labels: []string{"bug", "docs", "p1", "p2", "p3", "p4"}}, protocol.Triage{Labels: []string{"Bug", "docs", "p1", "p2", "p3"}}},
		"a priority that there is not": {protocol.Triage{Priority: "urgent"}, protocol.Triage{}},
		"issues that were not found":   {protocol.Triage{Duplicate: 1, Related: []int{2, 3, 3, -1, 0}}, protocol.Triage{Related: []int{3}}},
		"the same issue twice":         {protocol.Triage{Duplicate: 3, Related: []int{3, 12}}, protocol.Triage{Duplicate: 3, Related: []int{12}}},
		"a summary with a key and lines": {protocol.Triage{Summary: "Token\n\nghp_0123456789abcdefghijABCDEFGHIJ012345\u202e x"},
			protocol.Triage{Summary: "Token (secret removed) x"}},
		"a long summary": {protocol.Triage{Summary: strings.Repeat("word ", 200)}, protocol.Triage{Summary: strings.Repeat("word ", 99) + "wo…"}},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(c.want, check(c.said, material)); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestSearchWords_HaveNoOperators(t *testing.T) {
	for title, want := range map[string]string{
		"Crash in `parse()` on empty input":      "Crash in parse on empty input",
		`repo:other/secret is:open "x" -label:a`: "repo other secret is open x label a",
		"NOT a AND b OR c":                       "a b c",
		"Größe überläuft -- 日本":                  "Größe überläuft 日本",
		"😀!?":                                    "",
		strings.Repeat("abcdefg ", 40):           strings.TrimSpace(strings.Repeat("abcdefg ", 16)),
	} {
		if got := searchWords(title); got != want {
			t.Errorf("%q is searched as %q, want %q", title, got, want)
		}
	}
}

// TestComment_HostileText_IsInert covers a model that repeats hostile text. The comment must not
// cause any action.
func TestComment_HostileText_IsInert(t *testing.T) {
	r := result{Triage: protocol.Triage{Priority: "low", Labels: []string{"docs"}, Related: []int{3},
		Summary: "Fixes #12, ask @acme/owners. ![x](https://evil.example/?q=1) [here](http://evil.example) <!-- mews:triage --> <script>x</script>"}}
	body := commentOf(r)
	want := `<!-- mews:triage -->
**Triage**

Fixes #&#8203;12, ask @&#8203;acme/owners. (image) here \<script\>x\</script\>

- Priority: low
- Labels: ` + "`docs`" + `
- Related: #3

_Automatic. People's labels are left as they are._`
	if d := cmp.Diff(want, body); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}
