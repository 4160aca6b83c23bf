package host

// Operation is the supervisor as one operation sees it. Every call of it carries the operation's id.
type Operation struct{ blobStore }

// Operation returns the host as the operation id sees it.
func (h *Host) Operation(id int64) *Operation {
	return &Operation{blobStore{host: h, operation: id}}
}
