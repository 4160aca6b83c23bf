package admin

import (
	"context"
	"fmt"
	"strings"

	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// DisconnectRequest are the parameters of user.disconnect.
type DisconnectRequest struct {
	User     string `json:"user"`
	Telegram string `json:"telegram"` // the number of the Telegram account
}

// disconnect takes a Telegram account away from a user. The account came by an invite.
func (o *Service) disconnect(ctx context.Context, by Caller, q DisconnectRequest) (TextResult, error) {
	u, err := o.userOrCaller(by, q.User)
	if err != nil {
		return TextResult{}, err
	}
	for _, configured := range o.Configuration.Summary().Users {
		if configured.Name == u.Name && configured.Accounts[supervisor.ChannelTelegram] == q.Telegram {
			return TextResult{}, supervisor.Errorf(supervisor.CodeInvalid, textDisconnectConfigured, q.Telegram, u.Name)
		}
	}
	there, err := o.Store.Bindings.Remove(ctx,
		sqlite.AccountBinding{Channel: supervisor.ChannelTelegram, Account: q.Telegram, User: u.Name},
		auditEntry(by, u.Name, "account.removed", "account "+q.Telegram+" of telegram"))
	if err != nil {
		return TextResult{}, err
	}
	if !there {
		return TextResult{}, supervisor.Errorf(supervisor.CodeNotFound, textNoSuchAccount, u.Name, q.Telegram,
			o.telegramText(u.Name))
	}
	if err := o.Configuration.Refresh(ctx); err != nil {
		return TextResult{}, fmt.Errorf("the change is stored, and takes effect at the next start: %w", err)
	}
	return TextResult{fmt.Sprintf(textDisconnected, q.Telegram, u.Name, o.telegramText(u.Name))}, nil
}

// telegramText lists the numbers of a user's accounts on Telegram.
func (o *Service) telegramText(user string) string {
	var numbers []string
	for _, b := range o.People.Accounts(user) {
		if b.Channel == supervisor.ChannelTelegram {
			numbers = append(numbers, b.Account)
		}
	}
	if len(numbers) == 0 {
		return textNoAccounts
	}
	return strings.Join(numbers, ", ")
}
