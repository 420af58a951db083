-- Who started a run, in the order of lists.
--
-- An id may be longer than an index can hold, so a hash of it stands for it; what is found is compared with the id itself.
create index run_summaries_by_requester on run_summaries (
  hashtextextended(summary -> 'requestedBy' ->> 'id', 0), started_at, run_id
);
