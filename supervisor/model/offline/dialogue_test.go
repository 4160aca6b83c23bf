package offline

import (
	"strings"
	"testing"

	"mews/protocol"
)

// TestAskingBack are conversations in which something is missing at first.
func TestAskingBack(t *testing.T) {
	tests := []struct {
		name  string
		talk  []string // the person's messages, each followed by what the answer must contain
		calls []string
	}{
		{"a file to read", []string{"read the file", "Which file", "notes.md", "ok"},
			[]string{`read_file {"path":"notes.md"}`}},
		{"an answer in a sentence", []string{"read", "Which file", "the file called notes.md, please", "ok"},
			[]string{`read_file {"path":"notes.md"}`}},
		{"a name without an ending", []string{"read a file", "Which file", "Makefile", "ok"},
			[]string{`read_file {"path":"Makefile"}`}},
		{"a name with spaces", []string{"delete a file", "Which file", "my old list.txt, please", "ok"},
			[]string{`delete_file {"path":"old list.txt"}`}},
		{"a note", []string{"take a note", "What should the note say?", "buy milk, please", "Done"},
			[]string{`append_file {"content":"- buy milk, please\n","path":"notes.md"}`}},
		{"a note that reads as an order", []string{"take a note", "What should", "delete a.txt", "Done"},
			[]string{`append_file {"content":"- delete a.txt\n","path":"notes.md"}`}},
		{"two things, one after the other", []string{
			"create a file", "What should the file be called?", "a.txt", "What should I write into a.txt?",
			"hello there", "Done"},
			[]string{`write_file {"content":"hello there\n","overwrite":false,"path":"a.txt"}`}},
		{"three things", []string{"edit a file", "In which file?", "a.txt", "Which text in a.txt", "old",
			"in its place", "new", "Done"},
			[]string{`edit_file {"new_text":"new","old_text":"old","path":"a.txt"}`}},
		{"where to", []string{"rename a.txt", "What should a.txt be called", "b.txt", "Done"},
			[]string{`move_file {"from":"a.txt","to":"b.txt"}`}},
		{"words to search for", []string{"search", "What should I search for?", "oat milk", "oat milk"},
			[]string{`search_files {"query":"oat milk"}`}},
		{"taken back", []string{"delete a file", "Which file", "never mind", "leave everything", "notes.md",
			"did not understand"}, nil},
		{"taken back while text is asked for", []string{"take a note", "What should", "cancel", "leave everything"},
			nil},
		{"another request instead", []string{"read a file", "Which file", "what time is it", "ok"},
			[]string{`get_time {}`}},
		{"a question instead", []string{"delete a file", "Which file", "who are you?", "offline model"}, nil},
		{"no answer at all", []string{"delete a file", "Which file",
			"I am not quite sure which one it was any more", "did not understand"}, nil},
		{"all that is missing comes before anything is done", []string{
			"create a.txt with hello and then delete it; rename it", "I did nothing"}, nil},
		{"the first of two is whole, the second is not", []string{"read a.txt; move b.txt", "What should b.txt",
			"c.txt", "Done"},
			[]string{`read_file {"path":"a.txt"}`, `move_file {"from":"b.txt","to":"c.txt"}`}},
		{"a question answered long ago is forgotten", []string{"read a file", "Which file", "a.txt", "ok", "b.txt",
			"did not understand"},
			[]string{`read_file {"path":"a.txt"}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t, nil)
			for i := 0; i < len(tt.talk); i += 2 {
				if answer := c.say(tt.talk[i]); !strings.Contains(answer, tt.talk[i+1]) {
					t.Errorf("%q: got %q, want %q in it", tt.talk[i], answer, tt.talk[i+1])
				}
			}
			c.made(tt.calls...)
		})
	}
}

// TestAnotherModelsQuestionIsNotOurs: a model that was connected before may have asked something too.
func TestAnotherModelsQuestionIsNotOurs(t *testing.T) {
	c := newChat(t, nil)
	c.history = []protocol.Message{protocol.UserText("delete a file"), textMessage("Which of your files do you mean?")}
	if answer := c.say("a.txt"); !strings.Contains(answer, "did not understand") {
		t.Errorf("got %q", answer)
	}
	c.made()
}

// TestIt is what "it" stands for: the file that was last spoken of, in the message or before it.
func TestIt(t *testing.T) {
	c := newChat(t, nil)
	c.say("create a.txt with hello and then show it")
	c.say("rename it to b.txt")
	c.say("append bye to it")
	c.say("list my files")
	c.say("delete that file")
	c.made(
		`write_file {"content":"hello\n","overwrite":false,"path":"a.txt"}`,
		`read_file {"path":"a.txt"}`,
		`move_file {"from":"a.txt","to":"b.txt"}`,
		`append_file {"content":"bye\n","path":"b.txt"}`,
		`list_files {}`,
		`delete_file {"path":"b.txt"}`,
	)
}

func TestSeveralThingsInOneMessage(t *testing.T) {
	c := newChat(t, map[string]protocol.ToolResult{"read_file": ok("hello\n"),
		"write_file": ok("created a.txt, 6 bytes")})
	answer := c.say(`create a.txt with "hello"; read it; delete it`)
	for _, want := range []string{"Done: created a.txt, 6 bytes", "hello", "Done: ok"} {
		if !strings.Contains(answer, want) {
			t.Errorf("the answer does not say %q:\n%s", want, answer)
		}
	}
	if len(c.calls) != 3 {
		t.Errorf("%d calls, want 3", len(c.calls))
	}
}

func TestWhatFailsEndsTheRest(t *testing.T) {
	c := newChat(t, map[string]protocol.ToolResult{"move_file": failed("b.txt is there already")})
	answer := c.say("move a.txt to b.txt, then delete b.txt")
	if !strings.Contains(answer, "b.txt is there already") || !strings.Contains(answer, "did not go on") {
		t.Errorf("got %q", answer)
	}
	c.made(`move_file {"from":"a.txt","to":"b.txt"}`)
}

func TestRecall(t *testing.T) {
	c := newChat(t, nil)
	if answer := c.say("what did I just say?"); !strings.Contains(answer, "first message") {
		t.Errorf("got %q", answer)
	}
	greeting := c.say("good morning")
	if answer := c.say("what did I just say?"); !strings.Contains(answer, "good morning") {
		t.Errorf("got %q", answer)
	}
	c.say("good morning")
	if answer := c.say("say that again"); answer != greeting {
		t.Errorf("got %q, want %q", answer, greeting)
	}
}
