import {hash} from "node:crypto"
import {pauseAfter} from "svc-runtime"
import {type Entry, type FeedDocument, readDocument} from "./document.ts"
import {FeedFailure, fetchFeed} from "./fetch.ts"
import type {FeedRow} from "./rows.ts"
import {type Feed, spanOf} from "./settings.ts"

const longestPause = 6 * 3_600_000

/** How many ids of entries the bot remembers of a feed. */
const mostSeen = 1000

/** What reading a feed led to: the new row, the document if it has changed, and the cause of a failure. */
export interface Outcome {
  readonly next: FeedRow
  readonly document?: FeedDocument
  readonly cause?: unknown
}

/** Reads a feed at the time `now`, in milliseconds since 1970. Failures are part of the new row. */
export const readFeed = async (feed: Feed, row: FeedRow, now: number, signal: AbortSignal): Promise<Outcome> => {
  try {
    const {body, type, url, ...validators} = await fetchFeed(feed.url, row, signal)
    const checked = {...row, checked: now, failures: 0, problem: "", until: 0}
    if (body === undefined) return {next: checked}
    const digest = hash("sha256", body, "base64url")
    if (digest === row.digest) return {next: {...checked, ...validators}}
    const document = readDocument(body, type, url)
    if (document === undefined) throw new FeedFailure("format")
    const ids = new Set([...document.entries.map(({id}) => id), ...row.seen.split(" ")])
    const seen = [...ids].slice(0, mostSeen).join(" ")
    return {next: {...checked, ...validators, digest, seen, title: document.title}, document}
  } catch (error) {
    if (!(error instanceof FeedFailure)) throw error
    const {problem, wait, cause} = error
    const failures = row.failures + 1
    const first = 2 * spanOf(feed.every)
    const pause = pauseAfter(failures, {first, longest: Math.max(longestPause, first)})
    const until = now + Math.round(Math.max(pause, wait))
    return {next: {...row, failures, until, problem: problem === "410" ? "gone" : problem}, cause}
  }
}

const isWanted = ({words}: Feed, {title, categories}: Entry): boolean => {
  const text = `${title} ${categories}`.toLowerCase()
  return words.length === 0 || words.some(word => text.includes(word.toLowerCase()))
}

/** Returns the wanted entries that `row` does not know, oldest first: by their dates, or by the document without dates. */
export const newIn = (document: FeedDocument, feed: Feed, row: FeedRow): readonly Entry[] => {
  const seen = new Set(row.seen.split(" "))
  const entries = document.entries.filter(entry => !seen.has(entry.id) && isWanted(feed, entry))
  const hasDates = entries.every(({at}) => !Number.isNaN(at))
  return hasDates ? entries.toSorted((x, y) => x.at - y.at) : entries.toReversed()
}
