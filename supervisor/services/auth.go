package services

import (
	"encoding/base64"
	"net/http"
	"net/url"
)

// AuthType says where a service expects its secret.
type AuthType string

const (
	AuthNone   AuthType = "none"   // so is ""
	AuthBearer AuthType = "bearer" // in the header Authorization, after "Bearer"
	AuthHeader AuthType = "header"
	AuthQuery  AuthType = "query"
	AuthBasic  AuthType = "basic" // as the password of a user, by RFC 7617
)

// Auth is how a service recognises Mews.
type Auth struct {
	Type     AuthType
	Name     string // name of the header, of the query parameter, or of the user
	Secret   string
	Optional bool // the service is also called without the secret
}

// lacksSecret reports whether the secret is missing.
func (a Auth) lacksSecret() bool {
	return a.Type != AuthNone && a.Type != "" && a.Secret == "" && !a.Optional
}

// add adds the secret to a header or to a URL's query. It returns the query.
func (a Auth) add(header http.Header, query string) string {
	if a.Secret == "" {
		return query
	}
	switch a.Type {
	case AuthBearer:
		header.Set("Authorization", "Bearer "+a.Secret)
	case AuthHeader:
		header.Set(a.Name, a.Secret)
	case AuthBasic:
		header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(a.Name+":"+a.Secret)))
	case AuthQuery:
		secret := url.QueryEscape(a.Name) + "=" + url.QueryEscape(a.Secret)
		if query != "" {
			secret = query + "&" + secret
		}
		return secret
	}
	return query
}
