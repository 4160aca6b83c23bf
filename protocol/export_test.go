package protocol

// BrokenLines returns lines that break the wire, for tests of a whole connection.
func BrokenLines() map[string]string {
	lines := make(map[string]string)
	for _, b := range brokenLines {
		lines[b.name] = b.line
	}
	return lines
}
