package githubtest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"mews/supervisor/github/githubtest"
)

const widget = "acme/widget"

// rig sends raw requests to a server, like curl.
type rig struct {
	*githubtest.Server
	t    *testing.T
	repo *githubtest.Repo
}

func newRig(t *testing.T, o githubtest.Options) *rig {
	s := githubtest.New(t, o)
	return &rig{s, t, s.Repo(widget)}
}

// response is a response of the server.
type response struct {
	code   int
	header http.Header
	body   string
}

// at returns the value at a path in a JSON response, such as comments.0.line.
func (g response) at(path string) any {
	var v any
	if json.Unmarshal([]byte(g.body), &v) != nil {
		return nil
	}
	for _, key := range strings.Split(path, ".") {
		switch in := v.(type) {
		case map[string]any:
			v = in[key]
		case []any:
			n := int(key[0] - '0')
			if n >= len(in) {
				return nil
			}
			v = in[n]
		default:
			return nil
		}
	}
	return v
}

// ask sends a request with the bot's token. header has alternating names and values.
func (r *rig) ask(method, path string, body any, header ...string) response {
	r.t.Helper()
	g, err := r.try(method, path, body, header...)
	if err != nil {
		r.t.Fatal(err)
	}
	return g
}

func (r *rig) try(method, path string, body any, header ...string) (response, error) {
	var send io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			r.t.Fatal(err)
		}
		send = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(r.t.Context(), method, strings.TrimSuffix(r.URL(), "/")+path, send)
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+r.Token())
	for n := 0; n+1 < len(header); n += 2 {
		req.Header.Set(header[n], header[n+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return response{}, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	return response{resp.StatusCode, resp.Header, string(data)}, err
}

const diffType = "application/vnd.github.v3.diff"

// lines returns n numbered lines. The lines in change have an additional word.
func lines(n int, change ...int) string {
	var b strings.Builder
	for line := 1; line <= n; line++ {
		b.WriteString("line " + string(rune('a'+line%26)) + strings.Repeat("x", line))
		for _, c := range change {
			if c == line {
				b.WriteString(" changed")
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
