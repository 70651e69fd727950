package lab

import (
	"context"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// Calls about clients that nobody has registered, and about devices.

func (s *FaultyStore) SaveClient(ctx context.Context, c storage.Client) error {
	return s.do(ctx, "SaveClient", func() error { return s.Store.SaveClient(ctx, c) })
}

func (s *FaultyStore) Clients(ctx context.Context, match storage.ClientFilter, after string, limit int) ([]storage.Client, error) {
	return value(ctx, s, "Clients", func() ([]storage.Client, error) { return s.Store.Clients(ctx, match, after, limit) })
}

func (s *FaultyStore) HostDenial(ctx context.Context, hosts ...string) (storage.HostDenial, error) {
	return value(ctx, s, "HostDenial", func() (storage.HostDenial, error) { return s.Store.HostDenial(ctx, hosts...) })
}

func (s *FaultyStore) SaveDeviceCode(ctx context.Context, c storage.DeviceCode) error {
	return s.do(ctx, "SaveDeviceCode", func() error { return s.Store.SaveDeviceCode(ctx, c) })
}

func (s *FaultyStore) DeviceCode(ctx context.Context, by storage.DeviceCodeID) (storage.DeviceCode, error) {
	return value(ctx, s, "DeviceCode", func() (storage.DeviceCode, error) { return s.Store.DeviceCode(ctx, by) })
}

func (s *FaultyStore) AllowDeviceCode(ctx context.Context, digest storage.Digest, g storage.Grant, on storage.Basis, issued storage.Token) error {
	return s.do(ctx, "AllowDeviceCode", func() error { return s.Store.AllowDeviceCode(ctx, digest, g, on, issued) })
}

func (s *FaultyStore) DenyDeviceCode(ctx context.Context, digest storage.Digest, subject string, session storage.Digest, at time.Time) error {
	return s.do(ctx, "DenyDeviceCode", func() error { return s.Store.DenyDeviceCode(ctx, digest, subject, session, at) })
}
