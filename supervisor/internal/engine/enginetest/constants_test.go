package enginetest

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSQLConstants_Parts_AreNoStatements(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.go": "package a\n\nimport \"fmt\"\n\n" +
		"const table = `person`\n\nconst (\n\tlist = `SELECT * FROM ` + (table)\n\tfind = list + ` WHERE name = " +
		"?`\n\tother = `no SQL`\n)\n\n" +
		"const drop = `DROP TABLE %d`\n\nvar made = fmt.Sprintf(drop, 1)\n",
		"a_test.go": "package a\n\nconst count = `SELECT count(*) FROM person`\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list, err := constants(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []constant{
		{"drop", "DROP TABLE %d", false},
		{"find", "SELECT * FROM person WHERE name = ?", true},
		{"list", "SELECT * FROM person", false},
	}
	if len(list) != len(want) {
		t.Fatalf("got %v, want %v", list, want)
	}
	for i := range want {
		if list[i] != want[i] {
			t.Errorf("got %v, want %v", list[i], want[i])
		}
	}
}
