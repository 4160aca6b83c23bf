package app

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/config"
	"mews/supervisor"
	"mews/supervisor/alarm"
	"mews/supervisor/internal/retry"
	"mews/supervisor/telegram"
)

// alarmWithoutDatabase tells the URL and the admins of the configuration that the database does not
// open, until ctx ends. The service tells the end once it is open.
func (s *service) alarmWithoutDatabase(ctx context.Context, opened error) {
	o, err := s.alarmOptions(func() *config.Config { return s.config })
	if err != nil {
		s.log.Error("tell that the database does not open", "error", err)
		return
	}
	texts := make(chan string, 1) // only one alarm is raised
	o.Tell = func(text string, _ bool) {
		select {
		case texts <- text:
		default:
		}
	}
	o.Ready = func(context.Context) bool { return false }
	var telling sync.WaitGroup
	defer telling.Wait()
	telling.Go(func() { s.tellAdminsOfConfig(ctx, texts) })
	alarms := alarm.New(o)
	alarms.Report(alarm.Database, fmt.Sprintf(textNoDatabaseAdmin, opened))
	_ = alarms.Run(ctx) // its error is always nil
}

// tellAdminsOfConfig sends the first text to the admins that the configuration names. It tries until
// it succeeds or ctx ends, and needs no database.
func (s *service) tellAdminsOfConfig(ctx context.Context, texts <-chan string) {
	token, log := s.config.Telegram.Token.Reveal(), s.log.Named("alarm")
	if token == "" {
		return
	}
	client, err := telegram.New(telegram.Options{Token: token, APIURL: s.config.Telegram.APIURL, Log: log})
	if err != nil {
		log.Error("tell admins directly", "error", err)
		return
	}
	defer client.Close()
	select {
	case <-ctx.Done():
	case text := <-texts:
		var sending sync.WaitGroup
		defer sending.Wait()
		for _, u := range s.config.Users {
			if u.Telegram != 0 && supervisor.Role(u.Role) == supervisor.RoleAdmin {
				sending.Go(func() { sendUntilDone(ctx, client, log, u.Telegram, text) })
			}
		}
	}
}

// sendUntilDone sends a text to a private chat, until Telegram takes or refuses it, or ctx ends.
func sendUntilDone(ctx context.Context, client *telegram.Client, log hclog.Logger, chat int64, text string) {
	to := supervisor.PostAddress{Chat: strconv.FormatInt(chat, 10)}
	err := retry.UntilDone(ctx, retry.PausesUpTo(time.Minute), func() error {
		_, err := client.Send(ctx, to, supervisor.RichText{Text: text})
		return err
	}, func(err error) bool {
		failed := new(supervisor.SendError)
		return errors.As(err, &failed) && failed.Result == supervisor.SendResultRefused
	}, func(err error, again time.Duration) {
		log.Warn("an admin was not told directly", "error", err, "again_in", again)
	})
	if err != nil && ctx.Err() == nil {
		log.Error("an admin can't be told directly", "error", err)
	}
}
