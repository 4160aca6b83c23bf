package admin

import (
	"context"
	"fmt"
	"strings"

	"mews/supervisor"
	"mews/supervisor/backup"
	"mews/supervisor/sqlite"
)

// DisconnectAccountRequest are the parameters of user.disconnect.
type DisconnectAccountRequest struct {
	User     string `json:"user"`
	Telegram string `json:"telegram"` // the number of the Telegram account
}

// disconnect takes an account on a channel away from a user. The account came by an invite.
func (o *Service) disconnect(ctx context.Context, by Caller, q DisconnectAccountRequest) (TextResult, error) {
	u, err := o.userOrCaller(by, q.User)
	if err != nil {
		return TextResult{}, err
	}
	lost := sqlite.AccountBinding{Account: q.Telegram, User: u.Name}
	for _, b := range o.People.Accounts(u.Name) {
		if b.Account == q.Telegram {
			lost.Channel = b.Channel
		}
	}
	for _, configured := range o.Configuration.Summary().Users {
		if configured.Name == u.Name && configured.Accounts[lost.Channel] == q.Telegram {
			return TextResult{}, supervisor.Errorf(supervisor.CodeInvalid, textDisconnectConfigured, q.Telegram, u.Name)
		}
	}
	there, err := o.Store.Bindings.Remove(ctx, lost,
		auditEntry(by, u.Name, "account.removed", fmt.Sprintf("account %s of %s", q.Telegram, lost.Channel)))
	if err != nil {
		return TextResult{}, err
	}
	if !there {
		return TextResult{}, supervisor.Errorf(supervisor.CodeNotFound, textNoSuchAccount, u.Name, q.Telegram,
			o.accountsText(u.Name))
	}
	o.acted(backup.ActRevoked, u.Name, fmt.Sprintf("account %s of %s", q.Telegram, lost.Channel))
	if err := o.Configuration.Refresh(ctx); err != nil {
		return TextResult{}, fmt.Errorf("the change is stored, and takes effect at the next start: %w", err)
	}
	return TextResult{fmt.Sprintf(textDisconnected, q.Telegram, u.Name, o.accountsText(u.Name))}, nil
}

// accountsText lists the numbers of a user's accounts on channels.
func (o *Service) accountsText(user string) string {
	var numbers []string
	for _, b := range o.People.Accounts(user) {
		numbers = append(numbers, b.Account)
	}
	if len(numbers) == 0 {
		return textNoAccounts
	}
	return strings.Join(numbers, ", ")
}
