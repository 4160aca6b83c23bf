package memory

// Add adds a fact that is fit for it.
func (f *File) Add(fact Fact) Fact {
	if fact.check() != nil {
		return Fact{}
	}
	return f.put("", fact, 0)
}

// StateOf is the state of a file with a text.
var StateOf = stateOf
