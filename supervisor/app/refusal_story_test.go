package app_test

import (
	"strings"
	"testing"

	"mews/supervisor/model/modeltest"
)

// A message that the model refused leaves the history for good, with its tool calls. A model that
// still saw its refusal would refuse again. Earlier messages stay.
func TestModelRefusal_LeavesNoHistory(t *testing.T) {
	t.Parallel()
	declined := func(r modeltest.Request) bool { return strings.Contains(string(r.Raw), "poison") }
	l := newGatedService(t, func(r modeltest.Request) modeltest.Answer {
		switch {
		case declined(r) && len(r.AnsweredCalls()) == 0:
			return modeltest.Answer{Calls: []modeltest.Call{{Name: "list_files", Args: `{}`}}}
		case declined(r):
			return modeltest.Answer{Text: "I ", Stop: modeltest.StopReasonFilter}
		}
		return modeltest.Answer{Text: "You said: " + r.NewestUserMessage()}
	}, "models: {default: test/claude-test, providers: {test: {kind: anthropic, api_key: k, base_url: MODEL_ROOT}}}\n", "bob, totp: off")
	l.open()
	l.say("bob", "my cat is called Tom")
	l.awaitNewest("bob", "You said: my cat")
	l.say("bob", "brew me some poison")
	l.awaitNewest("bob", "declined to answer this", "I removed your question", "/new")
	for _, word := range []string{"at once", "later", "after a restart"} {
		if word == "after a restart" {
			l.shut()
			l.open()
		}
		l.say("bob", "hello "+word)
		l.awaitNewest("bob", "You said: hello "+word)
	}
	all := l.model.Requests()
	if newest := string(all[len(all)-1].Raw); !strings.Contains(newest, "Tom") || strings.Contains(newest, "list_files\",\"input") {
		t.Errorf("the newest request is %s", newest)
	}
}
