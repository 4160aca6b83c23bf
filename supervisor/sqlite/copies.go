package sqlite

import "mews/supervisor/internal/engine"

// Copies are copies of the database that were made before migrations. They are in the database's
// folder.
type Copies struct{ db *DB }

// Copies returns the copies of the database.
func (db *DB) Copies() Copies { return Copies{db} }

// List returns the paths of the copies.
func (c Copies) List() ([]string, error) {
	paths, err := engine.ListCopies(c.db.engine.Path())
	return paths, wrap(err, "list the copies of the database")
}

// Delete deletes all copies and returns their number. If it returns nil, a loss of power does not
// bring a copy back.
func (c Copies) Delete() (int, error) {
	n, err := engine.DeleteCopies(c.db.engine.Path())
	return n, wrap(err, "delete the copies of the database")
}
