package main_test

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mews/supervisor/app/apptest"
)

// These tests check how the programs are linked.

// linkFlags matches the linker's flags in `make build`.
var linkFlags = regexp.MustCompile(`(?m)^build:.*\n\t.* -ldflags '(.*?)'`)

// maxProgramBytes limits the stripped size of each program. A program may grow with a capability,
// and then this table shows it. Before a limit is raised, `go tool nm -size -sort size` on the
// program without -s shows which packages it has grown by.
var maxProgramBytes = map[string]int64{
	"mews":         35_000_000,
	"mews-worker":  13_500_000,
	"mews-spawner": 3_100_000,
	"mews-update":  3_000_000,
}

// TestLinker_Programs_AreSmall looks for a function that calls methods by name, as text/template
// does. The linker can't know those names. So with one such function a program keeps every exported
// method of its types: 6 MB of mews. The test checks the sizes too.
func TestLinker_Programs_AreSmall(t *testing.T) {
	t.Parallel()
	makefile, err := os.ReadFile(filepath.Join(moduleRoot(t), "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	flags := linkFlags.FindSubmatch(makefile)
	if flags == nil || !strings.HasPrefix(string(flags[1]), "-s -w ") {
		t.Fatalf("make build does not link with -s -w: %q", flags)
	}
	folder := t.TempDir()
	for program, limit := range maxProgramBytes {
		cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-buildvcs=false",
			"-ldflags", string(flags[1])+" -dumpdep", "-o", folder, "./cmd/"+program)
		cmd.Dir, cmd.Env = moduleRoot(t), append(os.Environ(), "CGO_ENABLED=0")
		dump, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%.2000s", cmd.Args, err, dump)
		}
		chain, symbols := chainToReflection(bytes.NewReader(dump))
		if symbols < 1000 {
			t.Errorf("%s: the linker names %d symbols", program, symbols)
		}
		if chain != nil {
			t.Errorf("%s keeps every exported method, because the last of these calls methods by name:\n  %s",
				program, strings.Join(chain, "\n  "))
		}
		built, err := os.Stat(filepath.Join(folder, program))
		if err != nil {
			t.Fatal(err)
		}
		if built.Size() > limit {
			t.Errorf("%s has %d bytes, at most %d", program, built.Size(), limit)
		}
	}
}

func TestChainToReflection_IsFoundInLinkerDump(t *testing.T) {
	const dump = "# mews/cmd/mews\n" +
		"_ -> _rt0_amd64_linux\n_rt0_amd64_linux -> runtime.main\nruntime.main -> main.main\n" +
		"main.main -> type:main.T <UsedInIface>\ntype:main.T -> main.(*T).Run\nmain.(*T).Run -> main.main\n" +
		"main.(*T).Run -> text/template.(*state).evalField <ReflectMethod>\n" +
		"text/template.(*state).evalField <ReflectMethod> -> reflect.Value.MethodByName\n" +
		"type:reflect.Value <UsedInIface> -> reflect.(*Value).Method <UsedInIface><ReflectMethod>\n"
	chain, symbols := chainToReflection(strings.NewReader(dump))
	want := []string{"main.main", "type:main.T", "main.(*T).Run", "text/template.(*state).evalField"}
	if !slices.Equal(chain, want) || symbols != 8 {
		t.Errorf("got %q of %d symbols, want %q", chain, symbols, want)
	}
	if chain, _ := chainToReflection(strings.NewReader(strings.ReplaceAll(dump, "<ReflectMethod>", ""))); chain != nil {
		t.Errorf("without a mark: got %q", chain)
	}
}

// chainToReflection reads the linker's dump: each line is a symbol, and a symbol that it needs. It
// returns the chain from main to the first symbol with the mark ReflectMethod, and the number of
// symbols. Later marks don't matter, because they may be effects of the first mark.
func chainToReflection(dump io.Reader) (chain []string, symbols int) {
	from, marked := map[string]string{}, "" // from has, for each symbol, a symbol that needs it
	lines := bufio.NewScanner(dump)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		before, after, found := strings.Cut(lines.Text(), " -> ")
		if !found {
			continue
		}
		symbol, marks, _ := strings.Cut(after, " <")
		if _, known := from[symbol]; !known {
			from[symbol], _, _ = strings.Cut(before, " <")
		}
		if marked == "" && strings.Contains(marks, "ReflectMethod>") {
			marked = symbol
		}
	}
	for symbol := marked; symbol != "" && !slices.Contains(chain, symbol); symbol = from[symbol] {
		chain = append(chain, symbol)
		if symbol == "main.main" {
			break
		}
	}
	slices.Reverse(chain)
	return chain, len(from)
}

// TestStrippedProgram_StackTrace_HasLines: a program without symbols and DWARF still prints its
// stacks. SIGQUIT prints functions, files and lines as a panic does.
func TestStrippedProgram_StackTrace_HasLines(t *testing.T) {
	h := apptest.NewService(t, "", "ann")
	h.Start()
	h.KillWithStackDump()
	log, err := os.ReadFile(filepath.Join(h.Dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`\nmain\.runVerb\(.*\n\t.*cmd/mews/run\.go:[1-9]`).Match(log) {
		t.Errorf("no line of main.runVerb in\n%s", log)
	}
}
