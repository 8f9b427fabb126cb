// Package clientauth checks client credentials and access tokens (SPEC 5): it
// issues a token for a client's id and secret, tells whose a token is, and
// takes tokens back.
//
//	clients, err := clientauth.OpenFile("clients.json", nil)
//	if err != nil {
//		return err
//	}
//	auth, err := clientauth.New(clients, store.Tokens(), nil)
//	if err != nil {
//		return err
//	}
//	go auth.Run(ctx)
//	token, expiresIn, err := auth.Issue(ctx, clientID, clientSecret)
//	client, err := auth.Authenticate(ctx, token)
//
// Secrets and tokens are 256 bits of chance, so that one SHA-256 is all that a
// store has to keep of them (I16): there is nothing to guess that a slow hash
// would protect. A client has up to three secrets with overlapping windows;
// rotate by adding the new one, moving the callers, and closing the old one's
// window.
//
// Why a caller is refused is told to nobody: an unknown client, a wrong or
// expired secret and a disabled client give the same error after the same
// comparisons (I15). A store that fails is [errcodes.Unavailable], never a
// refusal.
//
// Expired tokens stay in the store until [Authenticator.Run], in one process or in
// all, removes them.
//
// [Clients] is a store of them, or what [OpenFile] and [Parse] return.
package clientauth
