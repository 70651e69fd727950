package sqlstore

import (
	"context"
	"encoding/base64"

	"github.com/bonafide-id/bonafide/storage"
)

// SaveImage implements storage.Images.
func (s *Store) SaveImage(ctx context.Context, i storage.Image) error {
	return s.change(ctx, "save image", func(tx *tx) error {
		_, err := tx.exec(`INSERT INTO main.images (digest, media_type, bytes, silhouette) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (digest) DO NOTHING`,
			i.Digest[:], i.MediaType, i.Bytes, i.Silhouette)
		return err
	})
}

// Image implements storage.Images.
func (s *Store) Image(ctx context.Context, digest storage.Digest) (storage.Image, error) {
	return read(ctx, s, "read image", func(tx *tx) (storage.Image, error) {
		return one(tx, scanImage, `SELECT digest, media_type, bytes, silhouette FROM main.images WHERE digest = ?1`, digest[:])
	})
}

// RemoveImage implements storage.Images. It reads the documents of all clients, which is fast
// enough for a change of a logo.
func (s *Store) RemoveImage(ctx context.Context, digest storage.Digest) error {
	// As the document of a storage.Client has it in each of the members for pictures; no
	// character of it is one of LIKE's.
	logo := `%":"` + base64.StdEncoding.EncodeToString(digest[:]) + `"%`
	return s.change(ctx, "remove image", func(tx *tx) error {
		_, err := tx.exec(`DELETE FROM main.images WHERE digest = ?1
			AND NOT EXISTS (SELECT 1 FROM main.clients WHERE registration LIKE ?2)`, digest[:], logo)
		return err
	})
}

func scanImage(row scanner) (i storage.Image, err error) {
	err = row.Scan((*digest)(&i.Digest), &i.MediaType, &i.Bytes, &i.Silhouette)
	return i, err
}
