// Package webtools is the feature with which models use the web.
package webtools
