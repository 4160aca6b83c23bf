package engine

import (
	"context"
	"encoding/base64"
	"fmt"
	"reflect"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// Querier runs statements. It is a transaction or a Reader.
type Querier interface {
	// Query runs a statement, and calls each for each row until each returns false.
	Query(each func(*Row) (more bool), query string, args ...any) error
}

// FirstRow returns the first row of a query, read by scan. ok is false without a row.
func FirstRow[T any](q Querier, scan func(*Row) T, query string, args ...any) (v T, ok bool, err error) {
	err = q.Query(func(r *Row) bool {
		v, ok = scan(r), true
		return false
	}, query, args...)
	if err != nil {
		var zero T
		return zero, false, err
	}
	return v, ok, nil
}

// FirstValue returns the first row of a query, read by scan; the zero value without a row.
func FirstValue[T any](q Querier, scan func(*Row) T, query string, args ...any) (T, error) {
	v, _, err := FirstRow(q, scan, query, args...)
	return v, err
}

// AllRows returns all rows of a query, read by scan.
func AllRows[T any](q Querier, scan func(*Row) T, query string, args ...any) (list []T, err error) {
	err = q.Query(func(r *Row) bool {
		list = append(list, scan(r))
		return true
	}, query, args...)
	if err != nil {
		return nil, err
	}
	return list, nil
}

// Reader reads outside of a transaction. Each statement sees all earlier commits.
type Reader struct {
	db  *DB
	ctx context.Context // the caller's context; its end prevents later statements, but not a running statement
}

// Reader returns a reader. It must not be used within Write, whose transaction holds the
// connection.
func (db *DB) Reader(ctx context.Context) Reader { return Reader{db, ctx} }

// Query runs a statement that must not change anything.
func (r Reader) Query(each func(*Row) (more bool), query string, args ...any) error {
	if err := contextError(r.ctx); err != nil {
		return err
	}
	return r.db.with(func(c *connection) error {
		s, err := c.statement(query)
		if err == nil && !s.ReadOnly() {
			err = fmt.Errorf("read with %q: %w", query, sqlite3.READONLY)
		}
		if err != nil {
			return err
		}
		return c.run(each, query, args)
	})
}

// Row is the current row of a statement. It is valid only within the function that is called with
// it.
type Row struct {
	stmt *sqlite3.Stmt
	err  error // first error of reading the row
}

// FailQuery makes the row's query fail with err.
func (r *Row) FailQuery(err error) {
	if r.err == nil {
		r.err = err
	}
}

// Decoder is a type that is read from a text column. Encoder is a type that is stored in a text
// column.
type (
	Decoder interface{ DecodeColumn(text string) error }
	Encoder interface{ EncodeColumn() (string, error) }
)

// Scan reads all columns of the row, each into one pointer. It reads numbers, texts, bytes, bools
// (0 is false), times (unix milliseconds), durations (milliseconds) and Decoders. NULL becomes the
// zero value. A time of 0 becomes the zero time.
func (r *Row) Scan(into ...any) {
	if n := r.stmt.DataCount(); n != len(into) {
		r.FailQuery(fmt.Errorf("read a row of %d columns into %d variables", n, len(into)))
		return
	}
	for i, v := range into {
		r.scan(i, v)
	}
}

func (r *Row) scan(i int, into any) {
	s := r.stmt
	switch v := into.(type) {
	case *int64:
		*v = s.ColumnInt64(i)
	case *int:
		*v = s.ColumnInt(i)
	case *string:
		*v = s.ColumnText(i)
	case *bool:
		*v = s.ColumnBool(i)
	case *[]byte:
		*v = s.ColumnBlob(i, nil)
	case *time.Time:
		if ms := s.ColumnInt64(i); ms != 0 {
			*v = time.UnixMilli(ms).UTC()
		}
	case *time.Duration:
		*v = time.Duration(s.ColumnInt64(i)) * time.Millisecond
	case Decoder:
		if err := v.DecodeColumn(s.ColumnText(i)); err != nil {
			r.FailQuery(err)
		}
	default:
		named := reflect.ValueOf(into).Elem() // into points to a named string type
		named.SetString(s.ColumnText(i))
	}
}

// Values returns the stored values of the row by column name. Bytes are in base64.
func (r *Row) Values() map[string]any {
	values := map[string]any{}
	for i := range r.stmt.DataCount() {
		var v any
		switch r.stmt.ColumnType(i) {
		case sqlite3.INTEGER:
			v = r.stmt.ColumnInt64(i)
		case sqlite3.FLOAT:
			v = r.stmt.ColumnFloat(i)
		case sqlite3.TEXT:
			v = r.stmt.ColumnText(i)
		case sqlite3.BLOB:
			v = base64.StdEncoding.EncodeToString(r.stmt.ColumnRawBlob(i))
		}
		values[r.stmt.ColumnName(i)] = v
	}
	return values
}

// ScanInteger returns the only column of a row.
func ScanInteger(r *Row) (n int64) { r.Scan(&n); return n }
func ScanBool(r *Row) (b bool)     { r.Scan(&b); return b }
func ScanString(r *Row) (s string) { r.Scan(&s); return s }
func ScanBytes(r *Row) (b []byte)  { r.Scan(&b); return b }

// ScanTime returns the only column of a row, stored as unix milliseconds.
func ScanTime(r *Row) (at time.Time) { r.Scan(&at); return at }

// bind sets the parameters of a statement. A time is stored as unix milliseconds, and the zero time
// as 0. A duration is stored in milliseconds, and nil as NULL.
func bind(s *sqlite3.Stmt, args []any) error {
	if n := s.BindCount(); n != len(args) {
		return fmt.Errorf("it takes %d values, not %d", n, len(args))
	}
	for i, v := range args {
		if err := bindOne(s, i+1, v); err != nil {
			return fmt.Errorf("value %d: %w", i+1, err)
		}
	}
	return nil
}

func bindOne(s *sqlite3.Stmt, i int, value any) error {
	switch v := value.(type) {
	case nil:
		return s.BindNull(i)
	case int64:
		return s.BindInt64(i, v)
	case int:
		return s.BindInt(i, v)
	case string:
		return s.BindText(i, v)
	case bool:
		return s.BindBool(i, v)
	case []byte:
		return s.BindBlob(i, v)
	case time.Time:
		if v.IsZero() {
			return s.BindInt64(i, 0)
		}
		return s.BindInt64(i, v.UnixMilli())
	case time.Duration:
		return s.BindInt64(i, v.Milliseconds())
	case Encoder:
		text, err := v.EncodeColumn()
		if err != nil {
			return err
		}
		return s.BindText(i, text)
	}
	if named := reflect.ValueOf(value); named.Kind() == reflect.String {
		return s.BindText(i, named.String())
	}
	return fmt.Errorf("a %T can't be kept", value)
}
