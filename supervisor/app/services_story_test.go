package app_test

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mews/supervisor/admin"
	"mews/supervisor/control"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/services"
	"mews/supervisor/services/servicestest"
)

// lampModel lists the services, reads the lamp, or turns it on. It says the beginning of the last
// result.
func lampModel(r modeltest.Request) modeltest.Answer {
	plan := []modeltest.Call{{Name: "find_tools", Args: `{"words":"smart home"}`}}
	switch {
	case strings.Contains(r.NewestUserMessage(), "which"):
		plan = append(plan, modeltest.Call{Name: "read_service", Args: `{}`})
	case strings.Contains(r.NewestUserMessage(), "read"):
		plan = append(plan, modeltest.Call{Name: "read_service", Args: `{"name":"home","path_suffix":"/states/lamp"}`})
	case strings.Contains(r.NewestUserMessage(), "turn"):
		plan = append(plan, modeltest.Call{Name: "call_service",
			Args: `{"name":"home","path_suffix":"/services/light/turn_on","body":"{\"entity_id\":\"lamp\"}"}`})
	}
	done := r.AnsweredCalls()
	if len(done) < len(plan) {
		return modeltest.Answer{Calls: plan[len(done) : len(done)+1]}
	}
	last := done[len(done)-1].Result
	return modeltest.Answer{Text: "Result: " + last[:min(len(last), 200)]}
}

// lampService is a service with a model that calls the fake service home.
type lampService struct {
	approvalService
	home   *servicestest.Service
	secret string
}

func newLampService(t *testing.T) lampService {
	t.Helper()
	l := lampService{home: &servicestest.Service{}, secret: "sk-" + rand.Text() + "+/" + rand.Text()}
	l.home.Allows = func(r *http.Request) bool { return r.Header.Get("Authorization") == "Bearer "+l.secret }
	server := httptest.NewServer(l.home)
	t.Cleanup(server.Close)
	l.approvalService = approvalService{newGatedService(t, lampModel, fmt.Sprintf("services:\n  home: {base_url: %q, "+
		"methods: {GET: read, POST: write}, allow_path_suffix: true, description: The house,\n    auth: "+
		"{type: bearer, secret: %q}}\n  shut: {base_url: \"https://shut.example\", auth: "+
		"{type: bearer, secret: \"\"}}\n",
		server.URL+"/api", l.secret), "bob")}
	l.open()
	return l
}

// A model reads from a service whose answers have the secret in many encodings, and writes to it
// once bob has allowed that. The secret is nowhere.
func TestServices_SecretEchoed_IsNowhere(t *testing.T) {
	t.Parallel()
	l := newLampService(t)
	quoted, err := json.Marshal(l.secret)
	if err != nil {
		t.Fatal(err)
	}
	echoes := []string{l.secret, base64.StdEncoding.EncodeToString([]byte("user:" + l.secret)),
		base64.RawURLEncoding.EncodeToString([]byte(l.secret)), url.QueryEscape(l.secret), url.PathEscape(l.secret),
		strings.ReplaceAll(string(quoted), "/", `\/`), hex.EncodeToString([]byte(l.secret))}
	for _, length := range []int{0, 100_000} { // a long answer is read from the spool
		l.home.Answer = func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			fmt.Fprint(w, "the lamp is off ", echoes, strings.Repeat(" long", length/5), r.Header)
		}
		l.sayAndAwait("bob", "read the lamp", "Result: HTTP status 200, text/plain\n\nthe lamp is off [***")
	}
	l.sayAndAwait("bob", "which services are there?", "Result: Services; read_service")
	l.sayAndAwait("bob", "turn it on", "May I call the service home at")
	l.pressLabel("bob", "Once")
	l.awaitNewest("bob", "called the service home: POST /services/light/turn_on (status 200)")
	l.sayAndAwait("bob", "/services", services.TextCommand)
	calls := l.home.Calls()
	if c := calls[len(calls)-1]; len(calls) != 3 || c.Body != `{"entity_id":"lamp"}` ||
		c.Path != "/api/services/light/turn_on" {
		t.Errorf("the service got %d calls, at last %+v", len(calls), c)
	}
	if n := l.QueryCount("SELECT count(*) FROM message WHERE role = 'tool' AND source = 'world'"); n != 3 {
		t.Errorf("%d results are words of others, want 3", n)
	}
	l.checkNoSecret(canaries{"service": l.secret})
}

// checkNoSecret searches for secrets in files, in the log, in the database, and in what the model and
// Telegram got.
func (l lampService) checkNoSecret(c canaries) {
	l.T.Helper()
	for _, dir := range []string{"state", "homes"} {
		for path, what := range c.foundInFiles(l.T.(*testing.T), filepath.Join(l.Dir, dir)) {
			l.T.Errorf("%s has the secret of %q", path, what)
		}
	}
	everything := map[string]string{"the log": l.logText()}
	for where, value := range l.databaseValues() {
		everything[where] = value
	}
	for i, r := range l.model.Requests() {
		everything[fmt.Sprint("request ", i)] = string(r.Raw)
	}
	for i, call := range l.bot.Calls() {
		everything[fmt.Sprint("call of Telegram ", i)] = fmt.Sprint(call.Params)
	}
	for where, text := range everything {
		if what := c.found([]byte(text)); what != nil {
			l.T.Errorf("%s has the secret of %q", where, what)
		}
	}
}

// logText returns the log of the service.
func (l lampService) logText() string {
	l.T.Helper()
	text, err := os.ReadFile(filepath.Join(l.Dir, "log"))
	if err != nil {
		l.T.Fatal(err)
	}
	return string(text)
}

// A reload applies new services and secrets at once, and names a service that is off.
func TestServices_Reload_AppliesAtOnce(t *testing.T) {
	t.Parallel()
	l := newLampService(t)
	l.sayAndAwait("bob", "read the lamp", `Result: HTTP status 200, application/json`)
	l.configureAgain(l.secret, "")
	var changes admin.ConfigurationChanges
	if err := control.CallOnce(t.Context(), l.Socket, admin.MethodReload, struct{}{}, &changes); err != nil ||
		!strings.Contains(changes.Note, "The service home is off") || len(changes.Changes) != 1 {
		t.Fatalf("without the secret: %v, %+v", err, changes)
	}
	l.sayAndAwait("bob", "read the lamp again", "Result: error: The service home is off: it has no secret.")
	l.configureAgain(`{type: bearer, secret: ""}}`+"\n  shut", "{type: none}}\n  shut")
	l.home.Allows = nil
	changes = admin.ConfigurationChanges{}
	if err := control.CallOnce(t.Context(), l.Socket, admin.MethodReload, struct{}{}, &changes); err != nil ||
		slices.ContainsFunc(changes.Changes, func(c admin.ConfigurationChange) bool { return c.Restart }) {
		t.Fatalf("without auth: %v, %+v", err, changes)
	}
	l.sayAndAwait("bob", "read the lamp once more", `Result: HTTP status 200, application/json`)
}
