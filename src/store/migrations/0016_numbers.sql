-- What people call a conversation in its store: 1, 2, 3, ... in the order in which they came into it.
ALTER TABLE conversations ADD COLUMN number INTEGER;
-- What people call a branch in its conversation: 0 is the main branch.
ALTER TABLE branches ADD COLUMN number INTEGER;

-- What was there before has the order of its ids, which is that of their time.
CREATE TEMP TABLE numbered AS
  SELECT id, row_number() OVER (ORDER BY id) AS number FROM conversations
  UNION ALL
  SELECT id, row_number() OVER (PARTITION BY conversation_id ORDER BY kind <> 'main', id) - 1 FROM branches;
CREATE UNIQUE INDEX numbered_id ON numbered (id);
UPDATE conversations SET number = numbered.number FROM numbered WHERE numbered.id = conversations.id;
UPDATE branches SET number = numbered.number FROM numbered WHERE numbered.id = branches.id;
DROP TABLE numbered;

CREATE INDEX conversations_number ON conversations (number);
-- Partial, so that no query for all branches of a conversation takes it: those are read in the order of their ids.
CREATE UNIQUE INDEX branches_number ON branches (conversation_id, number) WHERE number IS NOT NULL;
