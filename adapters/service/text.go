package service

import "strings"

// kindOf shows what stands before the colon, and nothing of what may be a secret.
func kindOf(spec string) string {
	kind, _, found := strings.Cut(spec, ":")
	if !found || strings.Trim(kind, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return "…"
	}
	return kind + ":…"
}
