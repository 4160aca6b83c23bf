package api

import (
	"mews/supervisor/usage"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestUsageReport_Text_HasColumns(t *testing.T) {
	from := time.Date(2026, 10, 23, 0, 0, 0, 0, time.UTC)
	models := []usage.Line{
		{Name: "claude/claude-haiku-4-5", Calls: 1200, Input: 34_567_890, CacheRead: 30_765_422, Output: 91_000,
			Cost: 12_345_678},
		{Name: "far/m", Calls: 3, Input: 900, Output: 12, Cost: 1_500, Unpriced: 1},
		{Name: "", Calls: 2, Input: 7, Output: 7, Unpriced: 2},
	}
	for _, c := range []struct {
		name string
		in   UsageReport
		want string
	}{
		{"nothing", UsageReport{User: "ann", From: from}, "ann, since 2026-10-23: no model was asked anything\n"},
		{
			"one person's", UsageReport{User: "ann", From: from, Models: models[1:2]},
			`ann, since 2026-10-23

MODEL  CALLS  INPUT  FROM CACHE  OUTPUT     COST  WITHOUT A PRICE
far/m      3    900           0      12  $0.0015                1
`,
		},
		{
			"estimated", UsageReport{User: "ann", From: from, Models: []usage.Line{
				{Name: "far/m", Calls: 3, Input: 900, Output: 12, Cost: 1_500, Estimated: true},
				{Name: "far/n", Calls: 1, Input: 1, Output: 1, Cost: 5}}},
			`ann, since 2026-10-23

MODEL  CALLS  INPUT  FROM CACHE  OUTPUT      COST
far/m      3   ~900           0     ~12  ~$0.0015
far/n      1      1           0       1   $0.0001
all        4   ~901           0     ~13  ~$0.0015
~ means about: the use of calls that were stopped or broke off is estimated.
`,
		},
		{
			"everybody's",
			UsageReport{From: from, Models: models,
				Users: []usage.Line{{Name: "ann", Calls: 1205, Cost: 12_347_178}, {Name: "bö\x1bb"}}},
			`everybody, since 2026-10-23

MODEL                    CALLS       INPUT  FROM CACHE  OUTPUT     COST  WITHOUT A PRICE
claude/claude-haiku-4-5  1,200  34,567,890  30,765,422  91,000   $12.35                0
far/m                        3         900           0      12  $0.0015                1
(without a name)             2           7           0       7        -                2
all                      1,205  34,568,797  30,765,422  91,019   $12.35                3

USER  CALLS  INPUT  FROM CACHE  OUTPUT    COST
ann   1,205      0           0       0  $12.35
böb       0      0           0       0   $0.00
all   1,205      0           0       0  $12.35
`,
		},
	} {
		if diff := cmp.Diff(c.want, c.in.Text()); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}
