import {b, type Content, definePlugin, isProblem, link, type Static, type TimerHandle, Type} from "svc-runtime"
import type {FeedDocument} from "../lib/document.ts"
import {newIn, readFeed} from "../lib/read.ts"
import {type FeedRow, feedRows} from "../lib/rows.ts"
import {type Feed, keyOf, Settings, spanOf} from "../lib/settings.ts"
import {texts} from "../lib/texts.ts"

const second = 1000
const minute = 60 * second

/** What stands for a feed: its name, its title, or the host of its address. The address itself may hold a password. */
const nameOf = ({name, url}: Feed, {title}: Pick<FeedRow, "title">): string =>
  name ?? (title || (URL.parse(url)?.host ?? "?"))

/** Returns false if there is no endpoint: its plugin is disabled or has failed. */
const isThere = (sent: Promise<unknown>): Promise<boolean> =>
  sent.then(
    () => true,
    error => {
      if (isProblem(error, "endpoint_unknown")) return false
      throw error
    },
  )

export default definePlugin({
  description: "Posts the new entries of RSS, Atom and JSON feeds to channels",
  config: Settings,
  setup(plugin, {feeds, most, first}) {
    const t = plugin.texts(texts)
    const rows = feedRows(plugin.database)
    const byKey = new Map(feeds.map(feed => [keyOf(feed), feed]))
    if (byKey.size < feeds.length) throw new Error("feeds: two feeds have the same url and channel")

    /** Returns the message about entries that nobody has seen, if there are any. */
    const newsOf = async (feed: Feed, row: FeedRow, document: FeedDocument): Promise<Content | undefined> => {
      const fresh = newIn(document, feed, row)
      const shown = row.checked > 0 ? fresh.slice(-most) : first === "newest" ? fresh.slice(-1) : []
      if (shown.length === 0) return undefined
      const rest = row.checked > 0 ? fresh.length - shown.length : 0
      const more = rest === 0 ? "" : `\n${t.in(await plugin.languageOf(feed.to))("more", {count: rest})}`
      const lines = shown.map(entry => ["\n", entry.link === undefined ? entry.title : link(entry.link, entry.title)])
      return [b(nameOf(feed, document)), ...lines.flat(), more]
    }

    const Poll = Type.Object({feed: Type.String(), every: Type.Integer(), isFirst: Type.Boolean()})
    const options = {data: Poll, order: "none", retries: 3} as const
    const poll: TimerHandle<Static<typeof Poll>> = plugin.timer(
      "poll",
      options,
      async (session, {isFirst, ...data}) => {
        const {feed: key, every} = data
        const feed = byKey.get(key)
        const row = await rows.get(key)
        // From the first reading on, so that feeds which were added together are not read together.
        if (isFirst && feed !== undefined) await session.setTimer(poll, {every}, {...data, isFirst: false}, {key})
        if (feed === undefined || row.problem === "gone" || row.until > plugin.now()) return
        const {next, document, cause} = await readFeed(feed, row, plugin.now(), session.signal)
        if (next.failures === 1) {
          const {problem} = next
          const reason = cause instanceof Error ? {reason: cause.message} : {}
          plugin.log.warn("feed not read", {feed: nameOf(feed, row), problem, ...reason})
        }
        const news = document && (await newsOf(feed, row, document))
        // What nobody could read stays new.
        if (news !== undefined && !(await isThere(session.send(feed.to, news)))) return
        if (next.problem === "gone") {
          await session.clearTimer(key)
          const say = t.in(await plugin.languageOf(feed.to))
          await isThere(session.send(feed.to, say("gone", {name: nameOf(feed, row)})))
        }
        await session.database.write([rows.put(next)])
      },
    )

    plugin.onStart(async () => {
      await rows.keep([...byKey.keys()])
      const set = await plugin.timers(poll)
      for (const timer of set) if (!byKey.has(timer.data.feed)) await plugin.clearTimer(timer)
      let added = 0
      for (const [key, feed] of byKey) {
        const data = {feed: key, every: spanOf(feed.every), isFirst: false}
        const known = set.find(timer => timer.key === key)
        if (known?.data.every === data.every || (await rows.get(key)).problem === "gone") continue
        await plugin.setTimer(poll, {every: data.every}, data, {key})
        if (known === undefined) await plugin.setTimer(poll, {in: added++ * second}, {...data, isFirst: true})
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
