package clientauth

import (
	"crypto/subtle"
	"time"

	"github.com/corridor-go/corridor/ports"
)

// MaxSecrets is how many secrets a client may have at once.
const MaxSecrets = 3

// matches reports whether secret is one of the client's, within its window at
// now. It makes the same comparisons whatever the client has, so that its
// duration says nothing of which secrets exist.
func matches(c *ports.Client, secret string, now time.Time) bool {
	hash := HashSecret(secret)
	found := 0
	for i := range max(MaxSecrets, len(c.Secrets)) {
		var kept ports.ClientSecret // a dummy, where the client has none: no text is known to hash to zeros
		if i < len(c.Secrets) {
			kept = c.Secrets[i]
		}
		equal := subtle.ConstantTimeCompare(hash[:], kept.SHA256[:])
		found |= equal & open(&kept, now)
	}
	return found == 1
}

// open is 1 while the secret's window is open: NotBefore ≤ now < NotAfter.
func open(s *ports.ClientSecret, now time.Time) int {
	early := now.Before(s.NotBefore)
	late := !s.NotAfter.IsZero() && !now.Before(s.NotAfter)
	if early || late {
		return 0
	}
	return 1
}
