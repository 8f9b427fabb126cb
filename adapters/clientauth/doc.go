// Package clientauth checks client credentials and access tokens (SPEC 5): it issues a
// token for a client's id and secret, returns the client of a token, and revokes
// tokens.
//
//	clients, err := clientauth.OpenFile("clients.json", nil)
//	if err != nil {
//		return err
//	}
//	auth, err := clientauth.New(clientauth.Ports{Clients: clients, Tokens: store.Tokens()}, nil)
//	if err != nil {
//		return err
//	}
//	go clients.Run(ctx)
//	go auth.Run(ctx)
//	token, expiresIn, err := auth.Issue(ctx, clientID, clientSecret)
//	client, err := auth.Authenticate(ctx, token)
//
// Secrets and tokens are 256 random bits, so a store keeps only their SHA-256 (I16): a
// slow hash protects guessable secrets, and these cannot be guessed. A client has up to
// three secrets with overlapping windows. To rotate, add the new secret, move the
// callers, and close the old one's window. A token lives no longer than the secret that
// bought it (I14), so what the old secret bought ends with it.
//
// Callers do not learn why they are rejected: an unknown client, a wrong or expired
// secret and a disabled client return the same error after the same comparisons (I15).
// A store that fails is [errcodes.Unavailable], never a rejection; a caller that has gone
// is [errcodes.Canceled].
//
// Expired tokens stay in the store until [Authenticator.Run] removes them; one process
// that runs it is enough.
//
// [Clients] is a [ports.ClientStore], or what [OpenFile] or [Parse] returns. Each process
// that opens a file runs [File.Run], which logs new versions of the file and mistakes in
// them within a second or two.
package clientauth
