package app

import (
	"context"
	"io"
	"time"

	"mews/supervisor/logging"
	"mews/supervisor/web"
)

// PartNames are the parts of a service that has all of them, in the order in which they start.
func PartNames() (names []string) {
	s := service{channel: &telegramChannel{}, listeners: listeners{public: &web.Server{}}}
	s.features = describeFeatures()
	for _, p := range s.parts() {
		names = append(names, p.name)
	}
	return names
}

// RunInside serves by a configuration's file in the test's own process, and by the test's clock,
// until ctx ends. started is called once it takes messages, and committed after each commit; nil is
// nothing.
func RunInside(ctx context.Context, file string, log io.Writer, now func() time.Time, started, committed func()) (err error) {
	cfg, err := readConfig(file)
	if err != nil {
		return err
	}
	return Run(ctx, Options{Config: cfg, Log: logging.New(cfg.Log.Level, false, log), Now: now, Ready: func(string) { started() }, Committed: committed})
}
