package config

import (
	"maps"
	"slices"
	"time"
)

// Service is another program with an API over HTTP, which assistants may call by its name.
type Service struct {
	// http or https URL of the API, without user, query and fragment; calls stay below its path
	BaseURL string `yaml:"base_url"`
	// allowed HTTP methods, each with ServiceRead or ServiceWrite; empty means that only GET is
	// allowed, as a read
	Methods map[string]string `yaml:"methods"`
	// calls that only read although their method writes, such as "POST /chat/completions": the
	// method, and the path below BaseURL
	Reads []string    `yaml:"reads"`
	Auth  ServiceAuth `yaml:"auth"`
	// headers of every call
	Headers map[string]string `yaml:"headers"`
	// query parameters of every call; they replace those of the assistant
	Params map[string]string `yaml:"params"`

	Description string `yaml:"description"` // what the service is, in a few words for the assistant
	Notes       string `yaml:"notes"`       // how to use the service, for the assistant
	// whether a call may name a path below BaseURL
	AllowPathSuffix bool          `yaml:"allow_path_suffix"`
	MaxResponse     Size          `yaml:"max_response" default:"10MiB" min:"1KiB" max:"32MiB"`
	Timeout         time.Duration `yaml:"timeout" default:"30s" min:"1s" max:"5m"`
	Price           Dollars       `yaml:"price"` // price of one call
	// whether only the household writes what the service answers
	Trusted bool `yaml:"trusted"`
	// header by which the service recognises a repeated call; "" means that it does not
	IdempotencyHeader string   `yaml:"idempotency_header"`
	CAFile            string   `yaml:"ca_file"` // absolute path of the only trusted certificates, as PEM
	Users             []string `yaml:"users"`   // names of the users who may call; empty means all
}

// ServiceAuth says how a service recognises Mews.
type ServiceAuth struct {
	// where the secret goes: AuthBearer, AuthHeader, AuthQuery, AuthBasic, or AuthNone for no
	// secret
	Type string `yaml:"type" default:"none" oneof:"bearer header query basic none"`
	// name of the header or query parameter with the secret; for AuthBasic the user's name
	Name string `yaml:"name"`
	// the secret: the text in the configuration, or the content of SecretFile; if it is empty, the
	// service is off
	Secret Secret `yaml:"secret" unset:"empty" check:"secret_text"`
	// path of the secret's file, as written in the configuration
	SecretFile string `yaml:"secret_file" holds:"Secret" unset:"empty"`
	Optional   bool   `yaml:"optional"` // whether the service is also called without the secret
}

// Values of ServiceAuth.Type.
const (
	AuthBearer = "bearer"
	AuthHeader = "header"
	AuthQuery  = "query"
	AuthBasic  = "basic"
	AuthNone   = "none"
)

// Values of Service.Methods.
const (
	ServiceRead  = "read"
	ServiceWrite = "write"
)

// LacksSecret reports whether a service is off because it has no secret.
func (s Service) LacksSecret() bool {
	return s.Auth.Type != AuthNone && !s.Auth.Optional && s.Auth.Secret.Reveal() == ""
}

// ServicesWithoutSecret lists the services that are off for lack of a secret, by name.
func (c *Config) ServicesWithoutSecret() (names []string) {
	for _, name := range slices.Sorted(maps.Keys(c.Services)) {
		if c.Services[name].LacksSecret() {
			names = append(names, name)
		}
	}
	return names
}
