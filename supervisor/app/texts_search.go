package app

// Of searches, and of what was said.
const (
	textNoSource     = "%q can't be searched: it is history, home, or both, where nothing is said."
	textNothingFound = "Nothing was found.\n"
	textFromOthers   = " (with others' words)"
)
