package authflow

import (
	"crypto/sha256"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/session"
	"github.com/bonafide-id/bonafide/storage"
)

// HostSession names a session of the host's; a user may have several. The store learns none
// of the host's own names.
func HostSession(userID, sessionID string) storage.Digest {
	if sessionID == "" {
		return storage.Digest{}
	}
	return digestOf("host session", []byte(userID), []byte(sessionID))
}

// sessionOf returns the name of the session in which a user acts; nothing if the host does
// not name it.
func sessionOf(user *User) []byte {
	of := user.Session
	if of.IsZero() {
		of = HostSession(user.UserID, user.SessionID)
	}
	if of.IsZero() {
		return nil
	}
	return of[:]
}

// sid names a user's session to an application, or is empty.
func (e *flows) sid(user *User, clientID string) string {
	of := sessionOf(user)
	if of == nil {
		return ""
	}
	return session.SID(e.Site.Secrets, e.Site.Issuer, of, clientID)
}

// notice says whether the application is told when a user's session ends: it is registered
// for that, and gets an ID token.
func (e *flows) notice(r *engine.AuthorizeRequest, user *User, sid string) storage.Notice {
	if r.Client.BackchannelLogoutURI == "" || !r.OpenID() {
		return storage.Notice{}
	}
	n := storage.Notice{ID: digestOf("client session", sessionOf(user), []byte(user.UserID), []byte(r.Client.ID), []byte(sid))}
	if !user.Session.IsZero() {
		copy(n.ID[:8], user.Session[:]) // begins with the time: rows of one hour lie together
		return n
	}
	n.HostSession, n.ExpiresAt = HostSession(user.UserID, user.SessionID), e.Clock().Add(e.SessionLife)
	return n
}

// digestOf returns a digest of the parts, each with its length.
func digestOf(what string, parts ...[]byte) storage.Digest {
	h := sha256.New()
	for _, part := range append([][]byte{[]byte(what)}, parts...) {
		_, _ = h.Write([]byte{byte(len(part) >> 8), byte(len(part))})
		_, _ = h.Write(part)
	}
	return storage.Digest(h.Sum(nil))
}
