// Package archtest contains the rules about which package may import which, as data, and
// the checks that enforce them. Its test runs them on this module.
//
//	packages, err := archtest.List(ctx, "../..")
//	if err != nil {
//		t.Fatal(err)
//	}
//	for _, v := range archtest.Imports(packages, archtest.Layers) {
//		t.Error(v)
//	}
//
// Imports go one way: errcodes ← ports ← domain ← driving adapters. Driven adapters
// import only ports and errcodes. A package that is in no layer is a violation, so every
// new folder must be assigned to one.
package archtest
