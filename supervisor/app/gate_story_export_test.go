package app

import (
	"context"
	"io"
	"sync"
	"time"

	"mews/supervisor/egress"
	"mews/supervisor/logging"
	"mews/supervisor/web"
)

// ServicePartNames returns the names of all parts of a service, in the order of their start.
func ServicePartNames() (names []string) {
	s := service{channel: &telegramChannel{}, listeners: listeners{public: publicListener{server: &web.Server{}}}}
	s.features = describeFeatures()
	for _, p := range s.parts() {
		names = append(names, p.name)
	}
	return names
}

// RunServiceInTest runs a service in the test's process, with the test's clock. The service ends
// with ctx. RunServiceInTest calls started when the service accepts messages. It calls committed
// after each commit, unless committed is nil. If differs is true, the database may have another
// schema than that of this program.
func RunServiceInTest(ctx context.Context, file string, log io.Writer, now func() time.Time, started,
	committed func(), differs bool) (err error) {
	cfg, err := readConfig(file)
	if err != nil {
		return err
	}
	return Run(ctx, Options{Config: cfg, Log: logging.New(cfg.Log.Level, false, log), Now: now,
		Ready: func(string) { started() }, Committed: committed, AllowDifferences: differs, Egress: internetOf(file)})
}

// internets has the internets of services in tests, by the path of the configuration.
var internets sync.Map

// SetInternetInTest gives an internet to the services that RunServiceInTest runs with a
// configuration.
func SetInternetInTest(file string, o egress.Options) { internets.Store(file, o) }

func internetOf(file string) egress.Options {
	o, _ := internets.Load(file)
	options, _ := o.(egress.Options)
	return options
}
