package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"mews/config"
	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/model"
)

// Changed is what a reload has changed.
type Changed struct {
	Changes []change `json:"changes"`
}

// change is config.Change as JSON.
type change struct {
	Key     string `json:"key"`
	Old     string `json:"old,omitempty"`
	New     string `json:"new,omitempty"`
	Restart bool   `json:"restart,omitempty"`
}

// String is a change for people, on one line.
func (c change) String() string {
	switch {
	case c.Old == "":
		return fmt.Sprintf("%s: %s", c.Key, Printable(c.New))
	case c.New == "":
		return fmt.Sprintf("%s: none any more, it was %s", c.Key, Printable(c.Old))
	case c.Old == c.New: // a secret
		return c.Key + ": another one"
	}
	return fmt.Sprintf("%s: %s, it was %s", c.Key, Printable(c.New), Printable(c.Old))
}

// reload reads the configuration again that the service was started with, and puts all of it into force or nothing.
func (o charter) reload(ctx context.Context, by clerk, _ struct{}) (Changed, error) {
	if o.force == nil {
		return Changed{}, Refused(supervisor.CodeUnavailable, "Mews is not running here, and reads its configuration when it starts.")
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	was := o.configuration.Current()
	if was.File == "" {
		return Changed{}, Refused(supervisor.CodeInvalid, "Mews was started without a configuration file, so there is none to be read again. "+
			"Restart it to have it look for one.")
	}
	env, err := config.OS(approval.Effects())
	if err != nil {
		return Changed{}, err
	}
	is, err := config.Load(was.File, env)
	if err != nil {
		return Changed{}, Refused(supervisor.CodeInvalid, "Nothing was changed. %v", err)
	}
	list, fixed := Changed{Changes: []change{}}, []string(nil)
	for _, c := range config.Diff(was, is) {
		list.Changes = append(list.Changes, change(c))
		if c.Restart {
			fixed = append(fixed, c.Key)
		}
	}
	if len(fixed) > 0 {
		return Changed{}, Refused(supervisor.CodeInvalid, "Nothing was changed, for this holds only after a restart: %s. Restart Mews, "+
			"or take it back and reload again.", strings.Join(fixed, ", "))
	}
	return list, o.use(ctx, by, is, list.Changes)
}

// use puts a configuration into force. What can fail goes first, and that it was asked for is in the audit log before all.
func (o charter) use(ctx context.Context, by clerk, cfg *config.Config, changes []change) error {
	keys := []string{"nothing"}
	if len(changes) > 0 {
		keys = nil
	}
	for _, c := range changes {
		keys = append(keys, c.Key)
	}
	if err := o.note(ctx, by, by.name, "config.reloading", strings.Join(keys, ", ")); err != nil {
		return err
	}
	was := o.configuration.Current()
	if err := o.force.prices(cfg); err != nil {
		return Refused(supervisor.CodeInvalid, "Nothing was changed. %v", err)
	}
	if err := o.configuration.Use(ctx, cfg); err != nil {
		return Refused(supervisor.CodeInvalid, "Nothing was changed. %v", errors.Join(err, o.force.prices(was)))
	}
	o.force.rest(cfg)
	return o.note(ctx, by, by.name, "config.reloaded", strings.Join(keys, ", "))
}

// force puts into force what of a configuration is not the roster's.
type force struct{ s *Service }

// prices can fail; then it changes nothing.
func (f force) prices(cfg *config.Config) error { return f.s.Models.SetPrices(pricesOf(cfg)) }

// rest can't.
func (f force) rest(cfg *config.Config) {
	f.s.gate.SetLimits(gateLimits(cfg))
	f.s.rules(cfg)
}

// pricesOf are a configuration's as the catalogue has them.
func pricesOf(cfg *config.Config) map[string]model.Price {
	prices := map[string]model.Price{}
	for spec, p := range cfg.Models.Prices {
		prices[spec] = model.Price{Input: p.Input, Output: p.Output, CacheRead: p.CacheRead, CacheWrite5m: p.CacheWrite,
			CacheWrite1h: p.CacheWrite}
	}
	return prices
}

// Run reloads the configuration whenever the process gets a SIGHUP, drops files that have stood in terminals for long enough,
// and has exports made, until ctx ends.
func (o *office) run(ctx context.Context) error {
	o.parcels.open(ctx)
	defer o.parcels.close()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	defer signal.Stop(signals)
	tick := time.NewTicker(cleanEvery)
	defer tick.Stop()
	for {
		if err := o.force.clean(ctx, o.now()); err != nil && ctx.Err() == nil {
			o.out.Warn("drop the files that stood in terminals", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			continue
		case <-signals:
		}
		list, err := charter{o}.reload(ctx, o.clerk(uint32(os.Getuid())), struct{}{})
		if err != nil {
			o.out.Error("read the configuration again", "error", err)
			continue
		}
		o.out.Info("the configuration was read again", "changes", list.Changes)
	}
}
