package memory

// AddFact adds a fact that must be valid.
func (f *File) AddFact(fact Fact) Fact {
	if fact.check() != nil {
		return Fact{}
	}
	return f.put("", fact, 0)
}

// FileStateOf is exported for tests.
var FileStateOf = stateOf
