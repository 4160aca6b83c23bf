package app

import (
	"context"
	"os"

	"mews/supervisor/health"
	"mews/supervisor/telegram"
)

// openHealth makes the monitor of the service's long loops.
func (s *service) openHealth(context.Context) error {
	loops := []health.Loop{{Name: "writer", Ping: s.db.Ping}}
	if !s.safe.on {
		loops = append(loops, health.Loop{Name: "sessions", Ping: s.sessions.Ping})
	}
	if c := s.channel; c != nil {
		loops = append(loops, health.Loop{Name: "outbox", Ping: c.outbox.Ping},
			health.Loop{Name: s.receiverName(), Ping: c.health.Ping})
	}
	s.health = health.New(loops...)
	return nil
}

// receiverName returns the name of the loop that receives messages of Telegram.
func (s *service) receiverName() string {
	if s.config.Telegram.Webhook.URL != "" {
		return string(telegram.ModeWebhook)
	}
	return "poller"
}

// ExitFault is the process's exit status after a fault of Mews itself (EX_SOFTWARE of sysexits(3)).
const ExitFault = 70

// watchLoops ends the process if a loop stops moving, because such a loop can't be stopped in order.
// A process that runs more than the service is not ended: then only the log tells of the loop.
func (s *service) watchLoops(ctx context.Context) error {
	end := func([]string) {
		if s.ownsProcess {
			os.Exit(ExitFault)
		}
		<-ctx.Done()
	}
	return health.Watchdog{Monitor: s.health, Log: s.log.Named("health"), End: end}.Run(ctx)
}
