package engine

import (
	"errors"
	"fmt"
)

// OnPrepareStatement is called with each statement that a connection prepares. plan returns the
// statement's query plan. Only tests set the hook, before they open a database; nil means no call.
// The hook must not wait.
var OnPrepareStatement func(query string, plan func() (steps []string, err error))

// QueryPlan returns the steps of SQLite's plan for a query, for tests.
func (db *DB) QueryPlan(query string) (steps []string, err error) {
	err = db.with(func(c *connection) (err error) {
		steps, err = c.plan(query)
		return err
	})
	return steps, err
}

// plan returns the steps of SQLite's plan for a query. The plan does not depend on parameters.
func (c *connection) plan(query string) (steps []string, err error) {
	s, _, err := c.raw.Prepare("EXPLAIN QUERY PLAN " + query)
	if err != nil {
		return nil, fmt.Errorf("plan %q: %w", query, err)
	}
	for s.Step() {
		steps = append(steps, s.ColumnText(3))
	}
	return steps, errors.Join(s.Err(), s.Close())
}
