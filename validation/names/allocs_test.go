//go:build !race

package names_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A comparison of plain names does not allocate.
func TestPlainNamesDoNotAllocate(t *testing.T) {
	for _, pair := range [][2]string{
		{"Ama Mensah", "MENSAH AMA SERWAA"}, {"Mohamed Saeed", "MUHAMMAD SAID"}, {"Chukwuemeka Okafor", "CHUKWEUMEKA OKAFOR"},
		{"Acme Trading", "ACME TRADING LTD"}, {"Ama Serwaa Mensah", "AMA S***** M*****"},
	} {
		assert.Zero(t, testing.AllocsPerRun(100, func() { matchNames(pair[0], pair[1]) }), fmt.Sprint(pair))
	}
}

func TestHostileNamesAllocateLittle(t *testing.T) {
	hostile := hostileNames()
	for what, name := range hostile {
		for other, text := range hostile {
			assert.LessOrEqual(t, testing.AllocsPerRun(1, func() { matchNames(name, text) }), 64.0, "%s, %s", what, other)
		}
	}
}
