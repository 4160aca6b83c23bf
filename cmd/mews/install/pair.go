package install

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mews/config"
	"mews/supervisor/admin"
	"mews/supervisor/app"
)

// pairMinutes is how long the first admin's invite is valid.
const pairMinutes = 15

// pollPause is the time between two looks whether the invite was taken.
const pollPause = 2 * time.Second

// Pair connects the first admin by an invite that the terminal shows. It waits until a Telegram
// account takes the invite, and asks whether that account is theirs. show prints the invite.
func (in *Installer) Pair(ctx context.Context, cfg *config.Config, t Terminal,
	show func(user string, made admin.InviteResult) error) error {
	user := in.firstAdmin()
	before, err := accountsOf(ctx, cfg, user)
	switch {
	case err != nil || !in.record.Answers.Telegram || len(before) > 0 && !in.record.Pairing:
		return err
	case len(before) > 0: // an earlier run ended before the answer
		return in.confirm(ctx, cfg, t, user, before)
	}
	in.record.Pairing = true
	if err := in.save(); err != nil {
		return err
	}
	made, err := app.CallAdminService[admin.InviteResult](ctx, cfg, admin.MethodUserInvite,
		admin.InviteRequest{User: user, Minutes: pairMinutes})
	if err != nil {
		return err
	}
	if err := show(user, made); err != nil {
		return err
	}
	late := fmt.Errorf(textNobodyCame, in.layout.Mews("install invite"))
	waiting, cancel := context.WithDeadlineCause(ctx, made.Expires, late)
	defer cancel()
	taken, err := waitForAccount(waiting, cfg, user)
	if err != nil {
		return err
	}
	return in.confirm(ctx, cfg, t, user, taken)
}

// firstAdmin returns the name of the first admin.
func (in *Installer) firstAdmin() string {
	people := in.record.Answers.People
	return people[slices.IndexFunc(people, func(p Person) bool { return p.Admin })].Name
}

// accountsOf returns the numbers of a user's Telegram accounts.
func accountsOf(ctx context.Context, cfg *config.Config, user string) ([]string, error) {
	list, err := app.CallAdminService[admin.People](ctx, cfg, admin.MethodUserList, admin.UserRequest{User: user})
	if err != nil || len(list.Users) == 0 {
		return nil, err
	}
	return list.Users[0].Telegram, nil
}

// waitForAccount waits until the invite was taken. At its end it revokes the invite and looks once
// more, so that nobody takes it unseen.
func waitForAccount(ctx context.Context, cfg *config.Config, user string) ([]string, error) {
	for tick := time.NewTicker(pollPause); ; {
		if list, err := accountsOf(ctx, cfg, user); err != nil && ctx.Err() == nil {
			return nil, err
		} else if len(list) > 0 {
			return list, nil
		}
		select {
		case <-ctx.Done():
			last := context.WithoutCancel(ctx)
			_, revoked := app.CallAdminService[admin.InviteResult](last, cfg, admin.MethodUserInvite,
				admin.InviteRequest{User: user, Revoke: true})
			if list, err := accountsOf(last, cfg, user); err != nil || len(list) > 0 {
				return list, err
			}
			return nil, errors.Join(context.Cause(ctx), revoked)
		case <-tick.C:
		}
	}
}

// confirm asks for each account that took the invite whether it is the admin's. Otherwise the account
// is disconnected, also if the question is broken off.
func (in *Installer) confirm(ctx context.Context, cfg *config.Config, t Terminal, user string, taken []string) error {
	for _, account := range taken {
		text, err := t.lineUnless(ctx, fmt.Sprintf(askTaken, account, user))
		if err == nil && strings.HasPrefix(strings.ToLower(text), "y") {
			continue
		}
		_, undo := app.CallAdminService[admin.TextResult](context.WithoutCancel(ctx), cfg, admin.MethodUserDisconnect,
			admin.DisconnectAccountRequest{User: user, Telegram: account})
		return errors.Join(fmt.Errorf(textNotPaired, account, in.layout.Mews("install invite")), err, undo)
	}
	in.record.Pairing = false
	if err := in.save(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(t.Out, textPaired, user)
	return err
}
