package model

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/modelcall"
	"mews/supervisor/problem"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	local = ProviderOptions{Name: "local", Kind: "openai", BaseURL: "http://127.0.0.1:1/v1"}
	cloud = ProviderOptions{Name: "cloud", Kind: "openai", BaseURL: "https://cloud.invalid/v1", APIKey: "sk-canary"}
)

func catalogue(t *testing.T, standard string, providers ...ProviderOptions) *Catalogue {
	t.Helper()
	c, err := NewCatalogue(Options{Default: standard, Providers: providers})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestResolve_Spec_FindsModel(t *testing.T) {
	two := catalogue(t, "local/qwen3", local, cloud)
	none := catalogue(t, "")
	cases := []struct {
		name  string
		c     *Catalogue
		spec  string
		want  string // the full spec, or a part of the error's text
		model string // name of the model; "" if an error is expected
	}{
		{"nothing is the default", two, "", "local/qwen3", "qwen3"},
		{"in full", two, "cloud/gpt-5", "cloud/gpt-5", "gpt-5"},
		{"a model with slashes", two, "cloud/meta/llama:8b", "cloud/meta/llama:8b", "meta/llama:8b"},
		{"a bare id is the default provider's", two, "llama3:8b", "local/llama3:8b", "llama3:8b"},
		{"offline beside others", two, "offline", "offline", "offline"},
		{"a default set bare, with one provider", catalogue(t, "qwen3", local), "", "local/qwen3", "qwen3"},
		{"a default of a provider of kind offline", catalogue(t, "rules", ProviderOptions{Name: "rules",
			Kind: "offline"}), "", "rules", "rules"},
		{"offline is there without any configuration", none, "", "offline", "offline"},
		{"an unknown provider", two, "claud/x", `There is no model provider "claud" for the model "claud/x". ` +
			`The providers are cloud, local, offline.`, ""},
		{"a provider without a model", two, "cloud", `"cloud" is a provider and not a model. Write cloud/MODEL.`, ""},
		{"a provider and an empty model", two, "cloud/", `The model is missing after "cloud/"`, ""},
		{"a model of offline's", two, "offline/x", `Write just offline`, ""},
		{"a bare id with no default provider", none, "gpt-5",
			`There is no model "gpt-5": the default provider has only one model. Write PROVIDER/MODEL. There is one provider: offline.`, ""},
		{"an unknown provider beside the only one", none, "claud/x", `There is one provider: offline. They`, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.c.Resolve(c.spec)
			if c.model == "" {
				if !strings.Contains(problem.UserText(err), c.want) {
					t.Errorf("got %+v, %v", got, err)
				}
				return
			}
			if err != nil || got.Spec != c.want || got.Model != c.model || got.Provider == nil {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
	if two.DefaultModel() != "local/qwen3" || none.DefaultModel() != "offline" {
		t.Errorf("defaults %q, %q", two.DefaultModel(), none.DefaultModel())
	}
}

func TestNewCatalogue_WrongOptions_AreRefused(t *testing.T) {
	cases := []struct {
		name string
		o    Options
		want string
	}{
		{"a kind that is not", Options{Providers: []ProviderOptions{{Name: "x", Kind: "grok"}}},
			`model provider "x": kind "grok"; there are anthropic, offline, openai`},
		{"a name twice", Options{Providers: []ProviderOptions{local, local}},
			`model provider "local": there is already a provider of that name`},
		{"offline taken", Options{Providers: []ProviderOptions{{Name: "offline", Kind: "openai", BaseURL: "http://h"}}},
			`model provider "offline": there is already a provider of that name`},
		{"a name with a slash", Options{Providers: []ProviderOptions{{Name: "a/b", Kind: "openai",
			BaseURL: "http://h"}}}, `must not contain a slash`},
		{"a base URL that is none", Options{Providers: []ProviderOptions{{Name: "a", Kind: "openai",
			BaseURL: "h:1"}}}, `base_url`},
		{"a default of nobody's", Options{Default: "locl/x", Providers: []ProviderOptions{local}}, `default model "locl/x"`},
		{"a bare default of two", Options{Default: "x", Providers: []ProviderOptions{local, cloud}}, `default model "x"`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if _, err := NewCatalogue(c.o); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestStream_CallsNamedModel(t *testing.T) {
	server, base := modeltest.NewServer(t, modeltest.EchoScript)
	c := catalogue(t, "local/qwen3", ProviderOptions{Name: "local", Kind: "openai", BaseURL: base})
	req := modelcall.Request{Model: "overwritten", Messages: []protocol.Message{protocol.NewUserMessage("hi")}}
	for spec, want := range map[string]string{"": "qwen3", "local/llama3": "llama3", "offline": "offline"} {
		answer, err := c.Stream(context.Background(), spec, req, func(modelcall.Delta) {})
		if err != nil || answer.Model != want {
			t.Errorf("%q: answered by %q, %v", spec, answer.Model, err)
		}
	}
	if server.CountRequests() != 2 {
		t.Errorf("%d calls went out", server.CountRequests())
	}
	if _, err := c.Stream(context.Background(), "nobody/x", req,
		nil); supervisor.ErrorCodeOf(err) != supervisor.CodeNotFound {
		t.Errorf("got %v", err)
	}
}

func TestFallback_OverRealSockets_Answers(t *testing.T) {
	shut, base := modeltest.NewServer(t, func(modeltest.Request) modeltest.Answer {
		return modeltest.Answer{Status: http.StatusUnauthorized, Error: "no such key"}
	})
	_, other := modeltest.NewServer(t, modeltest.EchoScript)
	c, err := NewCatalogue(Options{Default: "cloud/gpt-5", Fallback: []string{"local/qwen3"}, Providers: []ProviderOptions{
		{Name: "cloud", Kind: "openai", BaseURL: base, APIKey: "sk-canary"},
		{Name: "local", Kind: "openai", BaseURL: other}}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range 2 {
		answer, h, err := ask(t.Context(), c)
		if err != nil || answer.Spec != "local/qwen3" || h.text == "" || h.text != answer.Message.Text() ||
			*answer.Replaced != (modelcall.ReplacedModel{Spec: "cloud/gpt-5", Reason: "does not accept its API key"}) {
			t.Fatalf("%+v, %q, %v", answer, h.text, err)
		}
	}
	if shut.CountRequests() != 1 {
		t.Errorf("asked %d times", shut.CountRequests())
	}
}

// A provider whose key was refused is called again as soon as it has another key. Another
// provider's failure stays.
func TestSetKeys_NewKey_EndsRefusal(t *testing.T) {
	c := catalogue(t, "cloud/gpt-5", local, cloud)
	now := time.Now()
	c.breakers.fail("cloud/gpt-5", now, modelcall.AuthFailed, 0)
	c.breakers.fail("local/qwen3", now, modelcall.AuthFailed, 0)
	c.SetKeys(map[string]string{"cloud": "sk-canary", "local": "", "gone": "x", "offline": "x"})
	if c.breakers.admit("cloud/gpt-5", now) != permitNone {
		t.Error("the same key ends a refusal")
	}
	c.SetKeys(map[string]string{"cloud": "sk-other"})
	if c.breakers.admit("cloud/gpt-5", now) != permitCall || c.breakers.admit("local/qwen3", now) != permitNone {
		t.Error("another key has not ended the refusal, or not that alone")
	}
}
