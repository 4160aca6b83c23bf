package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"mews/supervisor/sqlite/internal/engine"
)

// tx is the transaction as one write function sees it. It is not kept beyond that function, and does not leave the
// package.
type tx struct {
	*engine.Tx
	endsTurn string // the DB's
}

// write has fn run in the next transaction and waits until that is on disk. An error says what was attempted.
func (db *DB) write(ctx context.Context, fn func(tx) error, format string, args ...any) error {
	return wrap(db.engine.Write(ctx, func(t *engine.Tx) error { return fn(tx{t, db.endsTurn}) }), format, args...)
}

// inTransaction is write for a function that returns something; the zero value with an error.
func inTransaction[T any](ctx context.Context, db *DB, fn func(tx) (T, error), format string, args ...any) (result T, err error) {
	err = db.write(ctx, func(t tx) (err error) {
		result, err = fn(t)
		return err
	}, format, args...)
	if err != nil {
		var zero T
		return zero, err
	}
	return result, nil
}

// statement is a statement with its values.
type statement struct {
	query string
	args  []any
}

// sql is a statement for execAll.
func sql(query string, args ...any) statement { return statement{query, args} }

// execAll runs statements that return no rows, one after another, until one fails.
func (t tx) execAll(list ...statement) error {
	for _, s := range list {
		if err := t.Exec(s.query, s.args...); err != nil {
			return err
		}
	}
	return nil
}

// byID is the row with an id, of a table whose rows are called what; not found where there is none.
func byID[T any](t tx, what string, scan func(*engine.Row) T, query string, id int64) (T, error) {
	v, ok, err := engine.One(t, scan, query, id)
	if err == nil && !ok {
		err = notFound("there is no %s %d", what, id)
	}
	return v, err
}

// reader reads outside of a transaction. An error says what was attempted.
type reader struct {
	engine.Reader
	format string
	args   []any
}

func (db *DB) reader(ctx context.Context, format string, args ...any) reader {
	return reader{db.engine.Reader(ctx), format, args}
}

// Query is a Querier's.
func (r reader) Query(each func(*engine.Row) (more bool), query string, args ...any) error {
	return wrap(r.Reader.Query(each, query, args...), r.format, r.args...)
}

// fromMillis is the time of a column. Times are kept as unix milliseconds.
func fromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// toMillis is the first full millisecond that is not before at.
func toMillis(at time.Time) int64 { return at.Add(time.Millisecond - 1).UnixMilli() }

// since and until are the bounds of a span of time; the zero time is no bound.
func since(at time.Time) int64 {
	if at.IsZero() {
		return math.MinInt64
	}
	return toMillis(at)
}

func until(at time.Time) int64 {
	if at.IsZero() {
		return math.MaxInt64
	}
	return toMillis(at)
}

// orNull is nil for 0, which is how an absent id is kept.
func orNull(id int64) any {
	if id == 0 {
		return nil
	}
	return id
}

// encode is v as JSON. Characters stand as they are: no text is escaped for HTML.
func encode(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", fmt.Errorf("encode %T: %w", v, err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// encoded is kept as JSON.
type encoded struct{ of any }

// EncodeColumn makes the column.
func (e encoded) EncodeColumn() (string, error) { return encode(e.of) }

// encodedList is a list that is kept as JSON; "" is none.
func encodedList[T any](list []T) any {
	if len(list) == 0 {
		return ""
	}
	return encoded{list}
}

// decoded reads a column of JSON into what it points at; "" leaves that as it is.
type decoded struct{ into any }

// DecodeColumn reads the column.
func (d decoded) DecodeColumn(text string) error {
	if text == "" {
		return nil
	}
	return json.Unmarshal([]byte(text), d.into)
}
