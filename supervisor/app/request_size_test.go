package app_test

import (
	"regexp"
	"strings"
	"testing"

	"mews/supervisor/claim"
	"mews/supervisor/model/modeltest"
)

// allClaims has each kind once.
var allClaims = func() (list []claim.Claim) {
	for _, kind := range claim.Kinds {
		list = append(list, claim.Claim{Kind: kind})
	}
	return list
}()

// TestTheFirstRequestIsSmall: for "hi" everything that there is to say and every tool go to a model in less than 7,000 bytes, in
// both ways that models are spoken to.
func TestTheFirstRequestIsSmall(t *testing.T) {
	for kind, provider := range map[string]string{
		"openai": "{kind: openai, base_url: MODEL_URL}", "anthropic": "{kind: anthropic, api_key: k, base_url: MODEL_ROOT}",
	} {
		t.Run(kind, func(t *testing.T) {
			l := newGatedService(t, modeltest.Echo, "models: {default: test/claude-test, providers: {test: "+provider+"}}\n", "bob, totp: off")
			l.open()
			l.say("bob", "hi")
			l.last("bob", "echo: hi")
			body := string(l.model.Requests()[0].Raw)
			for _, part := range []string{"bob", "MEMORY.md", "telegram", "a file that you send is shown there", `"read_file"`, `"run_python"`, `"send_file"`, `"terminal"`} {
				if !strings.Contains(body, part) {
					t.Errorf("the request holds no %s", part)
				}
			}
			for _, m := range regexp.MustCompile(`"name":"([a-z_]+)"`).FindAllStringSubmatch(body, -1) {
				anything := func(bool) ([]string, error) { return m[1:], nil }
				if unverified, _ := claim.Unverified(allClaims, anything); len(unverified) == 0 {
					t.Errorf("what the tool %s may have done is not in claim's table", m[1])
				}
			}
			if t.Logf("the request has %d bytes", len(body)); len(body) >= 9000 {
				t.Errorf("the request has %d bytes, want below 9,000: %s", len(body), body)
			}
		})
	}
}
