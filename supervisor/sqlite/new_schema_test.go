package sqlite

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write schema.sql anew")

// schemaHeader begins schema.sql.
const schemaHeader = `-- The schema of a new database: the tables and indexes that all files in migration/ make together. To
-- change the schema, add a migration and run: go test ./supervisor/sqlite -run TestNewSchema -update
`

// listSchema lists the statements of a database's tables and indexes, tables first. SQLite makes
// sqlite_sequence itself.
const listSchema = `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name <> 'sqlite_sequence'
	ORDER BY type <> 'table', rowid`

// listContent lists all rows that the migrations themselves have made.
const listContent = `SELECT user || '/' || name || '=' || value FROM setting
	WHERE name <> 'checked' UNION ALL SELECT name || '#' || seq FROM sqlite_sequence WHERE seq > 0 ORDER BY 1`

// TestNewSchema_EqualsMigrations compares a new database with a database that got all migrations.
// No migration may add rows, except to tables of which it makes a copy.
func TestNewSchema_EqualsMigrations(t *testing.T) {
	kept := newSchema
	newSchema = ""
	migrated := newRig(t)
	defer migrated.run()()
	newSchema = kept
	statements := migrated.list(listSchema)
	if text := schemaHeader + strings.Join(statements, ";\n") + ";\n"; *update {
		if err := os.WriteFile("schema.sql", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		newSchema = text
	}
	created := newRig(t)
	defer created.run()()
	for _, query := range []string{listSchema, listContent, "PRAGMA user_version", "PRAGMA application_id"} {
		if d := cmp.Diff(migrated.list(query), created.list(query)); d != "" {
			t.Errorf("%s (-migrations +schema.sql; go test -run TestNewSchema -update writes it)\n%s", query, d)
		}
	}
}
