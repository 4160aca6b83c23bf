package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"mews/protocol"
)

// tx is the writer's transaction as one write function sees it. It is not kept beyond that function.
type tx struct {
	ctx  context.Context // the transaction's, not a caller's: it does not end
	conn *connection
	now  int64 // unix milliseconds, the same for all that the transaction writes

	scrub bool // what it takes out is not to be left in the journal either
}

// exec runs a statement that returns no rows.
func (t *tx) exec(query string, args ...any) error {
	s, err := t.conn.statement(query)
	if err != nil {
		return err
	}
	_, err = s.ExecContext(t.ctx, args...)
	return err
}

// change runs a statement that returns no rows and says how many it has changed.
func (t *tx) change(query string, args ...any) (int64, error) {
	s, err := t.conn.statement(query)
	if err != nil {
		return 0, err
	}
	r, err := s.ExecContext(t.ctx, args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// query runs a statement that returns rows; the result goes into one or all.
func (t *tx) query(query string, args ...any) (*sql.Rows, error) {
	s, err := t.conn.statement(query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(t.ctx, args...)
}

// read runs a statement of the readers, prepared once. The statement is the same for all who read, and outlives ctx.
func (db *DB) read(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	s, err := prepared(ctx, db, query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}

// prepared is query as the readers have prepared it.
func prepared(ctx context.Context, db *DB, query string) (*sql.Stmt, error) {
	if known, ok := db.prepared.Load(query); ok {
		return known.(*sql.Stmt), nil
	}
	s, err := db.readers.PrepareContext(context.WithoutCancel(ctx), query)
	if err != nil {
		return nil, err
	}
	first, taken := db.prepared.LoadOrStore(query, s)
	if taken {
		err = s.Close()
	}
	return first.(*sql.Stmt), err
}

// insert runs a statement that returns one id.
func (t *tx) insert(query string, args ...any) (int64, error) {
	rows, err := t.query(query, args...)
	id, ok, err := one(rows, err, scanInt)
	if err == nil && !ok {
		err = fmt.Errorf("insert: no id came back from %q", query)
	}
	return id, err
}

// all reads the rows of a query that ended in err.
func all[T any](rows *sql.Rows, err error, scan func(*sql.Rows) (T, error)) (list []T, _ error) {
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, joinErrors(err, rows.Close())
		}
		list = append(list, v)
	}
	return list, joinErrors(rows.Err(), rows.Close())
}

// one reads the first row of a query that ended in err, if there is one.
func one[T any](rows *sql.Rows, err error, scan func(*sql.Rows) (T, error)) (v T, ok bool, _ error) {
	if err != nil {
		return v, false, err
	}
	if rows.Next() {
		v, err = scan(rows)
		ok = err == nil
	} else {
		err = rows.Err()
	}
	return v, ok, joinErrors(err, rows.Close())
}

func scanInt(rows *sql.Rows) (n int64, err error) {
	err = rows.Scan(&n)
	return n, err
}

func scanText(rows *sql.Rows) (s string, err error) {
	err = rows.Scan(&s)
	return s, err
}

// fromMillis is the time of a column. Times are kept as unix milliseconds.
func fromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// orNull is nil for 0, which is how an absent id is kept.
func orNull(id int64) any {
	if id == 0 {
		return nil
	}
	return id
}

// encodeParts is the column of a message's parts. Characters stand as they are: no text is escaped for HTML.
func encodeParts(parts []protocol.Part) (string, error) {
	if parts == nil {
		parts = []protocol.Part{}
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(parts); err != nil {
		return "", fmt.Errorf("encode a message: %w", err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}
