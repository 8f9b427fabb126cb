package errcodes

import "fmt"

// Panicked is Wrap for what recover gave, which is not nil: a panic in code that
// was plugged in fails one call and not the process. The cause names the type of
// v; its text only when the runtime wrote it, as any other may quote a secret.
func Panicked(code Code, v any) *Error {
	if err, ok := v.(interface {
		error
		RuntimeError()
	}); ok {
		return Wrap(code, "", fmt.Errorf("panic: %w", err))
	}
	return Wrap(code, "", fmt.Errorf("panic with a %T", v))
}
