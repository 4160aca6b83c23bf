package sqlite

import (
	"context"
	"fmt"
	"strings"

	"mews/supervisor/internal/engine"
)

// Openings records which version of the program has opened last. It is one row, so the database
// knows at any time whether a new version has taken over.
type Openings struct{ db *DB }

// Openings returns the record of openings.
func (db *DB) Openings() Openings { return Openings{db} }

// Find returns the version that has opened last, or "" if none has.
func (o Openings) Find(ctx context.Context) (string, error) {
	stored, _, err := o.db.Settings().Find(ctx, "", engine.OpenedSetting)
	_, version, _ := strings.Cut(stored, " ")
	return version, err
}

// Put records that a version opens. From then on an older program does not bring back the database
// from before the migration.
func (o Openings) Put(ctx context.Context, version string) error {
	schema, err := engine.CountMigrations(migrations)
	if err != nil {
		return wrap(err, "count the migrations")
	}
	return o.db.Settings().Put(ctx, "", engine.OpenedSetting, fmt.Sprintf("%d %s", schema, version))
}

// Forget deletes the record, as if no version had opened yet.
func (o Openings) Forget(ctx context.Context) error {
	return o.db.Settings().Delete(ctx, "", engine.OpenedSetting)
}
