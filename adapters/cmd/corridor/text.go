package main

import (
	"errors"
	"strings"

	"github.com/corridor-go/corridor/errcodes"
)

// oneLine gives an error as one clear line: for a coded error its message and
// what caused it, without the code.
func oneLine(err error) string {
	text := err.Error()
	if coded, ok := errors.AsType[*errcodes.Error](err); ok {
		text = strings.Replace(text, string(coded.Code())+": ", "", 1)
	}
	return strings.Join(strings.Fields(text), " ")
}

// kindOf shows what stands before the colon, and nothing of what may be a secret.
func kindOf(spec string) string {
	kind, _, found := strings.Cut(spec, ":")
	if !found || strings.Trim(kind, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return "…"
	}
	return kind + ":…"
}
