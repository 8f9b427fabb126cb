// Package httpcall is the HTTP plumbing of account connectors: one bounded
// request with a JSON answer, and errors that a log may show. A connector of
// another module may use it as well, and so may a feed or a sink.
//
//	caller, err := httpcall.NewBearer("https://api.example.com", "the API key", key, nil)
//	if err != nil {
//		return err
//	}
//	reply, err := caller.Do(ctx, httpcall.Request{
//		Path: []string{"accounts", account.Identifier},
//	})
//	if err != nil {
//		return ports.Answer{}, err // as AccountConnector wants it
//	}
//
// # What it sees to
//
//   - A request goes out once. This package does not retry; net/http alone may
//     send a GET again on a new connection, where a kept one proves to have
//     been closed.
//   - No redirect is followed: credentials go to the address that was
//     configured, or nowhere.
//   - An answer is read up to [Config.MaxBody] bytes, unpacked.
//   - The path is given in segments and escaped here, so that no account number
//     changes the address.
//   - https only; http to this machine, for tests.
//
// # What else there is
//
//   - [Reply.Open] reads an answer, and knows what 401, 403, 429 and 5xx mean.
//   - [Meaning] returns what a message says, where a provider gives no code.
//   - [Resolve] reads the answer of an account's holder in the usual [Envelope].
//   - [Tokens] keeps the access token of providers that want a login first.
//   - [NewBearer] sends a bearer token with each request; [FromEnv] reads the
//     credentials and the address from the environment.
//   - [Secret] rejects a credential that cannot travel in a header.
//
// # Errors
//
// The context's own error comes back as it is. The others have a code and a text
// of this package's own, without the cause: net/http's errors quote the URL,
// which may hold an account number, and now and then the answer.
package httpcall
