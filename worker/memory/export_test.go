package memory

// Add adds a fact that must be valid.
func (f *File) Add(fact Fact) Fact {
	if fact.check() != nil {
		return Fact{}
	}
	return f.put("", fact, 0)
}

// StateOf is exported for tests.
var StateOf = stateOf
