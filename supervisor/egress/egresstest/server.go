package egresstest

import (
	"crypto/tls"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// TLSServer is a server on loopback whose certificate only CAFile vouches for.
type TLSServer struct {
	*httptest.Server
	CAFile string // path of the certificate in PEM
}

// StartTLS starts a server. It ends with the test.
func StartTLS(t testing.TB, handler http.HandlerFunc) TLSServer {
	t.Helper()
	s := httptest.NewUnstartedServer(handler)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	s.StartTLS()
	t.Cleanup(s.Close)
	file := filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return TLSServer{s, file}
}
