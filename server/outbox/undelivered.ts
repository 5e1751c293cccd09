/**
 * Raises `retention.dropped` for rows that nobody had decided about. `rows` is a query with one column of that name.
 */
export const tellingUndelivered = (part: "inbox" | "outbox", rows: string): string =>
  `INSERT INTO events (type, at, context, data) SELECT 'retention.dropped', ?6, (SELECT max(id) FROM event_contexts),
    json_object('part', '${part}', 'rows', rows) FROM (${rows}) WHERE rows > 0`
