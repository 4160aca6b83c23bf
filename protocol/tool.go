package protocol

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"unicode/utf8"
)

// Tool is a tool as the model is told of it.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"` // JSON Schema of the arguments, an object
	Effect      ToolEffect      `json:"effect"`
	// Family is the family of tools that it is offered with, once that is open in a conversation;
	// "" of one that always is.
	Family string `json:"family,omitempty"`
}

// ToolEffect says what may be done with a call whose outcome a crash has hidden.
type ToolEffect string

const (
	EffectNone       ToolEffect = "none"       // changes nothing: run it again
	EffectIdempotent ToolEffect = "idempotent" // twice is the same as once: run it again
	// twice is wrong: the model is told that its outcome is unknown
	EffectOnce ToolEffect = "once"
)

// MethodToolsChanged announces that the worker's tools are others from now on. A call, at any time
// after hello: ToolsChanged, no result.
//
// The worker sends the hash alone first. A supervisor that does not have the list answers
// CodeUnknownHash, and the worker sends it whole. The worker names a new tool in a model.stream
// only after the answer. A name that has left the list stays known to the supervisor with its last
// definition, so that a model.stream that was under way is no offence.
const MethodToolsChanged = "tools.changed"

// ToolsChanged is a list of tools or its name.
type ToolsChanged struct {
	Hash  string `json:"hash"`            // as HashTools makes it
	Tools []Tool `json:"tools,omitempty"` // as CheckTools wants them; nil: by hash alone
}

// Bounds of a list of tools. A list within them fits a line.
const (
	MaxTools     = 256
	MaxToolBytes = 512 << 10 // of the list as JSON
)

// HashTools is the hex SHA-256 of a list of tools as JSON. It is the same on both sides of a
// connection.
func HashTools(tools []Tool) (string, error) {
	text, err := encodeTools(tools)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// Check refuses an announcement that no honest worker sends, such as one whose list has another
// hash.
func (c ToolsChanged) Check() error {
	if c.Tools == nil {
		return nil
	}
	if err := CheckTools(c.Tools); err != nil {
		return err
	}
	if hash, err := HashTools(c.Tools); err != nil || hash != c.Hash {
		return fmt.Errorf("hash: %.80q, and the list has %s", c.Hash, hash)
	}
	return nil
}

// CheckTools refuses a list of tools that no honest worker sends.
func CheckTools(tools []Tool) error {
	if len(tools) > MaxTools {
		return fmt.Errorf("tools: %d of them, at most %d", len(tools), MaxTools)
	}
	text, err := encodeTools(tools)
	if err != nil {
		return err
	}
	if len(text) > MaxToolBytes {
		return fmt.Errorf("tools: %d bytes, at most %d", len(text), MaxToolBytes)
	}
	for i, tool := range tools {
		if !utf8.ValidString(tool.Name) || !utf8.ValidString(tool.Description) {
			return fmt.Errorf("tools: %.80q is not in UTF-8", tool.Name)
		}
		if !toolName.MatchString(tool.Name) || !familyName.MatchString(tool.Family) {
			return fmt.Errorf("tools: %.80q of the family %.80q: want at most 128 characters without spaces, and 32 small letters", tool.Name, tool.Family)
		}
		if i > 0 && tools[i-1].Name >= tool.Name {
			return fmt.Errorf("tools: %.80q after %.80q: want them sorted, each once", tool.Name, tools[i-1].Name)
		}
	}
	return nil
}

// People and models read the names of tools and of families, and type them. A tool of none has the
// family "".
var (
	toolName   = regexp.MustCompile(`^[!-_a-~]{1,128}$`)
	familyName = regexp.MustCompile(`^[a-z0-9_-]{0,32}$`)
)

func encodeTools(tools []Tool) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(tools); err != nil {
		return nil, fmt.Errorf("encode the list of tools: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
