package storetest

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// SecretStore checks a ports.SecretStore.
func SecretStore(t *testing.T, h Harness) {
	t.Helper()
	runStore(t, h, secretChecks, "Store.Secrets is nil", func(s Store) bool { return s.Secrets != nil })
}

var secretChecks = []storeCheck{
	{"the first secret of a name is returned from then on", func(k *storeKit) {
		k.secret("a", freshSecret(1), freshSecret(1), "a new secret")
		for i := range 3 {
			k.secret("a", freshSecret(i), freshSecret(1), "an existing secret")
		}
		k.secret("b", freshSecret(2), freshSecret(2), "the secret of another name")
	}},
	{"a secret of any bytes is returned unchanged", func(k *storeKit) {
		for i, want := range [][]byte{
			make([]byte, 16), bytes.Repeat([]byte{0xff}, 32), []byte("a\x00b\xff\xfe\xc3( trailing blanks  "), bytes.Repeat([]byte{'x', 0}, 512),
		} {
			k.Case(kit.Name(want), func() {
				name := fmt.Sprint("secret-", i)
				k.secret(name, want, want, "a new secret")
				k.secret(name, freshSecret(i), want, "an existing secret")
			})
		}
	}},
	{"concurrent calls for one name return the same secret", func(k *storeKit) {
		for round := range 8 {
			name := fmt.Sprint("secret-", round)
			got := make([][]byte, kit.Racers)
			k.RaceOK("a concurrent Secret", func(i int) (err error) {
				got[i], err = k.Secrets.Secret(k.Context(), name, freshSecret(i))
				return err
			})
			for i := range got {
				k.Same(got[i], got[0], "the secret of a concurrent call")
			}
			k.secret(name, freshSecret(kit.Racers), got[0], "the secret after a race")
		}
	}},
	{"names that look alike have different secrets", secretNamesApart},
	{"changing a secret outside changes nothing stored", func(k *storeKit) {
		in := freshSecret(1)
		for range 3 {
			got := kit.Got(k.Secrets.Secret(k.Context(), "a", in)).OK(k, "Secret")
			k.Same(got, freshSecret(1), "the secret after a copy was changed")
			in[0]++
			got[1]++
		}
	}},
	{"arguments out of bounds are rejected", secretBounds},
	{"a done context returns its code and changes nothing", func(k *storeKit) {
		k.secret("have", freshSecret(1), freshSecret(1), "a new secret")
		kit.Each(k, []string{"have", "fresh"}, kit.Text, func(name string) { k.doneContexts(k.secretCalls(name)) })
		k.secret("fresh", freshSecret(2), freshSecret(2), "a secret first requested with a done context")
	}},
	{"a closed store returns Closed", func(k *storeKit) {
		k.secret("have", freshSecret(1), freshSecret(1), "a new secret")
		k.closed(k.secretCalls("have"))
	}},
	{"a reopened store has its secrets", func(k *storeKit) {
		k.Need(k.Reopen != nil, "Reopen")
		k.secret("have", freshSecret(1), freshSecret(1), "a new secret")
		k.Store = k.Reopen()
		k.secret("have", freshSecret(2), freshSecret(1), "the secret after reopening")
	}},
}

func freshSecret(i int) []byte { return fmt.Appendf(nil, "fresh secret of number %d", i) }

func (k *storeKit) secret(name string, fresh, want []byte, what string) {
	k.Same(kit.Got(k.Secrets.Secret(k.Context(), name, fresh)).OK(k, "Secret"), want, what)
}

func secretNamesApart(k *storeKit) {
	for _, there := range []bool{false, true} {
		for i, name := range kit.Distinct {
			k.Case(fmt.Sprintf("%s, stored %t", kit.Name(name), there), func() {
				if name == "" {
					return
				}
				fresh := freshSecret(i)
				if there {
					fresh = freshSecret(len(kit.Distinct))
				}
				k.secret(name, fresh, freshSecret(i), "the secret of a name among look-alikes")
			})
		}
	}
}

func secretBounds(k *storeKit) {
	ask := func(name string, size int) error {
		return errOf(k.Secrets.Secret(k.Context(), name, make([]byte, size)))
	}
	long := strings.Repeat("\xff", 64)
	k.invalid(map[string]error{
		"a secret without a name": ask("", 32),
		"a name of 65 bytes":      ask(long+"x", 32),
		"a secret of 15 bytes":    ask("a", 15),
		"a secret of 1,025 bytes": ask("a", 1025),
		"an empty secret":         ask("b", 0),
	})
	for name, size := range kit.ByName(map[string]int{"a": 16, long: 1024}) {
		k.Case(kit.Name(name), func() {
			k.secret(name, make([]byte, size), make([]byte, size), "a secret at its bounds")
		})
	}
}

func (k *storeKit) secretCalls(name string) map[string]func(ctx context.Context) error {
	return map[string]func(ctx context.Context) error{
		"Secret": func(ctx context.Context) error { return errOf(k.Secrets.Secret(ctx, name, freshSecret(9))) },
	}
}
