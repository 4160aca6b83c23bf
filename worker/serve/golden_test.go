package serve_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"mews/protocol"
	"mews/worker/serve"
)

var update = flag.Bool("update", false, "write testdata/tools.txt anew")

// TestTools_Described_StayTheSame compares each tool with testdata/tools.txt, byte for byte: a
// provider's cache holds the beginning of a request only while that stays the same. A tool that the
// file does not have is new. With -update it writes the file.
func TestTools_Described_StayTheSame(t *testing.T) {
	const file = "testdata/tools.txt"
	s := startWorker(t, context.Background(), serve.Options{Start: (*exec.Cmd).Start})
	described := map[string]string{}
	var all strings.Builder
	for _, tool := range s.hello().Tools {
		described[tool.Name] = describe(tool)
		all.WriteString(describe(tool))
	}
	if *update {
		if err := os.WriteFile(file, []byte(all.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for want := range strings.SplitAfterSeq(string(kept), "\n\n") {
		name, _, _ := strings.Cut(want, "\n")
		if got := described[name]; got != want {
			t.Errorf("got  %swant %s", got, want)
		}
	}
}

// describe is a tool as a model is told of it, in lines.
func describe(tool protocol.Tool) string {
	return fmt.Sprintf("%s\nfamily: %s\neffect: %s\n%s\n%s\n\n", tool.Name, tool.Family, tool.Effect, tool.Description, tool.Schema)
}
