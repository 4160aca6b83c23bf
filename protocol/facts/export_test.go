package facts

// AddFact adds a valid fact, even if the file is full. For an invalid fact it returns the zero
// Fact.
func (f *File) AddFact(fact Fact) Fact {
	if fact.Normalize() != nil {
		return Fact{}
	}
	return f.put("", fact, 0)
}
