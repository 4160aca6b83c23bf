package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
)

// SQL statements for the digests of applied migrations. A digest is a setting without a user, named
// after the migration's file.
const (
	putDigest   = `INSERT OR REPLACE INTO setting (user, name, value) VALUES ('', ?, ?)`
	listDigests = `SELECT name, value FROM setting WHERE user = '' AND name >= 'migration/' AND name < 'migration0'`
)

// migrationDigest returns the SHA-256 of a migration.
func migrationDigest(files fs.FS, name string) (string, error) {
	body, err := fs.ReadFile(files, name)
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:]), err
}

// digests returns the stored digests by the names of the migrations.
func (c *connection) digests() (map[string]string, error) {
	found := map[string]string{}
	err := c.run(func(r *Row) bool {
		var name, digest string
		r.Scan(&name, &digest)
		found[name] = digest
		return true
	}, listDigests, nil)
	return found, err
}

// keepDigests stores the digests of migrations.
func (c *connection) keepDigests(files fs.FS, names []string) error {
	for _, name := range names {
		digest, err := migrationDigest(files, name)
		if err == nil {
			err = c.run(nil, putDigest, []any{name, digest})
		}
		if err != nil {
			return fmt.Errorf("keep the digest of %s: %w", name, err)
		}
	}
	return nil
}

// comparison is the result of comparing a database with the migrations that it has had.
type comparison struct {
	difference  string // first difference between the database and the migrations; "" means none
	fingerprint string // digest of the schema; "" means that the schema was not compared
	missing     bool   // the digest of an applied migration is not stored
	repair      schema // the schema that the database needs before its next migration; nil means no change
}

// compare refuses a database whose schema other migrations or a person changed, unless
// Options.AllowDifferences is set. It stores missing digests, and returns the schema that the
// database needs before its next migration. nil means that the database's own schema is right.
func (c *connection) compare(o Options) (repair schema, err error) {
	names, have, err := c.versions(o.Migrations)
	if err != nil || have == 0 {
		return nil, err
	}
	found, err := c.compareMigrations(o, names[:have])
	switch {
	case err != nil:
		return nil, err
	case found.difference != "" && !o.AllowDifferences:
		return nil, found.refusal(have)
	case found.difference != "":
		o.Log.Warn("the database differs from what this program makes; it is used as it is", "schema", have,
			"difference", found.difference)
	case found.missing && found.repair == nil:
		return nil, c.inOneTransaction(func() error { return c.keepDigests(o.Migrations, names[:have]) })
	}
	return found.repair, nil
}

// refuseDifferences does the same as compare, but it changes nothing.
func (c *connection) refuseDifferences(o Options) error {
	names, have, err := c.versions(o.Migrations)
	if err != nil {
		return err
	}
	found, err := c.compareMigrations(o, names[:have])
	if err == nil && found.difference != "" && !o.AllowDifferences {
		err = found.refusal(have)
	}
	return err
}

// refusal returns the error for a database with a difference.
func (found comparison) refusal(version int64) error {
	return &Error{ProblemOtherMigrations, []any{version, found.difference, found.fingerprint}}
}

// compareMigrations compares the database with the migrations that it has had: first their digests,
// then the schema. Of a rebuildable database it compares only digests. It changes nothing.
func (c *connection) compareMigrations(o Options, names []string) (found comparison, err error) {
	stored, err := c.digests()
	if err != nil {
		return found, err
	}
	found.difference, found.missing, err = compareDigests(o.Migrations, names, stored)
	if err != nil || found.difference != "" || o.Rebuildable {
		return found, err
	}
	if newest, err := c.hasNewSchema(o, len(names)); err != nil || newest {
		return found, err
	}
	want, err := schemaOfMigrations(o, names)
	if err != nil {
		return found, err
	}
	have, err := c.schema()
	found.difference, found.fingerprint = have.differenceTo(want), have.fingerprint(len(names))
	if found.difference != "" && slices.Contains(o.KnownSchemas, found.fingerprint) {
		found.difference, found.repair = "", want
	}
	return found, err
}

// compareDigests compares the applied migrations with the stored digests. missing reports whether a
// digest was not stored.
func compareDigests(files fs.FS, names []string, found map[string]string) (difference string, missing bool, err error) {
	for _, name := range names {
		digest, err := migrationDigest(files, name)
		if err != nil {
			return "", false, err
		}
		switch stored, ok := found[name]; {
		case !ok:
			missing = true
		case stored != digest:
			return name + " was another one when it was applied", false, nil
		}
		delete(found, name)
	}
	if other := slices.Sorted(maps.Keys(found)); len(other) > 0 {
		return other[0] + " was applied", false, nil
	}
	return "", missing, nil
}

// inOneTransaction runs fn in a transaction.
func (c *connection) inOneTransaction(fn func() error) error {
	err := c.exec("BEGIN IMMEDIATE")
	if err == nil {
		err = fn()
	}
	if err == nil {
		err = c.exec("COMMIT")
	}
	if err != nil {
		return errors.Join(err, c.rollback())
	}
	return nil
}
