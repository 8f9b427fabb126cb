package errcodes_test

import (
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/errcodes"
)

type account string

func TestPanickedShowsTheTextOfRuntimeErrorsOnly(t *testing.T) {
	caught := func(do func()) (err *errcodes.Error) {
		defer func() { err = errcodes.Panicked(errcodes.MalformedAnswer, recover()) }()
		do()
		return nil
	}
	empty := []int{}
	for want, do := range map[string]func(){
		"panic with a string":                    func() { panic("canary") },
		"panic with a *errors.errorString":       func() { panic(errors.New("canary")) },
		"panic with a errcodes_test.account":     func() { panic(account("canary")) },
		"panic: runtime error: index out of ran": func() { _ = empty[len(empty)+2] },
		"panic: interface conversion: ":          func() { _ = any(account("canary")).(fmt.Stringer) },
	} {
		err := caught(do)
		require.Equal(t, errcodes.MalformedAnswer, errcodes.Of(err))
		require.Contains(t, err.Error(), want)
		require.NotContains(t, err.Error(), "canary")
		require.NotContains(t, err.Message(), "panic", "the public text")
	}
	var bug runtime.Error
	require.ErrorAs(t, caught(func() { _ = empty[len(empty)+2] }), &bug)
}

// A bug in a connector becomes an error of the call.
func ExamplePanicked() {
	lookUp := func(number string) (err error) {
		defer func() {
			if v := recover(); v != nil {
				err = errcodes.Panicked(errcodes.MalformedAnswer, v)
			}
		}()
		panic("no table for " + number)
	}
	err := lookUp("0123456789")
	fmt.Println(errcodes.Of(err), "/", errors.Unwrap(err))
	// Output: malformed_answer / panic with a string
}
