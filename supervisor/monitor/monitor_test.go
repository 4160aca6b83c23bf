package monitor_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor/monitor"
	"mews/supervisor/web"
)

var update = flag.Bool("update", false, "write the golden file")

// page returns the answer of a page to a request.
func page(t *testing.T, o monitor.Options, method, path string, change func(*http.Request)) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, "http://127.0.0.1:8321"+path, nil)
	r.RemoteAddr = "127.0.0.1:50000"
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	for _, route := range monitor.Routes(o) {
		if route.Method == method && route.Path == path {
			route.Handler.ServeHTTP(w, r)
			return w
		}
	}
	t.Fatalf("there is no route %s %s", method, path)
	return nil
}

func options(faults ...string) monitor.Options {
	return monitor.Options{Faults: func(context.Context) []string { return faults },
		Figures: func(context.Context) (monitor.Figures, error) { return figures(2), nil }}
}

// TestPages_OtherCallers_GetNothing: only a program on this machine is answered, and no proxy.
func TestPages_OtherCallers_GetNothing(t *testing.T) {
	header := func(name string) func(*http.Request) {
		return func(r *http.Request) { r.Header[name] = []string{""} }
	}
	for name, c := range map[string]struct {
		change func(*http.Request)
		want   int
	}{
		"a program here":    {nil, 200},
		"by IPv6":           {func(r *http.Request) { r.RemoteAddr, r.Host = "[::1]:1", "[::1]:8321" }, 200},
		"by localhost":      {func(r *http.Request) { r.Host = "localhost" }, 200},
		"IPv6 without port": {func(r *http.Request) { r.Host = "[::1]" }, 200},
		"mapped":            {func(r *http.Request) { r.RemoteAddr = "[::ffff:127.0.0.1]:1" }, 200},
		"another machine":   {func(r *http.Request) { r.RemoteAddr = "192.0.2.7:1" }, 404},
		"no address":        {func(r *http.Request) { r.RemoteAddr = "@" }, 404},
		"a page's own name": {func(r *http.Request) { r.Host = "evil.example:8321" }, 404},
		"no host":           {func(r *http.Request) { r.Host = "" }, 404},
		"Via":               {header("Via"), 404},
		"Forwarded":         {header("Forwarded"), 404},
		"X-Forwarded-For":   {header("X-Forwarded-For"), 404},
		"X-Real-Ip":         {header("X-Real-Ip"), 404},
		"a cloud's proxy":   {header("Cf-Connecting-Ip"), 404},
		"another header":    {header("X-Request-Id"), 200},
	} {
		for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
			got := page(t, options(), http.MethodGet, path, c.change)
			if got.Code != c.want || got.Code == 404 && got.Body.Len() > 0 {
				t.Errorf("%s, %s: %d, %q", name, path, got.Code, got.Body)
			}
		}
	}
}

func TestReady_Faults_AreNamed(t *testing.T) {
	if got := page(t, options(), http.MethodGet, "/readyz", nil); got.Code != 200 || got.Body.String() != "ok\n" {
		t.Errorf("%d, %q", got.Code, got.Body)
	}
	got := page(t, options("the database can't be written: full", "Telegram: gone"), http.MethodGet, "/readyz", nil)
	const want = "not ready:\nthe database can't be written: full\nTelegram: gone\n"
	if got.Code != 503 || got.Body.String() != want {
		t.Errorf("%d, %q", got.Code, got.Body)
	}
	if got := page(t, options("x"), http.MethodGet, "/healthz", nil); got.Code != 200 {
		t.Errorf("a service that lives is not healthy: %d", got.Code)
	}
}

func TestMetrics_NoDatabase_Is503(t *testing.T) {
	o := options()
	o.Figures = func(context.Context) (monitor.Figures, error) { return monitor.Figures{}, errors.New("closed") }
	if got := page(t, o, http.MethodGet, "/metrics", nil); got.Code != 503 {
		t.Errorf("%d, %q", got.Code, got.Body)
	}
}

// figures returns figures of each kind, for some people.
func figures(people int) monitor.Figures {
	at, offset := time.Date(2026, 11, 30, 12, 0, 0, 5e8, time.UTC), -1500*time.Millisecond
	f := monitor.Figures{Version: `1"2`, Walls: "accounts", Started: at, Ready: true,
		Loops:  []monitor.Loop{{Name: "writer", Moved: at}, {Name: "outbox", Stuck: true}},
		Alarms: map[string]bool{"disk": true, "clock": false},
		Telegram: &monitor.Telegram{Mode: "polling", OK: true, Answered: at,
			Failures: 1, Stalls: 2, Pending: 3, Troubled: 4, Frozen: 5},
		ClockOffset: &offset,
		Messages: monitor.Messages{New: 1, Held: 2, Running: 3, Asking: 4, Lost: 5, Calls: 7, Failed: 2, Cost: 0.25,
			Waiting: []monitor.Waiting{{Channel: "telegram", Count: 2, Oldest: at}}},
		Workers: map[string]int{"idle": 2, "busy": 1}, Deaths: 1, Turns: 9, Memory: 1 << 20, Programs: 4,
		Disk: monitor.Disk{Free: 1 << 30, Total: 20 << 30, Reserve: 1 << 29}, Database: 4096, Users: people,
		Process: monitor.Process{Private: 1, Resident: 2, OpenFiles: 3, FileLimit: 4,
			CPU: 1500 * time.Millisecond, Goroutines: 5, Available: 6},
	}
	for i := range people {
		f.People = append(f.People, monitor.Person{Name: fmt.Sprintf("person%03d", i), Memory: int64(i), Home: 7})
	}
	return f
}

func TestMetrics_Format_IsGolden(t *testing.T) {
	got := monitor.Write(figures(2))
	const path = "testdata/metrics.txt"
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v, got\n%s", err, got)
	}
	for _, m := range monitor.Metrics() {
		if !bytes.Contains(want, []byte("\n"+m.Name+" ")) && !bytes.Contains(want, []byte("\n"+m.Name+"{")) {
			t.Errorf("%s has no value in %s", m.Name, path)
		}
	}
}

// TestMetrics_ManyPeople_AreLimited: at most 200 values, and nobody's name unless it is wanted.
func TestMetrics_ManyPeople_AreLimited(t *testing.T) {
	f := figures(1000)
	if n := values(monitor.Write(f)); n > 200 {
		t.Errorf("%d values", n)
	}
	f.People = nil
	if text := string(monitor.Write(f)); strings.Contains(text, "person0") {
		t.Errorf("names are shown:\n%s", text)
	}
}

// values counts the lines with a value.
func values(text []byte) (n int) {
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			n++
		}
	}
	return n
}

// TestListener_RealSocket_Answers calls the pages over the listener of the service.
func TestListener_RealSocket_Answers(t *testing.T) {
	server, err := web.New(web.Options{Name: "this machine", Key: "listen", Listen: "127.0.0.1:0",
		Routes: monitor.Routes(options("late")), Log: hclog.NewNullLogger()})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx) }()
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 503, "/metrics": 200, "/": 404} {
		resp, err := http.Get("http://" + server.Addr().String() + path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != want {
			t.Errorf("%s: %d, %v", path, resp.StatusCode, err)
		}
		resp.Body.Close()
	}
	http.DefaultClient.CloseIdleConnections()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
