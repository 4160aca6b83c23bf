package hostcall

import (
	"sync"
	"weak"

	"mews/protocol"
)

// toolTable has the tools of one list, by name. It never changes.
type toolTable struct {
	hash   string
	byName map[string]protocol.Tool

	mu      sync.Mutex                 // guards the field below
	choices map[string][]protocol.Tool // lists of these tools that requests named, by their hash
}

// maxChoices bounds toolTable.choices. An honest worker names one or two lists.
const maxChoices = 8

// find finds a tool. A nil table has no tools.
func (t *toolTable) find(name string) (tool protocol.Tool, ok bool) {
	if t == nil {
		return tool, false
	}
	tool, ok = t.byName[name]
	return tool, ok
}

// shareChoice returns the list of tools with this hash: an equal list that is already stored, or
// else the list chosen.
func (t *toolTable) shareChoice(hash string, chosen []protocol.Tool) []protocol.Tool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if earlier, known := t.choices[hash]; known {
		return earlier
	}
	if len(t.choices) < maxChoices {
		if t.choices == nil {
			t.choices = map[string][]protocol.Tool{}
		}
		t.choices[hash] = chosen
	}
	return chosen
}

// sharedTools keeps each list of tools once, as long as a connection uses it. Nearly all workers
// have the same tools. Its methods may be called from any goroutine.
type sharedTools struct {
	mu     sync.Mutex // guards the field below
	tables map[string]weak.Pointer[toolTable]
}

// table returns the table of a list with this hash.
func (s *sharedTools) table(tools []protocol.Tool, hash string) *toolTable {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.tables[hash].Value(); known != nil {
		return known
	}
	t := &toolTable{hash: hash, byName: make(map[string]protocol.Tool, len(tools))}
	for _, tool := range tools {
		t.byName[tool.Name] = tool
	}
	if s.tables == nil {
		s.tables = map[string]weak.Pointer[toolTable]{}
	}
	for hash, old := range s.tables {
		if old.Value() == nil {
			delete(s.tables, hash)
		}
	}
	s.tables[hash] = weak.Make(t)
	return t
}
