package service_test

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/service"
)

// The page for operators says that the variable of a flag is its name in capitals, and has
// each flag with its default.
func TestThePageForOperatorsHasEverySetting(t *testing.T) {
	page, err := os.ReadFile("../../internal/docs/operations.md")
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(page), "\n## Settings\n")
	section, _, _ := strings.Cut(rest, "\n## ")
	for _, field := range reflect.VisibleFields(reflect.TypeFor[service.Settings]()) {
		settings := []reflect.StructField{field}
		if _, embedded := field.Tag.Lookup("embed"); embedded {
			settings = reflect.VisibleFields(field.Type)
		}
		for _, f := range settings {
			flag := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(f.Tag.Get("env"), "CORRIDOR_"), "_", "-"))
			if name := f.Tag.Get("name"); name != "" {
				require.Equal(t, name, flag)
			}
			want := "`--" + flag + "`"
			if value := f.Tag.Get("default"); value != "" {
				want += " (" + value + ")"
			}
			require.Contains(t, section, want)
		}
	}
	for _, name := range regexp.MustCompile(`(?m)^ +(CORRIDOR_[A-Z_]+) `).FindAllStringSubmatch((&service.Settings{}).Help(), -1) {
		require.Contains(t, section, "`"+name[1]+"`")
	}
}
