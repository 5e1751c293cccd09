import assert from "node:assert/strict"
import {createServer, type IncomingMessage, type ServerResponse} from "node:http"
import type {AddressInfo} from "node:net"
import {test} from "node:test"
import {gzipSync} from "node:zlib"
import {definePlugin} from "svc-runtime"
import {type Bot, plugin} from "svc-runtime/test"
import {feedRows} from "../lib/rows.ts"
import feeds from "../plugins/feeds.ts"

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown

/** A server on this machine. `answer` answers its requests, and `asked` has their headers. */
const serve = async (answer: Answer) => {
  const asked: IncomingMessage["headers"][] = []
  const site = {answer, asked, origin: "", url: "", close: () => server.close()}
  const server = createServer((request, response) => {
    asked.push(request.headers)
    site.answer(request, response)
  })
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
  site.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  site.url = `${site.origin}/feed`
  return site
}

const xml =
  (body: string, headers: Readonly<Record<string, string>> = {}): Answer =>
  (_, response) =>
    response.writeHead(200, {"content-type": "application/xml", ...headers}).end(body)

const status =
  (code: number, headers: Readonly<Record<string, string>> = {}): Answer =>
  (_, response) =>
    response.writeHead(code, headers).end()

/** RSS 2.0 with these entries, the newest first. */
const rss = (...entries: readonly string[]) =>
  `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title><link>https://example.org/</link>${entries
    .map(each => `<item><title>${each}</title><link>/${each}</link><guid>${each}</guid></item>`)
    .join("")}</channel></rss>`

const place = {endpoint: "sandbox", channel: "news"}

const configOf = (url: string, feed: object = {}, others: object = {}) => ({
  feeds: [{url, to: place, ...feed}],
  ...others,
})

const withBot = async (
  answer: Answer,
  options: {readonly feed?: object; readonly others?: object; readonly language?: string},
  use: (bot: Bot, site: Awaited<ReturnType<typeof serve>>) => unknown,
) => {
  const site = await serve(answer)
  try {
    await plugin.test(
      feeds,
      {
        config: configOf(site.url, options.feed, options.others),
        users: {ada: "trusted"},
        ...(options.language === undefined ? {} : {project: {languages: {default: options.language}}}),
      },
      bot => use(bot, site),
    )
  } finally {
    site.close()
  }
}

const posted = async (bot: Bot) => (await bot.messages("news")).map(({text}) => text)
const shown = (origin: string, ...entries: readonly string[]) =>
  ["News", ...entries.map(each => `${each} (${origin}/${each})`)].join("\n")

test("posts what is new, once, and nothing at first", () =>
  withBot(xml(rss("b", "a")), {}, async (bot, site) => {
    assert.deepEqual(await posted(bot), [])
    site.answer = xml(rss("d", "c", "b", "a"))
    await bot.clock.advance({minutes: 10})
    assert.deepEqual(await posted(bot), [shown(site.origin, "c", "d")])
    site.answer = xml(rss("d", "b"))
    await bot.clock.advance({minutes: 10})
    site.answer = xml(rss("c", "a"))
    await bot.clock.advance({minutes: 10})
    assert.equal((await posted(bot)).length, 1)
    assert.equal(site.asked.length, 4)
  }))

test("logs a failure in one line, with its reason and without a stack", async () => {
  const lines: string[] = []
  const log = (line: string) => void lines.push(line)
  const site = await serve(request => request.socket.destroy())
  await plugin
    .test(feeds, {config: configOf(site.url), log}, bot => bot.clock.advance({minutes: 1}))
    .finally(site.close)
  const failed = lines.filter(line => line.includes("feed not read"))
  assert.equal(failed.length, 1)
  assert.match(failed[0] ?? "", /feed not read .*problem=unreachable reason="?socket hang up"?\n?$/)
})

test("posts the newest entry at first, if configured", () =>
  withBot(xml(rss("b", "a")), {others: {first: "newest"}}, async (bot, site) => {
    assert.deepEqual(await posted(bot), [shown(site.origin, "b")])
  }))

test("lists the newest entries and counts the others, in the language of the channel", () =>
  withBot(xml(rss("a")), {others: {most: 2}, language: "de"}, async (bot, site) => {
    site.answer = xml(rss("e", "d", "c", "b", "a"))
    await bot.clock.advance({minutes: 10})
    assert.deepEqual(await posted(bot), [`${shown(site.origin, "d", "e")}\nund 2 weitere`])
  }))

test("posts only entries with one of the words, under the configured name, at the configured interval", () =>
  withBot(xml(rss("a")), {feed: {words: ["SECURITY"], name: "Alerts", every: "2h"}}, async (bot, site) => {
    const tagged = "<item><title>c</title><guid>c</guid><category>Security</category></item>"
    site.answer = xml(rss("Security fix", "b", "a").replace("</channel>", `${tagged}</channel>`))
    await bot.clock.advance({minutes: 119})
    assert.deepEqual(await posted(bot), [])
    await bot.clock.advance({minutes: 1})
    assert.deepEqual(await posted(bot), [`Alerts\nc\nSecurity fix (${site.origin}/Security%20fix)`])
  }))

test("asks with ETag and Last-Modified, and reads compressed answers", () =>
  withBot(
    (_, response) =>
      response
        .writeHead(200, {etag: '"1"', "last-modified": "Sun, 01 Mar 2026 12:00:00 GMT", "content-encoding": "gzip"})
        .end(gzipSync(rss("a"))),
    {},
    async (bot, site) => {
      site.answer = status(304)
      await bot.clock.advance({minutes: 10})
      assert.equal(site.asked[0]?.["if-none-match"], undefined)
      assert.equal(site.asked[1]?.["if-none-match"], '"1"')
      assert.equal(site.asked[1]?.["if-modified-since"], "Sun, 01 Mar 2026 12:00:00 GMT")
      assert.deepEqual(await bot.say("/feeds", {user: "ada"}), ["News: read just now"])
      site.answer = xml(rss("b", "a"))
      await bot.clock.advance({minutes: 10})
      assert.deepEqual(await posted(bot), [shown(site.origin, "b")])
    },
  ))

test("stops at HTTP 410 and says so", () =>
  withBot(xml(rss("a")), {}, async (bot, site) => {
    site.answer = status(410)
    await bot.clock.advance({minutes: 10})
    assert.deepEqual(await posted(bot), ["News does not exist any more (HTTP 410). The bot has stopped reading it."])
    await bot.clock.advance({hours: 5})
    assert.equal(site.asked.length, 2)
    assert.deepEqual(await bot.say("/feeds", {user: "ada"}), [
      "News: stopped, because it does not exist any more (HTTP 410)",
    ])
  }))

test("pauses longer after each failure, and goes on", () =>
  withBot(status(500), {}, async (bot, site) => {
    const {host} = new URL(site.url)
    const [line] = await bot.say("/feeds", {user: "ada"})
    assert.match(line ?? "", new RegExp(`^${host}: failed once \\(HTTP 500\\), next attempt in \\d+ minutes$`))
    await bot.clock.advance({hours: 10})
    assert.ok(site.asked.length > 3 && site.asked.length < 12, `${site.asked.length} requests`)
    site.answer = xml(rss("a"))
    await bot.clock.advance({hours: 6})
    assert.match((await bot.say("/feeds", {user: "ada"}))[0] ?? "", /^News: read /)
    site.answer = xml(rss("b", "a"))
    await bot.clock.advance({minutes: 10})
    assert.deepEqual(await posted(bot), [shown(site.origin, "b")])
  }))

test("waits as long as the server asks", () =>
  withBot(status(429, {"retry-after": "7200"}), {}, async (bot, site) => {
    await bot.clock.advance({minutes: 119})
    assert.equal(site.asked.length, 1)
    await bot.clock.advance({minutes: 10})
    assert.equal(site.asked.length, 2)
  }))

test("follows redirects of the configured server, and no endless ones", () =>
  withBot(
    (request, response) => {
      if (request.url === "/feed") response.writeHead(301, {location: "/moved"}).end()
      else xml(rss("a"))(request, response)
    },
    {},
    async (bot, site) => {
      assert.deepEqual(await bot.say("/feeds", {user: "ada"}), ["News: read just now"])
      site.answer = status(302, {location: "/feed"})
      await bot.clock.advance({minutes: 10})
      assert.match((await bot.say("/feeds", {user: "ada"}))[0] ?? "", /redirect refused/)
      site.answer = status(302, {location: "ftp://127.0.0.1/feed"})
      await bot.clock.advance({hours: 1})
      assert.match((await bot.say("/feeds", {user: "ada"}))[0] ?? "", /redirect refused/)
    },
  ))

test("gives the password of an address to its server only", async () => {
  const other = await serve(xml(rss("a")))
  const site = await serve(status(301, {location: other.url}))
  const url = site.url.replace("//", "//ann:p%40ss@")
  try {
    await plugin.test(feeds, {config: configOf(url), users: {ada: "trusted"}}, async bot => {
      assert.deepEqual(await bot.say("/feeds", {user: "ada"}), ["News: read just now"])
      assert.equal(site.asked[0]?.authorization, `Basic ${btoa("ann:p@ss")}`)
      assert.equal(other.asked.length, 1)
      assert.equal(other.asked[0]?.authorization, undefined)
    })
  } finally {
    site.close()
    other.close()
  }
})

test("says what is wrong with an answer", () =>
  withBot(xml("<html><title>Sign in</title></html>"), {}, async (bot, site) => {
    const list = async (language: string) => (await bot.say("/feeds", {user: "ada", language}))[0] ?? ""
    assert.match(await list("en"), /\(not a feed\)/)
    assert.match(await list("de"), /einmal misslungen \(kein Feed\)/)
    site.answer = xml(rss("a".repeat(2_100_000)))
    await bot.clock.advance({hours: 1})
    assert.match(await list("en"), /\(larger than 2 MB\)/)
    // A small answer that becomes a large one.
    site.answer = (_, response) =>
      response.writeHead(200, {"content-encoding": "gzip"}).end(gzipSync(Buffer.alloc(5_000_000)))
    await bot.clock.advance({hours: 2})
    assert.match(await list("de"), /\(größer als 2 MB\)/)
    site.close()
  }))

test("shows the list to moderators only", () =>
  withBot(xml(rss("a")), {}, async bot => {
    assert.deepEqual(await bot.say("/feeds", {user: "bob"}), ["/feeds needs the permission trusted."])
  }))

/** The plugin, configured with these feeds whatever the configuration says. */
const withFeeds = (list: readonly object[]) =>
  definePlugin({
    ...feeds,
    setup: (own, config, services) => feeds.setup(own, {...config, feeds: list as typeof config.feeds}, services),
  })

test("remembers over a restart what it has read, and forgets feeds that left the configuration", () =>
  withBot(xml(rss("a")), {}, async (bot, site) => {
    const feed = {url: site.url, to: place, words: [], every: "10m"}
    const timers = async () => {
      const response = await fetch(`${bot.url}/api/timers`, {headers: {authorization: `Bearer ${bot.token}`}})
      return ((await response.json()) as {items: readonly unknown[]}).items.length
    }
    await bot.upgrade(withFeeds([{...feed, every: "2h"}]))
    assert.equal(site.asked.length, 1)
    site.answer = xml(rss("b", "a"))
    await bot.clock.advance({minutes: 119})
    assert.deepEqual(await posted(bot), [])
    await bot.clock.advance({minutes: 1})
    assert.deepEqual(await posted(bot), [shown(site.origin, "b")])
    assert.equal(await timers(), 1)

    await bot.upgrade(withFeeds([]))
    assert.equal(await timers(), 0)
    assert.deepEqual(await bot.say("/feeds", {user: "ada"}), ["The configuration names no feeds."])
    site.answer = xml(rss("c", "b", "a"))
    await bot.upgrade(withFeeds([feed]))
    await bot.settle()
    // The bot reads it as if for the first time.
    assert.equal((await posted(bot)).length, 1)
  }))

test("reads feeds one after another, also later", async () => {
  const sites = [await serve(xml(rss("a"))), await serve(xml(rss("a")))]
  const asked = () => sites.map(site => site.asked.length)
  try {
    await plugin.test(feeds, {config: {feeds: sites.map(({url}) => ({url, to: place}))}}, async bot => {
      assert.deepEqual(asked(), [1, 0])
      await bot.clock.advance(1)
      assert.deepEqual(asked(), [1, 1])
      await bot.clock.advance(599)
      assert.deepEqual(asked(), [2, 1])
      await bot.clock.advance(1)
      assert.deepEqual(asked(), [2, 2])
    })
  } finally {
    for (const site of sites) site.close()
  }
})

test("stores only one of two changes that follow the same state", () => {
  const changes = definePlugin({
    setup(own) {
      const rows = feedRows(own.database)
      own.command("change <times:integer>", async ({args, session}) => {
        const row = await rows.get("one")
        await session.database.write(Array.from({length: args.times}, () => rows.put(row)))
        return "stored"
      })
    },
  })
  return plugin.test(changes, async bot => {
    assert.deepEqual(await bot.say("/change 1"), ["stored"])
    assert.deepEqual(await bot.say("/change 1"), ["stored"])
    await assert.rejects(bot.say("/change 2"), /NOT NULL/)
  })
})

test("refuses a configuration that it cannot follow", async () => {
  const refuses = (config: Readonly<Record<string, unknown>>, why: RegExp) =>
    assert.rejects(
      plugin.test(feeds, {config}, () => {}),
      why,
    )
  await refuses(configOf("ftp://example.org/feed"), /url/)
  await refuses(configOf("http://127.0.0.1:9/feed", {every: "10"}), /every/)
  await refuses(configOf("http://127.0.0.1:9/feed", {}, {most: 0}), /most/)
  const nowhere = {to: {endpoint: "sandbx", channel: "news"}}
  await refuses(configOf("http://127.0.0.1:9/feed", nowhere), /feeds\[0\]\.to\.endpoint: .*"sandbx".*"sandbox"/)
  const one = {url: "http://127.0.0.1:9/feed", to: place}
  await refuses({feeds: [one, {...one, every: "1h"}]}, /two feeds have the same url and channel/)
})

test("keeps what is new for an endpoint whose plugin is disabled", async () => {
  const site = await serve(xml(rss("a")))
  const config = configOf(site.url, {to: {endpoint: "telegram~one", channel: "-100"}}, {first: "newest"})
  const plugins = {telegram: {enabled: false, endpoints: [{id: "one"}]}}
  try {
    await plugin.test(feeds, {config, plugins}, async bot => {
      await bot.settle()
      await bot.clock.advance({minutes: 10})
      assert.deepEqual(await posted(bot), [])
      assert.equal(site.asked.length, 2)
    })
  } finally {
    site.close()
  }
})
