-- What the reports of a subagent have to satisfy, and the value in a report that does; null: nothing, and none.
ALTER TABLE branches ADD COLUMN output_schema TEXT;
ALTER TABLE runs ADD COLUMN output TEXT;
