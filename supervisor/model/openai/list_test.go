package openai

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/supervisor/model/modeltest"
	"mews/supervisor/model/remote"
	"mews/supervisor/modelcall"
	"mews/supervisor/problem"
)

// listHandler returns a handler that responds with body to GET /v1/models, and to nothing else.
func listHandler(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != "/v1/models" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, body)
	}
}

func TestModels_ReadsEachServersList(t *testing.T) {
	cases := []struct {
		server, body string
		want         []string
	}{
		{"openai", `{"object":"list","data":[{"id":"gpt-5.1","object":"model","owned_by":"system"},{"id":"whisper-1"},` +
			`{"id":"gpt-4o"},{"id":"text-embedding-3-small"},{"id":"dall-e-3"}]}`, []string{"gpt-4o", "gpt-5.1"}},
		{"ollama", `{"object":"list","data":[{"id":"qwen3:8b","object":"model","owned_by":"library"},` +
			`{"id":"nomic-embed-text:latest","owned_by":"library"}]}`, []string{"qwen3:8b"}},
		{"llama.cpp", `{"models":[{"name":"q.gguf","model":"q.gguf"}],"object":"list",` +
			`"data":[{"id":"q.gguf","owned_by":"llamacpp","meta":{"n_ctx_train":8}}]}`, []string{"q.gguf"}},
		{"vllm", `{"object":"list","data":[{"id":"Qwen/Qwen3-8B","owned_by":"vllm","max_model_len":8192}]}`,
			[]string{"Qwen/Qwen3-8B"}},
		{"groq", `{"object":"list","data":[{"id":"whisper-large-v3"},{"id":"openai/gpt-oss-20b"}]}`,
			[]string{"openai/gpt-oss-20b"}},
		{"openrouter", `{"data":[{"id":"anthropic/claude-sonnet-4.5","name":"Anthropic: Claude","pricing":{}}]}`,
			[]string{"anthropic/claude-sonnet-4.5"}},
		{"deepinfra", `{"object":"list","data":[{"id":"meta-llama/Llama-3.3-70B-Instruct"}]}`,
			[]string{"meta-llama/Llama-3.3-70B-Instruct"}},
		{"lmstudio", `{"data":[{"id":"text-embedding-nomic"},{"id":"qwen3-4b","object":"model"}],"object":"list"}`,
			[]string{"qwen3-4b"}},
		{"any", `{"models":[{"name":"b"},{"name":"a"},{"name":"a"}]}`, []string{"a", "b"}},
		{"any", `{"data":[]}`, nil},
		{"any", `{"data":[{"id":""},{"id":"two words"},{"id":"a\nb"},{"id":"` + strings.Repeat("x", 300) + `"}]}`, nil},
	}
	for _, c := range cases {
		t.Run(c.server, func(t *testing.T) {
			p := open(t, Options{BaseURL: serve(t, listHandler(c.body)), Server: c.server})
			got, err := p.Models(t.Context())
			if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
				t.Error(err, diff)
			}
		})
	}
}

func TestModels_ListIsBounded(t *testing.T) {
	var l listing
	for i := range maxModels * 2 {
		l.Data = append(l.Data, listedModel{ID: fmt.Sprintf("m%05d", i)})
	}
	body, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	got, err := open(t, Options{BaseURL: serve(t, listHandler(string(body)))}).Models(t.Context())
	if err != nil || len(got) != maxModels {
		t.Errorf("%d models, %v", len(got), err)
	}
}

func TestModels_Failure_HasTextForUser(t *testing.T) {
	cases := []struct {
		name  string
		h     http.HandlerFunc
		class modelcall.ErrorClass
		want  string
	}{
		{"a wrong key", page(401, "application/json", `{"error":{"message":"no"}}`), modelcall.AuthFailed,
			`"test" did not accept the API key, or got none. Check its api_key in the configuration and start Mews again.`},
		{"a key without the right", page(403, "application/json", `{}`), modelcall.AuthFailed,
			`"test" does not let this API key use its models. Use another model, or a key that may.`},
		{"no such API", page(404, "application/json", `{"error":"no models here"}`), modelcall.ModelMissing,
			`The server at HOST is not an OpenAI-compatible API (HTTP 404). Check the base_url of "test"; it usually ends in /v1.`},
		{"a page", page(200, "text/html", `<html>`), modelcall.MalformedAnswer,
			`"test" at HOST sent something that is not an answer of the OpenAI API. Check the base_url of "test" and ` +
				`its version.`},
		{"something else", page(200, "application/json", `{"users":[]}`), modelcall.MalformedAnswer,
			`"test" at HOST sent something that is not an answer of the OpenAI API. Check the base_url of "test" and ` +
				`its version.`},
		{"a refusal", page(400, "application/json", `{}`), modelcall.RequestRefused,
			`"test" refused the request for its models as wrong (HTTP 400). ` +
				`Use another model. An admin finds what it said in the log at level debug.`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := open(t, Options{BaseURL: serve(t, c.h)})
			models, err := p.Models(t.Context())
			if models != nil || modeltest.ErrorClassOf(err) != c.class {
				t.Errorf("got %v, class %s", models, modeltest.ErrorClassOf(err))
			}
			want := strings.ReplaceAll(c.want, "HOST", p.Host)
			if got := problem.UserText(err); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestModels_Silence_EndsCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, w := modeltest.ClientWithPipe(true)
		defer w.Close()
		began := time.Now()
		_, err := open(t, Options{BaseURL: "http://h/v1", HTTPClient: client}).Models(t.Context())
		if modeltest.ErrorClassOf(err) != modelcall.NetworkError || time.Since(began) != remote.ModelListTimeout {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
	})
}

// listenAddr runs h as a server and returns its address.
func listenAddr(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

func TestProbeServers_FindsRunningServers(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections but never responds
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	ollama := listenAddr(t, listHandler(`{"data":[{"id":"qwen3:8b","owned_by":"library"},{"id":"all-embed"}]}`))
	llama := listenAddr(t, listHandler(`{"data":[{"id":"q.gguf","owned_by":"llamacpp"}]}`))
	others := listenAddr(t, listHandler(`{"data":[{"id":"m","owned_by":"someone"}]}`))
	none := listenAddr(t, listHandler(`{"data":[]}`))
	got := ProbeServers(t.Context(), []ServerCandidate{
		{"ollama", ollama}, {"llama.cpp", llama}, {"llama.cpp", others}, {"llama.cpp", none}, {"ollama", none},
		{"lmstudio", "127.0.0.1:1"}, {"vllm", silent.Addr().String()}, {"vllm", listenAddr(t, http.NotFoundHandler())},
	})
	want := []LocalServer{
		{"ollama", "http://" + ollama + "/v1", []string{"qwen3:8b"}},
		{"llama.cpp", "http://" + llama + "/v1", []string{"q.gguf"}},
		{"ollama", "http://" + none + "/v1", nil},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestServerCandidates_AreOnThisMachine(t *testing.T) {
	want := []ServerCandidate{{"ollama", "127.0.0.1:11434"}, {"llama.cpp", "127.0.0.1:8080"}, {"lmstudio",
		"127.0.0.1:1234"},
		{"vllm", "127.0.0.1:8000"}}
	if diff := cmp.Diff(want, ServerCandidates()); diff != "" {
		t.Error(diff)
	}
}

func FuzzListing(f *testing.F) {
	f.Add(`{"data":[{"id":"a"}]}`)
	f.Add(`{"models":[{"name":"a"},null]}`)
	f.Fuzz(func(t *testing.T, body string) {
		var l listing
		if remote.DecodeJSON([]byte(body), &l) != nil {
			return
		}
		models, err := l.models()
		for i, m := range models {
			if err != nil || !remote.IsValidModelName(m.ID) || (i > 0 && models[i-1].ID >= m.ID) {
				t.Fatalf("%v, %v", models, err)
			}
		}
	})
}
