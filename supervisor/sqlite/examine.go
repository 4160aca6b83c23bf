package sqlite

import (
	"context"
	"slices"

	"mews/supervisor/internal/engine"
)

// DatabaseExamination is the result of ExamineDatabase for an undamaged database.
type DatabaseExamination struct {
	Schema int64 // version of the database's schema now
	Newest int64 // version of the database's schema after the next start
	Bytes  int64
	Copies int // number of finished copies of the database
}

// ExamineDatabase reads the whole database at path and changes no file. No other program may have
// the database open. The errors are those of Open. ExamineDatabase finds more damage than Open,
// because it reads everything.
func ExamineDatabase(ctx context.Context, path string) (DatabaseExamination, error) {
	e, err := engine.Examine(ctx, path, engine.Options{Migrations: migrations, NewSchema: newSchema,
		KnownSchemas: knownSchemas})
	if err != nil {
		return DatabaseExamination{}, wrap(err, "read the database %s", path)
	}
	copies, err := engine.ListMigrationCopies(path)
	copies = slices.DeleteFunc(copies, engine.IsPartialCopy)
	found := DatabaseExamination{Schema: e.Schema, Newest: e.Newest, Bytes: e.Bytes, Copies: len(copies)}
	return found, wrap(err, "list the copies of the database")
}
