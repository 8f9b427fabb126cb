package cmd

import (
	"bufio"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/corridor-go/corridor/adapters/clientauth"
	"github.com/corridor-go/corridor/adapters/service"
	"github.com/corridor-go/corridor/ports"
)

type clientCmd struct {
	New    clientNewCmd    `cmd:"" help:"Create a client and its first secret."`
	Rotate clientRotateCmd `cmd:"" help:"Add a secret to a client of a clients file."`
	Check  clientCheckCmd  `cmd:"" help:"Check a clients file before a service reads it."`
	Revoke clientRevokeCmd `cmd:"" help:"End all access tokens of a client."`
	Hash   clientHashCmd   `cmd:"" help:"Print the entry of a secret of your own, which is read from standard input."`
}

// Help explains where things are printed.
func (*clientNewCmd) Help() string {
	return `The client's entry for the clients file is printed on standard output, as JSON. It contains only a hash of the secret.
The secret is printed on standard error, once: keep it, or send it to the client.`
}

// Help explains what the other secrets do.
func (*clientRotateCmd) Help() string {
	return `The new secret is printed on standard error, once, and the client's new entry on standard output, as JSON. The old secrets
stay valid, so that the client can change over; --expire-old ends them after that time, and 0s at once. Secrets that have
expired are removed. A client has at most ` + strconv.Itoa(clientauth.MaxSecrets) + ` secrets.

The file is replaced in one step, and a running service reads it within a second or two. Nothing is written if the file is
invalid.`
}

// Help explains the output.
func (*clientCheckCmd) Help() string {
	return `It prints the number of clients. If the file is invalid, it prints every mistake, one a line, on standard error; the exit
status is then 2.`
}

// Help explains what is not ended.
func (*clientRevokeCmd) Help() string {
	return `It works for every client, wherever it is defined. The client's secrets still buy new tokens, and its download links work
for up to 15 minutes more. To end these too, disable the client or set its revokedBefore in the clients file.`
}

// Help explains the input.
func (*clientHashCmd) Help() string {
	return `The secret is one line of at least ` + strconv.Itoa(clientauth.MinSecretLength) + ` bytes. The entry belongs into the client's "secrets" in the clients file.`
}

type clientNewCmd struct {
	ID        string    `arg:"" help:"The client's id."`
	Merchants []string  `help:"Ids of the merchants that the client may name; '*' means any." name:"merchant" placeholder:"ID" required:""`
	NotBefore time.Time `help:"The secret is valid from this time, such as 2027-01-31T12:00:00Z." placeholder:"TIME"`
	NotAfter  time.Time `help:"The secret, and the tokens that it bought, end at this time." placeholder:"TIME"`
}

type clientRotateCmd struct {
	ID        string         `arg:"" help:"The client's id."`
	File      string         `env:"CORRIDOR_CLIENTS_FILE" help:"The clients file." placeholder:"FILE" required:"" type:"path"`
	NotAfter  time.Time      `help:"The new secret, and the tokens that it bought, end at this time, such as 2027-01-31T12:00:00Z." placeholder:"TIME"`
	ExpireOld *time.Duration `help:"End the old secrets after this time, such as 24h." placeholder:"DURATION"`
}

type clientHashCmd struct{}

type clientCheckCmd struct {
	File string `arg:"" help:"The clients file."`
	JSON bool   `help:"Print the number of clients, or the mistakes, as one JSON object on standard output." name:"json"`
}

type checked struct {
	Clients  int      `json:"clients"`
	Mistakes []string `json:"mistakes,omitempty"`
}

type clientRevokeCmd struct {
	storeSetting

	ID string `arg:"" help:"The client's id."`
}

// entry is a client's entry in the clients file.
type entry struct {
	ID        string        `json:"id"`
	Secrets   []secretEntry `json:"secrets"`
	Merchants []string      `json:"merchants,omitempty"`
}

type secretEntry struct {
	SHA256    string    `json:"sha256"`
	NotBefore time.Time `json:"notBefore,omitzero"`
	NotAfter  time.Time `json:"notAfter,omitzero"`
}

// Run creates the client.
func (c *clientNewCmd) Run(world *surroundings) error {
	if c.ID == "" {
		return service.Reject(errors.New("the client's id must not be empty"))
	}
	if !c.NotAfter.IsZero() && !c.NotAfter.After(c.NotBefore) {
		return service.Reject(errors.New("--not-after must be after --not-before"))
	}
	secret, hash, err := clientauth.NewSecret(rand.Reader)
	if err != nil {
		return err
	}
	out := json.NewEncoder(world.stdout)
	err = out.Encode(entry{
		ID: c.ID, Merchants: c.Merchants,
		Secrets: []secretEntry{{hex.EncodeToString(hash[:]), c.NotBefore, c.NotAfter}},
	})
	if err != nil {
		return err
	}
	return printSecret(world, secret)
}

// Run prints the entry with the hash of the secret.
func (c *clientHashCmd) Run(world *surroundings) error {
	line, err := bufio.NewReader(world.stdin).ReadString('\n')
	secret := strings.TrimRight(line, "\r\n")
	if secret == "" {
		return service.Reject(fmt.Errorf("no secret on standard input: %w", err))
	}
	if len(secret) < clientauth.MinSecretLength {
		return service.Reject(fmt.Errorf("a secret must have at least %d bytes (128 random bits); corridor client new creates one", clientauth.MinSecretLength))
	}
	hash := clientauth.HashSecret(secret)
	return json.NewEncoder(world.stdout).Encode(secretEntry{SHA256: hex.EncodeToString(hash[:])})
}

// Run ends the client's tokens.
func (c *clientRevokeCmd) Run(world *surroundings) error {
	if c.ID == "" {
		return service.Reject(errors.New("the client's id must not be empty"))
	}
	row := operatorRow(ports.ActClientRevoked)
	row.Object = c.ID
	return c.with(world, func(s *service.Store) error {
		n, err := s.Tokens().RevokeAll(world.ctx, c.ID, row)
		if err != nil {
			return err
		}
		if n == 0 {
			_, _ = fmt.Fprintln(world.stderr, "no token of this client is stored")
		}
		_, err = fmt.Fprintln(world.stdout, "tokens revoked:", n)
		return err
	})
}

// Validate rejects a negative duration.
func (c *clientRotateCmd) Validate() error {
	if c.ExpireOld != nil && *c.ExpireOld < 0 {
		return fmt.Errorf("--expire-old must be 0 or more, not %s", *c.ExpireOld)
	}
	return nil
}

// Run replaces the clients file, and prints the new secret once it is valid.
func (c *clientRotateCmd) Run(world *surroundings) error {
	secret, hash, err := clientauth.NewSecret(rand.Reader)
	if err != nil {
		return err
	}
	now := time.Now()
	rotation := clientauth.Rotation{New: ports.ClientSecret{SHA256: hash, NotAfter: c.NotAfter}, Now: now}
	if c.ExpireOld != nil {
		rotation.EndOld = now.Add(*c.ExpireOld)
	}
	entry, err := clientauth.RotateFile(c.File, c.ID, &rotation)
	if err != nil {
		return service.Reject(err)
	}
	if err := printSecret(world, secret); err != nil {
		return err
	}
	_, err = fmt.Fprintf(world.stdout, "%s\n", entry)
	return err
}

// printSecret prints a secret, the only time that it is printed.
func printSecret(world *surroundings, secret clientauth.Secret) error {
	_, err := fmt.Fprintln(world.stderr, "client_secret, printed only once:", string(secret))
	return err
}

// Run prints the number of clients, or the mistakes. A single mistake is in the error.
func (c *clientCheckCmd) Run(world *surroundings) error {
	clients, mistakes := clientauth.CheckFile(c.File)
	if len(mistakes) == 1 && !c.JSON {
		return service.Reject(fmt.Errorf("%s is not a valid clients file: %w", c.File, mistakes[0]))
	}
	if err := c.print(world, clients, mistakes); err != nil || len(mistakes) == 0 {
		return err
	}
	return service.Reject(fmt.Errorf("%s is not a valid clients file, mistakes: %d", c.File, len(mistakes)))
}

func (c *clientCheckCmd) print(world *surroundings, clients int, mistakes []error) error {
	if c.JSON {
		all := checked{Clients: clients}
		for _, m := range mistakes {
			all.Mistakes = append(all.Mistakes, m.Error())
		}
		return json.NewEncoder(world.stdout).Encode(all)
	}
	if len(mistakes) == 0 {
		_, err := fmt.Fprintln(world.stdout, "clients:", clients)
		return err
	}
	for _, m := range mistakes {
		if _, err := fmt.Fprintln(world.stderr, m); err != nil {
			return err
		}
	}
	return nil
}
