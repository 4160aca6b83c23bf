package usage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"mews/supervisor"
	"mews/supervisor/modelcall"
	"mews/supervisor/sqlite/sqlitetest"
)

// fakeReserver records what is set aside, returned and settled.
type fakeReserver struct {
	done    []string
	refused error
}

func (r *fakeReserver) Reserve(_ context.Context, e modelcall.CostEstimate) (supervisor.Lease, error) {
	r.done = append(r.done, fmt.Sprint("reserve ", e.Spec, " ", e.MaxCost, " ", e.External))
	return supervisor.Lease{ID: 7}, r.refused
}

func (r *fakeReserver) ReturnLease(_ context.Context, lease int64) {
	r.done = append(r.done, fmt.Sprint("return ", lease))
}

func (r *fakeReserver) OnSettled(l supervisor.Lease, kept bool) {
	r.done = append(r.done, fmt.Sprint("settle ", l.ID, " ", kept))
}

// The price is set aside before the call. It is stored only if the server may charge for the call.
func TestPayExternal_Call_IsSettled(t *testing.T) {
	failed := errors.New("reset")
	const reserve = "reserve search/a 5000 true"
	for name, test := range map[string]struct {
		refused error
		charged bool
		failed  error
		done    []string
		usage   []string
	}{
		"answered": {nil, true, nil, []string{reserve, "call", "settle 7 true"},
			[]string{"search/a external 5000 -"}},
		"cut off": {nil, true, failed, []string{reserve, "call", "settle 7 true"},
			[]string{"search/a external 5000 network"}},
		"not asked": {nil, false, failed, []string{reserve, "call", "return 7"}, nil},
		"no money":  {failed, true, nil, []string{reserve}, nil},
	} {
		db, r := sqlitetest.Open(t), &fakeReserver{refused: test.refused}
		c, err := db.Conversations().FindOrCreate(t.Context(), "ann", supervisor.ChannelTerminal, "", "")
		if err != nil {
			t.Fatal(err)
		}
		p := Payer{Store: db.Usage(), Reserver: func(supervisor.Turn) MoneyReserver { return r }}
		err = p.PayExternal(t.Context(), supervisor.Turn{Conversation: c}, Charge{Name: "search/a", Price: 5000},
			func() (bool, error) {
				r.done = append(r.done, "call")
				return test.charged, test.failed
			})
		if want := test.refused != nil || test.failed != nil; errors.Is(err, failed) != want || !want && err != nil {
			t.Errorf("%s: got error %v", name, err)
		}
		if !slices.Equal(r.done, test.done) {
			t.Errorf("%s: got %q, want %q", name, r.done, test.done)
		}
		got := sqlitetest.QueryColumn(t, db, `SELECT spec || ' ' || purpose || ' ' || cost || ' ' ||
			coalesce(class, '-') FROM usage`)
		if !slices.Equal(got, test.usage) {
			t.Errorf("%s: stored %q, want %q", name, got, test.usage)
		}
	}
}
