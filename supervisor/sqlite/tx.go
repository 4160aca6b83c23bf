package sqlite

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
	"mews/supervisor/internal/signals"
)

// tx is the transaction as one write function sees it. It is not kept beyond that function, and
// does not leave the package.
//
// It keeps its first error, a statement's or one that fail gives it, and nothing that it wrote is
// kept then. From there on its statements do nothing: queries find no row, and numbers are 0. So a
// write function reads straight on. It looks at err to say what a statement's error means, or
// before it calls what is not the store's.
type tx struct {
	*engine.Tx
	endsTurn string // the DB's, as are the next two
	zone     func(user, chosen string) *time.Location
	policies *Policies
	err      error // the first

	questions bool                      // one was put, delivered or ended
	said      []supervisor.Conversation // where something was
}

// fail has the transaction fail, if it has not before and err is one.
func (t *tx) fail(err error) { t.err = cmp.Or(t.err, err) }

// Query is a Querier's.
func (t *tx) Query(each func(*engine.Row) (more bool), query string, args ...any) error {
	if t.err == nil {
		t.err = t.Tx.Query(each, query, args...)
	}
	return t.err
}

// Exec runs a statement that returns no rows.
func (t *tx) Exec(query string, args ...any) { t.Query(nil, query, args...) }

// Change runs a statement that returns no rows and says how many it has changed.
func (t *tx) Change(query string, args ...any) (n int64) {
	if t.err == nil {
		n, t.err = t.Tx.Change(query, args...)
	}
	return n
}

// Insert runs a statement that returns one number, such as the new row's id.
func (t *tx) Insert(query string, args ...any) (id int64) {
	if t.err == nil {
		id, t.err = t.Tx.Insert(query, args...)
	}
	return id
}

// transaction is a tx, or what has one. It is no reader, whose errors somebody has to look at.
type transaction interface {
	engine.Querier
	fail(error)
}

// one, value and all are the engine's One, Value and All in a transaction, which keeps their error.
func one[T any](t transaction, scan func(*engine.Row) T, query string, args ...any) (T, bool) {
	v, ok, _ := engine.One(t, scan, query, args...)
	return v, ok
}

func value[T any](t transaction, scan func(*engine.Row) T, query string, args ...any) T {
	v, _ := one(t, scan, query, args...)
	return v
}

func all[T any](t transaction, scan func(*engine.Row) T, query string, args ...any) []T {
	list, _ := engine.All(t, scan, query, args...)
	return list
}

// write has fn run in the next transaction and waits until that is on disk. An error says what was
// attempted.
func (db *DB) write(ctx context.Context, fn func(*tx), format string, args ...any) error {
	var t *tx
	err := db.engine.Write(ctx, func(e *engine.Tx) error {
		t = &tx{Tx: e, endsTurn: db.endsTurn, zone: db.zone, policies: &db.policies}
		fn(t)
		return t.err
	})
	if err == nil && t.questions {
		signals.Send(db.questions)
	}
	if err == nil {
		for _, c := range t.said {
			db.said(c.User, c.ID)
		}
	}
	return wrap(err, format, args...)
}

// inTransaction is write for a function that returns something; the zero value with an error.
func inTransaction[T any](ctx context.Context, db *DB, fn func(*tx) T, format string, args ...any) (T, error) {
	result, _, err := inTransaction2(ctx, db, func(t *tx) (T, struct{}) { return fn(t), struct{}{} }, format, args...)
	return result, err
}

// inTransaction2 is inTransaction for a function that returns two things.
func inTransaction2[A, B any](ctx context.Context, db *DB, fn func(*tx) (A, B), format string, args ...any) (a A, b B, err error) {
	if err = db.write(ctx, func(t *tx) { a, b = fn(t) }, format, args...); err != nil {
		return *new(A), *new(B), err
	}
	return a, b, nil
}

// byID is the row with an id, of a table whose rows are called what; not found where there is none.
func byID[T any](t transaction, what string, scan func(*engine.Row) T, query string, id int64) T {
	v, ok := one(t, scan, query, id)
	if !ok {
		t.fail(notFound("there is no %s %d", what, id))
	}
	return v
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
