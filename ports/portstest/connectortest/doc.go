// Package connectortest checks account connectors in one call. It plays the
// provider: first as the provider's documents describe it, from files that the
// author writes, and then misbehaving in every way that providers and networks are
// known to.
//
//	func TestConforms(t *testing.T) {
//		connectortest.AccountConnector(t, connectortest.Harness{
//			New: func(tb testing.TB, up connectortest.Upstream) ports.AccountConnector {
//				c, err := mybank.New(up.Secret, &mybank.Config{BaseURL: up.BaseURL, Client: up.Client, Clock: up.Clock})
//				if err != nil {
//					tb.Fatal(err)
//				}
//				return c
//			},
//			Scenarios: os.DirFS("testdata"), // found.json, not_found.json, …
//		})
//	}
//
// [Harness] describes the format of these files.
package connectortest
