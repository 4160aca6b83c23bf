package protocol

// MethodWebSearch searches the web. It is a call during a turn, at most MaxWebCalls times. The
// worker only names the model's call; its arguments, which the supervisor has, are a
// WebSearchArguments. After an interruption, the same call gets the same answer. Its error tells
// the model in words why nothing was searched.
//
//	{"turn":8,"call":"t8-2-4"}
//	{"text":"1. Tea\n   https://example.org/tea"}
const MethodWebSearch = "web.search"

// MethodWebWeather tells the weather at a place. It has the same rules as MethodWebSearch. The
// call's arguments are a WeatherArguments.
//
//	{"turn":8,"call":"t8-2-5"}
//	{"text":"Weather in Madrid, Spain"}
const MethodWebWeather = "web.weather"

// MaxWebCalls is the maximum number of calls of each method of the web in a turn. It ends a worker
// that makes more. People have a tenth of that, and read why.
const MaxWebCalls = 300

// WebCallParams names the model's call.
type WebCallParams struct {
	Turn int64  `json:"turn"`
	Call string `json:"call"`
}

// WebResult is the result of a call to the web. Its text has words of others.
type WebResult struct {
	Text string `json:"text"`
}

// WebSearchArguments holds the arguments of web_search.
type WebSearchArguments struct {
	Query string `json:"query"`
	Count int    `json:"count"` // wanted number of results; 0 means DefaultWebResults
	Fresh string `json:"fresh"` // the age of the results: a value of WebSearchAges; "" means any
}

// Limits of searches of the web.
const (
	DefaultWebResults     = 5
	MaxWebResults         = 10
	MaxWebQueryCharacters = 400
)

// WebSearchAges lists the values of WebSearchArguments.Fresh: results of the last day, and so on.
var WebSearchAges = []string{"day", "week", "month", "year"}

// WeatherArguments holds the arguments of get_weather.
type WeatherArguments struct {
	Place string `json:"place"` // name of the place, perhaps with region and country after a comma
	Days  int    `json:"days"`  // wanted days, with today; 0 means DefaultWeatherDays
}

// Limits of get_weather.
const (
	DefaultWeatherDays     = 3
	MaxWeatherDays         = 7
	MaxPlaceNameCharacters = 100
)
