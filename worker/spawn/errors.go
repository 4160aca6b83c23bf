package spawn

import "fmt"

// wrap adds a description of the attempt to an error. It returns nil if err is nil.
func wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err)
}
