package broken

import (
	"context"
	"strings"

	"github.com/corridor-go/corridor/errcodes"
)

// Confusions are the ways in which adapters mistake one text for another.
var Confusions = map[string]func(string) string{
	"folds case":        strings.ToLower,
	"trims blanks":      strings.TrimSpace,
	"stops at a NUL":    func(s string) string { head, _, _ := strings.Cut(s, "\x00"); return head },
	"repairs ill text":  func(s string) string { return strings.ToValidUTF8(s, "\ufffd") },
	"keeps 255 letters": func(s string) string { return s[:min(len(s), 255)] },
}

// OrDone is the context's error if it has ended, and err otherwise.
func OrDone(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// Recode answers with another code where there is a code.
func Recode(err error, from, to errcodes.Code) error {
	if errcodes.Of(err) == from {
		return errcodes.Wrap(to, "", err)
	}
	return err
}
