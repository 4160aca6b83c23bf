package admin

import (
	"fmt"
	"testing"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor/sqlite"
)

func TestAuditWriter_Flood_IsBoundedAndCounted(t *testing.T) {
	a := NewAuditWriter(sqlite.Audit{}, hclog.NewNullLogger())
	for i := range 1500 {
		a.RecordAction("ann", "worker.offence", fmt.Sprint(i))
	}
	rows := a.TakeRows()
	if len(rows) != 1001 || rows[999].Detail != "999" {
		t.Fatalf("%d rows wait", len(rows))
	}
	want := sqlite.AuditEntry{Action: "audit.dropped", Detail: "500 rows came faster than the disk took them"}
	if rows[1000] != want {
		t.Errorf("the last is %+v", rows[1000])
	}
	if a.RecordAction("ann", "worker.offence", "again"); len(a.TakeRows()) != 1 {
		t.Error("the count was kept twice")
	}
}
