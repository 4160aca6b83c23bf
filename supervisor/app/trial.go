package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/config"
	"mews/supervisor"
	"mews/supervisor/statefolder"
)

// trial answers one message with the offline model, as a service of its own: with an empty state
// folder, one user, a spawner of its own, and a real worker. It has the best walls that need no
// privilege of the service.
type trial struct {
	version string
	log     hclog.Logger
	worker  config.Worker
	dir     string // new folder for the state; it is deleted at the end
}

const (
	trialUser    = "trial"
	trialText    = "hello"
	trialTimeout = 45 * time.Second
	trialPoll    = 10 * time.Millisecond
)

// Folders in the state folder in which a version is tried.
const (
	trialFolder     = "update-trial"
	preflightFolder = "update-preflight"
)

// removeTrials deletes what killed trials have left. A preflight has a copy of the database.
func removeTrials(state string) error {
	err := removePreflight(state)
	if errors.As(err, new(*statefolder.InUseError)) {
		err = nil // another version is tried now
	}
	return errors.Join(err, os.RemoveAll(filepath.Join(state, trialFolder)))
}

// removePreflight deletes the folder of a preflight that has ended. A running one is an InUseError.
func removePreflight(state string) error {
	dir := filepath.Join(state, preflightFolder)
	lock, err := statefolder.LockFolder(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(os.RemoveAll(dir), lock.Close())
}

// run makes the trial. Its error says which part failed.
func (t trial) run(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, trialTimeout)
	defer cancel()
	if err := errors.Join(os.RemoveAll(t.dir), os.MkdirAll(t.dir, 0o711)); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(t.dir)) }()
	cfg, err := t.configuration()
	if err != nil {
		return err
	}
	s := &service{storage: storage{config: cfg, version: t.version, log: hclog.NewNullLogger(), since: time.Now(),
		now: time.Now}, process: newProcessTuner(false)}
	s.zone, s.isTrial = s.zoneOf, true
	if err := s.openParts(ctx, s.openersWithoutSocket()); err != nil {
		return err
	}
	t.log.Info("a trial answers a message", "walls", s.locations.Spawner.Sandbox().Tier)
	parts := slices.DeleteFunc(s.parts(), func(p part) bool { return p.name == controlSocketPart })
	running, stop := context.WithCancel(ctx)
	answered := make(chan error, 1)
	ended := runParts(running, parts, func() {
		go func() { // ends with running
			answered <- errors.Join(s.answerOnce(running), s.pingLoops(running))
			stop()
		}()
	})
	stop()
	return errors.Join(ended, <-answered, s.close())
}

// configuration returns the configuration of the trial: one user, and the offline model.
func (t trial) configuration() (*config.Config, error) {
	env, err := config.ReadMachineEnv(DefaultEffectRules(), TaintedEffectRules())
	if err != nil {
		return nil, err
	}
	file := filepath.Join(t.dir, "mews.yaml")
	text := fmt.Sprintf("state: %s\nusers: [{name: %s}]\n", filepath.Join(t.dir, "state"), trialUser)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return nil, err
	}
	cfg, err := config.Load(file, env)
	if err != nil {
		return nil, err
	}
	cfg.Worker, cfg.Listen = t.worker, ""
	cfg.Worker.UIDs = ""
	if cfg.Worker.Sandbox != "off" { // the service's own walls are tried when it opens its workers
		cfg.Worker.Sandbox, cfg.Worker.SandboxMin = "auto", "off"
	}
	return cfg, nil
}

// answerOnce stores a message of the trial's user and waits for its answer.
func (s *service) answerOnce(ctx context.Context) error {
	chat := supervisor.Conversation{User: trialUser, Channel: supervisor.PrivateChannels()[0]}
	in, err := s.inbox.StoreInbound(ctx, supervisor.Inbound{Conversation: chat, Source: string(chat.Channel),
		Key: "trial", Text: trialText, Origin: supervisor.OriginOwn})
	if err != nil {
		return fmt.Errorf(textTrialNotStored, err)
	}
	for {
		waiting, err := s.db.Outbox().ListPending(ctx, in.Conversation.ID, 0, 10)
		if err == nil && slices.ContainsFunc(waiting, func(d supervisor.Delivery) bool {
			return d.Inbound == in.ID && d.Text != ""
		}) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf(textTrialNoAnswer, errors.Join(err, context.Cause(ctx)))
		case <-time.After(trialPoll):
		}
	}
}

// pingLoops pings the service's long loops. It returns an error if one of them does not answer.
func (s *service) pingLoops(ctx context.Context) error {
	var silent []string
	for _, l := range s.health.Ping(ctx) {
		if l.Stuck || l.Moved.IsZero() {
			silent = append(silent, l.Name)
		}
	}
	if silent == nil {
		return nil
	}
	return fmt.Errorf(textTrialStuck, strings.Join(silent, ", "))
}

// proveVersion makes a trial with this service's walls if the version has not opened the database
// before. Until it ends, the service takes no message and sends none. A version that fails may not
// open while an update is on trial; at any other time admins are told.
func (s *service) proveVersion(ctx context.Context) error {
	if err := removeTrials(s.config.State); err != nil {
		s.log.Warn("delete what trials have left", "error", err)
	}
	if s.version == "" || s.isNew {
		return nil
	}
	opened, err := s.db.Openings().Find(ctx)
	if err != nil || opened == "" || opened == s.version { // without a record it has served before
		return err
	}
	updating := isOnTrial(updaterFolder, s.version)
	if s.safe.on && !updating {
		return nil
	}
	s.log.Info("trying this version before it opens", "version", s.version, "before", opened)
	t := trial{version: s.version, log: s.log.Named("trial"), worker: s.config.Worker,
		dir: filepath.Join(s.config.State, trialFolder)}
	if err = t.run(ctx); err != nil && ctx.Err() == nil {
		err = fmt.Errorf(textNotProved, s.version, err)
		if updating {
			return err
		}
		s.log.Error("this version serves although its trial failed", "error", err)
		s.tellAdmins(err.Error())
	}
	s.updatedFrom = opened
	return nil
}

// recordOpening stores that this version has opened. From then on, the database never goes back to
// an older version.
func (s *service) recordOpening(ctx context.Context) error {
	if s.version == "" {
		return nil
	}
	opened, err := s.db.Openings().Find(ctx)
	if err != nil || opened == s.version {
		return err
	}
	return s.db.Openings().Put(ctx, s.version)
}
