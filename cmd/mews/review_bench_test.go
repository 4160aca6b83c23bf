package main_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"mews/supervisor/app/apptest"
	"mews/supervisor/github/patch"
	"mews/supervisor/model"
	"mews/supervisor/model/modeltest"
)

// Default models, unless MEWS_REVIEWER and MEWS_JUDGES name other models. Both judges also judge in
// the bench's own figures.
const (
	benchReviewer = "anthropic/claude-sonnet-4-5"
	benchJudges   = "anthropic/claude-opus-4-5,openai/gpt-5.2"
)

// reviewTime is the longest time of a review. The service allows half of it.
const reviewTime = 30 * time.Minute

// TestReviewBench_PublicPulls_AreScored reviews the pull requests of a public bench. Judges compare
// the findings with the findings of people. It runs with `make review-bench BENCH=PATH`, takes
// hours, and costs up to a dollar for each pull request.
func TestReviewBench_PublicPulls_AreScored(t *testing.T) {
	dir := os.Getenv("MEWS_REVIEW_BENCH")
	if dir == "" {
		t.Skip("optional: it talks to real providers; `make review-bench BENCH=PATH` runs it")
	}
	b := reviewBench{cmp.Or(os.Getenv("MEWS_REVIEWER"), benchReviewer), strings.Split(cmp.Or(os.Getenv("MEWS_JUDGES"), benchJudges), ","),
		map[string]model.ProviderOptions{
			"anthropic": {Name: "anthropic", Kind: "anthropic", BaseURL: "https://api.anthropic.com", APIKey: os.Getenv("ANTHROPIC_API_KEY")},
			"openai":    {Name: "openai", Kind: "openai", BaseURL: "https://api.openai.com/v1", APIKey: os.Getenv("OPENAI_API_KEY")},
		}}
	data, err := readBench(dir)
	t.Log(data)
	if missing := b.missingKeys(); len(missing) > 0 {
		t.Skipf("optional: there are no keys of %s (%v)", strings.Join(missing, "; "), err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Log(b.judgeResults(t, data, b.reviewAll(t, data)))
}

// reviewBench has the reviewing model and the judges, as PROVIDER/NAME.
type reviewBench struct {
	reviewer  string
	judges    []string
	providers map[string]model.ProviderOptions
}

// missingKeys lists the environment variables of API keys that are not set.
func (b reviewBench) missingKeys() (missingKeys []string) {
	for _, spec := range append([]string{b.reviewer}, b.judges...) {
		kind, _, _ := strings.Cut(spec, "/")
		if b.providers[kind].APIKey == "" {
			missingKeys = append(missingKeys, fmt.Sprintf("%s, for %s", keyOf(kind), spec))
		}
	}
	return missingKeys
}

// keyOf returns the environment variable that holds a provider's key.
func keyOf(kind string) string { return strings.ToUpper(kind) + "_API_KEY" }

// reviewAll reviews the pull requests, and then the clean diffs.
func (b reviewBench) reviewAll(t *testing.T, data reviewBenchData) []patch.ReviewResult {
	all := slices.Concat(data.Pulls, data.Clean)
	results := make([]patch.ReviewResult, len(all))
	t.Run("reviews", func(t *testing.T) {
		for i, p := range all {
			results[i].Failed = "it was not reviewed"
			t.Run(p.name(), func(t *testing.T) {
				t.Parallel()
				results[i] = b.review(t, p)
			})
		}
	})
	return results
}

// judgeResults lets the judges compare the findings with the findings of people, and returns the
// report.
func (b reviewBench) judgeResults(t *testing.T, data reviewBenchData, results []patch.ReviewResult) string {
	models, err := model.NewCatalogue(model.Options{Default: b.reviewer, Providers: slices.Collect(maps.Values(b.providers))})
	if err != nil {
		t.Fatal(err)
	}
	defer models.Close()
	lines := []string{"reviewed by " + b.reviewer, "pull requests: " + tally(results[:len(data.Pulls)])}
	for _, name := range b.judges {
		var s reviewScore
		for i, p := range data.Pulls {
			found, err := judge{models, name}.countFound(t.Context(), p, results[i].Findings)
			if err != nil {
				t.Errorf("%s by %s: %v", p.URL, name, err)
				s.unjudged++
				continue
			}
			s.found, s.golden, s.findings = s.found+found, s.golden+len(p.Comments), s.findings+len(results[i].Findings)
		}
		lines = append(lines, fmt.Sprintf("%s: %s", name, s))
	}
	return strings.Join(append(lines, "clean ones: "+tally(results[len(data.Pulls):])), "\n")
}

// tally sums up the findings and the cost of reviews.
func tally(results []patch.ReviewResult) string {
	var findings, silent, partly int
	var cost int64
	for _, r := range results {
		findings += len(r.Findings)
		switch {
		case r.Failed != "", len(r.Unread) > 0:
			partly++
		case len(r.Findings) == 0:
			silent++
		}
		if r.Cost != nil {
			cost += *r.Cost
		}
	}
	return fmt.Sprintf("%d, %d findings, %.2f each; %d without any; %d not or not wholly read; $%.2f, as far as prices are known", len(results), findings,
		float64(findings)/float64(max(1, len(results))), silent, partly, float64(cost)/1e6)
}

// review reviews a pull request by `mews review --diff` with its own service, so that no review
// uses the budget of another review.
func (b reviewBench) review(t *testing.T, p benchPull) (r patch.ReviewResult) {
	diff, err := os.ReadFile(p.diff)
	if err != nil {
		t.Fatal(err)
	}
	h := apptest.NewService(t, "", "ann")
	kind, _, _ := strings.Cut(b.reviewer, "/")
	o := b.providers[kind]
	h.AppendConfig(fmt.Sprintf("models: {default: %s, providers: {%s: {kind: %[2]s, base_url: %q, api_key: \"${%s}\"}}}\n", b.reviewer, kind, o.BaseURL, keyOf(kind)))
	h.Env = append(h.Env, keyOf(kind)+"="+o.APIKey)
	h.Start()
	// The service reviews a diff under the name of its file.
	name := strings.ReplaceAll(p.Title, "/", " ")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), diff, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), reviewTime)
	defer cancel()
	verb := exec.CommandContext(ctx, filepath.Join(h.Bin, "mews"), "review", "--config", h.Config, "--json", "--diff="+name)
	verb.Dir = dir
	var stderr strings.Builder
	verb.Stderr = &stderr
	out, err := verb.Output() // the exit status is also an error if there is a critical finding
	if unreadable := json.Unmarshal(out, &r); unreadable != nil {
		r.Failed = fmt.Sprintf("%v: %s", err, stderr.String())
	}
	if r.Failed != "" {
		t.Error(r.Failed)
	}
	h.Stop()
	return r
}

// benchArchive is a bench with three diffs.
const benchArchive = `
-- golden_comments/acme.json --
[{"pr_title": "Start it", "url": "https://github.com/acme/widget/pull/1", "comments": [
  {"comment": "It panics as it starts.", "severity": "High"}, {"comment": "It panics as it ends.", "severity": "Low"}]},
 {"pr_title": "Read/write it", "url": "https://github.com/acme/widget/pull/2", "az_comment": "", "comments": [{"comment": "It is never closed.", "severity": "Low"}]}]
-- diffs/acme-widget-1.diff --
diff --git a/main.go b/main.go
--- a/main.go
+++ b/main.go
@@ -1,2 +1,3 @@
 package main
 func start() {
+	panic(1)
@@ -20,2 +21,3 @@
 // It ends.
 func end() {
+	panic(2)
-- diffs/acme-widget-2.diff --
diff --git a/main.go b/main.go
--- a/main.go
+++ b/main.go
@@ -1,2 +1,3 @@
 package main
 func read() {
+	open()
-- clean/fine.diff --
diff --git a/main.go b/main.go
--- a/main.go
+++ b/main.go
@@ -1,2 +1,3 @@
 package main
 func fine() {
+	work()
`

func TestReviewBench_JudgeAnswers_AreCounted(t *testing.T) {
	var judged atomic.Int64
	_, base := modeltest.NewServer(t, func(r modeltest.Request) modeltest.Answer {
		switch {
		case !strings.HasPrefix(r.System, "You compare"):
			return reviewer(r)
		case r.Model == "strict":
			return modeltest.Answer{Text: `{"matches": [{"comment": 1, "finding": 1}]}`}
		case judged.Add(1) == 1:
			// a wrong answer: there are only two comments
			return modeltest.Answer{Text: `{"matches": [{"comment": 3, "finding": 1}]}`}
		}
		return modeltest.Answer{Text: "```json\n" + `{"matches": [{"comment": 1, "finding": 1}, {"comment": 1, "finding": 2}, {"comment": 2, "finding": 2}]}` + "\n```"}
	})
	dir := t.TempDir()
	if _, err := readBench(dir); err == nil || !strings.Contains(err.Error(), "no golden comments") {
		t.Errorf("of an empty folder: %v", err)
	}
	for i, f := range txtar.Parse([]byte(benchArchive)).Files {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, f.Name)), 0o700), os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o600)); err != nil {
			t.Fatal(err)
		}
		if _, err := readBench(dir); i == 0 && !strings.Contains(fmt.Sprint(err), "acme-widget-2.diff' 'https://github.com/acme/widget/pull/2.diff'") {
			t.Errorf("without diffs: %v", err)
		}
	}
	data, err := readBench(dir)
	if err != nil || data.String() != "2 pull requests with 3 golden comments, 1 clean ones" {
		t.Fatalf("%s, %v", data, err)
	}
	b := reviewBench{"openai/tiny", []string{"openai/strict", "anthropic/lenient"}, map[string]model.ProviderOptions{
		"openai": {Name: "openai", Kind: "openai", BaseURL: base, APIKey: "any"}}}
	if got := b.missingKeys(); len(got) != 1 || got[0] != "ANTHROPIC_API_KEY, for anthropic/lenient" {
		t.Errorf("missing: %q", got)
	}
	b.providers["anthropic"] = model.ProviderOptions{Name: "anthropic", Kind: "anthropic", BaseURL: strings.TrimSuffix(base, "/v1"), APIKey: "any"}
	want := `reviewed by openai/tiny
pull requests: 2, 2 findings, 1.00 each; 0 without any; 1 not or not wholly read; $0.00, as far as prices are known
openai/strict: precision 50.0 %, recall 33.3 %, F1 40.0 % (1 of 3 golden comments, 2 findings; 0 pull requests not judged)
anthropic/lenient: precision 100.0 %, recall 66.7 %, F1 80.0 % (2 of 3 golden comments, 2 findings; 0 pull requests not judged)
clean ones: 1, 1 findings, 1.00 each; 0 without any; 0 not or not wholly read; $0.00, as far as prices are known`
	// A service reviews the first diff. The other diffs stand for a failed review and for a wrong
	// finding.
	results := b.reviewAll(t, reviewBenchData{Pulls: data.Pulls[:1]})
	results = append(results, patch.ReviewResult{Failed: "the model is gone"},
		patch.ReviewResult{Findings: make([]patch.Finding, 1)})
	if got := b.judgeResults(t, data, results); got != want || judged.Load() != 2 {
		t.Errorf("after %d calls of the second judge:\n%s", judged.Load(), got)
	}
}
