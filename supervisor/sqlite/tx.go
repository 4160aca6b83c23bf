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

// tx is a transaction as one write function sees it. A function must not keep the tx, and no tx
// leaves the package.
//
// A tx keeps its first error, from a statement or from fail, and then stores nothing. After that
// error its statements do nothing: queries find no row, and numbers are 0. So a write function need
// not check errors. It checks the field err only to explain a statement's error, or before it calls
// code outside the package.
type tx struct {
	*engine.Tx
	endsTurn string // names of the commands that end a turn, as a JSON array
	zone     func(user, chosen string) *time.Location
	policies *Policies
	err      error // the first error of the transaction

	known     *settingsCache            // cache of the settings that other transactions have stored
	settings  bool                      // a setting was written
	questions bool                      // a question was asked, delivered or ended
	said      []supervisor.Conversation // conversations with a new message, for OnMessage
}

// fail makes the transaction fail with err. If the transaction has failed before, the first error
// stays. A nil err changes nothing.
func (t *tx) fail(err error) { t.err = cmp.Or(t.err, err) }

// Query implements engine.Querier.
func (t *tx) Query(each func(*engine.Row) (more bool), query string, args ...any) error {
	if t.err == nil {
		t.err = t.Tx.Query(each, query, args...)
	}
	return t.err
}

// Exec runs a statement that returns no rows.
func (t *tx) Exec(query string, args ...any) { t.Query(nil, query, args...) }

// ExecCount runs a statement that returns no rows and returns how many it changed.
func (t *tx) ExecCount(query string, args ...any) (n int64) {
	if t.err == nil {
		n, t.err = t.Tx.ExecCount(query, args...)
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

// transaction is a tx or a type that embeds a tx. A reader is no transaction, since its callers
// must check errors.
type transaction interface {
	engine.Querier
	fail(error)
}

// The functions one, value and all read rows like FirstRow and AllRows of package engine. If one of
// them fails, the transaction keeps the error.
func one[T any](t transaction, scan func(*engine.Row) T, query string, args ...any) (T, bool) {
	v, ok, _ := engine.FirstRow(t, scan, query, args...)
	return v, ok
}

func value[T any](t transaction, scan func(*engine.Row) T, query string, args ...any) T {
	v, _ := one(t, scan, query, args...)
	return v
}

func all[T any](t transaction, scan func(*engine.Row) T, query string, args ...any) []T {
	list, _ := engine.AllRows(t, scan, query, args...)
	return list
}

// write runs fn in the next transaction and waits until the transaction is on disk. The argument
// format describes the action for errors.
func (db *DB) write(ctx context.Context, fn func(*tx), format string, args ...any) error {
	var t *tx
	err := db.engine.Write(ctx, func(e *engine.Tx) error {
		t = &tx{Tx: e, endsTurn: db.endsTurn, zone: db.zone, policies: &db.policies, known: &db.settings}
		fn(t)
		return t.err
	})
	if t != nil && t.settings {
		db.settings.clear()
	}
	if err == nil && t.questions {
		signals.SendToken(db.questions)
	}
	if err == nil {
		for _, c := range t.said {
			db.said(c.User, c.ID)
		}
	}
	return wrap(err, format, args...)
}

// inTransaction runs fn in a transaction and returns its result. With an error it returns the zero
// value.
func inTransaction[T any](ctx context.Context, db *DB, fn func(*tx) T, format string, args ...any) (T, error) {
	result, _, err := inTransaction2(ctx, db, func(t *tx) (T, struct{}) { return fn(t), struct{}{} }, format, args...)
	return result, err
}

// inTransaction2 runs fn in a transaction and returns its two results. With an error they are zero.
func inTransaction2[A, B any](ctx context.Context, db *DB, fn func(*tx) (A, B), format string, args ...any) (a A, b B, err error) {
	if err = db.write(ctx, func(t *tx) { a, b = fn(t) }, format, args...); err != nil {
		return *new(A), *new(B), err
	}
	return a, b, nil
}

// byID returns the row with an id. If the row is missing, the argument what names the row in the
// error.
func byID[T any](t transaction, what string, scan func(*engine.Row) T, query string, id int64) T {
	v, ok := one(t, scan, query, id)
	if !ok {
		t.fail(notFound("there is no %s %d", what, id))
	}
	return v
}

// reader reads outside of a transaction. Its errors name the attempted action.
type reader struct {
	engine.Reader
	format string
	args   []any
}

func (db *DB) reader(ctx context.Context, format string, args ...any) reader {
	return reader{db.engine.Reader(ctx), format, args}
}

// Query implements engine.Querier.
func (r reader) Query(each func(*engine.Row) (more bool), query string, args ...any) error {
	return wrap(r.Reader.Query(each, query, args...), r.format, r.args...)
}

// fromMillis converts a column to a time. Times are stored as unix milliseconds.
func fromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// toMillis returns the first full millisecond that is not before at.
func toMillis(at time.Time) int64 { return at.Add(time.Millisecond - 1).UnixMilli() }

// since and until return the bounds of a span of time in milliseconds. The zero time means no
// bound.
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

// orNull returns nil for 0, the stored form of a missing id.
func orNull(id int64) any {
	if id == 0 {
		return nil
	}
	return id
}

// encode returns v as JSON, without escapes for HTML.
func encode(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", fmt.Errorf("encode %T: %w", v, err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// columnEncoder is a value that is stored as JSON.
type columnEncoder struct{ of any }

// EncodeColumn returns the value as JSON.
func (e columnEncoder) EncodeColumn() (string, error) { return encode(e.of) }

// encodedList returns the stored form of a list: JSON, or "" for an empty list.
func encodedList[T any](list []T) any {
	if len(list) == 0 {
		return ""
	}
	return columnEncoder{list}
}

// columnDecoder reads a column of JSON into a pointer. An empty column changes nothing.
type columnDecoder struct{ into any }

// DecodeColumn decodes the JSON of a column.
func (d columnDecoder) DecodeColumn(text string) error {
	if text == "" {
		return nil
	}
	return json.Unmarshal([]byte(text), d.into)
}
