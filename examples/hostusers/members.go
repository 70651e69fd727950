package main

import (
	"fmt"
	"sync"

	"golang.org/x/crypto/bcrypt"
)

// member is a member of the club, as its own database knows them.
type member struct {
	ID                         string
	Email, FirstName, LastName string

	// Level is Gold or Silver, and empty when the membership has ended.
	Level string

	passwordHash []byte
}

// members is the club's user database.
type members struct {
	mu   sync.Mutex
	byID map[string]member

	// unknown is compared with when there is no such member, so that the time
	// of an answer does not tell who is one.
	unknown []byte
}

func newMembers(m member, password string) (*members, error) {
	unknown, err := bcrypt.GenerateFromPassword([]byte("nobody has this"), bcrypt.DefaultCost)
	if err != nil {
		return nil, fmt.Errorf("hash password: %w", err)
	}
	ms := &members{byID: map[string]member{}, unknown: unknown}
	if err := ms.add(m, password); err != nil {
		return nil, err
	}
	return ms, nil
}

// add records a member, with a password.
func (ms *members) add(m member, password string) error {
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.DefaultCost)
	if err != nil {
		return fmt.Errorf("hash password: %w", err)
	}
	m.passwordHash = hash
	ms.mu.Lock()
	defer ms.mu.Unlock()
	ms.byID[m.ID] = m
	return nil
}

// find returns a member by id.
func (ms *members) find(id string) (member, bool) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	m, ok := ms.byID[id]
	return m, ok
}

// authenticate returns the member with this address and password.
func (ms *members) authenticate(email, password string) (member, bool) {
	found := member{passwordHash: ms.unknown}
	ms.mu.Lock()
	for _, m := range ms.byID {
		if m.Email == email {
			found = m
		}
	}
	ms.mu.Unlock()
	matches := bcrypt.CompareHashAndPassword(found.passwordHash, []byte(password)) == nil
	return found, matches && found.ID != ""
}

// setLevel changes a membership; the empty level ends it.
func (ms *members) setLevel(id, level string) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	if m, ok := ms.byID[id]; ok {
		m.Level = level
		ms.byID[id] = m
	}
}
