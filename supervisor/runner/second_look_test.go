package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/github/patch"
	"mews/supervisor/model"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/modelcall"
)

// manyFiles returns a change of 60 Go files with several hunks each. It has about 20 parts.
func manyFiles() patch.Patch {
	p := patch.Patch{Repo: "acme/widget", Number: 7, Title: "Count words",
		Description: strings.Repeat("It counts all words of a text.\n", 100),
		Heads:       map[string]string{}}
	var b strings.Builder
	for f := range 60 {
		name := fmt.Sprintf("pkg%d/words.go", f)
		fmt.Fprintf(&b, "diff --git a/%s b/%s\n--- a/%s\n+++ b/%s\n", name, name, name, name)
		head := "package words\n"
		for h := range 6 {
			at := strings.Count(head, "\n") + 1
			var before, after string
			for l := range 16 {
				line := fmt.Sprintf("\tcount[%q] += len(words%d) // the words of line %d\n",
					fmt.Sprintf("%d/%d/%d", f, h, l), l, l)
				before += "-" + strings.Replace(line, "+=", "=", 1)
				after += "+" + line
				head += line
			}
			fmt.Fprintf(&b, "@@ -%d,16 +%d,16 @@ func count%d() {\n%s%s", at, at, h, before, after)
			for range 20 {
				head += fmt.Sprintf("\tuse(count%d)\n", h)
			}
		}
		p.Heads[name] = head
	}
	p.Diff = b.String()
	return p
}

// headOfFile matches the name of a file in a prompt, and addedLine an added line of its diff.
var (
	headOfFile = regexp.MustCompile(`^modified (\S+)`)
	addedLine  = regexp.MustCompile(`^R(\d+) \+(.*)$`)
)

// faultFinder is a model that finds eight faults in each part. One fault quotes text that is
// nowhere, and one fault is about style. A second look refutes no fault.
func faultFinder(r modeltest.Request) modeltest.Answer {
	if stands, ok := modeltest.AnswerReviewSecondLook(r, false); ok {
		return stands
	}
	path, lines := "", 0
	var found []string
	for line := range strings.Lines(r.NewestUserMessage()) {
		var text string
		if json.Unmarshal([]byte(line), &text) != nil {
			continue
		}
		if m := headOfFile.FindStringSubmatch(text); m != nil {
			path = m[1]
		}
		m := addedLine.FindStringSubmatch(text)
		if lines++; m == nil || lines%9 != 0 || len(found) == 8 {
			continue
		}
		quote, category := m[2], "bug"
		switch len(found) {
		case 3:
			quote = "nobody wrote this"
		case 5:
			category = "style"
		}
		one, _ := json.Marshal(protocol.ReviewFinding{Path: path, Side: "RIGHT", Severity: "critical",
			Category: category, Quote: quote, Title: "It counts twice " + m[1], Confidence: 0.8,
			Detail: "The words of this line were counted before, so the sum is wrong."})
		found = append(found, strings.Replace(string(one), `"line":0`, `"line":"`+m[1]+`"`, 1))
	}
	return modeltest.Answer{Text: `{"verdict": "It counts twice.", "findings": [` + strings.Join(found, ",") + `]}`}
}

// meteredModels counts the tokens of a catalogue's calls, separately for parts and for second
// looks.
type meteredModels struct {
	*model.Catalogue
	parts, looks tokenSum
	looked       int // number of findings that had a second look
}

// tokenSum adds up calls and their tokens, as the provider counts them.
type tokenSum struct {
	calls int
	protocol.Usage
}

// paid returns the number of tokens to pay for. A token read from the cache counts as a tenth. A
// token written to the cache counts as the factor written.
func (s tokenSum) paid(written float64) float64 {
	return float64(s.Input-s.CacheRead-s.CacheWrite) + 0.1*float64(s.CacheRead) + written*float64(s.CacheWrite)
}

func (m *meteredModels) Stream(ctx context.Context, spec string, req modelcall.Request, delta func(modelcall.Delta)) (
	modelcall.Answer, error) {
	answer, err := m.Catalogue.Stream(ctx, spec, req, delta)
	sum := &m.parts
	if n := strings.Count(req.Messages[0].Text(), "\nBEGIN finding "); n > 0 {
		sum, m.looked = &m.looks, m.looked+n
	}
	sum.calls, sum.Usage = sum.calls+1, sum.Usage.Add(answer.Usage)
	return answer, err
}

// TestReview_SecondLooks_ReadCachedPrefix prints the tokens of a review as the providers count
// them. Anthropic charges 1.25 tokens for a token that it writes to its cache. Both providers
// charge a tenth for a token that they read from the cache.
func TestReview_SecondLooks_ReadCachedPrefix(t *testing.T) {
	for kind, written := range map[string]float64{"anthropic": 1.25, "openai": 1} {
		t.Run(kind, func(t *testing.T) {
			_, base := modeltest.NewServer(t, faultFinder)
			provider := model.ProviderOptions{Name: "p", Kind: kind, BaseURL: base, APIKey: "any", Server: "openai"}
			if kind == "anthropic" {
				provider.BaseURL, provider.Server = strings.TrimSuffix(base, "/v1"), ""
			}
			models, err := model.NewCatalogue(model.Options{Default: "p/claude-sonnet-4-5",
				Providers: []model.ProviderOptions{provider}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(models.Close)
			change := manyFiles()
			material, _, err := change.ReviewMaterial()
			if err != nil {
				t.Fatal(err)
			}
			check, err := change.NewSecondLookFilter()
			if err != nil {
				t.Fatal(err)
			}
			metered := &meteredModels{Catalogue: models}
			r := newReviewRigOf(t, material, metered)
			defer r.reported.AwaitChecks(r.turn.ID, check)()
			if _, err := r.run(supervisor.Budget{}); err != nil || len(r.reports) != 1 || len(r.reports[0].Unread) > 0 {
				t.Fatalf("%v, %+v", err, r.reports)
			}
			parts, looks := metered.parts, metered.looks
			for name, sum := range map[string]tokenSum{"parts": parts, "second looks": looks} {
				t.Logf("%-12s %3d calls, %7d tokens, %4.1f %% of them from the cache, which count as %7.0f", name,
					sum.calls, sum.Input,
					100*float64(sum.CacheRead)/float64(sum.Input), sum.paid(written))
			}
			share := looks.paid(written) / (parts.paid(written) + looks.paid(written))
			t.Logf("second looks are %.1f %% of what counts", 100*share)
			if share > 0.25 || looks.calls != parts.calls || float64(looks.CacheRead) < 0.8*float64(looks.Input) {
				t.Errorf("second looks are %.1f %%, %d calls for %d parts", 100*share, looks.calls, parts.calls)
			}
			if grave := len(check(r.reports[0].Findings)); metered.looked != grave || grave != 6*parts.calls {
				t.Errorf("%d of %d grave findings had a second look", metered.looked, grave)
			}
		})
	}
}
