package webhook_test

import (
	"testing"

	"mews/supervisor/webhook"
)

func TestFeature_GitHubAndHook_HaveRoutes(t *testing.T) {
	f := newRig(t, webhook.Hook{Name: "ci", Sign: webhook.AuthBearer}).receiver.Feature()
	if len(f.Routes) != 2 || f.Routes[0].Path != "/webhook/github" || f.Routes[1].Path != "/webhook/hook/ci" {
		t.Errorf("the routes are %+v", f.Routes)
	}
	if len(f.Parts) != 1 {
		t.Errorf("got %d parts, want 1", len(f.Parts))
	}
}

func TestFeature_WithoutCallers_HasNoRoutes(t *testing.T) {
	if f := new(webhook.Receiver).Feature(); len(f.Routes)+len(f.Parts) > 0 {
		t.Errorf("got %+v", f)
	}
}
