// Package archtest holds the rules about who may import whom, as data, and
// the checks that enforce them; its test runs them on the module itself.
//
//	packages, err := archtest.List(ctx, "../..")
//	if err != nil {
//		t.Fatal(err)
//	}
//	for _, v := range archtest.Imports(packages, archtest.Layers) {
//		t.Error(v)
//	}
//
// Imports go one way: errcodes ← ports ← domain ← driving adapters. Driven
// adapters know ports and errcodes only. A package that no layer names is a
// violation, so a new folder has to be placed before it can be merged.
package archtest
