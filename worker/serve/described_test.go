package serve_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"mews/protocol"
	"mews/worker/host/hosttest"
	"mews/worker/serve"
)

var update = flag.Bool("update", false, "write testdata/tools.txt anew")

// TestTools_Descriptions_EqualGolden compares each tool with testdata/tools.txt, byte for byte. A
// provider's cache works only while the beginning of requests stays the same. A tool that is not in
// the file is new. With -update the test writes the file.
func TestTools_Descriptions_EqualGolden(t *testing.T) {
	const file = "testdata/tools.txt"
	s := startWorker(t, context.Background(), serve.Options{Start: (*exec.Cmd).Start, History: openHistory(t)})
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

// describe returns a tool in lines, as a model sees it.
func describe(tool protocol.Tool) string {
	return fmt.Sprintf(
		"%s\nfamily: %s\neffect: %s\n%s\n%s\n\n",
		tool.Name,
		tool.Family,
		tool.Effect,
		tool.Description,
		tool.Schema,
	)
}

// TestTools_OnlyDescribedArguments_AreAccepted calls each tool with all arguments of its schema and
// one more. Only the additional argument is refused. No tool runs.
func TestTools_OnlyDescribedArguments_AreAccepted(t *testing.T) {
	s := startWorker(t, context.Background(), serve.Options{Start: (*exec.Cmd).Start, History: openHistory(t)})
	var calls []protocol.ToolCall
	for _, tool := range s.hello().Tools {
		calls = append(calls, hosttest.ToolCall(tool.Name, tool.Name, sampleCall(t, tool)))
	}
	h := s.host(1, hosttest.CallMessage(calls...))
	if _, err := s.turn(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	for _, call := range calls {
		if result, _ := h.CallResult(call.ID); !strings.Contains(result.Text, `unknown field "not_described"`) {
			t.Errorf("%s of %s: %s", call.Name, call.Arguments, result.Text)
		}
	}
}

// samples are values of arguments by schema type; an argument without a type gets a text.
var samples = map[string]string{
	"string":  `"a"`,
	"integer": `1`,
	"number":  `0.5`,
	"boolean": `true`,
	"object":  `{}`,
	"":        `"a"`,
}

// sampleCall has a value for each argument of the tool's schema, and one more argument.
func sampleCall(t *testing.T, tool protocol.Tool) string {
	t.Helper()
	var schema struct {
		Properties map[string]struct {
			Type  string
			Items struct{ Type string }
		}
	}
	if err := json.Unmarshal(tool.Schema, &schema); err != nil {
		t.Fatal(err)
	}
	var arguments strings.Builder
	for name, p := range schema.Properties {
		sample := samples[p.Type]
		if p.Type == "array" {
			sample = "[" + samples[p.Items.Type] + "]"
		}
		fmt.Fprintf(&arguments, "%q:%s,", name, sample)
	}
	return "{" + arguments.String() + `"not_described":1}`
}
