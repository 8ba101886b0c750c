-- What a conversation may spend, so that any process can say what is left of it; null: nobody has said so yet.
ALTER TABLE conversations ADD COLUMN budget TEXT;
-- What a run was given beside its agent, model and limits; null: nothing.
ALTER TABLE runs ADD COLUMN setup TEXT;
