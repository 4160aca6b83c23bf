package hostcall

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"mews/protocol"
	"mews/supervisor/feature"
)

var toolRows = []row{
	{method: protocol.MethodToolsChanged, phase: anyTime, kinds: withHome, limit: 10_000, serial: true, handler: workCall((*work).changeTools)},
}

// toolList holds the tools that the worker may offer to a model: the newest list, and the list
// before it. A list is nil if the worker has not sent it.
type toolList struct{ known, left *toolTable }

// hasHash reports whether the newest list has this hash.
func (l *toolList) hasHash(hash string) bool { return l.known != nil && l.known.hash == hash }

// find finds a tool in the newest list or in the list before it. A model.stream may have begun
// before a tool left the list.
func (l *toolList) find(name string) (tool protocol.Tool, ok bool) {
	if tool, ok = l.known.find(name); !ok {
		tool, ok = l.left.find(name)
	}
	return tool, ok
}

// OnHandshake stores the tools of the worker's handshake. Until the worker sends a new list, only
// these tools may be offered to a model.
func (c *Conn) OnHandshake(hello protocol.HelloResult) {
	hash, err := protocol.HashTools(hello.Tools)
	if err == nil {
		err = protocol.ValidateTools(hello.Tools)
	}
	if err != nil {
		_ = c.offence(protocol.MethodHello, err) // the error does not matter, because the offence ends the worker
		return
	}
	c.setTools(hello.Tools, hash)
}

// setTools sets the worker's tools. The next model.stream must send them in full, because a name
// may have a new meaning.
func (c *Conn) setTools(tools []protocol.Tool, hash string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tools = toolList{known: c.o.sharedTools.table(tools, hash), left: c.tools.known}
	c.prefix.tools, c.prefix.toolsHash = nil, ""
}

// changeTools accepts a new list of tools. The worker first sends only the hash of the list, and
// the whole list if the hash is new.
func (w *work) changeTools(_ context.Context, p *protocol.ToolsChangedParams) (*struct{}, error) {
	w.mu.Lock()
	same := w.tools.hasHash(p.Hash)
	w.mu.Unlock()
	switch err := p.Validate(); {
	case err != nil:
		return nil, feature.WorkerOffence{Err: err}
	case p.Tools == nil && !same:
		return nil, unknownHash("list of tools")
	case !same:
		w.setTools(p.Tools, p.Hash)
	}
	return &struct{}{}, nil
}

// requestPrefix is the part of a request before the messages. The worker sends it once in full, and
// then only its hash.
type requestPrefix struct {
	system     string
	systemHash string
	tools      []protocol.Tool
	toolsHash  string // hash of the names of the tools
}

// resolve returns the system text and the tools that a request names by hash. It stores those that
// a request brings in full.
func (c *Conn) resolve(p *protocol.ModelStreamParams) (system string, tools []protocol.Tool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.prefix.takeSystem(p.System); err != nil {
		return "", nil, err
	}
	if err := c.prefix.takeTools(p.Tools, &c.tools); err != nil {
		return "", nil, err
	}
	return c.prefix.system, c.prefix.tools, nil
}

func (r *requestPrefix) takeSystem(ref protocol.SystemTextRef) error {
	switch {
	case ref.Text == "" && (ref.Hash == "" || ref.Hash != r.systemHash):
		return unknownHash("system text")
	case ref.Text == "":
		return nil
	case hashOf(ref.Text) != ref.Hash:
		return invalidParams("system: the hash is not that of the content")
	}
	r.system, r.systemHash = ref.Text, ref.Hash
	return nil
}

func (r *requestPrefix) takeTools(ref protocol.ToolListRef, have *toolList) error {
	switch {
	case len(ref.Names) == 0 && ref.Hash == r.toolsHash && ref.Hash != "":
		return nil
	case len(ref.Names) == 0 && ref.Hash != hashOf(""):
		return unknownHash("list of tools")
	case len(ref.Names) > 0 && hashOf(strings.Join(ref.Names, "\n")+"\n") != ref.Hash:
		return invalidParams("tools: the hash is not that of the content")
	}
	var tools []protocol.Tool
	for i, name := range ref.Names {
		tool, ok := have.find(name)
		if !ok || i > 0 && ref.Names[i-1] >= name {
			return invalidParams("tools: %q is not in the worker's list, or not in order", printable(name, maxName))
		}
		tools = append(tools, tool)
	}
	if have.known != nil {
		tools = have.known.shareChoice(ref.Hash, tools)
	}
	r.tools, r.toolsHash = tools, ref.Hash
	return nil
}

func unknownHash(what string) error {
	return &protocol.Error{Code: protocol.CodeUnknownHash, Message: "send the " + what + " whole"}
}

func hashOf(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}
