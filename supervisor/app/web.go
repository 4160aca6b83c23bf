package app

import (
	"context"
	"slices"

	"mews/supervisor/feature"
	"mews/supervisor/web"
)

// openWeb makes the public listener, if a part has a route for it.
func (s *service) openWeb(context.Context) (err error) {
	routes := slices.Concat(s.routes, collect(s.features, func(f feature.Feature) []feature.Route { return f.Routes }))
	if len(routes) == 0 {
		return nil
	}
	s.public, err = web.New(web.Options{Name: "webhooks", Key: "webhooks.listen", Listen: s.config.Webhooks.Listen,
		Routes: routes, Log: s.log.Named("web")})
	return err
}
