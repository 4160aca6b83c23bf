package modeltest

import (
	"net/http/httptest"
	"testing"
)

// NewServer serves script on loopback until the test ends. base is what a client takes as its base URL. What the
// returned Server's fields say must be set before the first request.
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
