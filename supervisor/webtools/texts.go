package webtools

// Texts for models, and for users who look at their answers.
const (
	textArguments = "these arguments can't be read: %v"

	textMaySearch  = "May I search the web for %s?"
	textMayWeather = "May I ask for the weather in %s?"

	textNoWords    = "nothing was searched: query has no words"
	textLongQuery  = "nothing was searched: query has more than %d characters. Use fewer words."
	textWrongCount = "nothing was searched: count is 1 to %d"
	textWrongAge   = "nothing was searched: fresh is one of %s"

	textFound  = "Results for %q from %s:"
	textNoHits = "\nNothing was found. Try other words."

	textNothingSearched = "Nothing was found, because the search failed. "
	textFailed          = "%s failed: %s"
	textNotReadable     = "its answer is not the JSON that was expected"
	textNoJSON          = "it does not answer in JSON. An admin can allow that in its settings.yml, below search: " +
		"`formats: [html, json]`"
	textKeyRefused = "it refuses the key. An admin must check it."
	textTooMany    = "it allows no more searches for now. Try again later."
	textStatus     = "it answered with HTTP status %d. Try again later."
	textNoAge      = "These results may have any age, because this search can't select by age."

	textWikipedia      = "Wikipedia"
	textWikipediaAlone = "Only Wikipedia was searched, because no web search is set up. An admin can set one up: " +
		"see `mews help web`."
)

// Texts about the weather.
const (
	textNoPlace = "no weather was read: place is the name of a place, such as Madrid or Springfield, " +
		"Illinois"
	textLongPlace     = "no weather was read: place has more than %d characters"
	textWrongDays     = "no weather was read: days is 1 to %d"
	textUnknownPlace  = "No place called %q is known. Try its name in English, or a larger place nearby."
	textSeveralPlaces = "%q may mean several places: %s. Ask which one, or name the region or country after a " +
		"comma."
	textNoWeather     = "Mews could not get the weather from open-meteo.com: %s"
	textWeather       = "Weather in %s (times of %s)"
	textNow           = "now, %s: %s"
	layoutDay         = "Mon 2 Jan"
	textWeatherSource = "From open-meteo.com."
)
