// Package speech hears recordings and says texts aloud, by programs behind the walls of the tools.
package speech
