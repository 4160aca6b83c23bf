package webtools

import (
	"fmt"
	"strings"
	"time"
)

// Fields of Open-Meteo's forecast.
const (
	currentFields = "temperature_2m,apparent_temperature,relative_humidity_2m,precipitation,weather_code,wind_speed_10m"
	dailyFields   = "weather_code,temperature_2m_max,temperature_2m_min,precipitation_sum," +
		"precipitation_probability_max,wind_speed_10m_max,sunrise,sunset"
)

// forecast is Open-Meteo's weather of a place. A value that it does not know is null.
type forecast struct {
	Timezone string
	Current  struct {
		Time        string
		Temperature *float64 `json:"temperature_2m"`
		Feels       *float64 `json:"apparent_temperature"`
		Humidity    *float64 `json:"relative_humidity_2m"`
		Code        *int     `json:"weather_code"`
		Wind        *float64 `json:"wind_speed_10m"`
	}
	Daily struct {
		Time    []string
		Code    []*int     `json:"weather_code"`
		Max     []*float64 `json:"temperature_2m_max"`
		Min     []*float64 `json:"temperature_2m_min"`
		Rain    []*float64 `json:"precipitation_sum"`
		Chance  []*float64 `json:"precipitation_probability_max"`
		Wind    []*float64 `json:"wind_speed_10m_max"`
		Sunrise []string
		Sunset  []string
	}
}

// layoutHour is the layout of Open-Meteo's times.
const layoutHour = "2006-01-02T15:04"

// text returns the weather for the model.
func (f forecast) text(of place) (string, error) {
	if len(f.Daily.Time) == 0 {
		return "", errNotReadable
	}
	var b strings.Builder
	fmt.Fprintf(&b, textWeather, of, clip(f.Timezone, maxPlaceName))
	c := f.Current
	if at, err := time.Parse(layoutHour, c.Time); err == nil && c.Temperature != nil {
		fmt.Fprintf(&b, "\n"+textNow, at.Format("15:04"), strings.Join(present(
			number("%.0f °C", c.Temperature), number("feels like %.0f °C", c.Feels), condition(c.Code),
			number("wind %.0f km/h", c.Wind), number("humidity %.0f %%", c.Humidity)), ", "))
	}
	for i, day := range f.Daily.Time {
		at, err := time.Parse(time.DateOnly, day)
		if err != nil {
			return "", errNotReadable
		}
		d := f.Daily
		fmt.Fprintf(&b, "\n%s: %s", at.Format(layoutDay), strings.Join(present(
			numbers("%.0f to %.0f °C", element(d.Min, i), element(d.Max, i)), condition(element(d.Code, i)),
			number("%.1f mm rain or snow", element(d.Rain, i)), number("chance of it %.0f %%", element(d.Chance, i)),
			number("wind up to %.0f km/h", element(d.Wind, i)), daylight(d.Sunrise, d.Sunset, i)), ", "))
	}
	return b.String() + "\n" + textWeatherSource, nil
}

// element returns an element of a list; nil means that there is none.
func element[T any](list []*T, i int) *T {
	if i < len(list) {
		return list[i]
	}
	return nil
}

// number formats a value; "" means that there is none.
func number(format string, value *float64) string {
	if value == nil {
		return ""
	}
	return fmt.Sprintf(format, *value)
}

func numbers(format string, a, b *float64) string {
	if a == nil || b == nil {
		return ""
	}
	return fmt.Sprintf(format, *a, *b)
}

// present returns the texts that are not empty.
func present(texts ...string) (list []string) {
	for _, text := range texts {
		if text != "" {
			list = append(list, text)
		}
	}
	return list
}

// daylight returns the times of sunrise and sunset.
func daylight(sunrise, sunset []string, i int) string {
	if i >= len(sunrise) || i >= len(sunset) {
		return ""
	}
	up, err := time.Parse(layoutHour, sunrise[i])
	down, err2 := time.Parse(layoutHour, sunset[i])
	if err != nil || err2 != nil {
		return ""
	}
	return fmt.Sprintf("sun %s to %s", up.Format("15:04"), down.Format("15:04"))
}

// conditions are the words for codes of the World Meteorological Organization, as Open-Meteo uses
// them.
var conditions = map[int]string{
	0: "clear sky", 1: "mainly clear", 2: "partly cloudy", 3: "overcast", 45: "fog", 48: "freezing fog",
	51: "light drizzle", 53: "drizzle", 55: "heavy drizzle", 56: "light freezing drizzle", 57: "freezing drizzle",
	61: "light rain", 63: "rain", 65: "heavy rain", 66: "light freezing rain", 67: "freezing rain",
	71: "light snow", 73: "snow", 75: "heavy snow", 77: "snow grains", 80: "light showers", 81: "showers",
	82: "heavy showers", 85: "light snow showers", 86: "snow showers", 95: "thunderstorm",
	96: "thunderstorm with hail", 99: "thunderstorm with heavy hail",
}

func condition(code *int) string {
	if code == nil {
		return ""
	}
	return conditions[*code]
}
