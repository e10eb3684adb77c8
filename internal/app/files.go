package app

import (
	"cmp"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/file"
	"github.com/nestorhq/nestor/internal/filestore"
	"github.com/nestorhq/nestor/internal/filestore/database"
	"github.com/nestorhq/nestor/internal/filestore/folder"
	"github.com/nestorhq/nestor/internal/filestore/s3"
	"github.com/nestorhq/nestor/internal/store"
)

// openFiles opens the storage that cfg names for new files. Those in the database can be
// read whatever it names. Close gives back what it holds.
func openFiles(cfg Config, s store.Store) (l *file.Library, closes func(), err error) {
	if cfg.MaxFile < 0 || cfg.UnusedFiles < 0 {
		return nil, nil, nestor.Errorf(nestor.CodeInvalid, "--max-file and --unused-files are not negative")
	}
	storages, closes := map[string]filestore.Storage{"db": database.New(s)}, func() {}
	into, path, _ := strings.Cut(cmp.Or(cfg.Files, "db"), ":")
	switch {
	case into == "db" && path == "":
	case into == "dir" && path != "":
		storages[into], err = folder.Open(path)
	case into == "s3":
		var bucket *s3.Storage
		if bucket, err = s3.Open(cfg.Files, cfg.Env); err == nil {
			storages[into], closes = bucket, bucket.Close
		}
	default:
		err = nestor.Errorf(nestor.CodeInvalid, "--files is db, dir:PATH or s3://BUCKET/PREFIX?endpoint=URL&region=NAME, not %q", cfg.Files)
	}
	if err != nil {
		return nil, nil, err
	}
	return file.New(s, storages, into, cfg.MaxFile), closes, nil
}
