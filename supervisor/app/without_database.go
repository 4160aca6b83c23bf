package app

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"mews/config"
	"mews/protocol/spawnwire"
	"mews/supervisor"
	"mews/supervisor/internal/retry"
	"mews/supervisor/telegram"
)

// reopenInterval is how often a database that did not open is tried again.
const reopenInterval = 20 * time.Second

// openStoreOrAnswer opens the database. If a service manager runs this service, a database that does
// not open is tried again until ctx ends. Meanwhile whoever writes on Telegram is answered once.
func (s *service) openStoreOrAnswer(ctx context.Context) error {
	err := s.whileStarting(openTimeout, s.openStore)(ctx)
	if err == nil || s.db != nil || s.manager == nil || isOnTrial(updaterFolder, s.version) {
		return err
	}
	during, stop := context.WithCancel(ctx)
	var answering sync.WaitGroup
	answering.Go(func() { s.answerWithoutDatabase(during, err) })
	answering.Go(func() { s.alarmWithoutDatabase(during, err) })
	defer answering.Wait()
	defer stop()
	s.log.Error("the database does not open: it is tried again", "error", err, "again_in", reopenInterval)
	for state := spawnwire.StateReady; err != nil && s.db == nil; state = spawnwire.StateAlive {
		s.isReady = true
		s.tellManager(state, fmt.Sprintf(textManagerNoDatabase, err))
		if !retry.Sleep(ctx, reopenInterval) {
			return err
		}
		err = s.whileStarting(openTimeout, s.openStore)(ctx)
	}
	return err
}

// answerWithoutDatabase polls Telegram until ctx ends, and acknowledges no update: each comes again
// once the database is open. With a webhook it polls nothing: the public listener answers 503, so that
// Telegram calls again.
func (s *service) answerWithoutDatabase(ctx context.Context, opened error) {
	token, log := s.config.Telegram.Token.Reveal(), s.log.Named("telegram")
	if token == "" || s.config.Telegram.Webhook.URL != "" {
		return
	}
	client, err := telegram.New(telegram.Options{Token: token, APIURL: s.config.Telegram.APIURL,
		Files: s.config.Telegram.Files, Log: log})
	if err != nil {
		log.Error("answer without a database", "error", err)
		return
	}
	defer client.Close()
	receiver := &forgetfulReceiver{client: client, opened: opened, users: map[string]config.User{},
		answered: map[string]bool{}}
	for _, u := range s.config.Users {
		if u.Telegram != 0 {
			receiver.users[strconv.FormatInt(u.Telegram, 10)] = u
		}
	}
	_ = telegram.NewPoller(client, receiver, telegram.PollOptions{Log: log}).Run(ctx) // its error is always nil
}

// forgetfulReceiver refuses all updates, and answers each user once. It knows only the users of the
// configuration. One goroutine uses it.
type forgetfulReceiver struct {
	client   *telegram.Client
	opened   error                  // why the database did not open
	users    map[string]config.User // users by the number of their private chat
	answered map[string]bool
}

// NextOffset returns the beginning of what Telegram keeps, which acknowledges nothing.
func (*forgetfulReceiver) NextOffset(context.Context) (int64, error) { return 0, nil }

// StoreBatch answers the batch's senders and refuses the batch, so that it comes again.
func (r *forgetfulReceiver) StoreBatch(ctx context.Context, batch []supervisor.Incoming, _ int64) error {
	for _, in := range batch {
		u, known := r.users[in.Chat]
		if in.Group || !known || r.answered[in.Chat] {
			continue
		}
		text := textNoDatabase
		if supervisor.Role(u.Role) == supervisor.RoleAdmin {
			text = fmt.Sprintf(textNoDatabaseAdmin, r.opened)
		}
		_, err := r.client.Send(ctx, supervisor.PostAddress{Chat: in.Chat}, supervisor.RichText{Text: text})
		r.answered[in.Chat] = err == nil
	}
	return r.opened
}
