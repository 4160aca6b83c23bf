package app

import (
	"context"
	"fmt"

	"mews/config"
	"mews/supervisor/egress"
	"mews/supervisor/external"
	"mews/supervisor/feature"
	"mews/supervisor/services"
	"mews/supervisor/usage"
	"mews/supervisor/webtools"
)

// outside holds the parts with which tools reach other servers.
type outside struct {
	egress   *egress.Client  // the only client for addresses that users and models name
	external *external.Calls // the calls of tools to other servers
	search   []webtools.Backend
	weather  webtools.OpenMeteo
	services *services.Services
	fetcher  *webtools.Fetcher

	egressOptions egress.Options // options of the client; tests have an internet of their own
}

// openOutside makes the client for other servers, and the servers of the configuration.
func (s *service) openOutside(context.Context) (err error) {
	s.egressOptions.UserAgent, s.egressOptions.Now = "Mews/"+s.version, s.now
	s.egress = egress.New(s.egressOptions)
	s.external = external.New(external.Options{Store: s.db.ExternalCalls(), Blobs: s.db.Blobs(), Spool: s.spool,
		Now: s.now})
	s.fetcher = webtools.NewFetcher(webtools.FetcherOptions{Client: s.egress, Calls: s.external,
		Approver: newApprover(s), Addresses: s.db.WebAddresses(), Spool: s.spool, Now: s.now})
	for _, c := range s.config.Web.Search {
		b, err := s.searchBackend(c)
		if err != nil {
			return err
		}
		s.search = append(s.search, b)
	}
	if url := s.config.Web.OpenMeteo; url != "" {
		s.weather.URL = url
		s.weather.Upstream, err = s.egress.NewUpstream(egress.UpstreamOptions{Name: "web.open_meteo", BaseURL: url})
	}
	return err
}

// searchBackend makes a configured search backend. Its errors are for admins.
func (s *service) searchBackend(c config.SearchBackend) (b webtools.Backend, err error) {
	b = webtools.Backend{Name: c.Name, Kind: c.Kind, URL: c.URL,
		Key: func() string { return s.searchKey(c.Name) }, Header: c.Header,
		Price: webtools.DefaultPrice(c.Kind), Paths: webtools.Paths(c.Paths)}
	if c.Price.Given {
		b.Price = c.Price.Micro
	}
	b.Upstream, err = s.egress.NewUpstream(egress.UpstreamOptions{Name: c.Name, BaseURL: c.ServerURL(),
		CAFile: c.CAFile})
	if err != nil {
		return b, fmt.Errorf("web.search: %w", err)
	}
	return b, nil
}

// searchKey returns the current key of a search backend.
func (s *service) searchKey(name string) string {
	for _, c := range s.configuration.Current().Web.Search {
		if c.Name == name {
			return c.Key.Reveal()
		}
	}
	return ""
}

// newWebTools makes the feature that searches the web and tells the weather.
func (s *service) newWebTools() *webtools.Tools {
	o := webtools.Options{Client: s.egress, Calls: s.external, Approver: newApprover(s), Search: s.search,
		Weather: s.weather, Pay: s.payExternal, Fetcher: s.fetcher}
	if s.config != nil { // nil if only the feature's tables are needed
		o.Wikipedia = s.config.Web.Wikipedia
	}
	return webtools.New(o)
}

// payExternal pays for a tool's call to another server. The user of the turn pays.
func (s *service) payExternal(ctx context.Context, t feature.Turn, c usage.Charge,
	do func() (charged bool, err error)) error {
	turn, err := s.db.Turns().Find(ctx, t.ID)
	if err != nil {
		return err
	}
	return s.payer().PayExternal(ctx, turn, c, do)
}
