package facts

// AddFact adds a fact that must be valid.
func (f *File) AddFact(fact Fact) Fact {
	if fact.Check() != nil {
		return Fact{}
	}
	return f.put("", fact, 0)
}
