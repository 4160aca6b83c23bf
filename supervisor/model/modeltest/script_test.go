package modeltest

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// turn runs a script with tools until it makes no calls. It returns the calls and the last answer.
func turn(t *testing.T, script Script, asked string, tool func(n int, c Call) string) (made []string, last Answer) {
	t.Helper()
	r := Request{Messages: []Message{
		{Role: "user", Content: "write old to old.txt"},
		{Role: "assistant", Calls: []Call{{ID: "call_1", Name: "write_file", Args: "{}"}}},
		{Role: "tool", CallID: "call_1", Content: "error: from another turn"},
		{Role: "assistant", Content: "failed"},
		{Role: "user", Content: asked},
	}}
	for range 50 {
		a := script(r)
		if len(a.Calls) == 0 {
			return made, a
		}
		r.Messages = append(r.Messages, Message{Role: "assistant", Calls: a.Calls})
		for _, c := range a.Calls {
			made = append(made, c.Name+" "+c.Args)
			r.Messages = append(r.Messages, Message{Role: "tool", CallID: c.ID, Content: tool(len(made), c)})
		}
	}
	t.Fatal("the script calls tools without end")
	return nil, Answer{}
}

func fine(int, Call) string { return "ok" }

func TestFileWriterScript_FollowsCommands(t *testing.T) {
	unknownOnce := func(n int, c Call) string {
		if n == 1 {
			return "error: interrupted: the outcome of this call is unknown; look before doing it again"
		}
		return "1: milk"
	}
	const milk = `append_file {"content":"milk\n","path":"a.txt"}`
	const look = `read_file {"path":"a.txt"}`
	cases := []struct {
		name, asked string
		tool        func(int, Call) string
		made        []string
		text        string
	}{
		{"appends", "append milk to a.txt", fine, []string{milk}, "done: append milk to a.txt"},
		{"writes", "write a to b to c.txt", fine,
			[]string{`write_file {"content":"a to b\n","overwrite":true,"path":"c.txt"}`},
			"done: write a to b to c.txt"},
		{"a command a line", "append milk to a.txt\nread a.txt", fine, []string{milk, look},
			"done: append milk to a.txt\nread a.txt"},
		{"steps", "steps 2", fine, []string{`list_files {"limit":1}`, `list_files {"limit":2}`}, "done: steps 2"},
		{"words", "say hello", fine, nil, "done: say hello"},
		{"failures are told", "read a.txt", func(int, Call) string { return "error: no such file" }, []string{look},
			"failed: no such file"},
		{"an unknown outcome, and it was done", "append milk to a.txt", unknownOnce, []string{milk, look},
			"done: append milk to a.txt"},
		{"an unknown outcome, and it was not done", "append lk to a.txt",
			func(n int, c Call) string { return strings.Replace(unknownOnce(n, c), "milk", "lko", 1) },
			[]string{strings.Replace(milk, "milk", "lk", 1), look, strings.Replace(milk, "milk", "lk", 1)},
			"done: append lk to a.txt"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			made, last := turn(t, FileWriterScript, c.asked, c.tool)
			if fmt.Sprint(made) != fmt.Sprint(c.made) || last.Text != c.text {
				t.Errorf("made %s\nwant %s\nsaid %q", made, c.made, last.Text)
			}
		})
	}
}

func TestFileWriterScript_FailCommand_Fails(t *testing.T) {
	if _, a := turn(t, FileWriterScript, "hang", fine); !a.Hang {
		t.Errorf("hang: %+v", a)
	}
	if made, a := turn(t, FileWriterScript, "steps 1\nfail", fine); a.Status != 500 || len(made) != 1 {
		t.Errorf("fail: %v, %+v", made, a)
	}
}

func TestSimpleScripts_AnswerAsDocumented(t *testing.T) {
	if _, a := turn(t, EchoScript, "hello", fine); a.Text != "echo: hello" {
		t.Errorf("echo: %+v", a)
	}
	if a := AnswerOKScript(Request{}); a.Text != "ok" {
		t.Errorf("instant: %+v", a)
	}
	if a := SlowScript(EchoScript, 2, time.Second)(Request{}); a.Chunk != 2 || a.Delay != time.Second ||
		a.Text != "echo: " {
		t.Errorf("paced: %+v", a)
	}
}
