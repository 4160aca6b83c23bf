package app

import (
	"context"

	"mews/supervisor/web"
)

// openWeb makes the public listener, where a part has a route for it.
func (s *service) openWeb(context.Context) (err error) {
	if len(s.routes) == 0 {
		return nil
	}
	s.public, err = web.New(web.Options{Listen: s.config.Webhooks.Listen, Routes: s.routes, Log: s.log.Named("web")})
	return err
}
