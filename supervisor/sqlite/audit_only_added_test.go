package sqlite

import (
	"strings"
	"testing"
)

func TestAuditTable_UpdateOrDelete_Fails(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	if err := r.db.Audit().Append(t.Context(), "alice", "login", ""); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"DELETE FROM audit", "UPDATE audit SET user = 'bob'"} {
		err := r.write(func(t *tx) error { return t.Query(nil, query) })
		if err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: %v", query, err)
		}
	}
}
