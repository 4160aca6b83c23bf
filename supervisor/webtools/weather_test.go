package webtools_test

import (
	"errors"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/egress"
	"mews/supervisor/webtools"
	"mews/supervisor/webtools/webtoolstest"
)

// places are those that the fake knows, in its order.
var places = []webtoolstest.Place{
	{Name: "Madrid", Region: "Madrid", Country: "Spain", CountryCode: "ES", Population: 3_255_944},
	{Name: "Madrid", Region: "Cundinamarca", Country: "Colombia", CountryCode: "CO", Population: 65_767},
	{Name: "Madridejos", Region: "Castilla-La Mancha", Country: "Spain", Population: 10_000},
	{Name: "Springfield", Region: "Missouri", Country: "United States", CountryCode: "US", Population: 166_810},
	{Name: "Springfield", Region: "Massachusetts", Country: "United States", CountryCode: "US", Population: 154_341},
	{Name: "Springfield", Region: "Illinois", Country: "United States", CountryCode: "US", Population: 116_565},
	{Name: "Springfield", Region: "Oregon", Country: "United States", CountryCode: "US", Population: 60_000},
	{Name: "Aldea", Country: "Uruguay"}, {Name: "Aldea", Country: "Chile"},
}

func TestWeather_KnownPlace_TellsDays(t *testing.T) {
	r := newRig(t)
	r.meteo.Places = places
	text, err := r.weather(`{"place":"madrid","days":2}`)
	if err != nil {
		t.Fatal(err)
	}
	const day = ": 5 to 14 °C, light rain, 2.4 mm rain or snow, chance of it 60 %, wind up to 22 km/h, " +
		"sun 08:17 to 17:49"
	want := "Weather in Madrid, Spain (times of Europe/Madrid)\nnow, 12:00: 12 °C, feels like 10 °C, overcast, " +
		"wind 14 km/h, humidity 60 %\nMon 30 Nov" + day + "\nTue 1 Dec" + day + "\nFrom open-meteo.com."
	if text != want {
		t.Errorf("got %q, want %q", text, want)
	}
	if text, err = r.weather(`{"place":"Madrid"}`); err != nil || strings.Count(text, "sun ") != 3 {
		t.Errorf("without days: %q, %v", text, err)
	}
}

// If several places may be meant, three are named. A region or a country decides.
func TestWeather_AmbiguousPlace_NamesThree(t *testing.T) {
	r := newRig(t)
	r.meteo.Places = places
	for name, want := range map[string]string{
		"Springfield": "Springfield, Missouri, United States; Springfield, Massachusetts, United States; " +
			"Springfield, Illinois, United States. Ask which",
		"Springfield, illinois":     "Weather in Springfield, Illinois, United States",
		"Springfield, Illinois, US": "Weather in Springfield, Illinois, United States",
		"Springfield, Spain":        "Springfield, Missouri, United States; Springfield, Massachusetts",
		"Madrid":                    "Weather in Madrid, Spain",
		"Madrid, CO":                "Weather in Madrid, Cundinamarca, Colombia",
		"Madridejos":                "Weather in Madridejos",
		"Aldea":                     "Aldea, Uruguay; Aldea, Chile. Ask which",
		"Atlantis":                  `No place called "Atlantis" is known`,
	} {
		text, err := r.weather(`{"place":"` + name + `"}`)
		if err != nil || !strings.Contains(text, want) {
			t.Errorf("%s: got %q, %v", name, text, err)
		}
	}
}

func TestWeather_WrongArguments_AreRefused(t *testing.T) {
	r := newRig(t)
	for _, arguments := range []string{`{}`, `{"place":"x"}`, `{"place":"` + strings.Repeat("a", 101) + `"}`,
		`{"place":"Madrid","days":8}`, `{"place":"Madrid","days":-1}`, `{"place":"Madrid","hours":3}`} {
		_, err := r.weather(arguments)
		var refusal *protocol.Error
		if !errors.As(err, &refusal) || refusal.Code != protocol.CodeFailed {
			t.Errorf("%.40s: got error %v", arguments, err)
		}
	}
	if n := r.meteo.RequestCount(); n > 0 {
		t.Errorf("%d requests", n)
	}
}

func TestWeather_ServerFails_IsExplained(t *testing.T) {
	r := newRig(t)
	r.meteo.Places = places
	for status, want := range map[int]string{429: "no more", 500: "HTTP status 500"} {
		r.meteo.SetStatus(status)
		_, err := r.weather(`{"place":"Madrid"}`)
		if supervisor.ErrorCodeOf(err) != supervisor.CodeUnavailable || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: got error %v", status, err)
		}
	}
	r.internet.Serve("geocoding-api.open-meteo.com", hangUp)
	if _, err := r.weather(`{"place":"Madrid"}`); err == nil || !strings.Contains(err.Error(), "open-meteo.com") {
		t.Errorf("got error %v", err)
	}
	r.internet.Serve("geocoding-api.open-meteo.com", sayHTML)
	if _, err := r.weather(`{"place":"Madrid"}`); err == nil || !strings.Contains(err.Error(), "not the JSON") {
		t.Errorf("got error %v", err)
	}
}

// The weather may come from a server of the admin, with a private address.
func TestWeather_OwnServer_IsAsked(t *testing.T) {
	r := newRig(t)
	r.meteo.Places = places
	r.internet.Serve("meteo.local", r.meteo.ServeHTTP, "10.0.0.5")
	up, err := r.o.Client.NewUpstream(egress.UpstreamOptions{Name: "own", BaseURL: "http://meteo.local:8080"})
	if err != nil {
		t.Fatal(err)
	}
	r.o.Weather = webtools.OpenMeteo{URL: "http://meteo.local:8080/", Upstream: up}
	text, err := r.weather(`{"place":"Madrid"}`)
	if err != nil || !strings.HasPrefix(text, "Weather in Madrid") {
		t.Errorf("got %q, %v", text, err)
	}
	if dialed := strings.Join(r.internet.Dialed(), " "); dialed != "10.0.0.5:8080 10.0.0.5:8080" {
		t.Errorf("dialed %s", dialed)
	}
}
