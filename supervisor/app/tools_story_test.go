package app_test

import (
	"fmt"
	"strings"
	"testing"

	"mews/supervisor/model/modeltest"
)

// uploadModel opens the family of uploads when a message asks for that, and then uses its tools.
// Otherwise it repeats the message.
func uploadModel(r modeltest.Request) modeltest.Answer {
	last := r.Messages[len(r.Messages)-1]
	offered := false
	for _, tool := range r.Tools {
		offered = offered || tool.Name == "list_uploads"
	}
	switch {
	case last.Role == "tool" && len(r.AnsweredCalls()) == 1 && offered && strings.Contains(r.NewestUserMessage(),
		"first"):
		return modeltest.Answer{Calls: []modeltest.Call{{Name: "list_uploads", Args: `{}`}}}
	case last.Role != "tool" && strings.Contains(r.NewestUserMessage(), "first"):
		return modeltest.Answer{Calls: []modeltest.Call{{Name: "find_tools", Args: `{"words":"uploads"}`}}}
	case last.Role != "tool" && strings.Contains(r.NewestUserMessage(), "uploads"):
		return modeltest.Answer{Calls: []modeltest.Call{{Name: "list_uploads", Args: `{}`}}}
	}
	return modeltest.Answer{Text: "You said: " + r.NewestUserMessage()}
}

// At least 85 % of the input comes from the provider's cache, although a family of tools is opened
// halfway. If the model accepts references, the tools are added by reference, otherwise at the end
// of the list.
func TestTwentyTurns_ReadPromptFromCache(t *testing.T) {
	t.Parallel()
	for name, provider := range map[string]string{
		"claude-sonnet-4-5": "{kind: anthropic, api_key: k, base_url: MODEL_ROOT}", "gpt-test": "{kind: openai, base_url: MODEL_URL}",
	} {
		t.Run(name, func(t *testing.T) {
			l := newGatedService(t, uploadModel, "models: {default: test/"+name+", providers: {test: "+provider+"}}\n", "bob, totp: off")
			l.open()
			for turn := range 20 {
				text := fmt.Sprintf("what do you think of thing %d", turn)
				switch turn {
				case 10:
					text = "list the first uploads, please"
				case 15:
					text = "list my uploads again"
				}
				l.say("bob", text)
				l.awaitNewest("bob", "You said: "+text)
			}
			spent := l.model.TotalUsage()
			t.Logf("%s: %d calls, %d tokens in, %.1f %% of them from the cache", name, spent.Calls, spent.Input,
				100*spent.CacheReadShare())
			if spent.Calls != 23 || spent.CacheReadShare() < 0.85 {
				t.Errorf("%d calls, %.3f of %d tokens from the cache; want 23, and 0.85", spent.Calls,
					spent.CacheReadShare(), spent.Input)
			}
			l.say("bob", "/tools keep activity")
			l.awaitNewest("bob", "the tools of activity stay open")
			l.say("bob", "hello")
			l.awaitNewest("bob", "You said: hello")
			offered := l.model.Requests()[23].Tools
			if got := offered[len(offered)-1].Name; got != "read_activity_log" && name == "gpt-test" || !strings.Contains(fmt.Sprint(offered), "read_activity_log") {
				t.Errorf("the last tool is %s", got)
			}
		})
	}
}
