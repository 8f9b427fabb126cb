package report

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// A token consists of the instant of its expiry, the length of the owner, the owner, the
// id, and a MAC of these. Its bearer may download this one file until it expires.
const (
	linkDomain = "corridor report link 1"
	linkHead   = 8 + 2
	linkMAC    = sha256.Size
	maxToken   = 1024
)

var linkEncoding = base64.RawURLEncoding.Strict()

// LinkToken returns a new token for a download link to the file of the owner's report,
// and its expiry, Config.LinkLife from now. Links can be renewed as long as the report
// exists. It returns the errors of [Service.Open].
func (s *Service) LinkToken(ctx context.Context, owner, id string) (token string, expires time.Time, err error) {
	if _, err := s.completed(ctx, owner, id); err != nil {
		return "", time.Time{}, err
	}
	expires = ports.Millis(s.cfg.Clock.Now().Add(s.cfg.LinkLife))
	raw := binary.BigEndian.AppendUint64(nil, uint64(expires.UnixMilli()))
	raw = binary.BigEndian.AppendUint16(raw, uint16(len(owner)))
	raw = append(append(raw, owner...), id...)
	return linkEncoding.EncodeToString(s.sign(raw)), expires, nil
}

func (s *Service) sign(raw []byte) []byte {
	mac := hmac.New(sha256.New, s.cfg.LinkKey)
	mac.Write([]byte(linkDomain))
	mac.Write(raw)
	return mac.Sum(raw)
}

// OpenLink opens the file of a token from [Service.LinkToken]. It returns
// [errcodes.NotFound], without a reason, if the token is altered, signed with another key
// or expired. Other errors are those of [Service.Open].
func (s *Service) OpenLink(ctx context.Context, token string) (File, error) {
	owner, id, expires, ok := s.readLink(token)
	if !ok || !s.cfg.Clock.Now().Before(expires) {
		return File{}, errNoDownload
	}
	f, err := s.Open(ctx, owner, id)
	if errcodes.Of(err) == errcodes.Conflict { // no link can have been issued for it
		err = errNoDownload
	}
	if err != nil {
		return File{}, err
	}
	f.Owner, f.LinkedAt = owner, expires.Add(-s.cfg.LinkLife)
	return f, nil
}

// NoDownload is the message of a link that is invalid for any reason.
const NoDownload = "No such download, or it has expired"

var errNoDownload = errcodes.New(errcodes.NotFound, NoDownload)

func (s *Service) readLink(token string) (owner, id string, expires time.Time, ok bool) {
	if len(token) > maxToken || strings.ContainsAny(token, "\r\n") { // the decoder would skip line breaks
		return "", "", time.Time{}, false
	}
	signed, err := linkEncoding.DecodeString(token)
	if err != nil || len(signed) < linkHead+linkMAC {
		return "", "", time.Time{}, false
	}
	raw := signed[: len(signed)-linkMAC : len(signed)-linkMAC]
	if !hmac.Equal(s.sign(raw), signed) {
		return "", "", time.Time{}, false
	}
	expires = time.UnixMilli(int64(binary.BigEndian.Uint64(raw))).UTC()
	n, rest := int(binary.BigEndian.Uint16(raw[8:])), string(raw[linkHead:])
	if n > len(rest) {
		return "", "", time.Time{}, false
	}
	return rest[:n], rest[n:], expires, true
}
