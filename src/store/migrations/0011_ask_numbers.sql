-- What people call a question or an approval in its conversation: 1, 2, 3, ... in the order in which they were asked.
ALTER TABLE approvals ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
ALTER TABLE questions ADD COLUMN number INTEGER NOT NULL DEFAULT 0;

-- What was asked before has the order of its ids, which is that of their time behind the prefix.
CREATE TEMP TABLE numbered_asks AS
  SELECT id, row_number() OVER (PARTITION BY conversation_id ORDER BY substr(id, 5), id) AS number
  FROM (SELECT id, conversation_id FROM approvals UNION ALL SELECT id, conversation_id FROM questions);
UPDATE approvals SET number = numbered_asks.number FROM numbered_asks WHERE numbered_asks.id = approvals.id;
UPDATE questions SET number = numbered_asks.number FROM numbered_asks WHERE numbered_asks.id = questions.id;
DROP TABLE numbered_asks;

CREATE UNIQUE INDEX approvals_number ON approvals (conversation_id, number);
CREATE UNIQUE INDEX questions_number ON questions (conversation_id, number);
