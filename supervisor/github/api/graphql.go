package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/go-github/v66/github"
)

// query runs a GraphQL query, or a mutation if k.isRead is false. $owner and $name are the
// repository. GitHub refuses some queries with status 200.
func (c *Client) query(ctx context.Context, k *call, text string, variables map[string]any, into any) error {
	var answer struct {
		Data   json.RawMessage `json:"data"`
		Errors []queryError    `json:"errors"`
	}
	_, _, err := ask(ctx, c, k, func(ctx context.Context, owner, name string) (any, *github.Response, error) {
		if strings.Contains(text, "$owner") {
			variables["owner"], variables["name"] = owner, name
		}
		req, err := c.gh.NewRequest(http.MethodPost, c.graphql, map[string]any{"query": text, "variables": variables})
		if err != nil {
			return nil, nil, err
		}
		resp, err := c.gh.Do(ctx, req, &answer)
		return nil, resp, err
	})
	if err != nil {
		return err
	}
	if len(answer.Errors) > 0 {
		return c.refusedQuery(ctx, k, answer.Errors[0])
	}
	if err := json.Unmarshal(answer.Data, into); err != nil {
		return newError(ServerError, k.action, http.StatusOK, "", fmt.Errorf("read its answer: %w", err))
	}
	return nil
}

// queryError is an error in the answer to a query.
type queryError struct {
	Type       string `json:"type"`
	Message    string `json:"message"`
	Extensions struct {
		Code string `json:"code"`
	} `json:"extensions"`
}

// errNoField means that the server's GraphQL lacks a requested field, as in older versions of
// GitHub Enterprise.
var errNoField = errors.New("its graphql does not know what was asked for")

var queryClasses = map[string]ErrorClass{
	"NOT_FOUND": NotFound, "FORBIDDEN": Forbidden, "INSUFFICIENT_SCOPES": Forbidden, "RATE_LIMITED": RateLimited,
	"SERVICE_UNAVAILABLE": ServerError,
	"INTERNAL":            ServerError,
}

func (c *Client) refusedQuery(ctx context.Context, k *call, said queryError) error {
	class, ok := queryClasses[said.Type]
	if !ok {
		class = InvalidRequest
	}
	var cause error
	if said.Extensions.Code == "undefinedField" || said.Extensions.Code == "undefinedType" {
		cause = errNoField
	}
	e := newError(class, k.action, http.StatusOK, oneLine(said.Message), cause)
	if class == RateLimited {
		e.Until = c.now().Add(leastPause)
	}
	return e
}

// noGraphQL reports whether the server has no GraphQL, or lacks a requested field.
func noGraphQL(err error) bool {
	var e *Error
	return errors.Is(err, errNoField) || errors.As(err, &e) && e.Status == http.StatusNotFound
}
