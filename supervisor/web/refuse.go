package web

import (
	"context"
	"errors"
	"net"
	"net/http"
)

// retryAfter is the value of the header Retry-After, in seconds, while the service is not open yet.
const retryAfter = "5"

// Refuse answers every request with 503 until ctx ends. It must end before Run is called.
func (s *Server) Refuse(ctx context.Context) error {
	file, err := s.listener.File() // a second descriptor, so that the port stays open afterwards
	if err != nil {
		return err
	}
	listener, err := net.FileListener(file)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	server := s.server(ctx)
	server.ConnState = nil // Run counts the connections
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", retryAfter)
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	server.SetKeepAlivesEnabled(false)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }() // ends when the server is closed
	select {
	case err = <-served:
	case <-ctx.Done():
		err = server.Close()
		<-served
	}
	return err
}
