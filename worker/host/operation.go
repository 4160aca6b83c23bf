package host

// Operation is the supervisor as one operation sees it. Every call of it carries the operation's id.
type Operation struct{ blobs }

// Operation returns the host as the operation id sees it.
func (h *Host) Operation(id int64) *Operation {
	return &Operation{blobs{host: h, operation: id}}
}
