package api

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/budget"
	"mews/supervisor/markdown"
	"mews/supervisor/sqlite"
)

// OwnStatus tells users the state of the service, and of their gate, budget and terminals.
type OwnStatus struct {
	Report StatusReporter
	Left   func(ctx context.Context, user string) ([]budget.Allowance, error)
	Limits func() access.GateLimits // the current limits of logins
	// AskWorker calls a user's worker. The result there is false if the worker does not run.
	AskWorker func(ctx context.Context, user, method string, params, result any) (there bool, err error)
	Now       func() time.Time
	Log       hclog.Logger
}

// GateAndBudgetLines returns a line about the user's gate and a line about their budget.
func (s OwnStatus) GateAndBudgetLines(ctx context.Context, c supervisor.Conversation) (string, error) {
	var lines []string
	gate, err := s.gateLine(ctx, c)
	if err != nil {
		return "", err
	}
	lines = append(lines, "gate    "+gate)
	held, err := s.Report.DB.Inbox().CountHeldInbounds(ctx, c.User)
	if err != nil {
		return "", err
	}
	if held > 0 {
		messages := amount.Plural(int(held), "message", "messages")
		lines = append(lines, fmt.Sprintf("held    %s until you send a code", messages))
	}
	left, err := s.Left(ctx, c.User)
	if err != nil {
		return "", err
	}
	var budgets []string
	for _, a := range left {
		budgets = append(budgets, a.String())
	}
	if len(budgets) > 0 {
		lines = append(lines, "budget  "+strings.Join(budgets, ", "))
	}
	return strings.Join(lines, "\n"), nil
}

const (
	terminalsTimeout = 2 * time.Second // the timeout of a worker's answer
	maxTerminals     = 20              // the most terminals in the answer; a worker opens fewer
)

// terminals returns a line for each of the user's terminals with a running program. The turn that
// opened the terminal may have ended. Only the worker knows the terminals, and they end with the
// worker.
func (s OwnStatus) terminals(ctx context.Context, user string) (lines string) {
	ctx, cancel := context.WithTimeout(ctx, terminalsTimeout)
	defer cancel()
	var list protocol.TerminalList
	if _, err := s.AskWorker(ctx, user, protocol.MethodTerminalsList, nil, &list); err != nil {
		s.Log.Warn("could not ask a worker for its terminals", "user", user, "error", err)
		return ""
	}
	for _, t := range list.Terminals[:min(len(list.Terminals), maxTerminals)] {
		lines += fmt.Sprintf("\nterminal  %d (%s) runs for %s", t.ID, markdown.EscapeName(t.Program),
			amount.FormatDuration(time.Duration(t.Seconds)*time.Second))
	}
	return lines
}

// gateLine says whether the gate of the chat is open.
func (s OwnStatus) gateLine(ctx context.Context, c supervisor.Conversation) (string, error) {
	store := s.Report.DB.UserAccessStores()
	guarded, err := sqlite.Gates{UserAccessStores: store}.HasFactor(ctx, c.User)
	if err != nil || !guarded {
		return "open; no second factor", err
	}
	login, _, err := store.Logins.FindLogin(ctx, c.User, c.Channel, c.Chat)
	limits := s.Limits()
	now := s.Now()
	if err != nil || !login.IsOpen(now, limits.IdleTimeout, limits.Lifetime) {
		return "locked", err
	}
	until := login.OpenedAt.Add(limits.Lifetime)
	if idle := login.UsedAt.Add(limits.IdleTimeout); idle.Before(until) {
		until = idle
	}
	return fmt.Sprintf("open for another %s; /lock locks it", until.Sub(now).Round(time.Minute)), nil
}

// Text returns the answer to /status.
func (s OwnStatus) Text(ctx context.Context, c supervisor.Conversation) (string, error) {
	text, err := s.Report.Text(ctx, c)
	if err != nil || c.IsInGroup() {
		return text, err
	}
	own, err := s.GateAndBudgetLines(ctx, c)
	// people may read a channel with accounts on a phone, so the table becomes a list
	if text += "\n" + own + s.terminals(ctx, c.User); c.Channel.Capabilities().NeedsAccount {
		text = listStatus(text)
	}
	return text, err
}
