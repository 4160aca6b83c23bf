package openai

import (
	"context"
	"net"
	"slices"
	"sync"
	"time"
)

// findTimeout is for all candidates together: the service's start waits for it.
const findTimeout = 300 * time.Millisecond

// Candidate is where a server may be.
type Candidate struct {
	Server string // one of Servers
	Addr   string // host:port
}

// LocalServer is a server that was found. It may be offered to the person, and must not be used
// unasked.
type LocalServer struct {
	Name    string // one of Servers
	BaseURL string
	Models  []string // may be none
}

// Candidates are the default ports of servers of models, on this machine.
func Candidates() []Candidate {
	var places []Candidate
	for _, s := range servers {
		if s.port != "" {
			places = append(places, Candidate{s.name, net.JoinHostPort("127.0.0.1", s.port)})
		}
	}
	return places
}

// FindLocal probes Candidates.
func FindLocal(ctx context.Context) []LocalServer { return FindAt(ctx, Candidates()) }

// FindAt probes candidates, all at once, and returns in their order those that have the server that
// is meant. It sends no key and takes no more than 300 ms.
func FindAt(ctx context.Context, places []Candidate) []LocalServer {
	ctx, cancel := context.WithTimeout(ctx, findTimeout)
	defer cancel()
	seen := make([]LocalServer, len(places))
	var looks sync.WaitGroup
	for i, place := range places {
		looks.Go(func() { seen[i] = place.probe(ctx) })
	}
	looks.Wait()
	return slices.DeleteFunc(seen, func(f LocalServer) bool { return f.Name == "" })
}

// probe is the server at one candidate, the zero value where it is not there. Its errors do not
// matter.
func (place Candidate) probe(ctx context.Context) LocalServer {
	base := "http://" + place.Addr + "/v1"
	p, err := New(Options{Name: place.Server, Server: place.Server, BaseURL: base})
	if err != nil {
		return LocalServer{}
	}
	defer p.Close()
	models, err := p.list(ctx)
	if err != nil {
		return LocalServer{}
	}
	found := LocalServer{Name: place.Server, BaseURL: base}
	for _, m := range models {
		if p.server.owner != "" && m.Owner != p.server.owner {
			return LocalServer{} // something else that has models
		}
		if p.server.isForChat(m.ID) {
			found.Models = append(found.Models, m.ID)
		}
	}
	if p.server.owner != "" && found.Models == nil {
		return LocalServer{} // nothing shows that it is the right server
	}
	return found
}
