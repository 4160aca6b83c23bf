package app

import (
	"context"
	"slices"
	"sync"

	"mews/supervisor/feature"
	"mews/supervisor/web"
)

// publicListener is the listener for webhooks. It answers 503 until the service serves.
type publicListener struct {
	server  *web.Server  // nil means that no webhooks are configured, or no part has a route
	endWait func() error // ends the answers 503
}

// openPublic opens the port for webhooks before the database, which may take long or not open at all.
// Callers that read 503 call again.
func (s *service) openPublic(ctx context.Context) (err error) {
	if s.config.Webhooks.Listen == "" {
		return nil
	}
	p := &s.public
	p.server, err = web.New(web.Options{Name: "webhooks", Key: "webhooks.listen", Listen: s.config.Webhooks.Listen,
		Log: s.log.Named("web")})
	if err != nil {
		return err
	}
	s.addCloser(p.server.Close)
	refusing, stop := context.WithCancel(context.WithoutCancel(ctx))
	refused := make(chan error, 1)
	go func() { refused <- p.server.Refuse(refusing) }() // endWait waits for this goroutine
	p.endWait = sync.OnceValue(func() error { stop(); return <-refused })
	s.addCloser(p.endWait)
	return nil
}

// openWeb gives the public listener the routes of all parts. Without a route it is closed.
func (s *service) openWeb(context.Context) (err error) {
	if s.public.server == nil {
		return nil
	}
	routes := slices.Concat(s.routes, collect(s.features, func(f feature.Feature) []feature.Route { return f.Routes }))
	s.public.server.SetRoutes(routes)
	if len(routes) > 0 {
		return nil
	}
	err = s.public.endWait()
	s.public.server = nil
	return err
}

// run serves webhooks until ctx ends.
func (p publicListener) run(ctx context.Context) error {
	if err := p.endWait(); err != nil {
		return err
	}
	return p.server.Run(ctx)
}
