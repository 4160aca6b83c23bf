package openai

import (
	"context"
	"net"
	"slices"
	"sync"
	"time"
)

// findTimeout is the time limit for all candidates together, because the service waits for them at
// its start.
const findTimeout = 300 * time.Millisecond

// ServerCandidate is an address on this machine where a model server may run.
type ServerCandidate struct {
	Server string // name of the server, one of ServerNames
	Addr   string // address of the server as host:port
}

// LocalServer is a model server that was found. Offer it to the user, but never use it without
// consent.
type LocalServer struct {
	Name    string // name of the server, one of ServerNames
	BaseURL string
	Models  []string // names of the server's models; may be empty
}

// ServerCandidates returns the default addresses of model servers on this machine.
func ServerCandidates() []ServerCandidate {
	var candidates []ServerCandidate
	for _, s := range servers {
		if s.port != "" {
			candidates = append(candidates, ServerCandidate{s.name, net.JoinHostPort("127.0.0.1", s.port)})
		}
	}
	return candidates
}

// FindLocalServers looks for servers at the addresses of ServerCandidates.
func FindLocalServers(ctx context.Context) []LocalServer {
	return ProbeServers(ctx, ServerCandidates())
}

// ProbeServers probes all candidates at once, and returns the found servers in order. A server
// counts only if it is of the expected kind. ProbeServers sends no key and takes at most 300 ms.
func ProbeServers(ctx context.Context, candidates []ServerCandidate) []LocalServer {
	ctx, cancel := context.WithTimeout(ctx, findTimeout)
	defer cancel()
	seen := make([]LocalServer, len(candidates))
	var probes sync.WaitGroup
	for i, candidate := range candidates {
		probes.Go(func() { seen[i] = candidate.probe(ctx) })
	}
	probes.Wait()
	return slices.DeleteFunc(seen, func(f LocalServer) bool { return f.Name == "" })
}

// probe returns the server at a candidate's address; the zero value if there is none. It ignores
// errors.
func (candidate ServerCandidate) probe(ctx context.Context) LocalServer {
	base := "http://" + candidate.Addr + "/v1"
	p, err := New(Options{Name: candidate.Server, Server: candidate.Server, BaseURL: base})
	if err != nil {
		return LocalServer{}
	}
	defer p.Close()
	models, err := p.list(ctx)
	if err != nil {
		return LocalServer{}
	}
	found := LocalServer{Name: candidate.Server, BaseURL: base}
	for _, m := range models {
		if p.server.owner != "" && m.Owner != p.server.owner {
			return LocalServer{} // the server is of another kind, although it lists models
		}
		if p.server.isForChat(m.ID) {
			found.Models = append(found.Models, m.ID)
		}
	}
	if p.server.owner != "" && found.Models == nil {
		return LocalServer{} // the server can't be recognized
	}
	return found
}
