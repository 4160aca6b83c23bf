package modeltest

import (
	"net/http/httptest"
	"testing"
)

// NewServer runs script on loopback until the test ends. base is the base URL for clients. Set the
// Server's fields before the first request.
func NewServer(t testing.TB, script Script) (s *Server, base string) {
	t.Helper()
	s = NewUnstartedServer(script)
	listener := httptest.NewServer(s)
	t.Cleanup(func() {
		listener.CloseClientConnections() // ends the responses that hang
		listener.Close()
	})
	return s, listener.URL + "/v1"
}
