/** Conditions for `UserPart.find`: `?3` is the endpoint, `?4` the user's id, `?5` the user's direct channels. */

const isDirect = (channel: string) => `${channel} IN (SELECT value FROM json_each(?5))`

/**
 * The inbox event `i`: what the user said or did, or what a timer sent to their direct channel. Redaction keeps the ids
 * that this needs.
 */
export const isEventOfUser = `i.endpoint = ?3 AND (i.event ->> '$.user.id' = ?4 OR i.event ->> '$.operator.id' = ?4
    OR (i.event ->> '$.user' IS NULL AND ${isDirect("i.event ->> '$.channel.id'")}))`

const answers = (condition: string) => `EXISTS (SELECT 1 FROM inbox i WHERE i.seq = o.inbox_seq AND ${condition})`

/** The outbox row `o`: an answer to the user, a message to them alone, or an act on them. */
export const isMessageOfUser = `(${answers(isEventOfUser)} OR (o.endpoint = ?3 AND (o.user = ?4 OR o.channel = 'user:' || ?4
    OR (o.kind = 'call' AND o.content ->> '$.params.user_id' = ?4)
    OR (${isDirect("o.channel")} AND NOT ${answers("i.event ->> '$.user.id' <> ?4")}))))`
