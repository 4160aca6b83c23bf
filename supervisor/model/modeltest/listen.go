package modeltest

import (
	"net/http/httptest"
	"testing"
)

// NewServer serves script on loopback until the test ends. base is the base URL for clients. The
// Server's fields must be set before the first request.
func NewServer(t testing.TB, script Script) (s *Server, base string) {
	t.Helper()
	s = New(script)
	listener := httptest.NewServer(s)
	t.Cleanup(func() {
		listener.CloseClientConnections() // an answer that hangs ends here
		listener.Close()
	})
	return s, listener.URL + "/v1"
}
