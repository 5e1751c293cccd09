import {Problem} from "../../shared/problems.ts"
import type {Expiry} from "../../shared/sdk/session/session.ts"
import {fieldsOf, lastTime, readTime} from "../../shared/sdk/session/values.ts"
import type {Reader, Row, Statement} from "../database/database.ts"
import type {Policy} from "../endpoints/policy.ts"
import type {OutboxDraft} from "./draft.ts"

/** `not_after` of a message that a person decided to send: it has no limit. */
export const atAnyAge = lastTime

/** Reads what a plugin sets. Throws `request_invalid`. */
export const readExpiry = (given: Expiry | undefined): Pick<OutboxDraft, "notAfter" | "important"> => {
  const {notAfter: time, important} = fieldsOf(given)
  const notAfter = readTime(time)
  if (time !== undefined && notAfter === undefined)
    throw new Problem("request_invalid", "notAfter must be a valid Date, or milliseconds since 1970")
  return {...(notAfter === undefined ? {} : {notAfter}), ...(important === true ? {important} : {})}
}

/** Limits a draft's age. `inherited` is the limit of the event that it answers, in milliseconds since 1970. */
export const withExpiry = (draft: OutboxDraft, given: Expiry | undefined, inherited?: number): OutboxDraft => {
  if (given === undefined && inherited === undefined) return draft
  return {...draft, ...(inherited === undefined ? {} : {notAfter: inherited}), ...readExpiry(given)}
}

type MaxAge = Policy["maxAge"]

/** Returns the last moment to send a row. Its own limit overrides the one of its endpoint. */
export const limitOf = ({not_after, aged_from, created_at}: Row, maxAge: MaxAge): number =>
  Number(not_after ?? Number(aged_from ?? created_at) + (maxAge ?? Number.POSITIVE_INFINITY))

/** Is it too late to send a row? A message of which parts were sent is sent to its end. */
export const isTooOld = (row: Row, maxAge: MaxAge, now: number): boolean =>
  (row.progress ?? null) === null && limitOf(row, maxAge) <= now

/** Is it too late for a person to decide about a row that may have arrived? */
export const isPast = (row: Row, maxAge: MaxAge, now: number): boolean => limitOf(row, maxAge) <= now

/** How an attempt ends that came too late. */
export const tooOld = {is: "expired", reason: "too_old", error: "its time to be sent has passed"} as const

/** How many messages expire in one batch. */
const page = 500

const limit = "coalesce(not_after, coalesce(aged_from, created_at) + ?1) <= ?2"

const expiring = (where: string) => `UPDATE outbox SET state = 'expired', reason = '${tooOld.reason}', ended_at = ?2,
    error = coalesce(error, '${tooOld.error}')
  WHERE seq IN (SELECT seq FROM outbox WHERE ${where} AND ${limit} ORDER BY seq LIMIT ${page}) RETURNING seq`

/** Ends the messages of a channel that are too old to be sent, or the first page of them. */
export const expiringQueued = (
  {endpoint, channel}: Pick<OutboxDraft, "endpoint" | "channel">,
  maxAge: MaxAge,
  now: number,
): Statement => ({
  sql: expiring("state = 'queued' AND endpoint = ?3 AND channel = ?4 AND progress IS NULL"),
  args: [maxAge ?? null, now, endpoint, channel],
})

/** Ends the messages of an endpoint that may have arrived and are too old to ask a person about them. */
export const expiringUnknown = (endpoint: string, maxAge: MaxAge, now: number): Statement => ({
  sql: expiring("state = 'unknown' AND endpoint = ?3"),
  args: [maxAge ?? null, now, endpoint],
})

const selectUnknown = `SELECT endpoint, min(not_after) AS own,
    min(iif(not_after IS NULL, coalesce(aged_from, created_at), NULL)) AS since
  FROM outbox WHERE state = 'unknown' GROUP BY endpoint`

/** Returns when the first message that may have arrived expires, for each endpoint with a limit. */
export const readUnknownLimits = async (
  database: Reader,
  maxAgeOf: (endpoint: string) => MaxAge,
): Promise<ReadonlyMap<string, number>> => {
  const limits = (await database.read(selectUnknown)).map(({endpoint, own, since}) => {
    const byDefault =
      since === null ? Number.POSITIVE_INFINITY : limitOf({created_at: since ?? 0}, maxAgeOf(String(endpoint)))
    return [String(endpoint), Math.min(own === null ? Number.POSITIVE_INFINITY : Number(own), byDefault)] as const
  })
  return new Map(limits.filter(([, at]) => at < atAnyAge))
}
