package sqlite

import "mews/supervisor/internal/engine"

// MigrationCopies are copies of the database that were made before migrations. They are in the
// database's folder.
type MigrationCopies struct{ db *DB }

// MigrationCopies returns the copies of the database.
func (db *DB) MigrationCopies() MigrationCopies { return MigrationCopies{db} }

// List returns the paths of the copies.
func (c MigrationCopies) List() ([]string, error) {
	paths, err := engine.ListMigrationCopies(c.db.engine.Path())
	return paths, wrap(err, "list the copies of the database")
}

// Delete deletes all copies and returns their number. If it returns nil, a loss of power does not
// bring a copy back.
func (c MigrationCopies) Delete() (int, error) {
	n, err := engine.DeleteMigrationCopies(c.db.engine.Path())
	return n, wrap(err, "delete the copies of the database")
}
