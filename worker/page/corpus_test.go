package page

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// corpusModule is the module whose test-pages are the corpus. `make deps` downloads it.
const corpusModule = "codeberg.org/readeck/go-readability/v2@v2.1.3"

// corpus returns the folders of the pages; none means that they have not been downloaded.
func corpus(t testing.TB) (folders []string) {
	t.Helper()
	out, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	pages := filepath.Join(strings.TrimSpace(string(out)), corpusModule, "test-pages")
	found, err := filepath.Glob(filepath.Join(pages, "*", "source.html"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	for _, path := range found {
		folders = append(folders, filepath.Dir(path))
	}
	return folders
}

// overlap is how much of a page's words two readers have in common.
type overlap struct {
	page              string
	precision, recall float64
}

func (o overlap) f1() float64 {
	if o.precision+o.recall == 0 {
		return 0
	}
	return 2 * o.precision * o.recall / (o.precision + o.recall)
}

// measurePage compares the words of the main part with those of Readability's answer.
func measurePage(t testing.TB, folder string) overlap {
	t.Helper()
	document := parseFile(t, filepath.Join(folder, "source.html"))
	found := wordCounts(findMainPart(document, titleOf(document)))
	want := wordCounts(parseFile(t, filepath.Join(folder, "expected.html")))
	common, all, wanted := 0, 0, 0
	for word, n := range found {
		common += min(n, want[word])
		all += n
	}
	for _, n := range want {
		wanted += n
	}
	o := overlap{page: filepath.Base(folder), precision: 1, recall: 1}
	if all > 0 {
		o.precision = float64(common) / float64(all)
	}
	if wanted > 0 {
		o.recall = float64(common) / float64(wanted)
	}
	return o
}

func parseFile(t testing.TB, path string) *html.Node {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	document, err := html.ParseWithOptions(f, html.ParseOptionEnableScripting(false))
	if err != nil {
		t.Fatal(err)
	}
	return document
}

func wordCounts(part *html.Node) map[string]int {
	counts := map[string]int{}
	var b strings.Builder
	for n := range part.Descendants() {
		if n.Type == html.TextNode && n.Parent.Data != "script" && n.Parent.Data != "style" {
			b.WriteString(n.Data)
		}
		if n.Type == html.ElementNode && !isInline(n) {
			b.WriteByte(' ')
		}
	}
	for _, word := range wordsOf(b.String()) {
		counts[word]++
	}
	return counts
}

// measurePages compares pages, logs a table, and returns the means.
func measurePages(t *testing.T, folders []string) (mean overlap) {
	t.Helper()
	var all []overlap
	for _, folder := range folders {
		o := measurePage(t, folder)
		all = append(all, o)
		mean.precision += o.precision / float64(len(folders))
		mean.recall += o.recall / float64(len(folders))
	}
	slices.SortFunc(all, func(a, b overlap) int { return cmp.Compare(a.f1(), b.f1()) })
	var table strings.Builder
	fmt.Fprintf(&table, "%-45s %9s %6s %6s\n", "page", "precision", "recall", "F1")
	for _, o := range all {
		fmt.Fprintf(&table, "%-45s %9.3f %6.3f %6.3f\n", o.page, o.precision, o.recall, o.f1())
	}
	t.Logf("%d pages, precision %.3f, recall %.3f\n%s", len(all), mean.precision, mean.recall, table.String())
	return mean
}

// TestCorpus_30Pages_MatchReadability measures every fourth page of the corpus.
func TestCorpus_30Pages_MatchReadability(t *testing.T) { checkPages(t, 30) }

// TestCorpus_EachPage_MatchesReadability measures MEWS_PAGES pages of the corpus, which has 134.
// The log has the table.
func TestCorpus_EachPage_MatchesReadability(t *testing.T) {
	n, err := strconv.Atoi(cmp.Or(os.Getenv("MEWS_PAGES"), "30"))
	if err != nil {
		t.Fatal(err)
	}
	checkPages(t, n)
}

// leastMean is the smallest mean of precision and of recall. Readability's own answers have 1.
const leastMean = 0.95

// checkPages checks the means of n pages from the whole corpus.
func checkPages(t *testing.T, n int) {
	t.Helper()
	all := corpus(t)
	if missing := "the pages of " + corpusModule + " are not here; make deps downloads them"; len(all) == 0 {
		if os.Getenv("MEWS_PAGES") != "" {
			t.Fatal(missing)
		}
		t.Skip("optional: " + missing)
	}
	n = min(n, len(all))
	var some []string
	for i := range n {
		some = append(some, all[i*len(all)/n])
	}
	if mean := measurePages(t, some); mean.precision < leastMean || mean.recall < leastMean {
		t.Errorf("precision %.3f, recall %.3f, want at least %.2f", mean.precision, mean.recall, leastMean)
	}
}
