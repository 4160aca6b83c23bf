package telegram

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// menuServer is a fake server that stores only menus.
type menuServer struct {
	mu     sync.Mutex
	menus  map[string]string // the menus as JSON, by language
	called []string
}

func (m *menuServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	var p struct {
		Language string `json:"language_code"`
		Scope    string
		Commands string
	}
	if err := json.Unmarshal(body, &p); err != nil || p.Scope != `{"type":"default"}` {
		http.Error(w, "odd parameters: "+string(body), http.StatusBadRequest)
		return
	}
	method := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	m.called = append(m.called, method+" "+p.Language)
	result := "true"
	switch method {
	case "getMyCommands":
		if result = m.menus[p.Language]; result == "" {
			result = "[]"
		}
	case "setMyCommands":
		m.menus[p.Language] = p.Commands
	case "deleteMyCommands":
		delete(m.menus, p.Language)
	}
	_, _ = io.WriteString(w, `{"ok":true,"result":`+result+`}`)
}

func TestSetMenu_Unchanged_SendsNothing(t *testing.T) {
	server := &menuServer{menus: map[string]string{
		"de": `[{"command":"stop","description":"Anhalten"}]`,
		"fr": `[{"command":"old","description":"Vieux"}]`,
	}}
	c := open(t, serve(t, server.ServeHTTP))
	wanted := []MenuCommand{{"stop", "Stop <it> & all"}, {"help", "What I can do"}}
	if err := c.SetMenu(t.Context(), wanted); err != nil {
		t.Fatal(err)
	}
	called := []string{"getMyCommands ", "setMyCommands ", "getMyCommands de", "deleteMyCommands de", "getMyCommands es",
		"getMyCommands fr", "deleteMyCommands fr"}
	if diff := cmp.Diff(called, server.called); diff != "" {
		t.Errorf("first (-want +got):\n%s", diff)
	}
	server.called = nil
	if err := c.SetMenu(t.Context(), wanted); err != nil {
		t.Fatal(err)
	}
	again := []string{"getMyCommands ", "getMyCommands de", "getMyCommands es", "getMyCommands fr"}
	if diff := cmp.Diff(again, server.called); diff != "" {
		t.Errorf("again (-want +got):\n%s", diff)
	}
	sameJSON(t, server.menus[""], `[{"command":"stop","description":"Stop <it> & all"},{"command":"help","description":"What I can do"}]`)
}

func TestSetMenu_Error_NamesMenu(t *testing.T) {
	for method, which := range map[string]string{"setMyCommands": "set the menu", "deleteMyCommands": `language "de"`} {
		server := &menuServer{menus: map[string]string{"de": `[{"command":"stop","description":"Anhalten"}]`}}
		c := open(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, method) {
				w.WriteHeader(400)
				_, _ = io.WriteString(w, no(400, "Bad Request: BOT_COMMAND_INVALID"))
				return
			}
			server.ServeHTTP(w, r)
		}))
		err := c.SetMenu(t.Context(), []MenuCommand{{"Stop!", "x"}})
		if e := failureOf(t, err); outcomeOf(e) != rejected || !strings.Contains(err.Error(), which) {
			t.Errorf("got %+v: %v", outcomeOf(e), err)
		}
	}
}
