-- What became of a call that names itself, so that it is done once; answer is null until that is known.
CREATE TABLE idempotency (
  id TEXT NOT NULL PRIMARY KEY,
  request TEXT NOT NULL,
  answer TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX idempotency_created ON idempotency (created_at, id);
