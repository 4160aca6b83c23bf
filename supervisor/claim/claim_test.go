package claim_test

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"mews/supervisor/claim"
)

var update = flag.Bool("update", false, "write the report anew")

// answer is a file of testdata/*.txt: an assistant's answer and the kinds that it claims.
// testdata/README.md explains the form.
type answer struct {
	language string
	number   int
	text     string
	kinds    []claim.DeedKind
	heldOut  bool
}

func answers(t testing.TB) (list []answer) {
	for _, language := range []string{"en", "es", "de", "fr"} {
		data, err := os.ReadFile("testdata/" + language + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		for i, part := range strings.Split("\n"+string(data), "\n=== ")[1:] {
			head, text, _ := strings.Cut(part, "\n")
			a := answer{language: language, number: i + 1, text: text, heldOut: sha256.Sum256(fmt.Append(nil, i+1))[0] >= 128}
			for kind := range strings.SplitSeq(head, ", ") {
				if kind != "none" {
					a.kinds = append(a.kinds, claim.DeedKind(kind))
				}
			}
			list = append(list, a)
		}
	}
	return list
}

func found(text string) (kinds []claim.DeedKind) {
	for _, c := range claim.FindClaims(text) {
		kinds = append(kinds, c.Kind)
	}
	return kinds
}

// claimCounts has the numbers of kinds that were found rightly, found wrongly, and missed.
type claimCounts struct{ right, wrong, missed int }

func (c claimCounts) precision() float64 { return ratio(c.right, c.wrong) }
func (c claimCounts) recall() float64    { return ratio(c.right, c.missed) }
func (c claimCounts) String() string {
	return fmt.Sprintf("%5d %5d %6d   %.3f %.3f", c.right, c.wrong, c.missed, c.precision(), c.recall())
}

func ratio(of, and int) float64 {
	if of == 0 && and == 0 {
		return 1
	}
	return float64(of) / float64(of+and)
}

// TestFindClaims_Answers_MeetPrecisionTarget measures the precision and recall of the claims that
// are found in 400 answers. Half of the answers were not read when the words were chosen. Each kind
// in each answer counts once.
func TestFindClaims_Answers_MeetPrecisionTarget(t *testing.T) {
	counts := map[string]*claimCounts{}
	of := func(key string) *claimCounts {
		if counts[key] == nil {
			counts[key] = new(claimCounts)
		}
		return counts[key]
	}
	for _, a := range answers(t) {
		half := "tuned"
		if a.heldOut {
			half = "held out"
		}
		kinds := found(a.text)
		for _, kind := range claim.DeedKinds {
			claimed, found := slices.Contains(a.kinds, kind), slices.Contains(kinds, kind)
			for _, key := range []string{half, half + ", " + a.language, half + ", " + string(kind)} {
				switch c := of(key); {
				case claimed && found:
					c.right++
				case found:
					c.wrong++
				case claimed:
					c.missed++
				}
			}
			if claimed != found && !a.heldOut && testing.Verbose() {
				t.Logf("%s %d, %s: claimed %t, found %t\n%s", a.language, a.number, kind, claimed, found, a.text)
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-20s right wrong missed   precision recall\n", "")
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&b, "%-20s %s\n", key, counts[key])
	}
	const golden = "testdata/report.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(golden); err != nil || string(want) != b.String() {
		t.Errorf("%s is not what is measured (%v); -update writes it anew:\n%s", golden, err, &b)
	}
	if c := counts["held out"]; c.precision() < 0.98 || c.recall() < 0.6 {
		t.Errorf("of the held-out half: precision %.3f, want 0.98; recall %.3f, want 0.6", c.precision(), c.recall())
	}
}
