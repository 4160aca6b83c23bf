package openai

import (
	"context"
	"net"
	"slices"
	"sync"
	"time"
)

// findTimeout is for all places together: it is waited for at the start.
const findTimeout = 300 * time.Millisecond

// Candidate is where a server may be.
type Candidate struct {
	Server string // one of Servers
	Addr   string // host:port
}

// LocalServer is a server that is there. Nobody asked for it: it is to be offered, and not used.
type LocalServer struct {
	Name    string // one of Servers
	BaseURL string
	Models  []string // may be none
}

// Candidates are this machine's ports at which servers of models listen unless they are told otherwise.
func Candidates() []Candidate {
	var places []Candidate
	for _, s := range servers {
		if s.port != "" {
			places = append(places, Candidate{s.name, net.JoinHostPort("127.0.0.1", s.port)})
		}
	}
	return places
}

// FindLocal looks at the usual places.
func FindLocal(ctx context.Context) []LocalServer { return FindAt(ctx, Candidates()) }

// FindAt looks at places, all at once, and says in their order which have the server that is meant. It sends no key,
// and takes no more than 300 ms.
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

// probe is what is at one place; the zero Found where the server is not. Why it isn't is of no interest.
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
		return LocalServer{} // nothing says that it is what is meant
	}
	return found
}
