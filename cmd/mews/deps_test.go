package main_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

// These tests check that packages import only allowed packages. The tables of banned packages, with
// the reason as the failure, follow tailscale's tstest/deptest.

// floors is the floor (layer) of every package. A package imports only packages of lower floors. A
// pattern that ends in /... covers the packages below it too; the longest matching pattern counts.
// Every package needs a row, except features, which are all on featureFloor.
var floors = map[string]int{
	"mews/cmd/mews":         6,
	"mews/cmd/mews/chat":    6,
	"mews/cmd/mews/doctor":  6,
	"mews/cmd/mews/install": 6,
	"mews/cmd/mews/manual":  6,
	"mews/cmd/mews-worker":  6,
	"mews/cmd/mews-spawner": 6,
	"mews/cmd/mews-update":  6,
	"mews/deploy/release":   6,

	"mews/cmd/mews/stopsignal": 6,

	"mews/supervisor/app":          5,
	"mews/supervisor/app/policies": 5,
	"mews/supervisor/runner":       5,

	"mews/supervisor/admin":      4,
	"mews/supervisor/api":        4,
	"mews/supervisor/attachment": 4,
	"mews/supervisor/command":    4,
	"mews/supervisor/control":    4,

	"mews/supervisor/hostcall": 4,
	"mews/supervisor/ingress":  4,
	"mews/supervisor/session":  4,
	"mews/supervisor/web":      4,
	"mews/supervisor/monitor":  4,
	"mews/worker/serve":        4,
	"mews/worker/spawn":        4,

	"mews/supervisor/external":          3,
	"mews/supervisor/github/patch":      3,
	"mews/supervisor/github/review":     3,
	"mews/supervisor/github/setup":      3,
	"mews/supervisor/github/triage":     3,
	"mews/supervisor/notice":            3,
	"mews/supervisor/alarm":             3,
	"mews/supervisor/operation":         3,
	"mews/supervisor/placement":         3,
	"mews/supervisor/disk":              3,
	"mews/supervisor/update":            3,
	"mews/supervisor/tools":             2,
	"mews/supervisor/usage":             3,
	"mews/supervisor/users":             3,
	"mews/worker/index":                 3,
	"mews/supervisor/routine/heartbeat": 3,
	"mews/supervisor/job":               3,
	"mews/worker/check":                 3,
	"mews/worker/document":              3,
	"mews/worker/receive":               3,
	"mews/worker/tool/webtools":         3,
	"mews/worker/undo":                  3,

	"mews/supervisor/access":         2,
	"mews/supervisor/approval":       2,
	"mews/supervisor/backup":         2,
	"mews/supervisor/budget":         2,
	"mews/supervisor/claim":          2,
	"mews/supervisor/egress":         2,
	"mews/supervisor/feature":        2,
	"mews/supervisor/github/api":     2,
	"mews/supervisor/github/notice":  2,
	"mews/supervisor/github/finding": 2,
	"mews/supervisor/health":         2,
	"mews/supervisor/history":        2,
	"mews/supervisor/inbox":          2,
	"mews/supervisor/index":          2,
	"mews/supervisor/markdown":       2,
	"mews/supervisor/model/...":      2,
	"mews/supervisor/outbox":         2,
	"mews/supervisor/pool":           2,
	"mews/supervisor/question":       2,
	"mews/supervisor/release":        2,
	"mews/supervisor/reply":          2,
	"mews/supervisor/spool":          2,
	"mews/supervisor/sqlite/...":     2,
	"mews/supervisor/telegram/...":   2,
	"mews/worker/agent":              2,
	"mews/worker/archive":            2,
	"mews/worker/erase":              2,
	"mews/worker/filehistory":        1,
	"mews/worker/dailylog":           2,
	"mews/worker/prompt":             2,
	"mews/worker/page":               2,
	"mews/worker/parse":              2,
	"mews/worker/promptfile":         2,
	"mews/worker/reminder":           2,
	"mews/worker/review":             2,
	"mews/worker/sandbox/...":        2,
	"mews/worker/speech":             2,
	"mews/supervisor/recurrence":     2,
	"mews/worker/tool/...":           2,

	"mews/supervisor/internal/...":    1,
	"mews/supervisor":                 1,
	"mews/supervisor/answer":          1,
	"mews/supervisor/github/address":  1,
	"mews/supervisor/github/diff":     1,
	"mews/supervisor/github/event":    1,
	"mews/supervisor/logging":         1,
	"mews/supervisor/modelcall":       1,
	"mews/supervisor/printable":       1,
	"mews/supervisor/problem":         1,
	"mews/supervisor/slash":           1,
	"mews/supervisor/spans":           1,
	"mews/supervisor/statefolder":     1,
	"mews/supervisor/unit":            1,
	"mews/supervisor/internal/retry":  1,
	"mews/worker":                     1,
	"mews/worker/calendar":            1,
	"mews/worker/cgroup":              1,
	"mews/worker/host":                1,
	"mews/worker/memory":              1,
	"mews/worker/program":             1,
	"mews/worker/quota":               1,
	"mews/worker/section":             1,
	"mews/worker/textdiff":            1,
	"mews/worker/todo":                1,
	"mews/worker/workspace":           1,
	"mews/supervisor/internal/engine": 1,
	"mews/supervisor/effect":          1,
	"mews/supervisor/taint":           1,

	"mews/config":             0,
	"mews/deploy":             0,
	"mews/config/spelling":    0,
	"mews/internal/fixedseed": 0,
	"mews/protocol":           0,
	"mews/protocol/amount":    0,
	"mews/protocol/facts":     0,
	"mews/protocol/foreign":   0,
	"mews/protocol/opus":      0,
	"mews/protocol/spawnwire": 0,
	"mews/protocol/template":  0,

	"mews/supervisor/webtools/webtoolstest": 2,
}

// allowedSiblings are the allowed imports within a floor or from a higher floor, each with the
// reason.
var allowedSiblings = map[[2]string]string{
	{"mews/config", "mews/protocol/template"}:                           "a template is checked as it is executed",
	{"mews/protocol/facts", "mews/protocol"}:                            "a fact has the limits of the wire",
	{"mews/config", "mews/config/spelling"}:                             "a key and a command are misspelt alike",
	{"mews/cmd/mews", "mews/cmd/mews/chat"}:                             "a package of the program mews",
	{"mews/cmd/mews", "mews/cmd/mews/doctor"}:                           "a package of the program mews",
	{"mews/cmd/mews", "mews/cmd/mews/install"}:                          "a package of the program mews",
	{"mews/cmd/mews", "mews/cmd/mews/manual"}:                           "a package of the program mews",
	{"mews/cmd/mews", "mews/cmd/mews/stopsignal"}:                       "a package of the program mews",
	{"mews/supervisor/model", "mews/supervisor/model/anthropic"}:        "the catalogue of models makes its providers",
	{"mews/supervisor/model/offline", "mews/supervisor/recurrence"}:     "it splits times off reminders",
	{"mews/supervisor/model", "mews/supervisor/model/offline"}:          "the catalogue of models makes its providers",
	{"mews/supervisor/model", "mews/supervisor/model/openai"}:           "the catalogue of models makes its providers",
	{"mews/supervisor/model/anthropic", "mews/supervisor/model/remote"}: "providers over HTTP share their mechanisms",
	{"mews/supervisor/model/openai", "mews/supervisor/model/remote"}:    "providers over HTTP share their mechanisms",
	{"mews/supervisor/answer", "mews/supervisor/internal/money"}: "mechanisms are below everything of " +
		"their side",
	{"mews/supervisor/answer", "mews/supervisor"}:            "the words are below everything of their side",
	{"mews/supervisor/github/event", "mews/supervisor"}:      "the words are below everything of their side",
	{"mews/supervisor/internal/retry", "mews/supervisor"}:    "the words are below everything of their side",
	{"mews/supervisor/spans", "mews/supervisor"}:             "the words are below everything of their side",
	{"mews/supervisor/github/address", "mews/supervisor"}:    "the words are below everything of their side",
	{"mews/supervisor/internal/titles", "mews/supervisor"}:   "the words are below everything of their side",
	{"mews/supervisor/internal/timezone", "mews/supervisor"}: "the words are below everything of their side",
	{"mews/supervisor/modelcall", "mews/supervisor"}:         "the words are below everything of their side",
	{"mews/supervisor/problem", "mews/supervisor"}:           "the words are below everything of their side",
	{"mews/worker/memory", "mews/worker"}:                    "the words are below everything of their side",
	{"mews/worker/tool/images", "mews/worker/parse"}: "a picture and its failure cross the pipe" +
		" of a parser",
	{"mews/worker/tool/calendar", "mews/worker/parse"}:               "a sent calendar crosses the pipe of a parser",
	{"mews/worker/memory", "mews/worker/workspace"}:                  "the memory is files of the home",
	{"mews/worker/filehistory", "mews/worker/workspace"}:             "it reads and restores the files of a home",
	{"mews/worker/textdiff", "mews/worker/workspace"}:                "one side of a difference is a file of the home",
	{"mews/supervisor/internal/quotes", "mews/supervisor"}:           "the words are below everything of their side",
	{"mews/supervisor/internal/quotes", "mews/supervisor/printable"}: "a quote is written in printable lines",
	{"mews/supervisor/answer", "mews/supervisor/internal/quotes"}:    "mechanisms are below everything of their side",
	{"mews/supervisor/internal/jobresult", "mews/supervisor"}:        "the words are below everything of their side",

	{"mews/supervisor/effect", "mews/supervisor"}: "the words are below everything of " +
		"their side",
	{"mews/supervisor/effect", "mews/supervisor/spans"}:     "a question about effects has a span",
	{"mews/supervisor/taint", "mews/supervisor"}:            "the words are below everything of their side",
	{"mews/supervisor/effect", "mews/supervisor/printable"}: "an effect is written on one line",
	{"mews/supervisor/app", "mews/supervisor/app/policies"}: "package app makes the service from it",
	{"mews/supervisor/app", "mews/supervisor/runner"}:       "package app makes the service from it",
	{"mews/supervisor/sqlite/sqlitetest", "mews/supervisor/app/policies"}: "a test's database has the " +
		"policies of the service",
}

// features are the packages of one capability each. Package app builds them with the types of
// package feature. A package below a feature has a row in floors.
var features = []string{
	"calendar", "check", "filehistory", "filereminder", "forget", "github", "instructions", "memory",
	"restore", "routine", "schedule", "search", "services", "todo", "transcription", "undo", "usagetools",
	"voice", "webhook",
	"webtools",
}

const featureFloor = 4

// corePackages are the packages that receive the features. They import no feature.
var corePackages = []string{"admin", "api", "app", "command", "control", "hostcall", "session"}

// ban is a forbidden import.
type ban struct {
	importer string // pattern of the importing package
	imported string // pattern of the imported package
	because  string
}

var importBans = []ban{
	{"mews/supervisor/...", "mews/worker/...", "the two sides share only the protocol"},
	{"mews/worker/...", "mews/supervisor/...", "the two sides share only the protocol"},
	{"mews/supervisor/...", "mews/config", "only cmd/mews and supervisor/app read the configuration, and copy it " +
		"into each part's options"},
	{"mews/worker/...", "mews/config", "only cmd/mews and supervisor/app read the configuration, and copy it into " +
		"each part's options"},
}

// ownedLibraries are the libraries that only one package may import.
var ownedLibraries = []ban{
	{"mews/supervisor/github/api", "github.com/google/go-github/...", "the client of GitHub stays in one place, " +
		"with its limits and its errors"},
	{"mews/supervisor/egress", "code.dny.dev/ssrf", "all addresses named by people and models go through one " +
		"guarded client"},
	{"mews/supervisor/internal/retry", "github.com/cenkalti/backoff/v5", "all retries wait alike"},
}

// allowedDespiteBan are exceptions from importBans.
var allowedDespiteBan = map[[2]string]bool{{"mews/supervisor/app", "mews/config"}: true}

// linkBans are the packages that a program must not link, directly or through other packages.
var linkBans = []ban{
	{"mews/cmd/mews", "mews/worker/...", "no tool ever runs in the process that holds the keys"},
	{"mews/cmd/mews", "testing", "programs contain no test code"},

	{"mews/cmd/mews-worker", "mews/supervisor/...", "a worker knows the supervisor only by the protocol"},
	{"mews/cmd/mews-worker", "mews/config", "the configuration holds secrets, and a worker sees none"},
	{"mews/cmd/mews-worker", "mews/protocol/spawnwire", "a worker never talks to the spawner"},
	{"mews/cmd/mews-worker", "database/sql", "only the supervisor has a database"},
	{"mews/cmd/mews-worker", "github.com/ncruces/go-sqlite3/...", "only the supervisor has a database"},
	{"mews/cmd/mews-worker", "net/http", "a worker has no network, and idles within 3 MB"},
	{"mews/cmd/mews-worker", "testing", "programs contain no test code"},

	{"mews/cmd/mews-spawner", "mews/supervisor/...", "the only privileged code stays a few hundred lines"},
	{"mews/cmd/mews-spawner", "mews/config", "its policy is a file of its own that root owns"},
	{"mews/cmd/mews-spawner", "mews/protocol", "it knows a few verbs and parses no message of a worker"},
	{"mews/cmd/mews-spawner", "mews/worker/tool/...", "no tool runs with privilege"},
	{"mews/cmd/mews-spawner", "mews/worker/agent", "no tool runs with privilege"},
	{"mews/cmd/mews-spawner", "net/http", "a privileged program parses no hostile input"},
	{"mews/cmd/mews-spawner", "encoding/json", "a privileged program parses no hostile input"},
	{"mews/cmd/mews-spawner", "database/sql", "the spawner has no database"},
	{"mews/cmd/mews-update", "mews/config", "root parses no configuration of the service"},
	{"mews/cmd/mews-update", "gopkg.in/yaml.v3", "root parses no configuration of the service"},
	{"mews/cmd/mews-update", "mews/supervisor/sqlite/...", "root opens no database of the service"},
	{"mews/cmd/mews-update", "database/sql", "root opens no database of the service"},
	{"mews/cmd/mews-update", "github.com/ncruces/go-sqlite3/...", "root opens no database of the service"},
	{"mews/cmd/mews-update", "mews/worker/...", "it installs files, and runs nothing of a person"},
	{"mews/cmd/mews-update", "net/http", "it has no network"},
	{"mews/cmd/mews-update", "encoding/json", "root parses only the index of releases"},
	{"mews/cmd/mews-update", "testing", "programs contain no test code"},

	{"mews/cmd/mews-spawner", "testing", "programs contain no test code"},
}

// goPackage is one package in the output of `go list`.
type goPackage struct {
	ImportPath string
	GoFiles    []string
	Imports    []string
}

func TestLayers_EachImport_IsAllowed(t *testing.T) {
	for _, p := range goList(t, "./...") {
		if len(p.GoFiles) == 0 {
			continue // the package has only tests
		}
		if _, ok := floorOf(p.ImportPath); !ok {
			t.Errorf("%s is on no floor: give it a row in floors", p.ImportPath)
		}
		for _, imported := range p.Imports {
			if why := importFault(p.ImportPath, imported); why != "" {
				t.Errorf("%s imports %s: %s", p.ImportPath, imported, why)
			}
		}
	}
}

func TestPrograms_LinkNoBannedPackage(t *testing.T) {
	for _, program := range []string{"mews/cmd/mews", "mews/cmd/mews-worker", "mews/cmd/mews-spawner",
		"mews/cmd/mews-update"} {
		t.Run(path.Base(program), func(t *testing.T) {
			imports := map[string][]string{}
			for _, p := range goList(t, "-deps", "./"+strings.TrimPrefix(program, "mews/")) {
				imports[p.ImportPath] = p.Imports
			}
			for _, b := range linkBans {
				if b.importer != program {
					continue
				}
				if chain := chainTo(imports, program, b.imported); chain != nil {
					t.Errorf("%s, and must not: %s", strings.Join(chain, " imports "), b.because)
				}
			}
		})
	}
}

// TestLayers_EachRow_MatchesAPackage finds rows of deleted packages: a new package of the same name
// would inherit such a row.
func TestLayers_EachRow_MatchesAPackage(t *testing.T) {
	imports := map[string][]string{}
	for _, p := range goList(t, "-deps", "./...") {
		imports[p.ImportPath] = p.Imports
	}
	there := func(pattern string) bool {
		for pkg := range imports {
			if matchesPattern(pattern, pkg) {
				return true
			}
		}
		return false
	}
	for _, pattern := range allPatterns() {
		if !there(pattern) {
			t.Errorf("no package fits %s: delete its row", pattern)
		}
	}
	for _, pair := range slices.Concat(slices.Collect(maps.Keys(allowedSiblings)),
		slices.Collect(maps.Keys(allowedDespiteBan))) {
		if !slices.Contains(imports[pair[0]], pair[1]) {
			t.Errorf("%s does not import %s: delete the row that allows it", pair[0], pair[1])
		}
	}
}

// allPatterns lists the patterns in the tables of floors, features and bans.
func allPatterns() []string {
	all := slices.Sorted(maps.Keys(floors))
	for _, f := range features {
		all = append(all, "mews/supervisor/"+f)
	}
	for _, b := range slices.Concat(importBans, ownedLibraries, linkBans) {
		all = append(all, b.importer, b.imported)
	}
	return slices.Compact(all)
}

// TestImportFault_BannedImports_AreFound tries the rules on imports that no package has.
func TestImportFault_BannedImports_AreFound(t *testing.T) {
	for _, test := range []struct {
		importer, imported, want string
	}{
		{"mews/supervisor/session", "mews/supervisor/inbox", ""},
		{"mews/supervisor/session", "mews/protocol", ""},
		{"mews/supervisor/inbox", "mews/supervisor/session", "higher floor"},
		{"mews/supervisor/inbox", "mews/supervisor/outbox", "siblings"},
		{"mews/supervisor/model", "mews/supervisor/model/openai", ""},
		{"mews/supervisor/model/openai", "mews/supervisor/model", "siblings"},
		{"mews/supervisor/memory", "mews/supervisor/feature", ""},
		{"mews/supervisor/memory", "mews/supervisor/undo", "no other feature"},
		{"mews/supervisor/memory", "mews/supervisor/hostcall", "no core package"},
		{"mews/supervisor/memory/memorytest", "mews/supervisor/memory", ""},
		{"mews/worker/tool/files", "mews/worker/tool/web", "siblings"},
		{"mews/worker/tool/files", "mews/worker/workspace", ""},
		{"mews/supervisor/pool", "mews/worker", "only the protocol"},
		{"mews/worker/serve", "mews/supervisor", "only the protocol"},
		{"mews/supervisor/session", "mews/config", "only cmd/mews"},
		{"mews/supervisor/app", "mews/config", ""},
		{"mews/supervisor/users", "mews/supervisor/app", "higher floor"},
		{"mews/cmd/mews", "mews/config", ""},
		{"mews/protocol", "encoding/json", ""},
		{"mews/protocol", "golang.org/x/sys/unix", "standard library"},
		{"mews/protocol/spawnwire", "mews/protocol", "siblings"},
		{"mews/supervisor/model/modeltest", "mews/supervisor/model", ""},
		{"mews/supervisor/model/modeltest", "mews/supervisor/model/openai", "siblings"},
		{"mews/supervisor/model", "mews/supervisor/model/modeltest", "tests"},
		{"mews/cmd/mews", "mews/supervisor/sqlite/sqlitetest", "tests"},
		{"mews/supervisor/session", "gopkg.in/yaml.v3", ""},
		{"mews/supervisor/github/api", "github.com/google/go-github/v66/github", ""},
		{"mews/supervisor/github", "github.com/google/go-github/v66/github", "one place"},
		{"mews/supervisor/github/githubtest", "github.com/google/go-github/v66/github", "one place"},
	} {
		got := importFault(test.importer, test.imported)
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s imports %s: got %q, want %q", test.importer, test.imported, got, test.want)
		}
	}
	if _, ok := floorOf("mews/supervisor/cellar"); ok {
		t.Error("a package that nobody knows has a floor")
	}
}

// importFault says why an import is wrong. "" means that the import is allowed.
func importFault(importer, imported string) string {
	for _, b := range ownedLibraries {
		if matchesPattern(b.imported, imported) && importer != b.importer {
			return b.because
		}
	}
	if !matchesPattern("mews/...", imported) {
		if matchesPattern("mews/protocol/...", importer) && !isTestPackage(importer) &&
			strings.Contains(imported, ".") {
			return "the wire needs the standard library only"
		}
		return ""
	}
	if feature := featureOf(importer); feature != "" {
		if other := featureOf(imported); other != "" && other != feature ||
			slices.Contains(corePackages, supervisorFolder(imported)) {
			return "a feature imports no other feature and no core package: app hands it what it needs"
		}
	}
	for _, b := range importBans {
		if matchesPattern(b.importer, importer) && matchesPattern(b.imported, imported) &&
			!allowedDespiteBan[[2]string{importer, imported}] {
			return b.because
		}
	}
	if isTestPackage(importer) && imported == path.Dir(importer) {
		return "" // a package for tests may fake the API that the tested package calls
	}
	if isTestPackage(imported) && !isTestPackage(importer) {
		return "only tests may import a test package"
	}
	return floorFault(importer, imported)
}

// supervisorFolder returns the folder of the supervisor that a package is in, or "" for other
// packages.
func supervisorFolder(pkg string) string {
	rest, there := strings.CutPrefix(pkg, "mews/supervisor/")
	folder, _, _ := strings.Cut(rest, "/")
	if !there {
		return ""
	}
	return folder
}

// featureOf returns the feature that a package belongs to, or "".
func featureOf(pkg string) string {
	if folder := supervisorFolder(pkg); slices.Contains(features, folder) {
		return folder
	}
	return ""
}

func floorFault(importer, imported string) string {
	above, _ := floorOf(importer)
	below, _ := floorOf(imported)
	_, right := allowedSiblings[[2]string{importer, imported}]
	switch {
	case right:
		return ""
	case below > above:
		return fmt.Sprintf("it is on a higher floor (%d over %d)", below, above)
	case below == above:
		return fmt.Sprintf(
			"siblings on floor %d: they meet in supervisor/app or worker/serve, through an interface",
			above,
		)
	}
	return ""
}

// floorOf returns the floor of a package. A package for tests is on the floor of the package that
// it helps to test.
func floorOf(pkg string) (floor int, ok bool) {
	if isTestPackage(pkg) {
		pkg = path.Dir(pkg)
	}
	if feature := featureOf(pkg); feature != "" && pkg == "mews/supervisor/"+feature {
		return featureFloor, true
	}
	longest := -1
	for pattern, f := range floors {
		if matchesPattern(pattern, pkg) && len(pattern) > longest {
			longest, floor = len(pattern), f
		}
	}
	return floor, longest >= 0
}

// isTestPackage reports whether a package is made for tests: xtest, in the folder of x.
func isTestPackage(pkg string) bool { return path.Base(pkg) == path.Base(path.Dir(pkg))+"test" }

func matchesPattern(pattern, pkg string) bool {
	root, all := strings.CutSuffix(pattern, "/...")
	return pkg == root || all && strings.HasPrefix(pkg, root+"/")
}

// chainTo returns a shortest chain of imports from a package to a package that matches the pattern,
// or nil.
func chainTo(imports map[string][]string, from, pattern string) []string {
	ways := [][]string{{from}}
	seen := map[string]bool{from: true}
	for len(ways) > 0 {
		way := ways[0]
		ways = ways[1:]
		last := way[len(way)-1]
		if matchesPattern(pattern, last) {
			return way
		}
		for _, next := range imports[last] {
			if !seen[next] {
				seen[next] = true
				ways = append(ways, append(slices.Clone(way), next))
			}
		}
	}
	return nil
}

// goList runs `go list` on packages of this module. A folder that has no Go file yet is no error.
func goList(t *testing.T, args ...string) []goPackage {
	t.Helper()
	args = append([]string{"list", "-e", "-json=ImportPath,GoFiles,Imports"}, args...)
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = moduleRoot(t)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, stderr.String())
	}
	var packages []goPackage
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p goPackage
		err := dec.Decode(&p)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v: read its answer: %v", cmd.Args, err)
		}
		packages = append(packages, p)
	}
	if len(packages) == 0 {
		t.Fatalf("%v: no package", cmd.Args)
	}
	return packages
}
