package main_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// call posts a file as JSON to a path of the public listener at HOOK, and checks the status. The
// value SIGNED:SECRET of a header is replaced by the body's signature.
func (s *scriptEnv) call(ts *testscript.TestScript, args []string) {
	body := ts.ReadFile(args[1])
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, "http://"+ts.Getenv("HOOK")+args[0], strings.NewReader(body))
	ts.Check(err)
	req.Header.Set("Content-Type", "application/json")
	for _, arg := range args[3:] {
		header, value, _ := strings.Cut(arg, "=")
		if key, signed := strings.CutPrefix(value, "SIGNED:"); signed {
			mac := hmac.New(sha256.New, []byte(key))
			mac.Write([]byte(body))
			value = "sha256=" + hex.EncodeToString(mac.Sum(nil))
		}
		req.Header.Set(header, value)
	}
	resp, err := http.DefaultClient.Do(req)
	ts.Check(err)
	ts.Check(resp.Body.Close())
	if strconv.Itoa(resp.StatusCode) != args[2] {
		ts.Fatalf("%s is answered %s, want %s", args[0], resp.Status, args[2])
	}
}
