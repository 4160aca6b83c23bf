package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/supervisor/api"
	sums "mews/supervisor/usage"
)

func TestUsageVerb_ShowsCostOfUsers(t *testing.T) {
	before := ask
	t.Cleanup(func() { ask = before })
	var asked []api.UsageQuery
	ask = func(_ context.Context, _, _ string, params, result any) error {
		q := params.(api.UsageQuery)
		asked = append(asked, q)
		*result.(*api.UsageReport) = api.UsageReport{User: q.User, Models: []sums.Line{{Name: "m", Calls: 1, Cost: 10_000}}}
		return nil
	}
	if out, _, err := verbRig(t, usageVerb); err != nil || !strings.HasPrefix(out, "everybody, since ") {
		t.Errorf("printed %q, error %v", out, err)
	}
	out, _, err := verbRig(t, usageVerb, "--user", "bob", "--days", "7", "--json")
	if err != nil || !strings.Contains(out, `"cost_microdollars": 10000`) || !strings.Contains(out, `"user": "bob"`) {
		t.Errorf("printed %q, error %v", out, err)
	}
	if diff := cmp.Diff([]api.UsageQuery{{Days: 30}, {User: "bob", Days: 7}}, asked); diff != "" {
		t.Error(diff)
	}
	for _, days := range []string{"0", "-1", "3661", "x"} {
		if _, errs, err := verbRig(t, usageVerb, "--days", days); !errors.Is(err, errMisuse) || errs == "" || len(asked) != 2 {
			t.Errorf("--days %s: error %v, said %q", days, err, errs)
		}
	}
}
