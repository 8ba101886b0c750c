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

-- A run that went on after the end of the one before it counted its turns from those of that run, and so did its limit.
-- Its first event says from where. A run that was imported has no event: its messages say how many turns it had, and where
-- they leave that open, its limit does. What a report said of a run stays as it was said: a model has read it.
UPDATE runs SET
  turns = runs.turns - found.before,
  limits = json_set(runs.limits, '$.maxTurns', json_extract(runs.limits, '$.maxTurns') - found.before)
FROM (
  WITH line AS (
    SELECT
      *,
      lag(turns) OVER earlier AS last_turns,
      lag(max_turns) OVER earlier AS last_max
    FROM (
      SELECT
        id,
        conversation_id,
        branch_id,
        turns,
        CASE WHEN json_valid(limits) AND json_type(limits, '$.maxTurns') = 'integer'
          THEN json_extract(limits, '$.maxTurns')
        END AS max_turns
      FROM runs
    )
    WINDOW earlier AS (PARTITION BY branch_id ORDER BY id)
  ),
  follower AS (
    SELECT * FROM line WHERE last_turns > 0 AND turns >= last_turns AND max_turns > last_turns
  ),
  begun AS (
    SELECT
      -- where and when an event was stands in the first of its change
      (
        SELECT json_extract(place.value, '$.runId') FROM json_each(row.events) AS place
        WHERE place.key <= event.key AND json_type(place.value, '$.runId') IS NOT NULL
        ORDER BY place.key DESC LIMIT 1
      ) AS run_id,
      json_extract(event.value, '$.turns') AS turns
    FROM
      (
        SELECT * FROM events
        WHERE conversation_id IN (SELECT conversation_id FROM follower)
          AND CASE WHEN json_valid(events) THEN instr(events, '"from":null') > 0 END
      ) AS row,
      json_each(row.events) AS event
    WHERE CASE WHEN event.type = 'object'
      THEN json_type(event.value, '$.from') = 'null'
        AND json_extract(event.value, '$.type') IN ('run.queued', 'run.started')
    END
  ),
  answer AS (
    SELECT
      run_id,
      -- a conclusion is no turn: the runtime asks for it, and no tool is offered
      role_before = 'user' AND run_before IS run_id AND NOT EXISTS (
        SELECT 1 FROM parts
        WHERE parts.message_id = said.id
          AND CASE WHEN json_valid(parts.part) THEN json_extract(parts.part, '$.type') = 'tool-call' END
      ) AS may_conclude
    FROM (
      SELECT
        id,
        role,
        state,
        run_id,
        lag(role) OVER earlier AS role_before,
        lag(run_id) OVER earlier AS run_before
      FROM messages
      WHERE branch_id IN (SELECT branch_id FROM follower)
      WINDOW earlier AS (PARTITION BY branch_id ORDER BY position)
    ) AS said
    WHERE role = 'assistant' AND state = 'complete'
  ),
  seen AS (
    SELECT run_id, count(*) AS most, count(*) - sum(may_conclude) AS least FROM answer GROUP BY run_id
  ),
  begins AS (
    SELECT
      follower.*,
      begun.turns AS told,
      follower.turns - last_turns BETWEEN coalesce(least, 0) AND coalesce(most, 0) AS may_follow,
      follower.turns BETWEEN coalesce(least, 0) AND coalesce(most, 0) AS may_be_own
    FROM follower
    LEFT JOIN begun ON begun.run_id = follower.id
    LEFT JOIN seen ON seen.run_id = follower.id
  )
  SELECT
    id,
    CASE
      WHEN told IS NOT NULL THEN told
      WHEN may_follow = may_be_own THEN (max_turns > last_max) * last_turns
      ELSE may_follow * last_turns
    END AS before
  FROM begins
) AS found
WHERE found.id = runs.id AND found.before > 0;
