package usage

import (
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// A conversation counts as free if only free models have answered in it.
func TestSumUsage_ByConversation_MarksFreeOnes(t *testing.T) {
	db := sqlitetest.Open(t)
	s := Calculator{Store: db.Usage(), Conversations: db.Conversations(),
		Free: func(spec string) bool { return spec == "near/m" }}
	for chat, specs := range map[string][]string{"1": {"near/m", "near/m"}, "2": {"near/m", "far/m"}, "3": {"far/m"}} {
		c, err := db.Conversations().FindOrCreate(t.Context(), "ann", supervisor.ChannelTerminal, chat, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range specs {
			nothing := int64(0)
			call := sqlite.ModelCall{User: "ann", Conversation: c.ID, Spec: spec, Cost: &nothing,
				Usage: protocol.Usage{Input: 10, Output: 1}}
			if err := db.Usage().PutCall(t.Context(), call); err != nil {
				t.Fatal(err)
			}
		}
	}
	lines, err := s.SumUsage(t.Context(), "ann", supervisor.TimeSpan{}, "conversation")
	if err != nil || len(lines) != 3 {
		t.Fatalf("%+v, %v", lines, err)
	}
	for _, l := range lines {
		if want := map[bool]string{true: textFree, false: "$0.00"}[l.Name == "terminal 1"]; l.FormatCost() != want {
			t.Errorf("%s costs %s, want %s", l.Name, l.FormatCost(), want)
		}
	}
}
