-- What a run asks a person in words, and the words that it got; answered_at is set where it is asked no more.
CREATE TABLE questions (
  id TEXT NOT NULL PRIMARY KEY,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  branch_id TEXT NOT NULL REFERENCES branches (id) ON DELETE CASCADE,
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  call_id TEXT NOT NULL REFERENCES tool_calls (id) ON DELETE CASCADE,
  question TEXT NOT NULL,
  options TEXT NOT NULL,
  path TEXT NOT NULL,
  answer TEXT,
  answered_by TEXT,
  asked_at INTEGER NOT NULL,
  answered_at INTEGER
) STRICT;
CREATE INDEX questions_conversation ON questions (conversation_id, id);
CREATE INDEX questions_branch ON questions (branch_id, id);
CREATE INDEX questions_run ON questions (run_id, id);
CREATE INDEX questions_call ON questions (call_id, id);
CREATE INDEX questions_answered ON questions (answered_at, id);

-- What "always" and "run" grant, as it was shown; null: nothing can be granted.
ALTER TABLE approvals ADD COLUMN offered TEXT;

-- The mode that somebody has named last; null: nobody has.
ALTER TABLE conversations ADD COLUMN mode TEXT;

-- A grant for a whole directory belongs to no conversation, and outlives the one in which it was given.
CREATE TABLE rules_next (
  id TEXT NOT NULL PRIMARY KEY,
  conversation_id TEXT REFERENCES conversations (id) ON DELETE CASCADE,
  branch_id TEXT REFERENCES branches (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  tool TEXT NOT NULL,
  pattern TEXT,
  action TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  directory TEXT
) STRICT, WITHOUT ROWID;
INSERT INTO rules_next (id, conversation_id, branch_id, kind, tool, pattern, action, created_at)
  SELECT id, conversation_id, branch_id, kind, tool, pattern, action, created_at FROM rules;
DROP TABLE rules;
ALTER TABLE rules_next RENAME TO rules;
CREATE INDEX rules_conversation ON rules (conversation_id);
CREATE INDEX rules_branch ON rules (branch_id);
CREATE INDEX rules_directory ON rules (directory) WHERE directory IS NOT NULL;
