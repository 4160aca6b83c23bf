package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/ncruces/go-sqlite3"
)

// schemaObject is a table, an index, a view or a trigger, as SQLite stores it.
type schemaObject struct {
	kind, name, table, sql string
	columns                []schemaColumn // columns of a table; empty for other kinds
}

// schemaColumn is a column of a table: its name, and a definition that can be compared.
type schemaColumn struct{ name, definition string }

func (o schemaObject) String() string { return o.kind + " " + o.name }

// schema lists the objects of a database in the order in which they were made.
type schema []schemaObject

const (
	listObjects = `SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\_%' ESCAPE '\'
		ORDER BY type <> 'table', rowid`
	listStatements = `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\_%' ESCAPE '\'`
	listColumns    = `SELECT name, type || ' ' || "notnull" || ' ' || coalesce(dflt_value, '') || ' ' || pk || ' ' || hidden
		FROM pragma_table_xinfo(?) ORDER BY cid`
)

// schema reads the database's schema. Tables come first.
func (c *connection) schema() (s schema, err error) {
	q := &Tx{conn: c}
	s, err = AllRows(q, func(r *Row) (o schemaObject) { r.Scan(&o.kind, &o.name, &o.table, &o.sql); return o },
		listObjects)
	for i := range s {
		if err == nil && s[i].kind == "table" {
			s[i].columns, err = AllRows(q, func(r *Row) (c schemaColumn) { r.Scan(&c.name, &c.definition); return c },
				listColumns, s[i].name)
		}
	}
	return s, err
}

// hasNewSchema reports whether the database has exactly the objects of Options.NewSchema, which is
// the schema at the newest version. Every start calls it, so it compares only texts. Without
// NewSchema, or at an older version, it returns false.
func (c *connection) hasNewSchema(o Options, version int) (bool, error) {
	names, _, err := c.versions(o.Migrations)
	if err != nil || o.NewSchema == "" || version != len(names) {
		return false, err
	}
	objects, same := 0, true
	err = c.run(func(r *Row) bool {
		var statement string
		r.Scan(&statement)
		objects++
		same = strings.Contains(o.NewSchema, statement+";\n")
		return same
	}, listStatements, nil)
	return same && objects == strings.Count("\n"+o.NewSchema, "\nCREATE "), err
}

// schemaOfMigrations returns the schema that migrations make.
func schemaOfMigrations(o Options, names []string) (s schema, err error) {
	raw, err := sqlite3.Open(":memory:")
	if err != nil {
		return nil, err
	}
	c := &connection{raw: raw, statements: map[string]*sqlite3.Stmt{}}
	defer func() { err = errors.Join(err, c.close()) }()
	if o.Extend != nil {
		if err := o.Extend(raw); err != nil {
			return nil, err
		}
	}
	for _, name := range names {
		body, err := fs.ReadFile(o.Migrations, name)
		if err == nil {
			err = c.exec(string(body))
		}
		if err != nil {
			return nil, fmt.Errorf("migration %s: %w", name, err)
		}
	}
	return c.schema()
}

// fingerprint returns a digest of the schema at a version.
func (s schema) fingerprint(version int) string {
	lines := make([]string, len(s))
	for i, o := range s {
		lines[i] = fmt.Sprintf("%q on %q: %q", o, o.table, o.sql)
	}
	slices.Sort(lines)
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\n%s", version, strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:])
}

// find returns the object that has the same kind and name as another object.
func (s schema) find(of schemaObject) (schemaObject, bool) {
	i := slices.IndexFunc(s, func(o schemaObject) bool { return o.kind == of.kind && o.name == of.name })
	if i < 0 {
		return schemaObject{}, false
	}
	return s[i], true
}

// differenceTo describes the first difference to another schema; "" means none.
func (s schema) differenceTo(want schema) string {
	for _, w := range want {
		have, ok := s.find(w)
		switch {
		case !ok:
			return fmt.Sprintf("the %s is missing", w)
		case have.sql != w.sql || have.table != w.table:
			return have.differenceToObject(w)
		}
	}
	for _, have := range s {
		if _, ok := want.find(have); !ok {
			return fmt.Sprintf("the %s is not of this program", have)
		}
	}
	return ""
}

// differenceToObject describes the first difference to an object of the same name.
func (o schemaObject) differenceToObject(want schemaObject) string {
	for _, w := range want.columns {
		i := slices.IndexFunc(o.columns, func(c schemaColumn) bool { return c.name == w.name })
		switch {
		case i < 0:
			return fmt.Sprintf("the column %s.%s is missing", o.name, w.name)
		case o.columns[i] != w:
			return fmt.Sprintf("the column %s.%s is another", o.name, w.name)
		}
	}
	for _, c := range o.columns {
		if !slices.ContainsFunc(want.columns, func(w schemaColumn) bool { return w.name == c.name }) {
			return fmt.Sprintf("the column %s.%s is not of this program", o.name, c.name)
		}
	}
	return fmt.Sprintf("the %s is another", o)
}
