package app

import (
	"slices"
	"testing"

	"mews/protocol/protocoltest"
	"mews/supervisor/feature"
	"mews/supervisor/feature/featuretest"
	"mews/supervisor/hostcall"
)

func TestHostCalls_EveryExample_IsOfItsRow(t *testing.T) {
	calls := rows(describe(), func(f feature.Feature) []feature.HostCall { return f.HostCalls })
	table, err := hostcall.NewTable(calls...)
	if err != nil {
		t.Fatal(err)
	}
	all := table.Methods()
	for method, example := range protocoltest.Methods(t, "../../protocol") {
		if len(example) > 0 && !slices.Contains(all, method) {
			t.Errorf("%s has an example, and no row", method)
		}
	}
	for _, f := range describe() {
		featuretest.CheckExamples(t, f, "../..")
	}
}
