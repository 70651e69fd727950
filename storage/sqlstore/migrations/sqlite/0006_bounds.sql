-- What is known about how a picture looks; NULL until it has been measured.
ALTER TABLE images ADD COLUMN silhouette BLOB;

CREATE INDEX images_without_silhouette ON images (digest) WHERE silhouette IS NULL;
