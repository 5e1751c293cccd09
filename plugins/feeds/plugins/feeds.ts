import {hash} from "node:crypto"
import {b, type Content, definePlugin, link, pauseAfter, Type} from "svc-runtime"
import {type Entry, type FeedDocument, readDocument} from "../lib/document.ts"
import {FeedFailure, fetchFeed} from "../lib/fetch.ts"
import {type FeedRow, feedRows} from "../lib/rows.ts"
import {type Feed, keyOf, Settings, spanOf} from "../lib/settings.ts"
import {texts} from "../lib/texts.ts"

const minute = 60_000
const longestPause = 6 * 60 * minute

/** How many ids of entries the bot remembers of a feed. */
const mostSeen = 1000

/** What reading a feed led to: the new row, and the document if it has changed. */
interface Outcome {
  readonly next: FeedRow
  readonly document?: FeedDocument
}

const nameOf = ({name, url}: Feed, {title}: FeedRow): string => name ?? (title || (URL.parse(url)?.host ?? url))

const isWanted = ({words}: Feed, {title, categories}: Entry): boolean => {
  const text = `${title} ${categories}`.toLowerCase()
  return words.length === 0 || words.some(word => text.includes(word.toLowerCase()))
}

/** Oldest first: by their dates, or by the order of the document if a date is missing. */
const inOrder = (entries: readonly Entry[]): readonly Entry[] =>
  entries.every(({at}) => !Number.isNaN(at)) ? entries.toSorted((x, y) => x.at - y.at) : entries.toReversed()

export default definePlugin({
  description: "Posts the new entries of RSS, Atom and JSON feeds to channels",
  config: Settings,
  setup(plugin, {feeds, most, first}) {
    const t = plugin.texts(texts)
    const rows = feedRows(plugin.database)
    const byKey = new Map(feeds.map(feed => [keyOf(feed), feed]))
    if (byKey.size < feeds.length) throw new Error("feeds: two feeds have the same url and channel")

    const read = async (feed: Feed, row: FeedRow, signal: AbortSignal): Promise<Outcome> => {
      try {
        const {body, type, url, ...validators} = await fetchFeed(feed.url, row, signal)
        const checked = {...row, checked: plugin.now(), failures: 0, problem: "", until: 0}
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
        if (failures === 1) plugin.log.warn("feed not read", {feed: nameOf(feed, row), problem, cause: String(cause)})
        const every = spanOf(feed.every)
        const pause = pauseAfter(failures, {first: 2 * every, longest: Math.max(longestPause, 2 * every)})
        const until = plugin.now() + Math.round(Math.max(pause, wait))
        return {next: {...row, failures, until, problem: problem === "410" ? "gone" : problem}}
      }
    }

    /** Returns the message about entries that nobody has seen, if there are any. */
    const newsOf = async (feed: Feed, row: FeedRow, {entries, title}: FeedDocument): Promise<Content | undefined> => {
      const seen = new Set(row.seen.split(" "))
      const fresh = inOrder(entries.filter(entry => !seen.has(entry.id) && isWanted(feed, entry)))
      const shown = row.checked > 0 ? fresh.slice(-most) : first === "newest" ? fresh.slice(-1) : []
      if (shown.length === 0) return undefined
      const rest = row.checked > 0 ? fresh.length - shown.length : 0
      const more = rest === 0 ? "" : `\n${t.in(await plugin.languageOf(feed.to))("more", {count: rest})}`
      const lines = shown.map(entry => ["\n", entry.link === undefined ? entry.title : link(entry.link, entry.title)])
      return [b(nameOf(feed, {...row, title})), ...lines.flat(), more]
    }

    const Poll = Type.Object({feed: Type.String(), every: Type.Integer()})
    const poll = plugin.timer("poll", {data: Poll, order: "none", retries: 3}, async (session, {feed: key}) => {
      const feed = byKey.get(key)
      const row = await rows.get(key)
      if (feed === undefined || row.problem === "gone" || row.until > plugin.now()) return
      const {next, document} = await read(feed, row, session.signal)
      const news = document && (await newsOf(feed, row, document))
      if (news !== undefined) await session.send(feed.to, news)
      if (next.problem === "gone") {
        await session.clearTimer(key)
        const say = t.in(await plugin.languageOf(feed.to))
        await session.send(feed.to, say("gone", {name: nameOf(feed, row)}))
      }
      await session.database.write([rows.put(next)])
    })

    plugin.onStart(async () => {
      await rows.keep([...byKey.keys()])
      const set = await plugin.timers(poll)
      for (const timer of set) if (!byKey.has(timer.data.feed)) await plugin.clearTimer(timer)
      for (const [key, feed] of byKey) {
        const data = {feed: key, every: spanOf(feed.every)}
        const known = set.find(timer => timer.key === key)
        if (known?.data.every === data.every || (await rows.get(key)).problem === "gone") continue
        await plugin.setTimer(poll, {every: data.every}, data, {key})
        if (known === undefined) await plugin.setTimer(poll, {in: 0}, data)
      }
    })

    plugin.command("feeds", {description: t.of("about"), permission: "trusted"}, async ({session}) => {
      const set = await plugin.timers(poll)
      const lines = Array.from(byKey, async ([key, feed]) => {
        const row = await rows.get(key)
        const name = nameOf(feed, row)
        const timer = set.find(each => each.key === key)
        if (row.problem === "gone") return session.t(t, "stopped", {name})
        if (timer?.state === "held") return session.t(t, "held", {name})
        const wait = Math.ceil((Math.max(timer?.due ?? 0, row.until) - plugin.now()) / minute)
        if (row.failures > 0) return session.t(t, "failing", {...row, name, wait: Math.max(wait, 0)})
        if (row.checked === 0) return session.t(t, "waiting", {name})
        return session.t(t, "fine", {name, ago: Math.floor((plugin.now() - row.checked) / minute)})
      })
      return (await Promise.all(lines)).join("\n") || session.t(t, "none")
    })
  },
})
