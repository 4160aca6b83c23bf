package model

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor/modelcall"
)

const keyCanary = `sk-"canary"<1>`

func logged(t *testing.T, level hclog.Level, payloads bool, text string) string {
	t.Helper()
	var out bytes.Buffer
	c, err := NewCatalogue(Options{Payloads: payloads, Log: hclog.New(&hclog.LoggerOptions{Output: &out, Level: level}),
		Providers: []ProviderOptions{{Name: "x", Kind: "openai", BaseURL: "http://h", APIKey: keyCanary}}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.providers["x"] = provider{Provider: failsWith("")}
	for _, spec := range []string{"x/m", "x/m"} {
		if _, err := c.Stream(t.Context(), spec, modelcall.Request{System: "be kind",
			Messages: []protocol.Message{protocol.NewUserMessage(text)}}, func(modelcall.Delta) {}); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

func TestPayloads_AreLoggedIfConfigured(t *testing.T) {
	got := logged(t, hclog.Debug, true, "what is up")
	if strings.Count(got, "model request") != 2 || !strings.Contains(got, "be kind") || !strings.Contains(got, "what is up") ||
		!strings.Contains(got, "fine") {
		t.Errorf("logged %s", got)
	}
	for name, got := range map[string]string{
		"not wanted": logged(t, hclog.Debug, false, "what is up"), "above debug": logged(t, hclog.Info, true, "what is up"),
	} {
		if strings.Contains(got, "what is up") || strings.Contains(got, "fine") {
			t.Errorf("%s: logged %s", name, got)
		}
	}
}

func TestPayloads_LackKeysAndAreBounded(t *testing.T) {
	picture := strings.Repeat("iVBORw0KGgo/", 20_000)
	got := logged(t, hclog.Debug, true, "my key is "+keyCanary+", see data:image/png;base64,"+picture+"== there")
	quoted, err := json.Marshal(keyCanary)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(got, "canary") || strings.Contains(got, string(quoted)) || strings.Contains(got, "iVBOR") ||
		!strings.Contains(got, "(240002 bytes left out) there") {
		t.Errorf("logged %.2000s", got)
	}
	p := newPayloads(Options{})
	long := p.clip(strings.Repeat("ä", maxPayload))
	if len(long) > maxPayload || !strings.HasSuffix(long, "ä... (cut)") {
		t.Errorf("%d bytes", len(long))
	}
}
