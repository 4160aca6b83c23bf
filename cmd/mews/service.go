package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/config"
	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/command"
	"mews/supervisor/control"
	"mews/supervisor/hostcall"
	"mews/supervisor/inbox"
	"mews/supervisor/model"
	"mews/supervisor/pool"
	"mews/supervisor/reply"
	"mews/supervisor/session"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
)

// service is the supervisor: its parts, and no policy. build makes them, run runs them, close lets go of them.
type service struct {
	config *config.Config
	log    hclog.Logger
	since  time.Time

	lock    *os.File
	db      *sqlite.DB
	spool   *spool.Spool
	models  *model.Catalogue
	people  *access.People
	spawner *pool.Spawner
	pool    *pool.Pool
	feeds   reply.Feeds
	audit   *auditor
	parts   []part
	closers []func() error
}

// newService builds every part. What it has opened when it fails is closed.
func newService(ctx context.Context, cfg *config.Config, log hclog.Logger, lock *os.File) (s *service, err error) {
	s = &service{config: cfg, log: log, since: time.Now(), lock: lock}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
			s = nil
		}
	}()
	for _, build := range []func(context.Context) error{
		s.openState, s.openStore, s.openModels, s.openPeople, s.startSpawner, s.connect,
	} {
		if err := build(ctx); err != nil {
			return s, err
		}
	}
	return s, nil
}

// close lets go of what is open, in the reverse order.
func (s *service) close() error {
	var errs []error
	for i := len(s.closers) - 1; i >= 0; i-- {
		errs = append(errs, s.closers[i]())
	}
	return errors.Join(errs...)
}

func (s *service) closing(f func() error) { s.closers = append(s.closers, f) }

// run serves until ctx ends or a part fails.
func (s *service) run(ctx context.Context, started func()) error {
	return runParts(ctx, s.parts, started)
}

// private is the folder that nobody but the supervisor sees into.
func (s *service) private(name string) string { return filepath.Join(s.config.State, "private", name) }

func (s *service) openState(context.Context) (err error) {
	for _, dir := range []struct {
		path string
		mode os.FileMode
	}{{s.config.State, 0o711}, {s.private(""), 0o700}} {
		if err := os.MkdirAll(dir.path, dir.mode); err != nil {
			return fmt.Errorf("make the state folder: %w", err)
		}
	}
	if s.lock == nil {
		if s.lock, err = lockState(s.config.State); err != nil {
			return err
		}
	}
	s.closing(s.lock.Close)
	return nil
}

func (s *service) openStore(ctx context.Context) (err error) {
	if s.db, err = sqlite.Open(ctx, s.private("mews.db"), sqlite.Options{Log: s.log.Named("sqlite")}); err != nil {
		return err
	}
	s.closing(s.db.Close)
	if s.spool, err = spool.Open(s.private("spool")); err != nil {
		return err
	}
	s.closing(s.spool.Close)
	return nil
}

func (s *service) openModels(context.Context) (err error) {
	o := model.Options{Default: s.config.Models.Default, Log: s.log.Named("model")}
	for name, p := range s.config.Models.Providers {
		o.Providers = append(o.Providers, model.ProviderOptions{
			Name: name, Kind: p.Kind, BaseURL: p.BaseURL, APIKey: p.APIKey.Reveal(),
		})
	}
	if s.models, err = model.NewCatalogue(o); err != nil {
		return err
	}
	s.closing(func() error { s.models.Close(); return nil })
	return nil
}

// openPeople checks that everybody has a folder. One below the state folder is made; any other one is its person's own
// affair, and has to be there.
func (s *service) openPeople(context.Context) (err error) {
	users := s.users()
	if s.people, err = access.New(users, uint32(os.Getuid()), accountID); err != nil {
		return err
	}
	for _, u := range users {
		if filepath.Dir(u.Home) == filepath.Join(s.config.State, "homes") {
			if err := os.MkdirAll(u.Home, 0o700); err != nil {
				return fmt.Errorf("make the folder of %s: %w", u.Name, err)
			}
		}
		if info, err := os.Stat(u.Home); err != nil {
			return fmt.Errorf("the folder of %s: %w; make it, or write another `home:` in the configuration", u.Name, err)
		} else if !info.IsDir() {
			return fmt.Errorf("the folder of %s: %s is a file; write another `home:` in the configuration", u.Name, u.Home)
		}
	}
	return nil
}

func accountID(name string) (uint32, error) {
	account, err := user.Lookup(name)
	if err != nil {
		return 0, err
	}
	uid, err := strconv.ParseUint(account.Uid, 10, 32)
	return uint32(uid), err
}

func (s *service) startSpawner(ctx context.Context) (err error) {
	spawner, worker, err := companions()
	if err != nil {
		return err
	}
	if s.spawner, err = pool.StartSpawner(ctx, spawner, worker, s.log.Named("spawner")); err != nil {
		return err
	}
	s.closing(s.spawner.Close)
	if walls := s.report().walls(); walls.Why != "" {
		s.log.Warn("walls", "tier", walls.Tier, "why", walls.Why)
	}
	return nil
}

// connect joins the parts: here they meet, through the interfaces that each of them has declared.
func (s *service) connect(context.Context) error {
	s.audit = newAuditor(s.db.Audit(), s.log.Named("audit"))
	desks := &hostcall.Options{
		Steps: s.db.Turns(), Transcript: s.db.Transcript(), Models: s.models, Blobs: s.db.Blobs(), Spool: s.spool,
		Audit: s.audit.note, History: s.config.Limits.History, Log: s.log.Named("hostcall"),
	}
	s.pool = pool.New(pool.Options{
		Spawner: s.spawner, Hello: s.hello, Log: s.log.Named("pool"), Timings: pool.Timings{Idle: s.config.Worker.Idle},
		Host: func(user string, peer pool.Peer) pool.Host { return hostcall.NewDesk(desks, user, peer) },
	})
	report := s.report()
	sessions := session.New(session.Options{
		Inbox: s.db.Inbox(), Turns: s.db.Turns(), Notices: s.db.Outbox(), Runner: turns{pool: s.pool, people: s.people},
		Feeds: &s.feeds, Limits: s.limits(), Audit: s.audit.note, Now: time.Now, Log: s.log.Named("session"),
	})
	commands := command.New(command.Options{
		Store: s.db.Inbox(), Outbox: s.db.Outbox(), Sessions: sessions, Topics: s.db.Transcript(), Status: report.statusText,
		Welcome: report.welcome, Answered: s.feeds.Delivery, Log: s.log.Named("command"),
	})
	server, err := control.Listen(socketPath(s.config), control.Options{
		People: s.people, Conversations: s.db.Conversations(), Outbox: s.db.Outbox(), Feeds: &s.feeds, Greet: report.greet,
		Inbox: inbox.New(s.db.Inbox(), accept(sessions, commands), commands.Unkept), Status: report.status, Log: s.log.Named("control"),
	})
	if err != nil {
		return err
	}
	s.parts = []part{
		{"database", s.db.Run}, {"audit", s.audit.run}, {"spool", s.sweepSpool}, {"workers", s.pool.Run},
		{"sessions", sessions.Run}, {"commands", commands.Run}, {"control socket", server.Run},
	}
	return nil
}

// report tells how the service is, once the parts are there that it tells of.
func (s *service) report() reporter {
	return reporter{config: s.config, since: s.since, db: s.db, models: s.models, people: s.people, spawner: s.spawner, pool: s.pool}
}

// accept sends what is on disk on its way: a command passes the queue by.
func accept(sessions *session.Registry, commands *command.Commands) func(supervisor.Inbound) {
	return func(in supervisor.Inbound) {
		if in.Kind == supervisor.KindCommand {
			commands.Accept(in)
			return
		}
		sessions.Wake(in.Conversation)
	}
}

func (s *service) limits() protocol.TurnLimits {
	return protocol.TurnLimits{
		Steps:   s.config.Limits.Steps,
		Seconds: int64(s.config.Limits.Turn / time.Second),
		Output:  int(s.config.Limits.Output),
	}
}

// hello is what a person's worker is told, and where it lives.
func (s *service) hello(name string) (protocol.Hello, pool.Place, error) {
	u, ok := s.people.Find(name)
	if !ok {
		return protocol.Hello{}, pool.Place{}, fmt.Errorf("there is no user %q", name)
	}
	hello := protocol.Hello{
		Version: protocol.Version, User: u.Name, Home: u.Home, Timezone: u.Timezone, Files: u.Files,
	}
	return hello, pool.Place{Root: filepath.Dir(u.Home), Path: filepath.Base(u.Home)}, nil
}

const sweepEvery = 24 * time.Hour

// sweepSpool drops outputs that were written long ago.
func (s *service) sweepSpool(ctx context.Context) error {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		if _, err := s.spool.Sweep(time.Now().Add(-spool.Keeps)); err != nil {
			s.log.Warn("sweep the spool", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
