package control

import (
	"errors"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"mews/protocol"
)

// TestDial_ServerHangsUp_ExplainsWhy dials a service that accepts a connection and closes it. A
// service does that if it has no free file descriptors or watches.
func TestDial_ServerHangsUp_ExplainsWhy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		conn, err := listener.Accept()
		ended <- errors.Join(err, conn.Close(), listener.Close())
	}()
	err = CallOnce(t.Context(), path, MethodJoinChat, nil, nil)
	if !errors.Is(err, protocol.ErrClosed) || !strings.HasPrefix(err.Error(), "the service closed the connection") {
		t.Errorf("%v", err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
