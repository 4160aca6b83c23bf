package app_test

import (
	"regexp"
	"strings"
	"testing"

	"mews/supervisor/claim"
	"mews/supervisor/model/modeltest"
)

// For each tool, including tools in families, the code knows which claims the tool supports.
func TestTools_EachTool_IsKnownToClaimCheck(t *testing.T) {
	t.Parallel()
	l := newGatedService(t, func(r modeltest.Request) modeltest.Answer {
		if last := r.Messages[len(r.Messages)-1]; last.Role == "tool" {
			return modeltest.Answer{Text: "found: " + last.Content}
		}
		return modeltest.Answer{Calls: []modeltest.Call{{Name: "find_tools", Args: `{}`}}}
	}, "", "bob, totp: off")
	l.open()
	l.say("bob", "hi")
	l.awaitNewest("bob", "found: ")
	names := regexp.MustCompile("[a-z]+_[a-z_]+|terminal").FindAllString(lastOf(l.told("bob")), -1)
	for _, tool := range l.model.Requests()[0].Tools {
		names = append(names, tool.Name)
	}
	for _, name := range names {
		anything := func(bool) ([]claim.Deed, error) { return []claim.Deed{{Tool: name}}, nil }
		if unverified, _ := claim.UnverifiedKinds(allClaims, anything); len(unverified) == 0 {
			t.Errorf("what the tool %s may have done is not in claim's table", name)
		}
	}
	if len(names) < 20 {
		t.Errorf("there are %q", names)
	}
}

// allClaims has a claim of each kind.
var allClaims = func() (list []claim.Claim) {
	for _, kind := range claim.DeedKinds {
		list = append(list, claim.Claim{Kind: kind})
	}
	return list
}()

// The request for the message "hi", with the prompt and all permanent tools, has at most 8,192
// bytes. This holds for both kinds of API. At most 5,600 of the bytes are tools.
func TestFirstModelRequest_IsAtMost8KiB(t *testing.T) {
	t.Parallel()
	for kind, provider := range map[string]string{
		"openai": "{kind: openai, base_url: MODEL_URL}", "anthropic": "{kind: anthropic, api_key: k, base_url: MODEL_ROOT}",
	} {
		t.Run(kind, func(t *testing.T) {
			l := newGatedService(t, modeltest.EchoScript,
				"models: {default: test/claude-test, providers: {test: "+provider+"}}\n", "bob, totp: off")
			l.open()
			l.say("bob", "hi")
			l.awaitNewest("bob", "echo: hi")
			body := string(l.model.Requests()[0].Raw)
			for _, part := range []string{"bob", "MEMORY.md", "telegram", "a file that you send is shown there", `"read_file"`, `"run_python"`, `"send_file"`, `"find_tools"`} {
				if !strings.Contains(body, part) {
					t.Errorf("the request holds no %s", part)
				}
			}
			definitions := 0
			for _, tool := range l.model.Requests()[0].Tools {
				definitions += len(tool.Name) + len(tool.Description) + len(tool.Schema)
			}
			if t.Logf("the tools have %d bytes", definitions); definitions > 5600 || strings.Contains(body, `"terminal"`) {
				t.Errorf("the tools have %d bytes, want at most 5,600, and of no family", definitions)
			}
			if t.Logf("the request has %d bytes", len(body)); len(body) > 8192 {
				t.Errorf("the request has %d bytes, want at most 8,192: %s", len(body), body)
			}
		})
	}
}
