package app

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"mews/config"
	"mews/supervisor/egress"
	"mews/supervisor/services"
)

// openServices makes the feature that calls configured services.
func (s *service) openServices(context.Context) error {
	s.services = services.New(services.Options{Client: s.egress, Calls: s.external, Approver: newApprover(s),
		Effects: s.db.Effects(), Turns: s.db.Turns(), Pay: s.payExternal, Audit: s.audit.RecordAction})
	s.setServices(s.config)
	return nil
}

// setServices puts a configuration's services into force. A service that can't be called is off.
func (s *service) setServices(cfg *config.Config) {
	if err := s.services.SetServices(servicesOf(cfg)); err != nil {
		s.log.Error("services that are off", "error", err)
	}
	for _, name := range cfg.ServicesWithoutSecret() {
		s.log.Warn("a service is off: it has no secret", "service", name)
	}
}

// servicesOf converts the configured services, sorted by name.
func servicesOf(cfg *config.Config) (list []services.Service) {
	for _, name := range slices.Sorted(maps.Keys(cfg.Services)) {
		c := cfg.Services[name]
		one := services.Service{Name: name, BaseURL: c.BaseURL, Reads: c.Reads, Headers: c.Headers, Params: c.Params,
			Description: c.Description, Notes: c.Notes, AllowPathSuffix: c.AllowPathSuffix,
			MaxResponse: int64(c.MaxResponse), Timeout: c.Timeout, Price: c.Price.Micro, Trusted: c.Trusted,
			IdempotencyHeader: c.IdempotencyHeader, CAFile: c.CAFile, Users: c.Users,
			Auth: services.Auth{Type: services.AuthType(c.Auth.Type), Name: c.Auth.Name, Secret: c.Auth.Secret.Reveal(),
				Optional: c.Auth.Optional},
			Methods: map[string]services.Access{}}
		for method, access := range c.Methods {
			one.Methods[method] = services.Access(access)
		}
		list = append(list, one)
	}
	return list
}

// ServiceHints says which configured services are off because they have no secret.
func ServiceHints(cfg *config.Config) (hints []string) {
	for _, name := range cfg.ServicesWithoutSecret() {
		hints = append(hints, fmt.Sprintf(textServiceOff, name))
	}
	return hints
}

// ValidateServices returns errors about addresses and certificates of services.
func ValidateServices(cfg *config.Config) error {
	return services.New(services.Options{Client: egress.New(egress.Options{})}).SetServices(servicesOf(cfg))
}
