// Package httpcall sends the HTTP requests of account connectors: one bounded request
// with a JSON answer, and errors that are safe to log. Connectors in other modules,
// feeds and sinks may use it as well.
//
//	caller, err := httpcall.NewBearer("https://api.example.com", "the API key", key, nil)
//	if err != nil {
//		return err
//	}
//	reply, err := caller.Do(ctx, httpcall.Request{
//		Path: []string{"accounts", account.Identifier},
//	})
//	if err != nil {
//		return ports.Answer{}, err // with a code, as AccountConnector requires
//	}
//
// # Guarantees
//
//   - A request is sent once. This package does not retry, but net/http may send a GET
//     again if it finds that a reused connection was closed.
//   - Redirects are not followed: credentials are only sent to the configured address.
//   - An answer is read up to [Config.MaxBody] bytes after decompression.
//   - The path is passed in segments and escaped, so that no account number changes the
//     address.
//   - Addresses are https; http is allowed to this machine, for tests.
//
// # Contents
//
//   - [Reply.Open] parses an answer, and knows what 401, 403, 429 and 5xx mean.
//   - [Meaning] maps messages, for providers that have no error codes.
//   - [Resolve] parses the answer about an account's holder in the usual [Envelope].
//   - [Tokens] caches the access token of providers that require a login.
//   - [NewBearer] sends a bearer token with each request; [FromEnv] reads the
//     credentials and the address from the environment.
//   - [Secret] rejects a credential that cannot be sent in a header.
//
// # Errors
//
// The context's own error is returned as it is. Other errors have a code and a text of
// this package, without the cause: net/http's errors quote the URL, which may contain
// an account number, and sometimes the answer.
package httpcall
