-- What is known about how a picture looks; NULL until it has been measured.
ALTER TABLE main.images ADD COLUMN silhouette BYTEA;

CREATE INDEX images_without_silhouette ON main.images (digest) WHERE silhouette IS NULL;
