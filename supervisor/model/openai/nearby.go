package openai

import (
	"context"
	"net"
	"slices"
	"sync"
	"time"
)

// nearbyTimeout is for all places together: it is waited for at the start.
const nearbyTimeout = 300 * time.Millisecond

// Place is where a server may be.
type Place struct {
	Server string // one of Servers
	Addr   string // host:port
}

// Found is a server that is there. Nobody asked for it: it is to be offered, and not used.
type Found struct {
	Name    string // one of Servers
	BaseURL string
	Models  []string // may be none
}

// UsualPlaces are this machine's ports at which servers of models listen unless they are told otherwise.
func UsualPlaces() []Place {
	var places []Place
	for _, s := range servers {
		if s.port != "" {
			places = append(places, Place{s.name, net.JoinHostPort("127.0.0.1", s.port)})
		}
	}
	return places
}

// Nearby looks at the usual places.
func Nearby(ctx context.Context) []Found { return NearbyAt(ctx, UsualPlaces()) }

// NearbyAt looks at places, all at once, and says in their order which have the server that is meant. It sends no key,
// and takes no more than 300 ms.
func NearbyAt(ctx context.Context, places []Place) []Found {
	ctx, cancel := context.WithTimeout(ctx, nearbyTimeout)
	defer cancel()
	seen := make([]Found, len(places))
	var looks sync.WaitGroup
	for i, place := range places {
		looks.Go(func() { seen[i] = place.look(ctx) })
	}
	looks.Wait()
	return slices.DeleteFunc(seen, func(f Found) bool { return f.Name == "" })
}

// look is what is at one place; the zero Found where the server is not. Why it isn't is of no interest.
func (place Place) look(ctx context.Context) Found {
	base := "http://" + place.Addr + "/v1"
	p, err := New(Options{Name: place.Server, Server: place.Server, BaseURL: base})
	if err != nil {
		return Found{}
	}
	defer p.Close()
	models, err := p.list(ctx)
	if err != nil {
		return Found{}
	}
	found := Found{Name: place.Server, BaseURL: base}
	for _, m := range models {
		if p.server.owner != "" && m.owner != p.server.owner {
			return Found{} // something else that has models
		}
		if p.server.shows(m.name) {
			found.Models = append(found.Models, m.name)
		}
	}
	if p.server.owner != "" && found.Models == nil {
		return Found{} // nothing says that it is what is meant
	}
	return found
}
