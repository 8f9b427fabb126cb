package webhook_test

import (
	"strings"
	"testing"

	"github.com/corridor-go/corridor/adapters/webhook"
)

func BenchmarkVerify(b *testing.B) {
	for name, size := range map[string]int{"1KB": 1 << 10, "64KB": 64 << 10} {
		b.Run(name, func(b *testing.B) {
			body := []byte("{" + strings.Repeat("a", size-1))
			header := signed(b, secretsOf(1), "event-1", noon, body)
			secrets := secretsOf(1)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := webhook.Verify(secrets, header, body, noon); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
