-- The answer of a call that started a subagent was one text for people and the model: a report with an envelope around
-- it, or what the model was told of a subagent in the background. The call is known by the run that it started. Its text
-- is cut where the runtime named that run; an answer without the name is kept as it is.
UPDATE parts SET sum = NULL, part = json_set(
  parts.part,
  '$.output.text', found.text_of,
  '$.output.subagent', json(found.subagent)
)
FROM (
  SELECT
    part_id,
    substr(text, head + 1, said) AS text_of,
    CASE WHEN head > 0 THEN json_object(
      'type', 'report',
      'fromRunId', run_id,
      'branchId', branch_id,
      'agent', agent,
      'description', description,
      'status', CASE WHEN is_same THEN status ELSE 'paused' END,
      'reason', CASE WHEN is_same THEN reason END,
      'endReason', CASE WHEN is_same THEN end_reason END,
      'figures', json(CASE WHEN is_same THEN figures END),
      'note', NULL,
      'error', NULL,
      'form', 'text',
      'lacks', NULL,
      'receipts', NULL,
      'told', json_object('before', substr(text, 1, head), 'after', substr(text, head + said + 1))
    ) ELSE json_object(
      'type', 'started',
      'branchId', branch_id,
      'agent', agent,
      'description', description,
      'position', NULL,
      'told', json_object('before', '', 'after', substr(text, said + 1))
    ) END AS subagent
  FROM (
    SELECT
      *,
      CASE
        WHEN head = 0 THEN instr(text, started) - 1
        WHEN body = paused THEN 0
        WHEN substr(body, -1 - length(paused)) = char(10) || paused THEN length(body) - length(paused) - 1
        ELSE length(body)
      END AS said
    FROM (
      SELECT
        *,
        substr(text, head + 1, instr(substr(text, head + 1), closing) - 1) AS body
      FROM (
        SELECT
          *,
          char(10) || '</subagent_report>' || char(10) AS closing,
          ': task_id ' || branch_id || ', status ' AS started,
          '(It is paused, not done: `task` with continue "' || branch_id || '" goes on with it.)' AS paused,
          CASE
            WHEN instr(text, '<subagent_report agent="' || agent || '" task_id="' || branch_id || '" status="') = 1
            THEN instr(text, '>' || char(10)) + 1
            ELSE 0
          END AS head
        FROM (
          SELECT
            result.id AS part_id,
            CASE WHEN json_valid(result.part) THEN json_extract(result.part, '$.output.text') END AS text,
            run.id AS run_id,
            run.branch_id,
            run.agent,
            run.description,
            run.status,
            run.reason,
            run.end_reason,
            -- a run that went on since had paused
            run.status IN ('paused', 'completed', 'failed', 'cancelled') AND run.ended_at <= call.ended_at AS is_same,
            json_object(
              'turns', run.turns,
              'maxTurns', CASE WHEN json_valid(run.limits) THEN json_extract(run.limits, '$.maxTurns') ELSE 0 END,
              'toolCalls', run.tool_calls,
              'durationMs', coalesce(run.ended_at, run.queued_at) - run.queued_at,
              'costUsd', run.cost_usd
            ) AS figures,
            row_number() OVER (PARTITION BY call.id ORDER BY run.id DESC) AS place
          FROM runs AS run
          JOIN tool_calls AS call ON call.id = run.origin_call_id AND call.ended_at >= run.queued_at
          JOIN parts AS result ON result.id = call.result_part_id
          WHERE CASE WHEN json_valid(result.part)
            THEN json_extract(result.part, '$.type') = 'tool-result'
              AND json_type(result.part, '$.output.text') = 'text'
              AND json_type(result.part, '$.output.subagent') IS NULL
          END
        )
        WHERE place = 1 AND instr(text, char(0)) = 0
      )
      WHERE head = 0 OR instr(substr(text, head + 1), closing) > 0
    )
  )
  WHERE said >= 0
) AS found
WHERE found.part_id = parts.id;
