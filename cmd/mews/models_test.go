package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/config"
	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/api"
	"mews/supervisor/app"
	"mews/supervisor/logging"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/model/openai"
	"mews/supervisor/modelcall"
)

// verbRig runs a verb on an empty configuration, and returns its output.
func verbRig(t *testing.T, run func(context.Context, console, []string) error, args ...string) (out, errs string, err error) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "mews.yaml")
	if err := os.WriteFile(file, []byte("state: "+dir+"/state\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var o, e bytes.Buffer
	err = run(t.Context(), console{out: &o, err: &e}, append([]string{"--config", file}, args...))
	return o.String(), e.String(), err
}

func TestModelsVerb_ListsModels(t *testing.T) {
	before := ask
	t.Cleanup(func() { ask = before })
	var failure error
	ask = func(_ context.Context, socket, _ string, _, result any) error {
		if !strings.HasSuffix(socket, "/state/control.sock") {
			t.Errorf("asked at %s", socket)
		}
		*result.(*api.ModelsReport) = api.ModelsReport{Models: []api.ModelLine{{Spec: "offline", Default: true}}}
		return failure
	}
	if out, _, err := verbRig(t, modelsVerb); err != nil || out != "offline  the default\n" {
		t.Errorf("printed %q, error %v", out, err)
	}
	const want = "{\n  \"models\": [\n    {\n      \"spec\": \"offline\",\n      \"default\": true\n    }\n  ]\n}\n"
	if out, _, err := verbRig(t, modelsVerb, "--json"); err != nil || out != want {
		t.Errorf("printed %q, error %v", out, err)
	}
	failure = &supervisor.Error{Code: supervisor.CodeForbidden, Message: "You are a stranger."}
	if out, _, err := verbRig(t, modelsVerb); !errors.Is(err, failure) || out != "" {
		t.Errorf("printed %q, error %v", out, err)
	}
}

// nearbyServer starts a model server on loopback, and hides the real model servers of this machine.
// looked counts the searches for servers.
func nearbyServer(t *testing.T, models ...string) (server *modeltest.Server, hint string, looked *int) {
	t.Helper()
	server = modeltest.NewUnstartedServer(modeltest.EchoScript)
	server.Models, server.Dialect = models, modeltest.DialectOllama
	listening := httptest.NewServer(server)
	t.Cleanup(listening.Close)
	addr := listening.Listener.Addr().String()
	before := findLocalModels
	t.Cleanup(func() { findLocalModels = before })
	looked = new(int)
	findLocalModels = func(ctx context.Context) []openai.LocalServer {
		*looked++
		return openai.ProbeServers(ctx, []openai.ServerCandidate{{Server: "ollama", Addr: addr}, {Server: "vllm",
			Addr: addr}})
	}
	url := "http://" + addr + "/v1"
	return server, fmt.Sprintf(textModelNearby, "ollama", url, url, "qwen3:8b"), looked
}

// bareConfig is the configuration of a machine without a file, with the variables in env.
func bareConfig(t *testing.T, env map[string]string) *config.Config {
	t.Helper()
	e, err := config.ReadMachineEnv(app.DefaultEffectRules(), app.TaintedEffectRules())
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	e.Getenv = func(name string) string {
		if name == "HOME" {
			return home
		}
		return env[name]
	}
	cfg, err := config.LocalConfig(e)
	if err != nil {
		t.Fatal(err)
	}
	cfg.State = home
	return cfg
}

// TestNearbyModel_IsOfferedButNotUsed: a message is answered offline, and no word of it goes to the
// nearby model.
func TestNearbyModel_IsOfferedButNotUsed(t *testing.T) {
	server, hint, _ := nearbyServer(t, "nomic-embed-text", "qwen3:8b")
	cfg := bareConfig(t, nil)
	if diff := cmp.Diff([]string{hint}, nearbyModels(t.Context(), cfg, "")); diff != "" {
		t.Error(diff)
	}
	answered := answeringModel(t, cfg)
	if answered != "offline" || server.CountRequests() != 0 {
		t.Errorf("answered by %s; the neighbour was asked %d times", answered, server.CountRequests())
	}

	// The command in the hint works, and afterwards there is no hint.
	asked := strings.Fields(strings.ReplaceAll(hint, "=", " "))
	env := map[string]string{}
	for i, word := range asked {
		if strings.HasPrefix(word, "OPENAI_") {
			env[word] = asked[i+1]
		}
	}
	cfg = bareConfig(t, env)
	if answered := answeringModel(t, cfg); answered != "openai/qwen3:8b" || server.CountRequests() != 1 {
		t.Errorf("answered by %s; the neighbour was asked %d times", answered, server.CountRequests())
	}
	if hints := nearbyModels(t.Context(), cfg, ""); hints != nil {
		t.Errorf("offered %q", hints)
	}
}

// answeringModel returns the model that answers a user with this configuration.
func answeringModel(t *testing.T, cfg *config.Config) string {
	t.Helper()
	catalogue, err := app.NewModelCatalogue(cfg, logging.Discard())
	if err != nil {
		t.Fatal(err)
	}
	defer catalogue.Close()
	answer, err := catalogue.Stream(t.Context(), "", modelcall.Request{
		Messages: []protocol.Message{protocol.NewUserMessage("hello")}}, func(modelcall.Delta) {})
	if err != nil {
		t.Fatal(err)
	}
	return answer.Spec
}

func TestNearbyModels_ModelConfigured_NoSearch(t *testing.T) {
	_, _, looked := nearbyServer(t, "qwen3:8b")
	if hints := nearbyModels(t.Context(), bareConfig(t, nil), "/etc/mews.yaml"); hints != nil || *looked != 0 {
		t.Errorf("with a file: offered %q, looked %d times", hints, *looked)
	}
	key := map[string]string{"ANTHROPIC_API_KEY": "k", "MEWS_MODEL": "claude-haiku-4-5"}
	if hints := nearbyModels(t.Context(), bareConfig(t, key), ""); hints != nil || *looked != 0 {
		t.Errorf("with a model: offered %q, looked %d times", hints, *looked)
	}
}

// TestNearbyModelHint_OmitsUnsafeNames: a shell would interpret these names, and the server may be
// a stranger's.
func TestNearbyModelHint_OmitsUnsafeNames(t *testing.T) {
	for _, name := range []string{"$(id)", "a;id", "`id`", "-x", "a'b", "embed-only"} {
		nearbyServer(t, name)
		if hints := nearbyModels(t.Context(), bareConfig(t, nil), ""); hints != nil {
			t.Errorf("%s: offered %q", name, hints)
		}
	}
}
