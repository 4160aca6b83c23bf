package config

import (
	"time"
)

// Models configures the models. The name of a model is PROVIDER/MODEL or OfflineModel. A bare name
// means a model of the default's provider. A bare default means a model of the only provider.
type Models struct {
	Default string `yaml:"default" default:"offline" check:"default_model"`
	// cheaper model for minor work; "" means Default
	Small string `yaml:"small" check:"model"`
	// model that turns texts into vectors for the search; "" means that the search uses only words
	Embed string `yaml:"embed" check:"embed_model"`
	// models to try in this order if a model fails; no model is listed twice
	Fallback []string `yaml:"fallback" check:"fallback"`
	// globs of models that users may choose; already copied into each User
	Allowed  []string `yaml:"allowed" check:"model_globs" reload:"live"`
	Thinking string   `yaml:"thinking" default:"off" oneof:"off low medium high"`
	// cache time in words; the method CacheDuration returns its value
	Cache string `yaml:"cache" default:"5m" oneof:"1h 5m none"`

	// time without a byte after which a call of a model has failed
	Silence time.Duration `yaml:"silence" default:"1m" min:"1s" max:"1h"`
	// prices by model; they replace the built-in prices
	Prices    map[string]Price    `yaml:"prices" check:"prices" reload:"live"`
	Providers map[string]Provider `yaml:"providers" check:"providers"`
}

// Price is a model's price, in US dollars per million tokens. A price above the bound is a typo,
// such as the price of one token.
type Price struct {
	Input  float64 `yaml:"input" min:"0" max:"10000"`
	Output float64 `yaml:"output" min:"0" max:"10000"`
	// price of tokens that the provider reads from its cache; 0 means Input
	CacheRead float64 `yaml:"cache_read" min:"0" max:"10000"`
	// price of tokens that the provider writes to its cache; 0 means Input
	CacheWrite float64 `yaml:"cache_write" min:"0" max:"10000"`
	// price per minute of a recording; with this price, Input and Output are 0
	Minute float64 `yaml:"minute" min:"0" max:"100"`
}

// Provider is one server of models.
type Provider struct {
	Kind string `yaml:"kind"` // kind of the provider's API: openai or anthropic
	// API key: the text in the configuration, or the content of APIKeyFile; empty if the server
	// needs no key
	APIKey Secret `yaml:"api_key" reload:"live"`
	// path of the key's file, as written in the configuration
	APIKeyFile string `yaml:"api_key_file" holds:"APIKey" reload:"live"`
	BaseURL    string `yaml:"base_url"` // absolute http or https URL of the API
	// maximum tokens of a request and its answer together; 0 means that Mews finds out
	Window int64 `yaml:"window" min:"0" max:"100000000"`
	// name of the server program, for kind openai; "" means that BaseURL identifies the server
	Server string `yaml:"server"`
}
