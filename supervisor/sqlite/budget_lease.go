package sqlite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
	"mews/supervisor/internal/money"
)

// Leases sets money aside before a model is called. A lease ends when its call's usage is stored,
// when it is returned, or when it is recovered after a crash.
//
// The usage gets the time of the lease, so a call over midnight counts for the day on which it
// began. If no call costs more than its lease, spending and leases together never exceed a limit
// with its extensions.
type Leases struct{ db *DB }

// Leases returns the store of money that is set aside for model calls.
func (db *DB) Leases() Leases { return Leases{db} }

const insertLease = `INSERT INTO lease (user, conversation, turn, spec, amount, pot, created_at) VALUES (?, ?, ?, ?, ?, nullif(?, ''), ?)
	RETURNING id`

// TakeLease sets aside as much of the requested amount as the request's limits allow. If they allow
// less than the request's Least, TakeLease sets nothing aside and returns the shortages. The
// shortages are in the order of the request's limits. A call with no known price counts as free.
func (s Leases) TakeLease(ctx context.Context, c supervisor.LeaseRequest) (lease supervisor.Lease,
	short []supervisor.BudgetShortage, err error) {
	return inTransaction2(ctx, s.db, func(t *tx) (supervisor.Lease,
		[]supervisor.BudgetShortage) {
		return t.takeLease(c)
	},
		"set %d millionths of a dollar aside for a call of %s by %s", c.Amount, c.Spec, c.User)
}

func (t *tx) takeLease(c supervisor.LeaseRequest) (lease supervisor.Lease, short []supervisor.BudgetShortage) {
	if c.Amount <= 0 {
		t.fail(invalid("a lease is of more than %d millionths of a dollar", c.Amount))
	}
	c.Amount = clampCount(c.Amount)
	c.Least = min(cmp.Or(c.Least, c.Amount), c.Amount)
	if c.ReplacedLease != 0 {
		t.endLeases(c.User, c.ReplacedLease)
	}
	if c.Turn != 0 {
		t.checkTurnOf(c.Turn, c.Conversation, c.User)
	}
	amount := c.Amount
	for _, limit := range c.Limits {
		s := t.sumLimit(c, limit)
		if amount = min(amount, s.AmountLeft()); s.MissingAmount() > 0 {
			short = append(short, s)
		}
	}
	if len(short) > 0 {
		return lease, short
	}
	id := t.Insert(insertLease, c.User, c.Conversation, orNull(c.Turn), c.Spec, amount, c.Pot, t.Now)
	if errors.Is(t.err, engine.ErrForeignKey) {
		t.err = notFound("there is no conversation %d of %s", c.Conversation, c.User)
	}
	return supervisor.Lease{ID: id, Amount: amount}, nil
}

// Queries that sum up spending, leases and extensions. The parameters are: ?1 the user, ?2 the
// turn, ?3 the start time, ?4 the start time in quarters of an hour, ?5 the pot.
//
// An extension raises only the limits of its turn and of its day. A turn's spending includes the
// spending of its child turns. Leases of child turns belong to the parent turn. All tries of a fire
// have the same key up to the slash. 'review' is supervisor.SourceRequested.
const (
	sumTurn = `SELECT (SELECT coalesce(sum(cost), 0) FROM usage WHERE turn IN (SELECT ?2 UNION ALL SELECT id FROM turn WHERE parent = ?2)),
		(SELECT coalesce(sum(amount), 0) FROM lease WHERE turn = ?2),
		(SELECT coalesce(sum(amount), 0) FROM extension WHERE turn = ?2)`
	sumFire = `WITH tries (id) AS (SELECT t.id FROM turn n JOIN inbox b ON b.id = n.inbound JOIN inbox i ON i.user = b.user AND i.source = b.source
			AND i.key > substr(b.key, 1, instr(b.key, '/')) AND i.key < substr(b.key, 1, instr(b.key, '/')) || 'x' JOIN turn t ON t.inbound = i.id
			WHERE n.id = ?2 AND n.user = ?1), turns AS (SELECT id FROM tries UNION ALL SELECT id FROM turn WHERE parent IN tries)
		SELECT (SELECT coalesce(sum(cost), 0) FROM usage WHERE turn IN turns), (SELECT coalesce(sum(amount), 0) FROM lease WHERE turn IN turns), 0`
	sumOfUser = `SELECT (SELECT coalesce(sum(cost), 0) FROM spent WHERE user = ?1 AND quarter >= ?4),
		(SELECT coalesce(sum(amount), 0) FROM lease WHERE user = ?1 AND pot IS NULL AND created_at >= ?3), `
	sumDay   = sumOfUser + `(SELECT coalesce(sum(amount), 0) FROM extension WHERE user = ?1 AND created_at >= ?3)`
	sumMonth = sumOfUser + `0`
	sumJobs  = `SELECT (SELECT coalesce(sum(u.cost), 0) FROM usage u JOIN turn t ON t.id = u.turn WHERE u.user = ?1 AND u.created_at >= ?3 AND t.kind = 'job'),
		(SELECT coalesce(sum(l.amount), 0) FROM lease l JOIN turn t ON t.id = l.turn WHERE l.user = ?1 AND l.created_at >= ?3 AND t.kind = 'job'), ?2 * 0`
	sumPot = `SELECT (SELECT coalesce(sum(cost), 0) FROM spent WHERE user = ?5 AND quarter >= ?4),
		(SELECT coalesce(sum(amount), 0) FROM lease WHERE pot = ?5 AND created_at >= ?3), 0`
	sumRequested = `WITH requested (id) AS (SELECT t.id FROM turn t JOIN inbox i ON i.id = t.inbound WHERE t.user = ?1 AND t.started_at >= ?3
		AND i.source = 'review'), turns AS (SELECT id FROM requested UNION ALL SELECT id FROM turn WHERE parent IN requested)
		SELECT (SELECT coalesce(sum(cost), 0) FROM usage WHERE turn IN turns), (SELECT coalesce(sum(amount),
			0) FROM lease WHERE turn IN turns), ?2 * 0`
	sumOfAll = `SELECT (SELECT coalesce(sum(cost), 0) FROM spent WHERE user = '' AND quarter >= ?4),
		(SELECT coalesce(sum(amount), 0) FROM lease WHERE created_at >= ?3), 0`
)

// scopeSums maps a scope to its query and the number of the query's parameters.
var scopeSums = map[supervisor.SpendingScope]struct {
	query      string
	parameters int
}{
	supervisor.ScopeTurn:          {sumTurn, 2},
	supervisor.ScopeFire:          {sumFire, 2},
	supervisor.ScopeDay:           {sumDay, 4},
	supervisor.ScopeMonth:         {sumMonth, 4},
	supervisor.ScopeJobDay:        {sumJobs, 3},
	supervisor.ScopeJobMonth:      {sumJobs, 3},
	supervisor.ScopePot:           {sumPot, 5},
	supervisor.ScopeRequestedWork: {sumRequested, 3},
	supervisor.ScopeInstallation:  {sumOfAll, 4},
}

// sumLimit sums the amounts that count for one limit of a lease request. The result is a shortage
// if money is missing.
func (t *tx) sumLimit(c supervisor.LeaseRequest, limit supervisor.SpendingLimit) supervisor.BudgetShortage {
	m, known := scopeSums[limit.Scope]
	if !known {
		t.fail(invalid("there is no limit of the kind %q", limit.Scope))
	}
	since := toMillis(limit.Since)
	args := []any{c.User, c.Turn, since, since / quarterHour, c.Pot}
	s := value(t, func(row *engine.Row) (s supervisor.BudgetShortage) {
		row.Scan(&s.Spent, &s.Held, &s.Extended)
		return s
	}, m.query, args[:m.parameters]...)
	s.SpendingLimit, s.Wanted = limit, c.Least
	if monthScopes[limit.Scope] && t.isMonthUnknown(since) {
		s.Spent = max(s.Spent, limit.Max)
	}
	return s
}

// monthScopes are the scopes whose spending is not known after a restore.
var monthScopes = map[supervisor.SpendingScope]bool{supervisor.ScopeMonth: true, supervisor.ScopeJobMonth: true,
	supervisor.ScopeInstallation: true}

// isMonthUnknown reports whether a restore has lost what was spent since a time, and no admin has
// allowed to spend more.
func (t *tx) isMonthUnknown(since int64) bool {
	at, err := strconv.ParseInt(t.setting("", SettingMonthUnknown), 10, 64)
	return err == nil && at >= since
}

// SettingMonthUnknown is a setting of the service. While it is there, its month counts as spent.
// Its value is the time of a restore, in unix milliseconds.
const SettingMonthUnknown = "month unknown"

const deleteLease = `DELETE FROM lease WHERE id = ? AND user = ? RETURNING created_at`

// endLeases ends leases of a user whose usage is being stored. Its result is the time at which the
// first of these leases was taken, or now without a lease. It ignores leases that have ended.
func (t *tx) endLeases(user string, leases ...int64) (taken int64) {
	taken = t.Now
	for _, id := range leases {
		if at, ok := one(t, engine.ScanInteger, deleteLease, id, user); ok {
			taken = min(taken, at)
		}
	}
	return taken
}

const trimLease = `UPDATE lease SET amount = ?1 WHERE id = ?2 AND amount > ?1`

// LowerLease lowers a lease to an amount. It does not change a smaller or an ended lease.
func (s Leases) LowerLease(ctx context.Context, lease, amount int64) error {
	return s.db.write(ctx, func(t *tx) { t.Exec(trimLease, amount, lease) }, "trim lease %d", lease)
}

const returnLease = `DELETE FROM lease WHERE id = ?`

// ReturnLease frees the money of a lease whose call cost nothing. An ended lease is no error.
func (s Leases) ReturnLease(ctx context.Context, lease int64) error {
	return s.db.write(ctx, func(t *tx) { t.Exec(returnLease, lease) }, "return lease %d", lease)
}

const (
	// A call that was cut off by a crash may have cost its whole lease.
	chargeLeases = `INSERT INTO usage (user, conversation, turn, spec, model, purpose, class, input, output, cache_read,
		cache_write, estimated, cost, request, pot, created_at) SELECT user, conversation, turn, spec, '', 'chat', 'unknown', 0, 0, 0,
		0, 1, amount, '', pot, created_at FROM lease ORDER BY id`
	deleteLeases = `DELETE FROM lease`
)

// RecoverAfterCrash turns leases of an earlier process into usage. It returns their number. Each
// lease becomes usage of its whole amount, with the class "unknown" and the time of the lease. Call
// RecoverAfterCrash before the first lease is taken.
func (s Leases) RecoverAfterCrash(ctx context.Context) (left int64, err error) {
	return inTransaction(ctx, s.db, func(t *tx) int64 {
		t.Exec(chargeLeases)
		return t.ExecCount(deleteLeases)
	}, "end the leases of an earlier process")
}

const (
	sumExtended     = `SELECT coalesce(sum(amount), 0) FROM extension WHERE user = ? AND created_at >= ?`
	insertExtension = `INSERT INTO extension (user, turn, amount, created_at) VALUES (?, ?, ?, ?)`
)

// ExtendLimits raises a user's limits for the turn and the current day. It also adds an entry to
// the audit log. If the user may not raise the limits by that much, ExtendLimits
// changes nothing and reports false.
func (s Leases) ExtendLimits(ctx context.Context, e supervisor.LimitExtension) (done bool, err error) {
	return inTransaction(ctx, s.db, func(t *tx) bool { return t.extendBudget(e) }, "extend the budget of %s by %d millionths of a dollar", e.User, e.Amount)
}

func (t *tx) extendBudget(e supervisor.LimitExtension) bool {
	if e.Amount <= 0 {
		t.fail(invalid("a budget is lengthened by more than %d millionths of a dollar", e.Amount))
	}
	before := value(t, engine.ScanInteger, sumExtended, e.User, toMillis(e.Since))
	if e.Amount > e.Max-before {
		return false
	}
	t.Exec(insertExtension, e.User, e.Turn, e.Amount, t.Now)
	if errors.Is(t.err, engine.ErrForeignKey) {
		t.err = notFound("there is no turn %d", e.Turn)
	}
	t.endOtherBudgetQuestions(e.User, e.Turn)
	t.audit(e.User, "budget.extended", fmt.Sprintf("turn %d, %s", e.Turn, money.FormatDollars(e.Amount)))
	return true
}

const sumHeld = `SELECT coalesce(sum(amount), 0) FROM lease WHERE user = ? AND pot IS NULL AND created_at >= ?`

// SumAmounts returns the sum of a user's own leases since a time, in millionths of a dollar.
func (s Leases) SumAmounts(ctx context.Context, user string, since time.Time) (int64, error) {
	return engine.FirstValue(s.db.reader(ctx, "sum the leases of %s", user), engine.ScanInteger, sumHeld, user,
		toMillis(since))
}

// SumLimitExtensions returns the sum of a user's limit extensions since a time. The sum is in
// millionths of a dollar.
func (s Leases) SumLimitExtensions(ctx context.Context, user string, since time.Time) (int64, error) {
	return engine.FirstValue(s.db.reader(ctx, "sum the budget extensions of %s", user), engine.ScanInteger, sumExtended,
		user, toMillis(since))
}
