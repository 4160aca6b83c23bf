package webtools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/egress"
	"mews/supervisor/external"
	"mews/supervisor/feature"
	"mews/supervisor/problem"
)

const toolWeather = "get_weather"

// Addresses of the public Open-Meteo, which needs no key, and paths of its API.
const (
	publicPlaces   = "https://geocoding-api.open-meteo.com"
	publicForecast = "https://api.open-meteo.com"
	placesPath     = "/v1/search"
	forecastPath   = "/v1/forecast"
	weatherOrigin  = "web:open-meteo.com"
)

// OpenMeteo is a server with Open-Meteo's API. The zero value means the public one.
type OpenMeteo struct {
	URL      string
	Upstream *egress.Upstream
}

// server returns the configured server, or else the public one.
func (o OpenMeteo) server(public string) Backend {
	return Backend{URL: strings.TrimRight(cmp.Or(o.URL, public), "/"), Upstream: o.Upstream}
}

func (w *Tools) weatherCalls() []feature.HostCall {
	return []feature.HostCall{hostCall(protocol.MethodWebWeather, w.weather)}
}

// weather answers get_weather.
func (w *Tools) weather(ctx context.Context, t feature.Turn, p *protocol.WebCallParams) (*protocol.WebResult, error) {
	call, err := t.FindCall(p.Call, toolWeather)
	if err != nil {
		return nil, err
	}
	args, err := parseWeather(call)
	if err != nil {
		return nil, err
	}
	result, err := external.Do(ctx, w.o.Calls, w.newCall(t, call, args.Place, textMayWeather),
		func(ctx context.Context) (external.Answer[protocol.WebResult], error) {
			text, err := w.findWeather(ctx, t, args)
			return external.Answer[protocol.WebResult]{Result: protocol.WebResult{Text: text},
				Origins: []string{weatherOrigin},
				Effects: []supervisor.Effect{{Kind: supervisor.EffectWeatherRead, Target: args.Place}}}, err
		})
	return &result, err
}

// parseWeather reads and checks the arguments of get_weather.
func parseWeather(call protocol.ToolCall) (protocol.WeatherArguments, error) {
	args, err := decodeArguments[protocol.WeatherArguments](call)
	if err != nil {
		return args, err
	}
	args.Place = onOneLine(args.Place)
	if args.Days == 0 {
		args.Days = protocol.DefaultWeatherDays
	}
	switch {
	case utf8.RuneCountInString(args.Place) < 2:
		return args, feature.NewRefusal(textNoPlace)
	case utf8.RuneCountInString(args.Place) > protocol.MaxPlaceNameCharacters:
		return args, feature.NewRefusal(textLongPlace, protocol.MaxPlaceNameCharacters)
	case args.Days < 1 || args.Days > protocol.MaxWeatherDays:
		return args, feature.NewRefusal(textWrongDays, protocol.MaxWeatherDays)
	}
	return args, nil
}

// findWeather returns the weather of a place, or the names of the places that may be meant.
func (w *Tools) findWeather(ctx context.Context, t feature.Turn, args protocol.WeatherArguments) (string, error) {
	name, _, _ := strings.Cut(args.Place, ",")
	var answer struct{ Results []place }
	query := url.Values{"name": {strings.TrimSpace(name)}, "count": {"30"}, "language": {"en"}, "format": {"json"}}
	err := w.fetchOpenMeteo(ctx, t, w.o.Weather.server(publicPlaces), placesPath, query, &answer)
	if err != nil {
		return "", err
	}
	chosen, several := choosePlace(answer.Results, args.Place)
	switch {
	case len(answer.Results) == 0:
		return fmt.Sprintf(textUnknownPlace, args.Place), nil
	case len(several) > 0:
		return fmt.Sprintf(textSeveralPlaces, args.Place, strings.Join(several, "; ")), nil
	}
	var f forecast
	err = w.fetchOpenMeteo(ctx, t, w.o.Weather.server(publicForecast), forecastPath, url.Values{
		"latitude": {formatDegrees(chosen.Latitude)}, "longitude": {formatDegrees(chosen.Longitude)},
		"timezone": {"auto"}, "forecast_days": {strconv.Itoa(args.Days)},
		"current": {currentFields}, "daily": {dailyFields}}, &f)
	if err != nil {
		return "", err
	}
	return f.text(chosen)
}

// fetchOpenMeteo fetches an answer of Open-Meteo.
func (w *Tools) fetchOpenMeteo(ctx context.Context, t feature.Turn, at Backend, path string, query url.Values,
	into any) error {
	address, err := at.address(at.URL + path + "?" + query.Encode())
	if err != nil {
		return err
	}
	ctx = at.context(ctx)
	err = w.fetchJSON(ctx, egress.Request{User: t.User, Turn: t.ID, Address: address}, into)
	var status statusError
	internal := !errors.As(err, &status) && supervisor.ErrorCodeOf(err) == supervisor.CodeInternal
	if err == nil || ctx.Err() != nil || internal {
		return err
	}
	why := problem.UserText(err)
	switch {
	case status == 429:
		why = textTooMany
	case status != 0:
		why = fmt.Sprintf(textStatus, int(status))
	}
	return &supervisor.Error{Code: supervisor.CodeUnavailable, Message: fmt.Sprintf(textNoWeather, why), Err: err}
}

func formatDegrees(degrees float64) string { return strconv.FormatFloat(degrees, 'f', 4, 64) }

// place is a place that Open-Meteo knows.
type place struct {
	Name                string
	Latitude, Longitude float64
	Country             string
	CountryCode         string `json:"country_code"`
	Admin1              string // region
	Admin2              string // province or county
	Population          int64
}

// String returns the name with region and country.
func (p place) String() string {
	parts := []string{clip(p.Name, maxPlaceName)}
	for _, part := range []string{p.Admin1, p.Country} {
		if part = clip(part, maxPlaceName); part != "" && part != parts[len(parts)-1] {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}

const (
	maxPlaceName     = 60 // characters of a part of a place's name
	maxNamedPlaces   = 3
	populationFactor = 10 // a place with so many times more people than the next one is meant
)

// choosePlace returns the place that a name means, perhaps with region and country after commas. If
// several places may be meant, it returns the names of the first three.
func choosePlace(places []place, name string) (chosen place, several []string) {
	parts := strings.Split(name, ",")
	fitting := slices.DeleteFunc(slices.Clone(places), func(p place) bool {
		return slices.ContainsFunc(parts[1:], func(part string) bool { return !p.liesIn(strings.TrimSpace(part)) })
	})
	if len(fitting) == 0 {
		fitting = places
		if len(parts) > 1 {
			return place{}, names(fitting)
		}
	}
	slices.SortStableFunc(fitting, func(a, b place) int { return int(b.Population - a.Population) })
	// places with another name only resemble what was asked for
	if same := slices.DeleteFunc(slices.Clone(fitting), func(p place) bool {
		return !strings.EqualFold(p.Name, strings.TrimSpace(parts[0]))
	}); len(same) > 0 {
		fitting = same
	}
	if len(fitting) == 0 {
		return place{}, nil
	}
	if len(fitting) == 1 || fitting[0].Population >= populationFactor*max(fitting[1].Population, 1) {
		return fitting[0], nil
	}
	return place{}, names(fitting)
}

// names returns the names of the first places, each once.
func names(places []place) (list []string) {
	for _, p := range places {
		if name := p.String(); len(list) < maxNamedPlaces && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// liesIn reports whether a text names the place's region or country.
func (p place) liesIn(text string) bool {
	return text == "" || slices.ContainsFunc([]string{p.Country, p.CountryCode, p.Admin1, p.Admin2},
		func(name string) bool { return strings.EqualFold(name, text) })
}
