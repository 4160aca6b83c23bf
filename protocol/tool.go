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

// Tool is a tool as the model sees it.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"` // JSON Schema of the arguments, an object
	Effect      ToolEffect      `json:"effect"`
	// Family is the tool's family. The tool is offered once the family is open in a conversation;
	// "" means that it is always offered.
	Family string `json:"family,omitempty"`
}

// ToolEffect tells how to treat a call whose outcome a crash has hidden.
type ToolEffect string

const (
	EffectNone       ToolEffect = "none"       // the tool changes nothing: run it again
	EffectIdempotent ToolEffect = "idempotent" // a second run changes nothing more: run it again
	// a second run would be wrong: the model learns that the outcome is unknown
	EffectOnce ToolEffect = "once"
)

// MethodToolsChanged announces a new list of the worker's tools. It is a call with
// ToolsChangedParams and without a result, at any time after hello.
//
// The worker first sends only the hash. A supervisor without the list answers CodeUnknownHash, and
// the worker sends the whole list. The worker names a new tool in a model.stream only after the
// answer. The supervisor keeps the last definition of a tool that has left the list, so that a
// model.stream under way may still name it.
const MethodToolsChanged = "tools.changed"

// ToolsChangedParams is a list of tools or only its hash.
type ToolsChangedParams struct {
	Hash  string `json:"hash"`            // hash of the list, as HashTools makes it
	Tools []Tool `json:"tools,omitempty"` // list in the form that ValidateTools demands; nil means only the hash
}

// Bounds of a list of tools. A list within these bounds fits a line.
const (
	MaxTools         = 256
	MaxToolListBytes = 512 << 10 // bytes of the whole list as JSON
)

// HashTools returns the hex SHA-256 of a list of tools as JSON. The hash is the same on both sides
// of a connection.
func HashTools(tools []Tool) (string, error) {
	text, err := encodeTools(tools)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// Validate refuses an announcement that no honest worker sends, such as a wrong hash.
func (c ToolsChangedParams) Validate() error {
	if c.Tools == nil {
		return nil
	}
	if err := ValidateTools(c.Tools); err != nil {
		return err
	}
	if hash, err := HashTools(c.Tools); err != nil || hash != c.Hash {
		return fmt.Errorf("hash: %.80q, and the list has %s", c.Hash, hash)
	}
	return nil
}

// ValidateTools refuses a list of tools that no honest worker sends.
func ValidateTools(tools []Tool) error {
	if len(tools) > MaxTools {
		return fmt.Errorf("tools: %d of them, at most %d", len(tools), MaxTools)
	}
	text, err := encodeTools(tools)
	if err != nil {
		return err
	}
	if len(text) > MaxToolListBytes {
		return fmt.Errorf("tools: %d bytes, at most %d", len(text), MaxToolListBytes)
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

// Patterns for names of tools and families. People and models read and type these names. The family
// of a tool may be "".
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
