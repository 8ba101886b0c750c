-- Who wrote an item of an inbox, and what the runtime knows of a report; null: of an older program.
ALTER TABLE inbox ADD COLUMN author TEXT;
ALTER TABLE inbox ADD COLUMN report TEXT;

-- Of a partial report: the first message whose text is in it.
ALTER TABLE runs ADD COLUMN partial_from TEXT;
-- Whether the report of a run goes to nobody: who continued it asked for that.
ALTER TABLE runs ADD COLUMN unreported INTEGER;

-- A report was a text with an envelope around it. What is a report is known by its row, never by its text; the text
-- is cut where the envelope ends, and is kept whole where it has none.
UPDATE inbox SET report = json_object(
  'fromRunId', found.run_id,
  'branchId', found.branch_id,
  'agent', found.agent,
  'description', found.description,
  'status', CASE WHEN found.is_same THEN found.status ELSE 'paused' END,
  'reason', CASE WHEN found.is_same THEN found.reason END,
  'endReason', CASE WHEN found.is_same THEN found.end_reason END,
  'figures', json(CASE WHEN found.is_same THEN found.figures END),
  'note', NULL,
  'error', NULL,
  'form', 'text',
  'lacks', NULL,
  'receipts', NULL,
  'told', json_object(
    'before', CASE WHEN found.head > 0 AND found.tail > 0 THEN substr(inbox.text, 1, found.head) ELSE '' END,
    'after', CASE WHEN found.head > 0 AND found.tail > 0 THEN substr(inbox.text, found.head + found.tail) ELSE '' END
  )
)
FROM (
  SELECT
    item.id,
    run.id AS run_id,
    run.branch_id,
    run.agent,
    run.description,
    run.status,
    run.reason,
    run.end_reason,
    -- a run that went on since had paused
    run.stop_no = item.stop_no AND run.status IN ('paused', 'completed', 'failed', 'cancelled') AS is_same,
    json_object(
      'turns', run.turns,
      'maxTurns', CASE WHEN json_valid(run.limits) THEN json_extract(run.limits, '$.maxTurns') ELSE 0 END,
      'toolCalls', run.tool_calls,
      'durationMs', coalesce(run.ended_at, run.queued_at) - run.queued_at,
      'costUsd', run.cost_usd
    ) AS figures,
    item.head,
    instr(substr(item.text, item.head + 1), char(10) || '</subagent_report>' || char(10)) AS tail
  FROM (
    SELECT
      id,
      from_run_id,
      stop_no,
      text,
      CASE WHEN text LIKE '<subagent_report %' AND instr(text, char(0)) = 0
        THEN instr(text, '>' || char(10)) + 1
        ELSE 0
      END AS head
    FROM inbox
    WHERE kind = 'result' AND from_run_id IS NOT NULL
  ) AS item
  JOIN runs AS run ON run.id = item.from_run_id
) AS found
WHERE found.id = inbox.id;

-- What was delivered of them: the same text, at the same time, on the same branch, and no message of anybody else.
UPDATE parts SET sum = NULL, part = json_object(
  'id', parts.id,
  'type', 'report',
  'text', substr(
    found.text,
    1 + length(json_extract(found.report, '$.told.before')),
    length(found.text) - length(json_extract(found.report, '$.told.before'))
      - length(json_extract(found.report, '$.told.after'))
  ),
  'report', json(found.report)
)
FROM (
  SELECT message.id AS message_id, item.text, item.report
  FROM inbox AS item
  JOIN messages AS message ON message.branch_id = item.branch_id
    AND message.role = 'user' AND message.created_at = item.delivered_at
  WHERE item.report IS NOT NULL AND instr(item.text, char(0)) = 0 AND NOT EXISTS (
    SELECT 1 FROM inbox AS other
    WHERE other.branch_id = item.branch_id AND other.delivered_at = item.delivered_at
      AND other.kind = 'user' AND other.text = item.text
  )
) AS found
WHERE found.message_id = parts.message_id
  AND CASE WHEN json_valid(parts.part) THEN json_extract(parts.part, '$.type') END = 'text'
  AND CASE WHEN json_valid(parts.part) THEN json_extract(parts.part, '$.text') END = found.text;

UPDATE inbox SET text = substr(
  text,
  1 + length(json_extract(report, '$.told.before')),
  length(text) - length(json_extract(report, '$.told.before')) - length(json_extract(report, '$.told.after'))
)
WHERE report IS NOT NULL AND instr(text, char(0)) = 0;

-- The first thing that a subagent reads is its task: of the agent whose call started it, else of a person.
UPDATE parts SET sum = NULL, part = CASE
  WHEN found.agent IS NULL THEN json_set(parts.part, '$.author', 'person')
  ELSE json_set(parts.part, '$.author', json_object('agent', found.agent, 'branchId', found.parent_branch_id))
END
FROM (
  SELECT message.id AS message_id, branch.parent_branch_id, run.agent
  FROM branches AS branch
  JOIN messages AS message ON message.branch_id = branch.id AND message.position = 1 AND message.role = 'user'
  LEFT JOIN tool_calls AS call ON call.id = branch.origin_tool_call_id
  LEFT JOIN runs AS run ON run.id = call.run_id
  WHERE branch.kind = 'subagent' AND message.run_id IS NOT NULL
    AND (branch.origin_tool_call_id IS NULL OR run.agent IS NOT NULL)
) AS found
WHERE found.message_id = parts.message_id AND parts.position = 0
  AND CASE WHEN json_valid(parts.part) THEN json_extract(parts.part, '$.type') END = 'text';
