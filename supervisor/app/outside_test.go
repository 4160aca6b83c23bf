package app

import (
	"net/http"
	"testing"

	"mews/config"
	"mews/supervisor/egress"
	"mews/supervisor/egress/egresstest"
)

// A search backend may have a certificate of an admin's own authority.
func TestSearchBackend_CAFile_IsTrusted(t *testing.T) {
	server := egresstest.StartTLS(t, func(http.ResponseWriter, *http.Request) {})
	s := &service{}
	s.egress = egress.New(egress.Options{})
	for file, trusted := range map[string]bool{server.CAFile: true, "": false} {
		b, err := s.searchBackend(config.SearchBackend{Name: "home", Kind: "searxng", URL: server.URL, CAFile: file})
		if err != nil {
			t.Fatal(err)
		}
		address, err := b.Upstream.Address(server.URL + "/search")
		if err != nil {
			t.Fatal(err)
		}
		answer, err := s.egress.Fetch(egress.WithUpstream(t.Context(), b.Upstream), egress.Request{Address: address})
		if trusted != (err == nil) {
			t.Errorf("with the ca_file %q: %v", file, err)
		}
		if err == nil {
			_ = answer.Body.Close() // it was not read
		}
	}
}
