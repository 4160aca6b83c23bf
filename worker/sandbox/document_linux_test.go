package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/worker/sandbox/escape"
)

// escapesDocument is written by the tests and says what they have found.
var escapesDocument = filepath.Join(packageDir, "escapes.md")

const documentHead = `# Escapes

Each row is a real attempt to get out of a worker's walls: to read a secret, send a signal, make a socket, exceed a limit. A
worker of each tier makes them against real victims outside: another person's home, the state folder, a process of the
worker's own account with a secret in its environment, services on 127.0.0.1, on an abstract name and on a path, a set-uid
program. In the tier accounts the other person and the service have accounts of their own. In the other two everybody shares
one account, and only the walls separate them.

The tests write this file: MEWS_UPDATE_GOLDEN=1 go test -run TestEscapes ./worker/sandbox, as root. It is about the profile
worker. What a tool starts is behind a second layer of the same walls and escapes in no other row.

Known: F16 tells one boot of a machine from another, and nothing else. In the landlock tier other processes are listed with
the names of their descriptors (F6, F14), though nobody can look into them, a daemon lives until the spawner's next sweep
(X1), and the terminals are the host's, which the watchdog counts (Q5). Where people share an account in that tier, anybody can change the modes of all its files and see that its files exist,
which neither Landlock nor a filter can refuse; and the kernel counts processes by account, so the spawner leaves R2 to a
control group. In these only accounts or namespaces keep people apart.

`

const documentWalls = `
## Which walls hold a row

A row escapes when all the walls of a set are taken away, and any one of them alone stops it. The tests take them all away
and put each one back. Where there are two sets, either will do. Some rows are stopped by a bare kernel for everybody but
root; the walls refuse most of them once more.

- root: a root folder of its own, which starts empty; processes, network, users: namespaces of its own
- capabilities: it has none; no_new_privs: no program gives any (without it there is no Landlock and no filter)
- inotify: the bounds of its user namespace; limits; landlock; filter: of system calls; descriptors: inherited ones are
  closed; environment: it is made anew
- socket: the protocol is no pipe, which could be opened again; moved: it is on a descriptor that no child has; private: no
  process of the same account can look into the worker; input: a child gets none of the worker's descriptors

`

const documentPools = `
## What is counted for a machine or an account

These are the settings below /proc/sys (fs, kernel, net, vm, user) that bound something which everybody shares, and what keeps
one worker from taking all of it. A setting that is not named bounds a process, a socket or a namespace, or nothing.

| setting | counted for | what bounds a worker | rows |
|---|---|---|---|
`

const documentLife = `
## What a worker says, and how it lives

What else a hostile worker may do, and the tests that show what happens then.

`

// document is the whole file.
func document(found map[string]map[string]escape.Outcome) string {
	var b strings.Builder
	b.WriteString(documentHead)
	columns := []string{"accounts", "namespaces", "landlock"}
	fmt.Fprintf(&b, "| row | what | %s |\n|---|---|---|---|---|\n", strings.Join(columns, " | "))
	escapes := make([]int, len(columns))
	for _, p := range escape.Table() {
		fmt.Fprintf(&b, "| %s | %s |", p.Row, p.What)
		for i, name := range columns {
			cell := string(found[name][p.Row])
			if p.Watched {
				cell = "watchdog"
			}
			if cell == string(escape.Escaped) {
				cell = "**" + cell + "**"
				escapes[i]++
			}
			fmt.Fprintf(&b, " %s |", cell)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "| | escapes of %d | %d | %d | %d |\n", len(escape.Table()), escapes[0], escapes[1], escapes[2])
	b.WriteString(documentWalls)
	writeWalls(&b)
	b.WriteString(documentPools)
	for _, p := range pools {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", p.setting, p.whose, p.bound, strings.Join(p.rows, ", "))
	}
	b.WriteString(documentLife)
	for _, item := range life {
		tests := strings.Join(item.tests, ", ")
		if item.missing != "" {
			tests = strings.TrimPrefix(tests+"; **missing:** "+item.missing, "; ")
		}
		fmt.Fprintf(&b, "- %s: %s\n", item.what, tests)
	}
	return b.String()
}

func writeWalls(b *strings.Builder) {
	within, outside := behindNamespaces(), behindLandlock()
	b.WriteString("| row | namespaces | landlock |\n|---|---|---|\n")
	for _, p := range escape.Table() {
		fmt.Fprintf(b, "| %s | %s | %s |\n", p.Row, wallsCell(p, within, TierNamespaces),
			wallsCell(p, outside, TierLandlock))
	}
}

func wallsCell(p escape.Probe, table map[string][]walls, tier Tier) string {
	var sets []string
	row := p.Row
	for _, set := range table[row] {
		sets = append(sets, strings.Join(set, " + "))
	}
	known := map[Tier][]string{TierNamespaces: knownBehindNamespaces, TierLandlock: knownBehindLandlock}
	switch {
	case sets != nil:
		return strings.Join(sets, "; or ")
	case slices.Contains(known[tier], row):
		return "none: known"
	case p.Watched:
		return "the spawner's watchdog"
	case kernelAlone[row] != "":
		return "the kernel: " + kernelAlone[row]
	}
	return "the kernel: it takes a capability, and there is no user namespace to have it in"
}

func compareDocument(t *testing.T, got string) {
	t.Helper()
	if os.Getenv("MEWS_UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(escapesDocument, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(escapesDocument)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("escapes.md is not what was found; MEWS_UPDATE_GOLDEN=1 writes it:\n%s", diff)
	}
}

// lifeItem is something that a worker may do, and the tests of it: the folder of the package and
// the name.
type lifeItem struct {
	what    string
	tests   []string
	missing string
}

const badly = "supervisor/pool TestTheBadlyBehavedWorker"

var life = []lifeItem{
	{"a line beyond the limit", []string{"protocol TestEnds", "protocol TestFramesReadNoMoreThanTheLimit", badly}, ""},
	{"a line without end", []string{badly, "supervisor/pool TestALineWithoutEndIsCutIntoPieces"}, ""},
	{"half a line, and then nothing", []string{badly}, ""},
	{"broken UTF-8, lone surrogates, keys twice, deep nesting, 1e400, an id again",
		[]string{"protocol TestStrictRefuses", "protocol TestBrokenLines", "protocol FuzzStrict", "protocol FuzzConn",
			"protocol TestEnds"}, ""},
	{"an unknown method, or one in the wrong direction", []string{"supervisor/hostcall TestOffencesEndTheWorkerAndAreAudited",
		"supervisor/hostcall TestEventsThatNoHonestWorkerSends", badly}, ""},
	{"an answer to nothing that was asked", []string{"protocol TestEnds", "protocol TestASecondAnswerEndsTheConnection",
		badly}, ""},
	{"another person's turn, blob or picture", []string{"supervisor/hostcall TestOffencesEndTheWorkerAndAreAudited",
		"supervisor/hostcall TestABlobIsKeptAndReadByItsOwnPersonOnly",
		"supervisor/hostcall TestPicturesThatNoHonestWorkerNames"}, ""},
	{"an address that is not the world's, asked of the broker", nil, "there is no broker for the web yet"},
	{"a secret asked of the broker by name or template", nil, "there is no broker for the web yet"},
	{"data carried out in an address", nil, "there is no broker for the web yet"},
	{"a flood of messages", []string{badly, "supervisor/hostcall TestOfManyOffencesTheFirstIsAudited",
		"supervisor/hostcall TestProgressThatNoEyeCouldFollowIsDropped"}, ""},
	{"it stops reading", []string{badly, "protocol TestAPeerThatDoesNotReadIsLeft",
		"protocol TestTheReaderNeverWaitsForTheWriter"}, ""},
	{"it closes its socket and goes on", []string{badly}, ""},
	{"it floods its standard error, with escape sequences", []string{badly, "supervisor/pool TestAFloodIsLoggedInPart",
		"supervisor/pool FuzzEscape"}, ""},
	{"a daemon that holds the protocol", []string{"cmd/mews-worker TestNoChildCanHoldTheProtocol",
		"worker/spawn TestADaemonIsGoneBeforeItsWorkersEndIsReported"}, ""},
	{"thousands of orphans", []string{"worker/spawn TestManyDaemonsAtOnce", "worker/tool/shell TestAReaperBeside",
		"worker/spawn TestOrphans_TenThousand_AreReaped"}, ""},
	{"it stops itself (SIGSTOP)", []string{badly}, ""},
	{"it dies within a request", []string{"supervisor/session TestATurnWhoseWorkerDiesGoesOnFromItsLastCommittedStep",
		"worker/agent TestResumptionByEffect"}, ""},
	{"a path swapped for a link while it is opened", []string{"worker/workspace TestSwappedLinks",
		"worker/workspace TestOnlyRegularFilesAreOpened", "worker/spawn TestABindThatIsAnotherFolderByNowIsRefused"}, ""},
	{"hostile names of files", []string{"worker/tool/files TestListFiles", "worker/workspace FuzzPath",
		"worker/workspace TestLongNamesAreRefusedByTheSystemToo", "supervisor/hostcall TestAToolsLineIsMadeFitForATerminal"}, ""},
	{"files that the operator's own programs would execute (.git/hooks, .bashrc)", nil,
		"nothing keeps a worker from writing them; the operator is to run nothing in a person's folder"},
	{"the end of a worker while a tool runs", []string{"worker/spawn TestNothingOutlivesAWorkerBehindWalls",
		"supervisor/pool TestTheEndOfThePoolLeavesNothing"}, ""},
}

// TestTheTestsOfTheDocumentAreThere: a renamed test does not silently vanish from the document.
func TestTheTestsOfTheDocumentAreThere(t *testing.T) {
	for _, item := range life {
		if len(item.tests) == 0 && item.missing == "" {
			t.Errorf("%s: no test, and not said to be missing", item.what)
		}
		for _, test := range item.tests {
			dir, name, _ := strings.Cut(test, " ")
			if !declared(t, dir, name) {
				t.Errorf("%s: there is no %s", item.what, test)
			}
		}
	}
}

// declared says whether a package has a test.
func declared(t *testing.T, dir, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(packageDir, "..", "..", dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}
