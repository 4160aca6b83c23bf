package github_test

import (
	"encoding/json"
	"errors"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/github"
)

// TestReviewCalls_ActForNamedUserOrCaller checks for whom a review's calls act: the user whom they
// name, or else the user of the caller's account. Only the start of a review is audited.
func TestReviewCalls_ActForNamedUserOrCaller(t *testing.T) {
	refused := errors.New("refused")
	for _, c := range new(github.GitHub).Feature().Calls {
		audited := map[string]string{github.MethodReviewDiffPart: "", github.MethodReviewProgress: "",
			github.MethodReviewStart: github.MethodReviewStart}
		action, ours := audited[c.Name]
		if !ours {
			continue
		}
		for _, user := range []string{"", "bob"} {
			asked := 0
			by := feature.Caller{UserFor: func(name, audit string) (supervisor.User, error) {
				if asked++; name != user || audit != action {
					t.Errorf("%s for %q asks for %q, audited as %q", c.Name, user, name, audit)
				}
				return supervisor.User{}, refused
			}}
			params, _ := json.Marshal(map[string]string{"user": user})
			if _, err := c.Answer(t.Context(), by, &protocol.Request{Method: c.Name, Params: params}); asked != 1 ||
				!errors.Is(err, refused) {
				t.Errorf("%s for %q: asked %d times, %v", c.Name, user, asked, err)
			}
		}
	}
}
