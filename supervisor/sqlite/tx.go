package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"mews/protocol"
	"mews/supervisor/sqlite/internal/engine"
)

// tx is the transaction as one write function sees it. It is not kept beyond that function, and does not leave the
// package.
type tx struct {
	*engine.Tx
	endsTurn string // the DB's
}

// write has fn run in the next transaction and waits until that is on disk.
func (db *DB) write(ctx context.Context, fn func(tx) error) error {
	return db.engine.Write(ctx, func(t *engine.Tx) error { return fn(tx{t, db.endsTurn}) })
}

// inTransaction has fn run in the next transaction and returns what it returned, once that is on disk; the zero value with
// an error.
func inTransaction[T any](ctx context.Context, db *DB, fn func(tx) (T, error)) (T, error) {
	var result, zero T
	err := db.write(ctx, func(t tx) (err error) {
		result, err = fn(t)
		return err
	})
	if err != nil {
		return zero, err
	}
	return result, nil
}

// byID is the row with an id, of a table whose rows are called what; not found where there is none.
func byID[T any](t tx, what string, scan func(*engine.Row) T, query string, id int64) (T, error) {
	v, ok, err := engine.One(t, scan, query, id)
	if err == nil && !ok {
		err = notFound("there is no %s %d", what, id)
	}
	return v, err
}

// reader reads outside of a transaction, for somebody.
func (db *DB) reader(ctx context.Context) engine.Reader { return db.engine.Reader(ctx) }

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

// encodeList is the column of a list; "" is none.
func encodeList[T any](list []T) (string, error) {
	if len(list) == 0 {
		return "", nil
	}
	return encode(list)
}

// encodeParts is the column of a message's parts.
func encodeParts(parts []protocol.Part) (string, error) {
	if parts == nil {
		parts = []protocol.Part{}
	}
	return encode(parts)
}

// decoded reads a column of JSON into what it points at; "" leaves that as it is.
type decoded struct{ into any }

// ReadColumn reads the column.
func (d decoded) ReadColumn(text string) error {
	if text == "" {
		return nil
	}
	return json.Unmarshal([]byte(text), d.into)
}
