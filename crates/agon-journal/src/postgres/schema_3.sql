-- For the sweep by age: the debates that have ended, oldest first.
CREATE INDEX debates_ended ON debates (last_at, id) WHERE outcome IS NOT NULL;
