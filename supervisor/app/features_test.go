package app

import (
	"slices"
	"testing"

	"mews/protocol/protocoltest"
	"mews/supervisor/admin"
	"mews/supervisor/api"
	"mews/supervisor/approval"
	"mews/supervisor/feature"
	"mews/supervisor/feature/featuretest"
	"mews/supervisor/hostcall"
)

func TestHostCalls_EveryExample_MatchesParams(t *testing.T) {
	calls := collect(describeFeatures(), func(f feature.Feature) []feature.HostCall { return f.HostCalls })
	table, err := hostcall.NewCallTable(calls...)
	if err != nil {
		t.Fatal(err)
	}
	all := table.Methods()
	for method, example := range protocoltest.ReadMethodConstants(t, "../../protocol") {
		if len(example) > 0 && !slices.Contains(all, method) {
			t.Errorf("%s has an example, and no row", method)
		}
	}
	for _, f := range describeFeatures() {
		featuretest.CheckHostCallExamples(t, f, "../..")
	}
}

func TestFeatures_Names_AreUnique(t *testing.T) {
	taken := map[string]bool{}
	take := func(kind, name string) {
		if name = kind + " " + name; taken[name] {
			t.Errorf("there are two: %s", name)
		}
		taken[name] = true
	}
	for effect := range approval.CoreEffects() {
		take("effect", effect)
	}
	s := newTwoPersonService(t)
	list, err := s.settings.List(t.Context(), "ann")
	must(t, err)
	for _, row := range list {
		take("setting", row.Name)
	}
	s.audit = admin.NewAuditWriter(s.db.Audit(), s.log)
	s.admins = &admin.Service{}
	methods, err := s.methods(api.StatusReporter{})
	must(t, err)
	for call := range methods {
		take("call", call)
	}
	for _, f := range describeFeatures() {
		take("feature", f.Name)
		for _, call := range f.Calls {
			take("call", call.Name)
		}
		for _, e := range f.Effects {
			take("effect", e.Name)
		}
		for _, row := range f.Settings {
			take("setting", row.Name)
		}
		for _, p := range f.Parts {
			take("part", p.Name)
		}
	}
}
