/** A button's data in its stored id, behind `action:` and 43 characters of signature (`buttons/button-id.ts`). */
const kept = "substr(b.id, 51)"

/** Whose press counts, as `pressersOf` has it: the message's recipient, else the answered event's user, or nobody's. */
const asked = `coalesce('to ' || NEW.user, (SELECT iif(i.event ->> '$.user.account' IS NULL,
    'id ' || (i.event ->> '$.user.id'), 'account ' || (i.event ->> '$.user.account'))
  FROM inbox i WHERE i.seq = NEW.inbox_seq), '')`

/** The message that an edit or a deletion changes. */
const replaced = "(NEW.content ->> '$.message.outbox')"

/** The buttons that were shown before an edit or a deletion: of the message and of its earlier edits. */
const before = `endpoint = NEW.endpoint AND channel = NEW.channel AND (message = ${replaced} OR EXISTS (
  SELECT 1 FROM outbox o WHERE o.id = buttons.message AND o.kind = 'edit' AND o.seq < NEW.seq
    AND o.content ->> '$.message.outbox' = ${replaced}))`

/** The edit has the same button. A button that works once has only one press, so no new button replaces it. */
const isThere = `once = 0 AND EXISTS (SELECT 1 FROM buttons b
  WHERE b.message = NEW.id AND b.handler = buttons.handler AND b.data = buttons.data AND b.user IS buttons.user)`

/** How long a press may be in transit after an edit replaced its button by an equal one, in milliseconds. */
const onItsWay = 60_000

/**
 * One row for each button of an action, stored with its message by any sender. The row is deleted with the message or
 * its content, when the message is edited or deleted on its platform, and a minute after an edit that has the same
 * button. `n` counts the buttons of a message from 1. `user` is whose press counts; null for anyone's. `pressed_seq` is
 * the press of a button that works once. Times are in milliseconds since 1970.
 */
export const buttonSchema: readonly string[] = [
  `CREATE TABLE buttons (
    message TEXT NOT NULL, n INTEGER NOT NULL, endpoint TEXT NOT NULL, channel TEXT NOT NULL, handler TEXT NOT NULL,
    data TEXT NOT NULL, user TEXT, once INTEGER NOT NULL, expires_at INTEGER NOT NULL, pressed_seq INTEGER,
    PRIMARY KEY (message, n)
  ) WITHOUT ROWID`,
  "CREATE INDEX buttons_place ON buttons (endpoint, channel)",
  "CREATE INDEX buttons_end ON buttons (expires_at)",
  `CREATE TRIGGER buttons_stored AFTER INSERT ON outbox
    WHEN NEW.kind IN ('message', 'edit') AND instr(NEW.content, '"action:') > 0 BEGIN
      DELETE FROM buttons WHERE expires_at <= NEW.created_at;
      INSERT INTO buttons (message, n, endpoint, channel, handler, data, user, once, expires_at)
        SELECT NEW.id, row_number() OVER (ORDER BY b.place), NEW.endpoint, NEW.channel, ${kept} ->> '$.handler', ${kept} ->> '$.data',
          iif(${kept} ->> '$.asked' = 1, ${asked}, NULL), ${kept} ->> '$.once',
          max(NEW.created_at, NEW.not_before) + (${kept} ->> '$.expires')
        FROM (SELECT t.id AS place, t.value ->> '$.attrs.id' AS id FROM json_tree(NEW.content) t
          WHERE t.type = 'object' AND t.value ->> '$.type' = 'button' AND t.value ->> '$.attrs.id' LIKE 'action:%') b;
    END`,
  "CREATE TRIGGER buttons_forgotten AFTER UPDATE OF content ON outbox BEGIN DELETE FROM buttons WHERE message = NEW.id; END",
  `CREATE TRIGGER buttons_replaced AFTER UPDATE OF state ON outbox
    WHEN NEW.state = 'sent' AND NEW.kind IN ('edit', 'delete') BEGIN
      DELETE FROM buttons WHERE ${before} AND NOT (${isThere});
      UPDATE buttons SET expires_at = min(expires_at, coalesce(NEW.ended_at, NEW.created_at) + ${onItsWay}) WHERE ${before};
    END`,
  "CREATE TRIGGER buttons_gone AFTER DELETE ON outbox BEGIN DELETE FROM buttons WHERE message = OLD.id; END",
]
