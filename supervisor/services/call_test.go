package services_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/redact/redacttest"
	"mews/supervisor/services"
	"mews/supervisor/sqlite/sqlitetest"
)

// sentSecret returns how a call carries the secret of an auth, for a fake that refuses other calls.
func sentSecret(a services.Auth) func(*http.Request) bool {
	return func(r *http.Request) bool {
		name, password, isBasic := r.BasicAuth()
		switch a.Type {
		case services.AuthBearer:
			return r.Header.Get("Authorization") == "Bearer "+secret
		case services.AuthHeader:
			return slices.Equal(r.Header.Values(a.Name), []string{secret})
		case services.AuthQuery:
			return slices.Equal(r.URL.Query()[a.Name], []string{secret})
		case services.AuthBasic:
			return isBasic && name == a.Name && password == secret
		}
		return r.Header.Get("Authorization") == "" && !strings.Contains(r.URL.String(), secret)
	}
}

// Each way of authentication is accepted with the right secret, and refused with another one.
func TestAuth_EachVariant_IsSent(t *testing.T) {
	r := newRig(t, nil)
	for name, c := range map[string]struct {
		auth      services.Auth
		arguments string
	}{
		"bearer":              {services.Auth{Type: "bearer"}, `{"name":"home"}`},
		"header":              {services.Auth{Type: "header", Name: "X-Api-Key"}, `{"name":"home"}`},
		"header, lower case":  {services.Auth{Type: "header", Name: "x-goog-api-key"}, `{"name":"home"}`},
		"header Cookie-like":  {services.Auth{Type: "header", Name: "Authorization"}, `{"name":"home"}`},
		"query":               {services.Auth{Type: "query", Name: "api_key"}, `{"name":"home"}`},
		"query after others":  {services.Auth{Type: "query", Name: "key"}, `{"name":"home","params":{"a":"b&key=c"}}`},
		"query, awkward name": {services.Auth{Type: "query", Name: "a&b=c"}, `{"name":"home"}`},
		"basic":               {services.Auth{Type: "basic", Name: "ann"}, `{"name":"home"}`},
		"basic, awkward name": {services.Auth{Type: "basic", Name: "ann@example.org é"}, `{"name":"home"}`},
		"none":                {services.Auth{Type: "none"}, `{"name":"home"}`},
	} {
		for _, key := range []string{secret, "another-secret"} {
			if c.auth.Type != services.AuthNone {
				c.auth.Secret = key
			}
			home := services.Service{Name: "home", BaseURL: "http://home.example/api", Auth: c.auth}
			if err := r.services.SetServices([]services.Service{home}); err != nil {
				t.Fatal(err)
			}
			r.fake.Allows = sentSecret(c.auth)
			want := http.StatusOK
			if key != secret && c.auth.Type != services.AuthNone {
				want = http.StatusUnauthorized
			}
			if got := r.must("read_service", c.arguments); got.Status != want {
				t.Errorf("%s with %s: got %+v", name, key, got)
			}
		}
	}
}

// Without its secret a service is off, unless the secret is optional.
func TestAuth_WithoutSecret_IsOff(t *testing.T) {
	r := newRig(t, func(s *services.Service) { s.Auth.Type = services.AuthBearer })
	r.refused("read_service", `{"name":"home"}`, "is off: it has no secret")
	if got := r.must("read_service", `{}`); !strings.Contains(got.Text, "home is off") {
		t.Errorf("listed: %q", got.Text)
	}
	r = newRig(t, func(s *services.Service) { s.Auth = services.Auth{Type: services.AuthBearer, Optional: true} })
	r.must("read_service", `{"name":"home"}`)
	if got := r.last().Header["Authorization"]; got != nil {
		t.Errorf("sent %q", got)
	}
}

func TestCall_Arguments_AreSent(t *testing.T) {
	r := newRig(t, func(s *services.Service) {
		s.Headers = map[string]string{"X-Client": "mews", "Accept": "application/json"}
		s.Params = map[string]string{"units": "metric", "n": "10"}
	})
	for arguments, want := range map[string]string{
		`{"name":"home"}`: "GET /api n=10&units=metric ",
		`{"name":"home","path_suffix":"/states/a%2Fb c"}`: "GET /api/states/a%2Fb%20c " +
			"n=10&units=metric ",
		`{"name":"home","method":"get","params":{"q":"a&b","UNITS":"x","n":1}}`: "GET /api n=10&q=a%26b&units=metric ",
		`{"name":"home","params":{"l":["a",1,true],"f":1.50,"b":false}}`: "GET /api " +
			"b=false&f=1.50&l=a&l=1&l=true&n=10&units=metric ",
	} {
		r.must("read_service", arguments)
		c := r.last()
		if got := fmt.Sprintf("%s %s %s %s", c.Method, c.Path, c.Query, c.Body); got != want {
			t.Errorf("%s: got %q, want %q", arguments, got, want)
		}
		if c.Header.Get("X-Client") != "mews" || c.Header.Get("Accept") != "application/json" {
			t.Errorf("%s: headers %v", arguments, c.Header)
		}
	}
	for arguments, want := range map[string]string{
		`{"name":"home","body":"{\"a\": 1}"}`:           `POST application/json {"a": 1}`,
		`{"name":"home","body":{"a": 1}}`:               `POST application/json {"a": 1}`,
		`{"name":"home","body":[1, 2]}`:                 `POST application/json [1, 2]`,
		`{"name":"home","body":"the lamp"}`:             `POST text/plain; charset=utf-8 the lamp`,
		`{"name":"home","body":"42"}`:                   `POST text/plain; charset=utf-8 42`,
		`{"name":"home","body":42}`:                     `POST application/json 42`,
		`{"name":"home","method":"DELETE"}`:             `DELETE  `,
		`{"name":"home","method":"DELETE","body":null}`: `DELETE  `,
	} {
		r.must("call_service", arguments)
		c := r.last()
		if got := fmt.Sprintf("%s %s %s", c.Method, c.Header.Get("Content-Type"), c.Body); got != want {
			t.Errorf("%s: got %q, want %q", arguments, got, want)
		}
	}
}

// A call that the model may not make is refused before anybody is asked.
func TestCall_WrongArguments_AreRefused(t *testing.T) {
	r := newRig(t, func(s *services.Service) { s.Auth = services.Auth{Type: "query", Name: "key", Secret: secret} })
	for arguments, words := range map[string]string{
		`{"name":"house"}`:                                `There is no service "house". You may call: home.`,
		`{"name":"home","path_suffix":"/../admin"}`:       "as a part",
		`{"name":"home","path_suffix":"//evil.example"}`:  "//",
		`{"name":"home","path_suffix":"?key=x"}`:          "params",
		`{"name":"home","method":"PATCH"}`:                "GET (read), POST (write)",
		`{"name":"home","method":"GET / HTTP/1.1\r\nX:"}`: "does not allow",
		`{"name":"home","method":"POST"}`:                 "call_service",
		`{"name":"home","params":{"KEY":"x"}}`:            "secret",
		`{"name":"home","params":{"a":{"b":1}}}`:          "neither a text",
		`{"name":"home","params":{"a":null}}`:             "neither a text",
		`{"name":"home","params":{"a":[[1]]}}`:            "neither a text",
		`{"name":"home","body":"text"}`:                   "has no body",
		`{"name":"home","headers":{"Authorization":"x"}}`: "headers",
		`{"name":1}`: "can't be read",
		`{"name":"home","params":{"a":"` + strings.Repeat("b", 5000) + `"}}`: "4096 bytes",
	} {
		r.refused("read_service", arguments, words)
	}
	r.refused("call_service", `{}`, "Give the name")
	r.refused("call_service", `{"name":"home","body":"`+strings.Repeat("b", 1<<20+1)+`"}`, "more than 1 MiB")
	if len(r.asked) > 0 {
		t.Errorf("asked %v", r.asked)
	}
	r = newRig(t, func(s *services.Service) { s.AllowPathSuffix, s.Users = false, []string{"ann"} })
	r.refused("read_service", `{"name":"home","path_suffix":"/states"}`, "takes no path_suffix")
	r.turn.User = "bob"
	r.refused("read_service", `{"name":"home"}`, "no service that you may call")
}

// The method and the list of reads decide whether a call is a read.
func TestCall_Effect_FollowsMethodAndReads(t *testing.T) {
	r := newRig(t, func(s *services.Service) { s.Reads = []string{"POST /chat/completions"} })
	for _, c := range []struct{ tool, arguments, effect string }{
		{"read_service", `{"name":"home","path_suffix":"states"}`, "service_read"},
		{"call_service", `{"name":"home","method":"GET","path_suffix":"states"}`, "service_read"},
		{"read_service", `{"name":"home","method":"POST","path_suffix":"chat/completions","body":"a"}`, "service_read"},
		{"call_service", `{"name":"home","path_suffix":"/chat/completions","body":"a"}`, "service_read"},
		{"call_service", `{"name":"home","path_suffix":"/chat/completions/","body":"a"}`, "service_write"},
		{"call_service", `{"name":"home","path_suffix":"/chat%2Fcompletions","body":"a"}`, "service_write"},
		{"call_service", `{"name":"home","path_suffix":"/chat","body":"a"}`, "service_write"},
	} {
		r.must(c.tool, c.arguments)
		if got := r.asked[len(r.asked)-1].Effect; got != c.effect {
			t.Errorf("%s: got %s, want %s", c.arguments, got, c.effect)
		}
	}
	r.refused("read_service", `{"name":"home","method":"POST","path_suffix":"/chat"}`, "call_service")
}

// A permission covers exactly one call: its service, method, address, parameters and body.
func TestCall_Permission_CoversArguments(t *testing.T) {
	r := newRig(t, nil)
	r.deny = supervisor.Errorf(supervisor.CodeForbidden, "not now")
	subjects := map[string]string{}
	for _, arguments := range []string{
		`{"name":"home","path_suffix":"a","body":"x"}`, `{"name":"home","path_suffix":"a","body":"y"}`,
		`{"name":"home","path_suffix":"a","body":{"x":1}}`, `{"name":"home","path_suffix":"b","body":"x"}`,
		`{"name":"home","path_suffix":"a","method":"DELETE","body":"x"}`,
		`{"name":"home","path_suffix":"a","params":{"p":1},"body":"x"}`, `{"name":"home","path_suffix":"a"}`,
	} {
		r.refused("call_service", arguments, "not now")
		subject := r.asked[len(r.asked)-1].Subject()
		if other := subjects[subject]; other != "" {
			t.Errorf("%s and %s have one subject", arguments, other)
		}
		subjects[subject] = arguments
	}
	r.deny = supervisor.ErrWaitsForAnswer
	if _, err := r.try("call_service", `{"name":"home"}`); !errors.Is(err, supervisor.ErrWaitsForAnswer) {
		t.Errorf("got %v", err)
	}
}

// A question shows the call as it will be made, and says what it does not show.
func TestCall_Question_ShowsCall(t *testing.T) {
	r := newRig(t, nil)
	for arguments, want := range map[string]string{
		`{"name":"home","path_suffix":"/light/turn_on","params":{"a":"b c"},"body":{"entity_id":"lamp"}}`: "" +
			"`POST /light/turn_on`\nParameters: `a=\"b c\"`\nContent: \n```\n{\"entity_id\":\"lamp\"}\n```",
		`{"name":"home","params":{"a":"b, confirm=true","c, d=":"e\""}}`: "" +
			"`POST /`\nParameters: `a=\"b, confirm=true\", \"c, d=\"=\"e\\\"\"`",
		"{\"name\":\"home\",\"path_suffix\":\"/a`b\",\"body\":\"``` **hi**\"}": "" +
			"`POST /a'b`\nContent: \n````\n``` **hi**\n````",
		`{"name":"home","body":"` + strings.Repeat("é", 1000) + `"}`: "" +
			"`POST /`\nContent: \n```\n" + strings.Repeat("é", 750) + "\n``` (500 bytes more)",
	} {
		want = "May I call the service home at `home.example`? " + want
		r.must("call_service", arguments)
		q := r.asked[len(r.asked)-1]
		if q.Text != want || q.User != "ann" || q.Turn != r.turn.ID || q.Call != r.called.ID || q.Conversation.ID != 1 {
			t.Errorf("%.100s: got %q, want %q", arguments, q.Text, want)
		}
	}
	huge := `{"name":"home","path_suffix":"/` + strings.Repeat("p", 2000) + `","params":{"q":"` +
		strings.Repeat("q", 3000) + `"},"body":"` + strings.Repeat("b", 100_000) + `"}`
	r.must("call_service", huge)
	if n := len(r.asked[len(r.asked)-1].Text); n > 3000 {
		t.Errorf("a question has %d bytes", n)
	}
}

func TestAnswer_AnyStatus_IsResult(t *testing.T) {
	r := newRig(t, nil)
	for _, c := range []struct {
		status     int
		kind, body string
		want       protocol.ServiceCallResult
	}{
		{200, "application/json; charset=utf-8", `{"a": 1}`,
			protocol.ServiceCallResult{MediaType: "application/json", Text: `{"a": 1}`}},
		{201, "text/plain", "made", protocol.ServiceCallResult{MediaType: "text/plain", Text: "made"}},
		{404, "text/html", "<p>gone", protocol.ServiceCallResult{MediaType: "text/html", Text: "<p>gone"}},
		{500, "", "oh", protocol.ServiceCallResult{MediaType: "text/plain", Text: "oh"}},
	} {
		r.answer(c.status, c.kind, c.body)
		c.want.Status, c.want.World = c.status, true
		if c.kind == "" {
			c.want.MediaType = ""
		}
		if got := r.must("read_service", `{"name":"home"}`); got != c.want {
			t.Errorf("got %+v, want %+v", got, c.want)
		}
	}
	r.fake.Answer = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "/"+strings.Repeat("é", 20_000))
		w.Header().Set("Content-Type", "text/"+strings.Repeat("x", 20_000))
	}
	if got := r.must("read_service", `{"name":"home"}`); len(got.Location) > 2<<10 || len(got.MediaType) > 100 {
		t.Errorf("headers of %d and %d bytes", len(got.Location), len(got.MediaType))
	}
	r.answer(200, "image/png", "\x89PNG\x00")
	if got := r.must("read_service", `{"name":"home"}`); !strings.Contains(got.Text, "is not text") {
		t.Errorf("a picture: got %+v", got)
	}
	r.answer(200, "text/plain", strings.Repeat("long ", 20_000))
	got := r.must("read_service", `{"name":"home"}`)
	body := make([]byte, 100_000)
	if n, size, err := r.spool.ReadAt(got.Body.SHA256, body, 0); n != 100_000 || size != 100_000 || err != nil ||
		!bytes.HasPrefix(body, []byte("long long")) || got.Text != "" {
		t.Errorf("a long answer: got %+v, %d bytes, %v", got, n, err)
	}
}

// A redirect is an answer, even to the service itself: the secret never goes elsewhere.
func TestAnswer_Redirect_IsNotFollowed(t *testing.T) {
	for _, to := range []string{"http://evil.example/steal", "http://home.example/other", "/other"} {
		r := newRig(t, func(s *services.Service) { s.Auth = services.Auth{Type: "query", Name: "key", Secret: secret} })
		r.net.Serve("evil.example", func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") })
		r.fake.Answer = func(w http.ResponseWriter, q *http.Request) {
			http.Redirect(w, q, to+"?key="+secret, http.StatusTemporaryRedirect)
		}
		got := r.must("read_service", `{"name":"home"}`)
		if got.Status != http.StatusTemporaryRedirect || got.Location != to+"?key=***" || len(r.fake.Calls()) != 1 {
			t.Errorf("%s: got %+v, %d calls", to, got, len(r.fake.Calls()))
		}
	}
}

// The private address of a service is reached, and no other address of its network.
func TestUpstream_PrivateAddress_IsReachedAlone(t *testing.T) {
	r := newRig(t, func(s *services.Service) { s.BaseURL = "http://192.168.1.5:8123/api" })
	r.net.Serve("192.168.1.5", r.fake.ServeHTTP, "192.168.1.5")
	r.net.Serve("192.168.1.6", func(http.ResponseWriter, *http.Request) { t.Error("the neighbour was called") },
		"192.168.1.6")
	r.must("read_service", `{"name":"home"}`)
	if got := r.net.Dialed(); !slices.Equal(got, []string{"192.168.1.5:8123"}) {
		t.Errorf("dialled %q", got)
	}
	for _, suffix := range []string{"//192.168.1.6:8123/", "http://192.168.1.6:8123/", "@192.168.1.6:8123/",
		":80@192.168.1.6/"} {
		_, err := r.try("read_service", `{"name":"home","path_suffix":"`+suffix+`"}`)
		if err == nil && !strings.HasPrefix(r.last().Path, "/api/") {
			t.Errorf("%s: called %s", suffix, r.last().Path)
		}
	}
	for _, to := range r.net.Dialed() {
		if to != "192.168.1.5:8123" {
			t.Errorf("dialled %s", to)
		}
	}
	// a name that suddenly leads to the metadata service of a cloud
	r = newRig(t, func(s *services.Service) { s.BaseURL = "http://meta.example" })
	r.net.Serve("meta.example", r.fake.ServeHTTP, "169.254.169.254")
	r.refused("read_service", `{"name":"home"}`, "not public")
}

// A write is in the ledger and the audit log, a read is not.
func TestCall_Write_IsRecorded(t *testing.T) {
	r := newRig(t, nil)
	r.must("read_service", `{"name":"home"}`)
	r.must("call_service", `{"name":"home","path_suffix":"/lamp"}`)
	r.answer(500, "text/plain", "no")
	r.must("call_service", `{"name":"home","method":"DELETE","path_suffix":"/lamp"}`)
	r.refused("call_service", `{"name":"home","method":"PUT","path_suffix":"/lamp"}`, "does not allow")
	got := sqlitetest.QueryColumn(t, r.db, `SELECT kind || ' ' || target || ' ' || detail || ' ' || call FROM effect`)
	want := []string{"service.called home: POST /lamp 200 c1", "service.called home: DELETE /lamp 500 c2"}
	if !slices.Equal(got, want) {
		t.Errorf("the ledger has %q, want %q", got, want)
	}
	want = []string{"ann service.called home: POST /lamp 200", "ann service.called home: DELETE /lamp 500"}
	if !slices.Equal(r.audited, want) {
		t.Errorf("audited %q, want %q", r.audited, want)
	}
}

// A second call with the same id gets the kept answer, and the service is not called again.
func TestCall_Again_GetsKeptAnswer(t *testing.T) {
	r := newRig(t, nil)
	first := r.must("call_service", `{"name":"home"}`)
	second, err := r.again()
	if err != nil || first != second || r.fake.Done() != 1 {
		t.Errorf("got %+v, %v after %+v; %d calls", second, err, first, r.fake.Done())
	}
}

// If the connection breaks after a write was sent, the write is never repeated. A read is.
func TestCall_BrokenConnection_IsNeverRepeated(t *testing.T) {
	for name, c := range map[string]struct {
		tool, header string
		done         int
		ledger       []string
	}{
		"read":  {"read_service", "", 2, nil},
		"write": {"call_service", "", 1, []string{"service.unknown home: POST /"}},
		"repeatable write": {"call_service", "Idempotency-Key", 1, []string{"service.unknown home: POST /",
			"service.called home: POST /"}},
	} {
		r := newRig(t, func(s *services.Service) { s.IdempotencyHeader = c.header })
		r.fake.Answer = func(w http.ResponseWriter, _ *http.Request) {
			if len(r.fake.Calls()) == 1 {
				panic(http.ErrAbortHandler) // cuts the connection
			}
		}
		_, err := r.try(c.tool, `{"name":"home"}`)
		if err == nil || (c.tool == "call_service") != strings.Contains(err.Error(), "may have done it") {
			t.Errorf("%s: got %v", name, err)
		}
		_, err = r.again()
		if unknown := err != nil && strings.Contains(err.Error(), "outcome unknown"); unknown != (name == "write") {
			t.Errorf("%s again: got %v", name, err)
		}
		if r.fake.Done() != c.done {
			t.Errorf("%s: done %d times", name, r.fake.Done())
		}
		got := sqlitetest.QueryColumn(t, r.db, `SELECT kind || ' ' || target FROM effect`)
		if !slices.Equal(got, c.ledger) {
			t.Errorf("%s: the ledger has %q", name, got)
		}
	}
}

// A service that can't be reached was not called, so the call may be made again.
func TestCall_Unreachable_MayBeRepeated(t *testing.T) {
	r := newRig(t, func(s *services.Service) { s.BaseURL = "http://gone.example" })
	for range 2 {
		r.n = 0
		r.refused("call_service", `{"name":"home"}`, `the service "home"`)
	}
	if got := sqlitetest.QueryColumn(t, r.db, `SELECT kind FROM effect`); len(got) > 0 {
		t.Errorf("the ledger has %q", got)
	}
}

// The canary key is in nothing that a call leaves, whatever the service sends back.
func TestSecret_EchoedByService_IsNowhere(t *testing.T) {
	for _, kind := range []services.AuthType{"bearer", "query", "basic", "header"} {
		r := newRig(t, func(s *services.Service) {
			s.Auth = services.Auth{Type: kind, Name: "X-Key", Secret: redacttest.Awkward, Optional: true}
			s.MaxResponse = 2 << 20
		})
		for name, text := range redacttest.Spellings(t, redacttest.Awkward) {
			r.answer(200, "text/plain", "you sent "+text+" to me")
			tool := []string{"read_service", "call_service"}[r.n%2]
			if got := r.must(tool, `{"name":"home"}`); got.Text != "you sent *** to me" {
				t.Errorf("%s, %s: got %q", kind, name, got.Text)
			}
		}
		r.answer(200, "text/x-"+redacttest.Awkward[:3]+"; a="+redacttest.Awkward,
			strings.Repeat("long ", 20_000)+redacttest.Awkward)
		long := r.must("read_service", `{"name":"home"}`)
		r.fake.Answer = func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
		if _, err := r.try("call_service", `{"name":"home"}`); err == nil {
			t.Error("a broken connection is no error")
		}
		r.fake.Answer = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1"+strings.Repeat("0", 9))
		}
		if _, err := r.try("read_service", `{"name":"home"}`); err == nil {
			t.Error("a huge answer is no error")
		}
		everything := fmt.Sprint(r.log.String(), r.audited, r.asked) + spoolText(t, r, long.Body.SHA256)
		for _, table := range []string{"external_call", "effect", "message", "audit"} {
			everything += strings.Join(sqlitetest.QueryColumn(t, r.db,
				"SELECT json_array("+columnsOf(t, r, table)+") FROM "+table), "\n")
		}
		for name, text := range redacttest.Spellings(t, redacttest.Awkward) {
			if strings.Contains(everything, text) {
				t.Errorf("%s: the secret is left in %s", kind, name)
			}
		}
	}
}

func spoolText(t *testing.T, r *rig, sha string) string {
	body := make([]byte, 200_000)
	n, _, err := r.spool.ReadAt(sha, body, 0)
	if err != nil || n < 100_000 {
		t.Fatalf("%d bytes, %v", n, err)
	}
	return string(body[:n])
}

// columnsOf lists the columns of a table.
func columnsOf(t *testing.T, r *rig, table string) string {
	return strings.Join(sqlitetest.QueryColumn(t, r.db, "SELECT name FROM pragma_table_info('"+table+"')"), ", ")
}

// A trusted service keeps its mark, and its answers do not taint.
func TestTrusted_Answer_DoesNotTaint(t *testing.T) {
	for _, trusted := range []bool{false, true} {
		r := newRig(t, func(s *services.Service) { s.Trusted = trusted })
		got := r.must("call_service", `{"name":"home"}`)
		result := protocol.ToolResult{Call: "c0", Name: "call_service", Text: "HTTP status 200", World: got.World}
		for range 2 { // the second commit is the repetition of a worker that got no answer
			if _, err := r.db.Turns().CommitResult(t.Context(), r.turn.ID, result); err != nil {
				t.Fatal(err)
			}
		}
		stored := sqlitetest.QueryColumn(t, r.db, `SELECT source || parts FROM message WHERE role = 'tool'`)[0]
		want := `"world":true,"origins":["service:home"]`
		if trusted {
			want = `"world":true,"origins":["trusted-service:home"]`
		}
		origins, err := r.db.Taints().Origins(t.Context(), r.turn.ID)
		if err != nil || (len(origins) == 0) != trusted {
			t.Errorf("trusted %v: the turn has the origins %q, %v", trusted, origins, err)
		}
		if got.World == trusted || !strings.Contains(stored, want) {
			t.Errorf("trusted %v: got %v, stored %s", trusted, got.World, stored)
		}
	}
}

// A call is paid once. Without money it is not made, and the same call is made once there is money.
func TestServiceCall_Repeated_IsChargedOnce(t *testing.T) {
	r := newRig(t, func(s *services.Service) { s.Price = 10_000 })
	for _, unpaid := range []error{supervisor.ErrWaitsForAnswer,
		supervisor.Errorf(supervisor.CodeBudgetExceeded, "there is too little money")} {
		r.unpaid = unpaid
		if _, err := r.try("call_service", `{"name":"home"}`); !errors.Is(err, unpaid) || r.fake.Done() > 0 {
			t.Errorf("%v: got %v", unpaid, err)
		}
	}
	r.unpaid = nil
	for range 2 { // the second call gets the kept answer
		if _, err := r.again(); err != nil || r.fake.Done() != 1 {
			t.Fatalf("with money: %v, %d calls", err, r.fake.Done())
		}
	}
	home := services.Service{Name: "home", BaseURL: "http://gone.example", Price: 10_000}
	if err := r.services.SetServices([]services.Service{home}); err != nil {
		t.Fatal(err)
	}
	r.refused("read_service", `{"name":"home"}`, "no site")
	if want := []string{"service/home 10000 true", "service/home 10000 false"}; !slices.Equal(r.paid, want) {
		t.Errorf("paid %q, want %q", r.paid, want)
	}
}

// The limits of fetches are refusals in words.
func TestLimits_ManyCalls_AreRefused(t *testing.T) {
	r := newRig(t, nil)
	for range 30 {
		r.must("read_service", `{"name":"home"}`)
	}
	r.refused("read_service", `{"name":"home"}`, "30 ")
}

// A service whose certificates can't be read is off, and the others work.
func TestSetServices_BadCAFile_TurnsOff(t *testing.T) {
	r := newRig(t, nil)
	err := r.services.SetServices([]services.Service{
		{Name: "bad", BaseURL: "https://home.example", CAFile: filepath.Join(t.TempDir(), "none.pem")},
		{Name: "good", BaseURL: "http://home.example"}})
	if err == nil || !strings.Contains(err.Error(), "services.bad: ca_file") {
		t.Errorf("got %v", err)
	}
	r.refused("read_service", `{"name":"bad"}`, "is off")
	r.must("read_service", `{"name":"good"}`)
	r.refused("read_service", `{"name":"home"}`, "You may call: good.")
}

// A call that was made is not asked about again after a crash, so no late No hides that it was
// done.
func TestCall_MadeBeforeCrash_IsNotAskedAgain(t *testing.T) {
	r := newRig(t, nil)
	r.answer(http.StatusOK, "text/plain", "the lamp is on")
	r.must("call_service", `{"name":"home"}`)
	r.deny = supervisor.Errorf(supervisor.CodeForbidden, "no")
	if got, err := r.again(); err != nil || got.Text != "the lamp is on" {
		t.Errorf("got %+v, %v", got, err)
	}
	if len(r.asked) != 1 || r.fake.Done() != 1 {
		t.Errorf("asked %d times, done %d times", len(r.asked), r.fake.Done())
	}
}
