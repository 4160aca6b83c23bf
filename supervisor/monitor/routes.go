package monitor

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"mews/supervisor/feature"
)

// Options are what the pages show.
type Options struct {
	// Faults returns why the service is not ready, in words; nil means that it is.
	Faults func(ctx context.Context) []string
	// Figures returns the figures of /metrics.
	Figures func(ctx context.Context) (Figures, error)
}

// page is a path of the private listener that any program on this machine may read.
type page struct {
	path   string
	answer func(o Options, w http.ResponseWriter, r *http.Request)
}

// pages is the table of pages.
var pages = []page{
	{"/healthz", func(_ Options, w http.ResponseWriter, _ *http.Request) { writeText(w, http.StatusOK, textAlive) }},
	{"/readyz", Options.answerReady},
	{"/metrics", Options.answerMetrics},
}

// Routes returns the routes of all pages, for the private listener.
func Routes(o Options) (list []feature.Route) {
	for _, p := range pages {
		handler := LocalOnly(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "no-store")
			w.Header().Set("X-Content-Type-Options", "nosniff")
			p.answer(o, w, r)
		}))
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			list = append(list, feature.Route{Method: method, Path: p.path, Handler: handler})
		}
	}
	return list
}

// answerReady says whether the service is ready, and otherwise what is not.
func (o Options) answerReady(w http.ResponseWriter, r *http.Request) {
	if faults := o.Faults(r.Context()); len(faults) > 0 {
		writeText(w, http.StatusServiceUnavailable, fmt.Sprintf(textNotReady, strings.Join(faults, "\n")))
		return
	}
	writeText(w, http.StatusOK, textReady)
}

func (o Options) answerMetrics(w http.ResponseWriter, r *http.Request) {
	figures, err := o.Figures(r.Context())
	if err != nil {
		writeText(w, http.StatusServiceUnavailable, textNoFigures)
		return
	}
	w.Header().Set("Content-Type", ContentType)
	_, _ = w.Write(Write(figures)) // an error means that the caller has left
}

func writeText(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text)) // an error means that the caller has left
}
