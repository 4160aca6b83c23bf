package app

import (
	"context"
	"errors"
	"fmt"
	"mews/supervisor/admin"
	"mews/supervisor/audit"
	"mews/supervisor/placement"
	"mews/supervisor/users"
	"os"
	"time"

	"mews/config"
	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/approval"
	"mews/supervisor/command"
	"mews/supervisor/control"
	"mews/supervisor/hostcall"
	"mews/supervisor/inbox"
	"mews/supervisor/ingress"
	"mews/supervisor/model"
	"mews/supervisor/pool"
	"mews/supervisor/question"
	"mews/supervisor/reply"
	"mews/supervisor/session"

	"github.com/hashicorp/go-hclog"
)

// Service is the supervisor: its parts, and no policy. open makes them, Run runs them, close lets go of them.
type Service struct {
	Ground
	guards
	Models        *model.Catalogue
	people        *access.People
	configuration *configuration
	settings      *users.Settings
	places        *placement.Places
	pool          *workerPool
	feeds         reply.Feeds
	channel       *channel // nil where nobody talks on Telegram
	audit         *audit.Log
	parts         []part
	renames       ingress.ChatRenames
	wake          func(supervisor.Conversation) // has its session look for work
}

// guards decide on what people send, and on which effects may leave the sandbox.
type guards struct {
	seal   *access.Seal // nil where its key can't be used
	gate   *access.Gate
	policy approval.Policy
	asked  *question.Questions
	codes  *approval.Confirmations // that effects wait for
}

// open makes every part. What it has opened when it fails is closed.
func (s *Service) open(ctx context.Context) (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	for _, build := range []func(context.Context) error{
		s.openState, s.openStore, s.OpenModels, s.openPeople, s.openSeal, s.openTelegram, s.startSpawner, s.connect,
	} {
		if err := build(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) OpenModels(context.Context) (err error) {
	m := s.Config.Models
	o := model.Options{Default: m.Default, Small: m.Small, Fallback: m.Fallback, Prices: pricesOf(s.Config),
		Payloads: s.Config.Log.Payloads, Calls: s.Config.Limits.ModelCalls, Log: s.Log.Named("model")}
	for name, p := range m.Providers {
		o.Providers = append(o.Providers, model.ProviderOptions{
			Name: name, Kind: p.Kind, BaseURL: p.BaseURL, APIKey: p.APIKey.Reveal(), Server: p.Server, Silence: m.Silence,
		})
	}
	if s.Models, err = model.NewCatalogue(o); err != nil {
		return err
	}
	s.closing(func() error { s.Models.Close(); return nil })
	return nil
}

// openPeople finds who there is, and sees that everybody has a folder.
func (s *Service) openPeople(ctx context.Context) (err error) {
	if s.places, err = placement.New(ctx, PlacementOptions(s.Config, s.Log)); err != nil {
		return err
	}
	if s.people, err = access.New(nil, uint32(os.Getuid()), accountID); err != nil {
		return err
	}
	s.configuration = &configuration{Loader: users.NewLoader(users.Options{
		People: s.people, Store: s.db.Access(), Placer: s.places, Log: s.Log,
	})}
	s.settings = &users.Settings{
		People: s.people, Store: s.db.Settings(), Usage: s.db.Usage(), Leases: s.db.Leases(), Models: s.modelChoice(),
		Configuration: s.configuration.Configuration, ParseDollars: parseDollars, Now: s.moment,
	}
	return s.configuration.Use(ctx, s.Config)
}

func (s *Service) modelChoice() users.ModelChoice {
	return users.ModelChoice{People: s.people, Settings: s.db.Settings(), Configuration: s.configuration.Configuration}
}

func accountID(name string) (uint32, error) {
	found, err := placement.FindAccount(name)
	return found.UID, err
}

// PlacementOptions are a configuration's.
func PlacementOptions(cfg *config.Config, log hclog.Logger) placement.Options {
	w := cfg.Worker
	return placement.Options{State: cfg.State, Account: w.Account, MakeAccount: cfg.Local, Tier: w.Sandbox, LeastTier: w.SandboxMin,
		ReadOnly: w.ReadOnly, Memory: int64(w.Memory), PIDs: int(w.PIDs), Log: log}
}

func (s *Service) startSpawner(ctx context.Context) error {
	if err := s.places.Start(ctx); err != nil {
		return err
	}
	s.closing(s.places.Spawner.Close)
	var users []supervisor.User
	for _, name := range s.people.Names() {
		u, _ := s.people.Find(name)
		users = append(users, u)
	}
	return s.places.CheckReachAll(users)
}

// connect joins the parts: here they meet, through the interfaces that each of them has declared.
func (s *Service) connect(context.Context) error {
	s.audit = audit.New(s.db.Audit(), s.Log.Named("audit"))
	s.rules(s.Config)
	s.asked = question.New(question.Options{Store: s.db.Questions(), Audit: s.db.Audit(), Queued: s.feeds.Delivery, Log: s.Log.Named("question")})
	s.codes = newConfirmations(s)
	trying, err := placement.SelfTestPlace(s.Config.State, s.places.Workers)
	if err != nil {
		return err
	}
	desks := s.desks()
	s.pool = pool.New(pool.Options[*hostcall.Conn]{
		Spawner: s.places.Spawner, SelfTest: func(ctx context.Context, w *PooledWorker) error { return s.places.SelfTest(ctx, w) }, SelfTestSpec: placement.SelfTestSpec(trying), OnLimit: s.places.OnLimit,
		OnStart: s.noteWorkerStart, Log: s.Log.Named("pool"), Timings: pool.Timings{Idle: s.Config.Worker.Idle},
		Host: func(user string, peer *pool.Peer) *hostcall.Conn { return hostcall.NewConn(desks, user, peer) },
	})
	report := newReporter(s)
	sessions := session.New(session.Options{
		Inbox: s.db.Inbox(), Turns: s.db.Turns(), Notices: s.db.Outbox(), Runner: s.turns(), Feeds: &s.feeds, Limits: limits(s.Config),
		AtOnce: s.Config.Limits.Turns, Audit: s.audit.Note, Serves: s.serves, Busy: s.settings.Busy, Now: time.Now,
		Log: s.Log.Named("session"),
	})
	s.places.Tell, s.wake = sessions.Tell, sessions.Wake
	commands := command.New(chats{s}.commandOptions(sessions, report))
	accepted := ingress.NoteAdmissions(s.audit, s.moment, accept(sessions, commands))
	box := inbox.New(inbox.Options{
		Store: s.db.Inbox(), Gate: newGate(s), Conversations: s.db.Conversations(), Accepted: accepted,
		Queued: s.deliveryQueued, NotStored: commands.NotStored,
	})
	held := newHeldReleaser(s, accepted)
	s.configuration.Loaded = held.Release
	s.configuration.setPrices = func(cfg *config.Config) error { return s.Models.SetPrices(pricesOf(cfg)) }
	s.configuration.applied = s.applyConfiguration
	o := s.adminOptions()
	o.Running = &admin.Running{Clean: s.cleanTerminal, Work: admin.UserWork{
		Unfinished: s.db.Inbox().Unfinished, StopTurn: sessions.StopNow, Evict: s.pool.Evict, EndCommands: commands.End,
	}}
	admins := admin.New(o)
	server, err := control.Listen(SocketPath(s.Config), control.Options{
		People: s.people, Conversations: s.db.Conversations(), Outbox: s.db.Outbox(), Feeds: &s.feeds, Greet: report.greet,
		Inbox: box, Status: report.status, Methods: answers(s, admins), Refused: ingress.NoteRefusals(s.audit, s.moment), Log: s.Log.Named("control"),
	})
	if err != nil {
		return err
	}
	s.parts = []part{{"database", s.db.Run}, {"audit", s.audit.Run}, {"sweep", s.sweep}, {"admin", admins.Run}}
	work := []part{{"workers", s.pool.Run}, {"sessions", settled(&s.Ground, held.Release, sessions.Run)}, {"commands", commands.Run}}
	if s.channel == nil {
		s.parts = append(append(s.parts, work...), part{"control socket", server.Run})
		return nil
	}
	if err := s.channel.receive(box); err != nil {
		return err
	}
	s.parts = append(append(append(s.parts, s.channel.outward()...), work...), s.channel.inward()...)
	s.parts = append(s.parts, part{"control socket", server.Run})
	return nil
}

// desks are what all workers' desks share.
func (s *Service) desks() *hostcall.Options {
	return &hostcall.Options{
		ModelDependencies: hostcall.ModelDependencies{
			Transcript: s.db.Transcript(), Models: s.Models, Usage: s.db.Usage(), History: s.Config.Limits.History,
			Thinking: supervisor.Thinking(s.Config.Models.Thinking), Cache: s.Config.Models.CacheFor(), Busy: s.settings.Busy,
		},
		StepDependencies: hostcall.StepDependencies{Steps: s.db.Turns()},
		BlobDependencies: hostcall.BlobDependencies{Blobs: s.db.Blobs(), Spool: s.spool},
		ChatDependencies: hostcall.ChatDependencies{Approver: newApprover(s), Sender: fileSender{s.db.Turns(), s.feeds.Delivery}},
		Audit:            s.audit.Note, Log: s.Log.Named("hostcall"),
	}
}

func (s *Service) turns() turns {
	return turns{pool: s.pool, spec: s.workerSpec, begins: s.places.Notices.Forget, models: s.modelChoice(), purses: s.reserver, held: &s.places.Disk, log: s.Log}
}

func (s *Service) modelCommands() modelCommands {
	return modelCommands{s.modelChoice(), s.Models, s.db.Usage(), s.db.Conversations()}
}

// serves says whether a conversation's person is still to be served: somebody taken out of the configuration is not, nor a
// private chat of an id that is another's now.
func (s *Service) serves(c supervisor.Conversation) bool {
	u, ok := s.people.Find(c.User)
	switch {
	case !ok || s.people.Suspended(c.User):
		return false
	case c.Channel.Can().Private:
		return true
	case inGroup(c):
		return s.people.GroupAllowed(c.Channel, c.Chat) || s.people.GroupAllowed(c.Channel, s.renames.Current(c.Chat))
	}
	whose, known := s.people.ByAccount(c.Channel, c.Chat)
	return known && whose.Name == u.Name
}

// accept sends what is on disk on its way: a command and a press pass the queue by.
func accept(sessions *session.Registry, commands *command.Commands) func(supervisor.Inbound) {
	return func(in supervisor.Inbound) {
		if in.Kind == supervisor.KindCommand || in.Kind == supervisor.KindPress {
			commands.Accept(in)
			return
		}
		sessions.Wake(in.Conversation)
	}
}

// noteWorkerStart notes in the audit log that somebody's worker has started.
func (s *Service) noteWorkerStart(user string, pid int) {
	s.audit.Routine(user, "worker.started", fmt.Sprintf("process %d, walls %s", pid, s.places.Spawner.Sandbox().Tier))
}

// workerSpec is a person's worker.
func (s *Service) workerSpec(name string) (pool.Spec, error) {
	u, ok := s.settings.Find(name)
	if !ok {
		return pool.Spec{}, fmt.Errorf("start worker for %s: there is no user %q", name, name)
	}
	place, err := s.places.Place(u)
	if err != nil {
		return pool.Spec{}, fmt.Errorf("start worker for %s: %w", name, err)
	}
	return pool.Spec{Key: name, Profile: pool.ProfileUser, Place: place, Hello: &protocol.Hello{
		User: u.Name, Home: s.places.HomeInside(u.Home), Timezone: u.Timezone, Files: u.Files, Disk: int64(s.Config.Worker.Disk),
	}}, nil
}

// settled is a part's run that begins once the reservations that an earlier run left are settled, since no new ones may be made
// before, and once release was called.
func settled(s *Ground, release func(context.Context), run func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		left, err := s.db.Leases().Recover(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if left > 0 {
			s.Log.Warn("calls of models were cut off by the end of an earlier run; each counts with the most that it can have cost",
				"calls", left)
		}
		release(ctx)
		return run(ctx)
	}
}

func answers(s *Service, admins *admin.Service) map[string]control.Method {
	all := usageMethods{s.modelCommands(), s.people, time.Now}.answers()
	for name, method := range admins.Methods() {
		all[name] = method
	}
	return all
}

func limits(cfg *config.Config) protocol.TurnLimits {
	return protocol.TurnLimits{
		Steps:   cfg.Limits.Steps,
		Seconds: int64(cfg.Limits.Turn / time.Second),
		Output:  int(cfg.Limits.Output),
	}
}
