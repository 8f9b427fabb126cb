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

// A token is the end of its life, the owner's length, owner and id, and a MAC of
// all that: whoever has it may download this one file until then.
const (
	linkDomain = "corridor report link 1"
	linkHead   = 8 + 2
	linkMAC    = sha256.Size
	maxToken   = 1024
)

var linkEncoding = base64.RawURLEncoding.Strict()

// Link is a download link's signed part.
type Link struct {
	Token     string
	ExpiresAt time.Time
}

// DownloadURL makes a link to the file of the owner's report: a token that
// [Service.OpenLink] takes until Config.LinkLife is over. It is made anew at
// each call, so that a report's link never dies before the report. Errors are
// those of Open.
func (s *Service) DownloadURL(ctx context.Context, owner, id string) (Link, error) {
	if _, err := s.completed(ctx, owner, id); err != nil {
		return Link{}, err
	}
	ends := ports.Millis(s.cfg.Clock.Now().Add(s.cfg.LinkLife))
	raw := binary.BigEndian.AppendUint64(nil, uint64(ends.UnixMilli()))
	raw = binary.BigEndian.AppendUint16(raw, uint16(len(owner)))
	raw = append(append(raw, owner...), id...)
	return Link{linkEncoding.EncodeToString(s.sign(raw)), ends}, nil
}

func (s *Service) sign(raw []byte) []byte {
	mac := hmac.New(sha256.New, s.cfg.LinkKey)
	mac.Write([]byte(linkDomain))
	mac.Write(raw)
	return mac.Sum(raw)
}

// OpenLink opens the file of a link. One that is altered, of another
// installation or expired is errcodes.NotFound: it says nothing. The other
// errors are those of Open.
func (s *Service) OpenLink(ctx context.Context, token string) (File, error) {
	owner, id, ends, ok := s.readLink(token)
	if !ok || !s.cfg.Clock.Now().Before(ends) {
		return File{}, errcodes.New(errcodes.NotFound, "No such download, or it has expired")
	}
	f, err := s.Open(ctx, owner, id)
	if errcodes.Of(err) == errcodes.Conflict { // no link was made for it
		err = errcodes.New(errcodes.NotFound, "No such download, or it has expired")
	}
	return f, err
}

func (s *Service) readLink(token string) (owner, id string, ends time.Time, ok bool) {
	if len(token) > maxToken || strings.ContainsAny(token, "\r\n") { // which the decoder would skip
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
	ends = time.UnixMilli(int64(binary.BigEndian.Uint64(raw))).UTC()
	n, rest := int(binary.BigEndian.Uint16(raw[8:])), string(raw[linkHead:])
	if n > len(rest) {
		return "", "", time.Time{}, false
	}
	return rest[:n], rest[n:], ends, true
}
