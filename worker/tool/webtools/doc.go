// Package webtools has the tools with which models use the web.
package webtools
