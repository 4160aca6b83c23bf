package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/config"
	"mews/supervisor/api"
	"mews/supervisor/command"
	"mews/supervisor/control"
	"mews/supervisor/egress"
	"mews/supervisor/internal/retry"
	"mews/supervisor/internal/timezone"
)

// Options are the dependencies of a service.
type Options struct {
	Config  *config.Config
	Version string // the programs' version, as users see it; "" accepts programs of any version
	Log     hclog.Logger
	Lock    *os.File                    // lock of the state folder, if the caller holds it; Run takes the lock over
	Now     func() time.Time            // the time for events, codes, logins and budgets
	Manual  func() []command.ManualPage // returns the pages of the manual, for /help
	// called once messages are accepted; hints say what to configure, if nothing is configured
	Ready func(hints string)

	// NewDatabase makes a new database if the old one is missing or empty, although Mews has other
	// files.
	NewDatabase bool
	// NewHomes makes empty homes in place of lost ones.
	NewHomes bool
	// WithoutCopy migrates the database without copying it first.
	WithoutCopy bool
	// AllowDifferences accepts a database that differs from one that this program would make.
	AllowDifferences bool

	// OwnsProcess says that the process runs nothing but this service. Run may then limit the
	// process's processors, and end the process if a part of the service is stuck.
	OwnsProcess bool

	// SafeMode keeps messages and runs no worker. A service that has crashed several times in a row
	// starts like this by itself.
	SafeMode bool

	Egress egress.Options // the client for addresses on the web; the zero value means the internet

	Committed func() // called after each commit, before its results are sent; may be nil
}

// Run serves until ctx ends or a part fails. The caller must have made the process private; see
// statefolder.ProtectProcess.
func Run(ctx context.Context, o Options) (err error) {
	s := &service{storage: storage{config: o.Config, version: o.Version, log: o.Log, since: time.Now(), now: o.Now,
		lock: o.Lock, committed: o.Committed,
		newDatabase: o.NewDatabase, newHomes: o.NewHomes, withoutCopy: o.WithoutCopy,
		allowDifferences: o.AllowDifferences},
		outside: outside{egressOptions: o.Egress},
		manual:  o.Manual, process: newProcessTuner(o.OwnsProcess), ownsProcess: o.OwnsProcess}
	s.zone, s.safe.on = s.zoneOf, o.SafeMode
	if err := s.open(ctx); ctx.Err() != nil {
		return s.stopStart(err)
	} else if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := s.whileStarting(proveTimeout, s.proveVersion)(ctx); ctx.Err() != nil {
		return nil
	} else if err != nil {
		return err
	}
	ctx, stop := s.drained(ctx)
	defer stop()
	return openAndRunParts(ctx, s.parts(), s.recordOpening, func() {
		s.audit.RecordDailyAction("", "service.started", fmt.Sprintf("version %s, process %d, walls %s", s.version,
			os.Getpid(), s.locations.Spawner.Sandbox().Tier))
		s.log.Info("serving", "version", s.version, "state", s.config.State, "model", s.models.DefaultModel())
		o.Ready(s.statusReporter().SetupHints())
	})
}

// stopStart handles a signal that came during the start. If openErr is not nil, open has failed and
// has closed all parts. If it is nil, all parts are open.
func (s *service) stopStart(openErr error) error {
	s.log.Info("stopped during the start", "error", openErr)
	if openErr != nil {
		return nil // the parts fail because ctx has ended
	}
	return s.close()
}

// zoneOf returns a user's time zone. chosen is the zone of the user's setting; "" means no setting.
func (s *service) zoneOf(user, chosen string) *time.Location {
	u, _ := s.people.Find(user)
	u.Timezone = cmp.Or(chosen, u.Timezone)
	return timezone.ForUser(u)
}

// startTimeout is how long a service may take from locking its state folder to its first answer.
const startTimeout = 5 * time.Second

// AwaitService waits until a service that has just started answers.
func AwaitService(ctx context.Context, cfg *config.Config) error {
	for end := time.Now().Add(startTimeout); ; {
		var status api.Status
		err := control.CallOnce(ctx, SocketPath(cfg), api.MethodStatus, nil, &status)
		if err == nil || time.Now().After(end) {
			return err
		}
		if !retry.Sleep(ctx, 50*time.Millisecond) {
			return context.Cause(ctx)
		}
	}
}
