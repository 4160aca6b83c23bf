package offline

import (
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor"
)

// TestAskUser_EachResult_IsAnswered checks what the model says and does after its question.
func TestAskUser_EachResult_IsAnswered(t *testing.T) {
	const advice = ": do what is safe, and say what you have assumed."
	instead := func(who, words string) string {
		return who + supervisor.NonAnswerPrefix + words + supervisor.NonAnswerSuffix + " with that. Ask again."
	}
	for name, c := range map[string]struct {
		result protocol.ToolResult
		want   string
		calls  []string // calls after the question
	}{
		"answered": {ok("They chose: blue"), "They chose: blue", nil},
		"skipped": {ok("They" + supervisor.SkippedQuestionText + " Go on without an answer" + advice), "Skipped.",
			nil},
		"skipped in a group": {ok("ann" + supervisor.SkippedQuestionText + " Go on without an answer" + advice),
			"Skipped.", nil},
		"expired": {ok("They have not answered in time. Go on without an answer" + advice),
			"They have not answered in time.", nil},
		"other order": {ok(instead("They", "list my files")), "This is in your folder:", []string{"list_files {}"}},
		"other order in a group": {ok(instead("ann", "list my files")), "This is in your folder:",
			[]string{"list_files {}"}},
		"other question": {ok(instead("They", "what can you do?")), textHelp, nil},
		"unknown words":  {ok(instead("They", "never mind")), textUnknown, nil},
		"words with the same end": {ok(instead("They", "note: a"+supervisor.NonAnswerSuffix+" b")), "Done: ok",
			[]string{`append_file {"content":"- a\n  \n  Go on b\n","path":"notes.md"}`}},
		"an answer that looks like it": {ok("They answered: x" + instead("", "list my files")),
			"They answered: x did not", nil},
		"a failed call": {failed(instead("They", "list my files")), "I could not ask you", nil},
	} {
		t.Run(name, func(t *testing.T) {
			talk := newChat(t, map[string]protocol.ToolResult{"ask_user": c.result, "list_files": ok("a.md")})
			talk.extraCalls = 1
			got := talk.say("ask me which color: red or blue")
			if !strings.HasPrefix(got, c.want) || strings.Contains(got, "what you have assumed") {
				t.Errorf("said %q, want %q", got, c.want)
			}
			talk.wantCalls(append([]string{
				`ask_user {"kind":"choice","options":["red","blue"],"question":"Which color?"}`}, c.calls...)...)
		})
	}
}
