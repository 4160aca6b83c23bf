package hostcall

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"mews/protocol"
)

// requestPrefix is what goes with the transcript into a request. The worker sends it whole once, and then by hash.
type requestPrefix struct {
	system    string
	systemSum string
	tools     []protocol.Tool
	toolsSum  string
}

// resolve finds what the two references name, and remembers what came whole.
func (d *Conn) resolve(p *protocol.ModelStream) (system string, tools []protocol.Tool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.prefix.takeSystem(p.System); err != nil {
		return "", nil, err
	}
	if err := d.prefix.takeTools(p.Tools, d.tools); err != nil {
		return "", nil, err
	}
	return d.prefix.system, d.prefix.tools, nil
}

func (o *requestPrefix) takeSystem(ref protocol.SystemRef) error {
	if ref.Text == "" {
		return known(ref.Hash, o.systemSum, "system text")
	}
	if sum(ref.Text) != ref.Hash {
		return mismatch("system")
	}
	o.system, o.systemSum = ref.Text, ref.Hash
	return nil
}

func (o *requestPrefix) takeTools(ref protocol.ToolsRef, have map[string]protocol.Tool) error {
	if len(ref.Names) == 0 {
		if ref.Hash == sum("") {
			o.tools, o.toolsSum = nil, ref.Hash
		}
		return known(ref.Hash, o.toolsSum, "list of tools")
	}
	if sum(strings.Join(ref.Names, "\n")+"\n") != ref.Hash {
		return mismatch("tools")
	}
	tools := make([]protocol.Tool, 0, len(ref.Names))
	for i, name := range ref.Names {
		tool, ok := have[name]
		if !ok || i > 0 && ref.Names[i-1] >= name {
			return &protocol.Error{Code: protocol.CodeInvalidParams,
				Message: fmt.Sprintf("tools: %q is not in the handshake, or not in order", printable(name, 64))}
		}
		tools = append(tools, tool)
	}
	o.tools, o.toolsSum = tools, ref.Hash
	return nil
}

func known(hash, have, what string) error {
	if hash == have && hash != "" {
		return nil
	}
	return &protocol.Error{Code: protocol.CodeUnknownHash, Message: "send the " + what + " whole"}
}

func mismatch(field string) error {
	return &protocol.Error{Code: protocol.CodeInvalidParams, Message: field + ": the hash is not that of the content"}
}

func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}
