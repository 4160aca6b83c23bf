package webtoolstest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Place is a place that the fake of Open-Meteo knows.
type Place struct {
	Name                         string
	Region, Country, CountryCode string
	Latitude, Longitude          float64
	Population                   int64
}

// OpenMeteo is a fake of Open-Meteo's two APIs. Each day has the same weather. Its methods may be
// called from any goroutine.
type OpenMeteo struct {
	Places []Place
	Today  time.Time // the first day of the forecast

	mu       sync.Mutex
	status   int
	requests int
}

// SetStatus sets the status of each answer, such as 429; 0 means the usual one.
func (o *OpenMeteo) SetStatus(status int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.status = status
}

// RequestCount returns how many requests were made.
func (o *OpenMeteo) RequestCount() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.requests
}

// ServeHTTP answers the forecasts and the search for places. It refuses wrong options with 400.
func (o *OpenMeteo) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	o.requests++
	status := o.status
	o.mu.Unlock()
	switch {
	case status != 0:
		refuse(w, status, `{"error":true,"reason":"Minutely API request limit exceeded."}`)
	case r.URL.Path == "/v1/search":
		o.servePlaces(w, r)
	case r.URL.Path == "/v1/forecast":
		o.serveForecast(w, r)
	default:
		refuse(w, http.StatusNotFound, `{"error":true,"reason":"Not Found"}`)
	}
}

// servePlaces lists the places whose names begin with the name in the request. Without any, the
// answer has no list.
func (o *OpenMeteo) servePlaces(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	count, err := strconv.Atoi(q.Get("count"))
	if name := q.Get("name"); name == "" || err != nil || count < 1 || count > 100 {
		refuse(w, http.StatusBadRequest, `{"error":true,"reason":"Parameter count must be between 1 and 100."}`)
		return
	}
	var list []map[string]any
	for _, p := range o.Places {
		if strings.HasPrefix(strings.ToLower(p.Name), strings.ToLower(q.Get("name"))) && len(list) < count {
			list = append(list, map[string]any{"id": len(list) + 1, "name": p.Name, "latitude": p.Latitude,
				"longitude": p.Longitude, "country": p.Country, "country_code": p.CountryCode, "admin1": p.Region,
				"population": p.Population, "timezone": "Europe/Madrid"})
		}
	}
	value := map[string]any{"generationtime_ms": 0.5}
	if list != nil {
		value["results"] = list
	}
	answer(w, value)
}

// serveForecast answers with the same weather for each day.
func (o *OpenMeteo) serveForecast(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	days, err := strconv.Atoi(q.Get("forecast_days"))
	_, errLatitude := strconv.ParseFloat(q.Get("latitude"), 64)
	_, errLongitude := strconv.ParseFloat(q.Get("longitude"), 64)
	if err != nil || days < 0 || days > 16 || errLatitude != nil || errLongitude != nil {
		refuse(w, http.StatusBadRequest, `{"error":true,"reason":"Forecast days is invalid."}`)
		return
	}
	hourly := map[string]any{"time": o.Today.Format("2006-01-02T15:04"), "interval": 900}
	for field, value := range map[string]any{"temperature_2m": 12.4, "apparent_temperature": 10.2,
		"relative_humidity_2m": 60, "precipitation": 0.0, "weather_code": 3, "wind_speed_10m": 14.2} {
		if slices.Contains(strings.Split(q.Get("current"), ","), field) {
			hourly[field] = value
		}
	}
	daily, times := map[string]any{}, []string{}
	for i := range days {
		times = append(times, o.Today.AddDate(0, 0, i).Format(time.DateOnly))
	}
	daily["time"] = times
	for field, value := range map[string]any{"weather_code": 61, "temperature_2m_max": 14.4, "temperature_2m_min": 5.3,
		"precipitation_sum": 2.4, "precipitation_probability_max": 60, "wind_speed_10m_max": 22.1,
		"sunrise": "T08:17", "sunset": "T17:49"} {
		if slices.Contains(strings.Split(q.Get("daily"), ","), field) {
			daily[field] = o.eachDay(times, value)
		}
	}
	answer(w, map[string]any{"latitude": 40.4, "longitude": -3.7, "timezone": "Europe/Madrid", "current": hourly,
		"daily": daily})
}

// eachDay returns a value for each day. Texts are times of the day.
func (o *OpenMeteo) eachDay(times []string, value any) (list []any) {
	for _, day := range times {
		if text, ok := value.(string); ok {
			list = append(list, fmt.Sprint(day, text))
		} else {
			list = append(list, value)
		}
	}
	return list
}
