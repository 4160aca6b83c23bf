package hostcall

import (
	"encoding/json"
	"testing"

	"mews/protocol"
	"mews/protocol/protocoltest"
)

// TestProtocolExamples_MatchCallTypes decodes the examples in the comments of package protocol's
// constants. Methods whose examples are in that package's transcript are skipped.
func TestProtocolExamples_MatchCallTypes(t *testing.T) {
	for method, example := range protocoltest.ReadMethodConstants(t, "../../protocol") {
		if len(example) == 0 {
			continue
		}
		r, known := core[method]
		if !known {
			continue // the method belongs to a feature, not to the core
		}
		params, err := r.decode(&protocol.Request{Method: method, Params: json.RawMessage(example[0])})
		if err != nil {
			t.Error(err)
		}
		said := []any{params}
		if r.newResult != nil {
			said = append(said, r.newResult())
		}
		if len(said) != len(example) {
			t.Errorf("the example of %s has %d lines, want %d", method, len(example), len(said))
			continue
		}
		for i, v := range said {
			if err := protocol.DecodeStrict([]byte(example[i]), v); err != nil {
				t.Errorf("%s: %s: %v", method, example[i], err)
			}
			if again, err := json.Marshal(v); err != nil || string(again) != example[i] {
				t.Errorf("%s: %s became %s (%v)", method, example[i], again, err)
			}
		}
	}
}
