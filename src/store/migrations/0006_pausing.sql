-- Who has asked a run to pause at its next boundary, until it has; null: nobody.
ALTER TABLE runs ADD COLUMN pausing TEXT;
