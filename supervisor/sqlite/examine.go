package sqlite

import (
	"context"

	"mews/supervisor/internal/engine"
)

// Examination is what Examine has found in a sound database.
type Examination struct {
	Schema int64 // its version
	Bytes  int64
	Copies int // copies from before a migration
}

// Examine reads all of the database at path, which no program may have open. It changes no file.
// Its errors are those of Open, and more damage is found.
func Examine(ctx context.Context, path string) (Examination, error) {
	e, err := engine.Examine(ctx, path, engine.Options{Migrations: migrations, KnownSchemas: knownSchemas})
	if err != nil {
		return Examination{}, wrap(err, "read the database %s", path)
	}
	copies, err := engine.ListCopies(path)
	found := Examination{Schema: e.Schema, Bytes: e.Bytes, Copies: len(copies)}
	return found, wrap(err, "list the copies of the database")
}
