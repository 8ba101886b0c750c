-- One table for each kind of row. Ids are text and sort by time, times are milliseconds since the epoch, nested values
-- are JSON. Every foreign key has an index and takes what refers to a deleted row along. Tables of small rows are kept
-- in the order of their key, so that each index gives its rows in that order too; rows that can be large are not.
-- What a commit costs is the number of its pages, so each index has to pay for itself: messages, parts and tool calls
-- hang on their conversation through their branch and run alone, and are found that way.

CREATE TABLE conversations (
  id TEXT NOT NULL PRIMARY KEY,
  directory TEXT NOT NULL,
  title TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE branches (
  id TEXT NOT NULL PRIMARY KEY,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  inherit_context INTEGER NOT NULL,
  parent_branch_id TEXT REFERENCES branches (id) ON DELETE CASCADE,
  origin_message_id TEXT REFERENCES messages (id) ON DELETE CASCADE,
  origin_tool_call_id TEXT REFERENCES tool_calls (id) ON DELETE CASCADE,
  agent TEXT NOT NULL,
  label TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX branches_conversation ON branches (conversation_id);
CREATE INDEX branches_parent ON branches (parent_branch_id) WHERE parent_branch_id IS NOT NULL;
CREATE INDEX branches_origin_message ON branches (origin_message_id) WHERE origin_message_id IS NOT NULL;
CREATE INDEX branches_origin_call ON branches (origin_tool_call_id) WHERE origin_tool_call_id IS NOT NULL;

CREATE TABLE messages (
  id TEXT NOT NULL PRIMARY KEY,
  conversation_id TEXT NOT NULL,
  branch_id TEXT NOT NULL REFERENCES branches (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  role TEXT NOT NULL,
  state TEXT NOT NULL,
  run_id TEXT,
  usage TEXT,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX messages_position ON messages (branch_id, position);

CREATE TABLE parts (
  id TEXT NOT NULL PRIMARY KEY,
  message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
  conversation_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  part TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX parts_position ON parts (message_id, position);

CREATE TABLE runs (
  id TEXT NOT NULL PRIMARY KEY,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  branch_id TEXT NOT NULL REFERENCES branches (id) ON DELETE CASCADE,
  parent_run_id TEXT REFERENCES runs (id) ON DELETE CASCADE,
  origin_call_id TEXT REFERENCES tool_calls (id) ON DELETE CASCADE,
  depth INTEGER NOT NULL,
  agent TEXT NOT NULL,
  model TEXT NOT NULL,
  description TEXT NOT NULL,
  background INTEGER NOT NULL,
  status TEXT NOT NULL,
  reason TEXT,
  waiting_for TEXT,
  end_reason TEXT,
  attempt INTEGER NOT NULL,
  stop_no INTEGER NOT NULL,
  limits TEXT NOT NULL,
  turns INTEGER NOT NULL,
  tool_calls INTEGER NOT NULL,
  usage TEXT NOT NULL,
  cost_usd REAL,
  last_action TEXT,
  report_message_id TEXT REFERENCES messages (id) ON DELETE CASCADE,
  report_note TEXT,
  error TEXT,
  queued_at INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX runs_conversation ON runs (conversation_id, status);
CREATE INDEX runs_branch ON runs (branch_id);
CREATE INDEX runs_parent ON runs (parent_run_id) WHERE parent_run_id IS NOT NULL;
CREATE INDEX runs_origin_call ON runs (origin_call_id) WHERE origin_call_id IS NOT NULL;
CREATE INDEX runs_report ON runs (report_message_id) WHERE report_message_id IS NOT NULL;
CREATE INDEX runs_status ON runs (status);

CREATE TABLE tool_calls (
  id TEXT NOT NULL PRIMARY KEY,
  conversation_id TEXT NOT NULL,
  branch_id TEXT NOT NULL,
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  message_id TEXT NOT NULL,
  part_id TEXT NOT NULL,
  result_part_id TEXT,
  tool TEXT NOT NULL,
  title TEXT NOT NULL,
  status TEXT NOT NULL,
  repeatable INTEGER NOT NULL,
  exit_code INTEGER,
  error TEXT,
  started_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX tool_calls_run ON tool_calls (run_id);

CREATE TABLE approvals (
  id TEXT NOT NULL PRIMARY KEY,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  branch_id TEXT NOT NULL REFERENCES branches (id) ON DELETE CASCADE,
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  call_id TEXT NOT NULL REFERENCES tool_calls (id) ON DELETE CASCADE,
  tool TEXT NOT NULL,
  title TEXT NOT NULL,
  detail TEXT NOT NULL,
  directory TEXT NOT NULL,
  path TEXT NOT NULL,
  rule TEXT NOT NULL,
  answer TEXT,
  answered_by TEXT,
  note TEXT,
  requested_at INTEGER NOT NULL,
  answered_at INTEGER
) STRICT;
CREATE INDEX approvals_conversation ON approvals (conversation_id, id);
CREATE INDEX approvals_branch ON approvals (branch_id, id);
CREATE INDEX approvals_run ON approvals (run_id, id);
CREATE INDEX approvals_call ON approvals (call_id, id);
CREATE INDEX approvals_answer ON approvals (answer, id);

CREATE TABLE inbox (
  id TEXT NOT NULL PRIMARY KEY,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  branch_id TEXT NOT NULL REFERENCES branches (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  mode TEXT NOT NULL,
  text TEXT NOT NULL,
  from_run_id TEXT REFERENCES runs (id) ON DELETE CASCADE,
  stop_no INTEGER,
  created_at INTEGER NOT NULL,
  delivered_at INTEGER,
  withdrawn_at INTEGER
) STRICT;
CREATE UNIQUE INDEX inbox_stop ON inbox (from_run_id, stop_no);
CREATE INDEX inbox_conversation ON inbox (conversation_id, delivered_at, id);
CREATE INDEX inbox_branch ON inbox (branch_id, delivered_at, id);

CREATE TABLE rules (
  id TEXT NOT NULL PRIMARY KEY,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  branch_id TEXT REFERENCES branches (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  tool TEXT NOT NULL,
  pattern TEXT,
  action TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX rules_conversation ON rules (conversation_id);
CREATE INDEX rules_branch ON rules (branch_id);

CREATE TABLE todos (
  branch_id TEXT NOT NULL PRIMARY KEY REFERENCES branches (id) ON DELETE CASCADE,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  items TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX todos_conversation ON todos (conversation_id);

-- The events of one change are one row. They are only ever added: in the order in which they come they fill fewer pages of a commit than in that of a key.
CREATE TABLE events (
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  events TEXT NOT NULL,
  PRIMARY KEY (conversation_id, seq)
) STRICT;

CREATE TABLE artifacts (
  id TEXT NOT NULL PRIMARY KEY,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  hash TEXT NOT NULL,
  media_type TEXT NOT NULL,
  size INTEGER NOT NULL,
  content BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX artifacts_hash ON artifacts (conversation_id, hash);

CREATE TABLE leases (
  conversation_id TEXT NOT NULL PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
  owner TEXT NOT NULL,
  host TEXT NOT NULL,
  boot_id TEXT NOT NULL,
  pid INTEGER NOT NULL,
  pid_start INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  taken_at INTEGER NOT NULL,
  renewed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE commands (
  id TEXT NOT NULL PRIMARY KEY,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  verb TEXT NOT NULL,
  target TEXT NOT NULL,
  args TEXT,
  created_at INTEGER NOT NULL,
  answer TEXT,
  answered_at INTEGER
) STRICT;
CREATE INDEX commands_conversation ON commands (conversation_id, answered_at, id);

-- When each migration was applied. What is compared is the version in the header of the file.
CREATE TABLE schema_version (
  version INTEGER NOT NULL PRIMARY KEY,
  applied_at INTEGER NOT NULL
) STRICT;
