package sqlite

import (
	"context"
	"slices"

	"mews/supervisor/internal/engine"
)

// DatabaseExamination is the result of Examine for an undamaged database.
type DatabaseExamination struct {
	Schema int64 // version of the schema
	Newest int64 // version of the schema after the next start
	Bytes  int64
	Copies int // number of finished copies
}

// ExamineDatabase reads the whole database at path and changes no file. No other program may have the
// database open. Examine returns the errors of Open. It finds more damage than Open, because it
// reads everything.
func ExamineDatabase(ctx context.Context, path string) (DatabaseExamination, error) {
	e, err := engine.Examine(ctx, path, engine.Options{Migrations: migrations, KnownSchemas: knownSchemas})
	if err != nil {
		return DatabaseExamination{}, wrap(err, "read the database %s", path)
	}
	copies, err := engine.ListMigrationCopies(path)
	copies = slices.DeleteFunc(copies, engine.IsPartialCopy)
	found := DatabaseExamination{Schema: e.Schema, Newest: e.Newest, Bytes: e.Bytes, Copies: len(copies)}
	return found, wrap(err, "list the copies of the database")
}
