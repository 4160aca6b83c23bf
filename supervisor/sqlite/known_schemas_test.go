package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ncruces/go-sqlite3"

	"mews/supervisor/internal/engine"
)

// form is the list of migration files that one build had.
type form []string

// forms returns the lists of files that builds may have applied up to a version. Each list has at
// least one file of testdata/variant. Its other files are the program's.
func forms(t *testing.T, version int) (all []form) {
	t.Helper()
	names, err := fs.Glob(migrations, "migration/*")
	if err != nil {
		t.Fatal(err)
	}
	all = []form{nil}
	for _, name := range names[:version] {
		base := strings.TrimSuffix(filepath.Base(name), ".sql")
		others, err := filepath.Glob("testdata/variant/" + base + "_*.sql")
		if err != nil {
			t.Fatal(err)
		}
		var longer []form
		for _, f := range all {
			for _, file := range append(others, name) {
				longer = append(longer, append(slices.Clone(f), file))
			}
		}
		all = longer
	}
	all = all[:len(all)-1]                            // the last form has only the program's files
	return slices.DeleteFunc(all, func(f form) bool { // migration 0041 replaces 0040's tables: one 0042 suffices
		return version == 42 && strings.Contains(f[39], "variant") && !strings.Contains(f[41], "_01")
	})
}

// make makes a database at path with the migration files of the form.
func (f form) make(t *testing.T, path, rows string) error {
	t.Helper()
	var all strings.Builder
	all.WriteString("PRAGMA synchronous = off; PRAGMA journal_mode = off;")
	for _, file := range f {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(append(body, ";\n"...))
	}
	fmt.Fprintf(&all, "PRAGMA application_id = %d; PRAGMA user_version = %d;", 0x4d455753, len(f))
	conn, err := sqlite3.Open("file:" + path)
	if err != nil {
		t.Fatal(err)
	}
	return errors.Join(conn.Exec(all.String()), conn.Exec(rows), conn.Close())
}

// rowsOf has rows of the tables in which the variants differ, by version. The newest job was
// deleted, and no later job may get its id.
var rowsOf = map[int]string{
	40: rowsOfConversation + `INSERT INTO job (id, user, kind, state, text, rule, zone, conversation, inbound, since, next, created_at, changed_at)
			VALUES (3, 'alice', 'reminder', 'active', 'Tea', '{}', '', 1, 1, 1, 5, 1, 1), (4, 'alice', 'reminder',
				'done', 'Milk', '{}', '', 1, 2, 1, NULL, 1, 1);
		INSERT INTO fire (job, due, user, state, fired_at) VALUES (3, 1, 'alice', 'said', 1), (3, 2, 'alice', 'failed',
			2)`,
	41: rowsOfConversation + rowsOfJobs,
	42: rowsOfConversation + rowsOfJobs + `INSERT INTO job_seen VALUES (3, 'alice', '{"a":1}', 7);
		INSERT INTO held_notice (id, user, conversation, text, due_at, created_at) VALUES (1, 'alice', 1, 'At night', 9,
			8), (2, 'alice', 1, 'Later', 10, 9),
			(6, 'alice', 1, 'Never', 10, 9);
		DELETE FROM held_notice WHERE id = 6;
		INSERT INTO outbox (id, user, conversation, kind, text, created_at) VALUES (2, 'alice', 1, 'notice',
			'Is it so?', 5), (8, 'alice', 1, 'notice', 'No', 6);
		INSERT INTO question (id, digest, user, conversation, kind, subject, text, delivery, stands, created_at)
			VALUES (1, hex(zeroblob(32)), 'alice', 1, 'budget', hex(zeroblob(32)), 'Is it so?', 2, 1000, 5);
		DELETE FROM outbox WHERE id = 8`,
}

const (
	rowsOfConversation = `INSERT INTO conversation (id, user, channel, chat, thread, created_at)
		VALUES (1, 'alice', 'terminal', '', '', 1);`
	rowsOfJobs = `
		INSERT INTO job (id, user, kind, state, text, rule, zone, conversation, made_by, since, next, created_at,
			changed_at)
			VALUES (3, 'alice', 'reminder', 'active', 'Tea', '{}', '', 1, 'a', 1, 5, 1, 1), (4, 'alice', 'agent',
				'done', 'Milk', '{}', '', 1, 'b', 1, NULL, 1, 1),
			(9, 'alice', 'agent', 'done', 'Gone', '{}', '', 1, 'c', 1, NULL, 1, 1);
		INSERT INTO fire (job, due, user, state, begin_at, inbound, fired_at) VALUES (3, 2, 'alice', 'claimed', 5, NULL,
			1),
			(3, 1, 'alice', 'said', NULL, NULL, 2), (4, 1, 'alice', 'running', NULL, 77, 3);
		DELETE FROM job WHERE id = 9;`
)

// contents returns the rows of all tables except setting, in the given columns of each table. If
// columns is nil, it takes all columns and returns their names in all. The last line has the
// sequences.
func contents(t *testing.T, path string, columns map[string][]string) (lines []string, all map[string][]string) {
	t.Helper()
	conn, err := sqlite3.Open("file:" + path)
	if err != nil {
		t.Fatal(err)
	}
	query := func(query string) (found []string) {
		s, _, err := conn.Prepare(query)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		for s.Step() {
			found = append(found, s.ColumnText(0))
		}
		if err := errors.Join(s.Err(), s.Close()); err != nil {
			t.Fatal(err)
		}
		return found
	}
	all = map[string][]string{}
	for _, table := range query(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'
		AND name <> 'setting' ORDER BY name`) {
		all[table] = query(`SELECT name FROM pragma_table_info('` + table + `')`)
		chosen := all[table]
		if columns != nil {
			chosen = columns[table]
		}
		var quoted []string
		for _, column := range chosen {
			if slices.Contains(all[table], column) {
				quoted = append(quoted, `'`+column+`=' || quote("`+column+`")`)
			}
		}
		if len(quoted) > 0 {
			rows := fmt.Sprintf(`SELECT '%s: ' || %s FROM "%[1]s" ORDER BY 1`, table, strings.Join(quoted, `|| ' ' ||`))
			lines = append(lines, query(rows)...)
		}
	}
	lines = append(lines, query(`SELECT name || ' ' || seq FROM sqlite_sequence WHERE seq > 0 ORDER BY 1`)...)
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	return lines, all
}

// Databases of builds that stored no digests of migrations can be opened. They get the right schema
// and keep their rows.
func TestOpen_KnownSchema_IsRepaired(t *testing.T) {
	fresh := newRig(t)
	want := schema(fresh)
	fresh.run()()
	tried := 0
	for _, version := range []int{40, 41, 42} {
		for _, f := range forms(t, version) {
			if version == 42 && strings.Contains(f[40], "variant") {
				continue // no variant of 0042 can follow this form
			}
			tried++
			name := fmt.Sprint(filepath.Base(f[39]), filepath.Base(f[version-1]))
			path := filepath.Join(t.TempDir(), "mews.db")
			if err := f.make(t, path, rowsOf[version]); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			before, columns := contents(t, path, nil)
			r := newRigAt(t, path)
			stop := r.run()
			if d := cmp.Diff(want, schema(r)); d != "" {
				t.Errorf("%s: (-fresh +repaired)\n%s", name, d)
			}
			r.same(name+" dangling", r.count("SELECT count(*) FROM pragma_foreign_key_check"), 0)
			stop()
			after, _ := contents(t, path, columns)
			if version == 40 { // 0041 gives the rows other columns; the last ids in sqlite_sequence stay
				before, after = before[len(before)-2:], after[len(after)-2:]
			}
			if d := cmp.Diff(before, after); d != "" {
				t.Errorf("%s: (-before +after)\n%s", name, d)
			}
			r = newRigAt(t, path) // the repaired database now opens like any other
			r.run()()
		}
	}
	if tried != 15 {
		t.Errorf("%d databases were tried", tried)
	}
}

// No form of 0042 can follow a variant of 0041, so the build stopped there. No database has both.
func TestSchemaVariants_NextMigration_Fails(t *testing.T) {
	n := 0
	for _, f := range forms(t, 42) {
		if strings.Contains(f[40], "variant") {
			n++
			err := f.make(t, filepath.Join(t.TempDir(), "mews.db"), "")
			if err == nil || !strings.Contains(err.Error(), "material") {
				t.Errorf("%s: %v", f[39:], err)
			}
		}
	}
	if n != 12 {
		t.Errorf("%d were tried", n)
	}
}

func TestKnownSchemas_ListEachVariant(t *testing.T) {
	var got []string
	for _, version := range []int{40, 41, 42} {
		for _, f := range forms(t, version) {
			path := filepath.Join(t.TempDir(), "mews.db")
			if err := f.make(t, path, ""); err != nil {
				continue
			}
			db, err := engine.Open(t.Context(), path, engine.Options{Migrations: migrations})
			if err == nil { // this form makes the program's own schema
				if err := db.Close(); err != nil {
					t.Error(err)
				}
				continue
			}
			problem, facts := engine.ProblemOf(err)
			if problem != engine.ProblemOtherMigrations || len(facts) != 3 {
				t.Fatalf("%s: %v", f[39:], err)
			}
			if digest := fmt.Sprint(facts[2]); !slices.Contains(got, digest) {
				got = append(got, digest)
			}
		}
	}
	if d := cmp.Diff(knownSchemas, got); d != "" {
		t.Errorf("(-listed +made)\n%s", d)
	}
}
