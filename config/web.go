package config

import (
	"cmp"
	"net/url"
	"strings"
)

// Web configures how assistants reach the web.
type Web struct {
	// code of the language of the Wikipedia that is searched if there is no backend
	Wikipedia string `yaml:"wikipedia" default:"en"`
	// URL of a server with the API of Open-Meteo; "" means the public one
	OpenMeteo string `yaml:"open_meteo" check:"open_meteo"`
	// backends of web searches in their order; if one fails, the next one is asked
	Search []SearchBackend `yaml:"search" check:"web_search"`
}

// SearchBackend is a server that searches the web. Its address may be private.
type SearchBackend struct {
	Name string `yaml:"name"` // name in answers and in usage; no two backends have the same
	Kind string `yaml:"kind"` // kind of the API: searxng, brave, tavily or generic
	// http or https URL of the server; for the kind generic, of the search itself, with {query} and
	// perhaps {count}
	URL string `yaml:"url"`
	// API key: the text in the configuration, or the content of KeyFile; empty if there is none
	Key Secret `yaml:"key" reload:"live"`
	// path of the key's file, as written in the configuration
	KeyFile string `yaml:"key_file" holds:"Key" reload:"live"`
	// name of the HTTP header with the key, for the kind generic; "" means Authorization: Bearer
	Header string `yaml:"header"`
	// path of a PEM file with the certificates to trust; "" means the machine's
	CAFile string `yaml:"ca_file"`
	// price of one search in US dollars; not Given means the built-in price
	Price Dollars     `yaml:"price"`
	Paths SearchPaths `yaml:"paths"` // where the results are, for the kind generic
}

// SearchPaths are keys in the JSON answer of a search, with dots between them.
type SearchPaths struct {
	Results string `yaml:"results"` // the list of results
	// keys of one result
	Title string `yaml:"title"`
	URL   string `yaml:"url"`
	Text  string `yaml:"text"`
}

// ServerURL returns the URL without what a search adds to it.
func (s SearchBackend) ServerURL() string {
	url, _, _ := strings.Cut(s.URL, "{")
	url, _, _ = strings.Cut(url, "?")
	return url
}

// searchKind has the properties of a kind of search backend.
type searchKind struct {
	url      string // address if url is missing; "" means that url is required
	needsKey bool
	takesKey bool
}

var searchKinds = map[string]searchKind{
	"searxng": {},
	"brave":   {url: "https://api.search.brave.com", needsKey: true, takesKey: true},
	"tavily":  {url: "https://api.tavily.com", needsKey: true, takesKey: true},
	"generic": {takesKey: true},
}

const searchKindGeneric = "generic"

// complete adds the values that depend on the kind.
func (s *SearchBackend) complete() {
	s.URL = cmp.Or(s.URL, searchKinds[s.Kind].url)
	if s.Kind == searchKindGeneric {
		p := &s.Paths
		p.Results, p.Title = cmp.Or(p.Results, "results"), cmp.Or(p.Title, "title")
		p.URL, p.Text = cmp.Or(p.URL, "url"), cmp.Or(p.Text, "content")
	}
}

func (c *checker) checkOpenMeteo(path, text string) {
	if text != "" {
		c.checkURL(path, text, wantURL, isWebAddress)
	}
}

func (c *checker) checkWebSearch(path string, backends []SearchBackend) {
	names := map[string]string{}
	for i, s := range backends {
		at := elementPath(path, i)
		if !IsValidUserName(s.Name) {
			c.wrong(at+".name", quote(s.Name), wantName)
		}
		c.checkUnique(at+".name", s.Name, quote(s.Name), wantUnique, names)
		c.checkOneOf(at+".kind", s.Kind, []string{"searxng", "brave", "tavily", searchKindGeneric})
		if kind, known := searchKinds[s.Kind]; known {
			c.checkSearchBackend(at, s, kind)
		}
	}
}

func (c *checker) checkSearchBackend(path string, s SearchBackend, kind searchKind) {
	generic := s.Kind == searchKindGeneric
	switch {
	case generic && !isSearchTemplate(s.URL):
		c.add(path+".url", hidden, wantSearchTemplate)
	case !generic:
		c.checkURL(path+".url", s.URL, wantURL, isWebAddress)
	}
	switch {
	case kind.needsKey:
		c.checkSecret(path+".key", s.Key, nil, wantSearchKey)
	case !kind.takesKey && s.Key.Reveal() != "":
		c.wrong(path+".key", hidden, wantNoSearchKey)
	}
	if s.Header != "" && (!generic || !headerName.MatchString(s.Header)) {
		c.wrong(path+".header", quote(s.Header), wantSearchHeader)
	}
	if s.Paths != (SearchPaths{}) && !generic {
		c.add(path+".paths", gotMapping, wantNoSearchPaths)
	}
}

// isSearchTemplate reports whether a text is the URL of a generic search.
func isSearchTemplate(text string) bool {
	u, err := url.Parse(strings.NewReplacer("{query}", "q", "{count}", "5").Replace(text))
	return err == nil && isWebAddress(u) && u.Hostname() != "" && u.User == nil && u.Fragment == "" &&
		strings.Contains(text, "{query}") && !strings.Contains(u.Host, "{")
}
