package sqlite

import (
	"context"

	"mews/supervisor/internal/engine"
)

// Examination is the result of Examine for an undamaged database.
type Examination struct {
	Schema int64 // version of the schema
	Bytes  int64
	Copies int // number of copies from before migrations
}

// Examine reads the whole database at path and changes no file. No other program may have the
// database open. Examine returns the errors of Open. It finds more damage than Open, because it
// reads everything.
func Examine(ctx context.Context, path string) (Examination, error) {
	e, err := engine.Examine(ctx, path, engine.Options{Migrations: migrations, KnownSchemas: knownSchemas})
	if err != nil {
		return Examination{}, wrap(err, "read the database %s", path)
	}
	copies, err := engine.ListCopies(path)
	found := Examination{Schema: e.Schema, Bytes: e.Bytes, Copies: len(copies)}
	return found, wrap(err, "list the copies of the database")
}
