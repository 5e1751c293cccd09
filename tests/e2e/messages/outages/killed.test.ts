import {setTimeout as sleep} from "node:timers/promises"
import {expect, test} from "vitest"
import {open} from "../../../support/database/databases.ts"
import {
  Chance,
  type Project,
  pluginWith,
  runtimes,
  startHost,
  type TestHost,
  untilIdle,
} from "../../../support/host/host.ts"
import {faultRun, tellHowToRepeat} from "../../../support/machine/fault-run.ts"
import {startStandIn} from "../../../support/machine/stand-in-server.ts"
import {Book, type Place} from "./book.ts"

const run = faultRun("outages")
const kills = Math.min(run.rounds, 20)
const [minute, hour] = [60_000, 3_600_000]
const place: Place = {endpoint: "poll~one", maxAge: 24 * hour, isUndated: false}

const poll = pluginWith(`
    plugin.adapter("poll", {
      history: "replay", idempotent: true, account: Type.Object({url: Type.String()}),
      open: async ({url}, endpoint) => {
        const ask = async (path, init = {}) => (await fetch(url + path, {signal: endpoint.signal, ...init})).json()
        let cursor = Number(endpoint.cursor ?? 0)
        const go = async () => {
          for (; !endpoint.signal.aborted; await sleep(5)) {
            const events = await ask("/" + cursor)
            if (events.length === 0) continue
            cursor += events.length
            await endpoint.receive(events, {cursor: String(cursor)})
          }
        }
        go().catch(error => endpoint.lost(error))
        return {
          send: async ({id, content}) => {
            await ask("/send", {method: "POST", body: JSON.stringify({id, text: content.join("")})})
            return {ids: [id]}
          },
        }
      },
    })`)

/** Each handler notes its run. Every third one takes a while. */
const bot = pluginWith(`
    const act = async (what, n) => {
      note(what + " " + n + " " + Date.now())
      if (n % 3 === 0) await sleep(300)
      return what + " " + n
    }
    plugin.command("open <n>", ({args}) => act("open", Number(args.n)))
    plugin.command("quick <n>", {maxAge: "2m"}, ({args}) => act("quick", Number(args.n)))
    plugin.command("slow <n>", {maxAge: "never"}, ({args}) => act("slow", Number(args.n)))
    plugin.on("message-created", ({text}) => act("heard", Number(text.split(" ")[1])))`)

/** A platform that keeps everything behind a cursor, says when it was written, and takes each message once. */
const startPlatform = async (book: Book, chance: Chance) => {
  const ids = new Set<string>()
  const {url} = await startStandIn(async (request, response) => {
    response.setHeader("content-type", "application/json")
    if (request.method === "GET") return response.end(JSON.stringify(events.slice(Number(request.url?.slice(1)))))
    const {id, text} = JSON.parse(Buffer.concat(await request.toArray()).toString())
    if (!ids.has(id)) book.arrivals.push({place, channel: "room", text, at: Date.now()})
    ids.add(id)
    return response.end("{}")
  })
  const events: {timestamp: number}[] = []
  const say = (at: number) => {
    const n = events.length
    const what = chance.pick(["open", "quick", "slow"])
    const eventId = `e${n}`
    const channel = {id: "room", type: 0}
    const message = {id: eventId, content: `/${what} ${n}`}
    events.push({...{id: eventId, type: "message-created", channel, user: {id: "ann"}, message}, timestamp: at})
    book.said.push({n, place, channel: "room", eventId, handlers: [what, "heard"], since: at, isDue: true})
  }
  return {url, events, say}
}

/** Moves everything that a stopped Host has stored back. */
const letPass = async (project: Project, by: number): Promise<void> => {
  const event = `event = json_set(event, '$.timestamp', json_extract(event, '$.timestamp') - ${by})`
  const database = await openAt(project)
  const statements = [
    `UPDATE inbox SET received_at = received_at - ${by}, ${event}`,
    `UPDATE inbox_marks SET ended_at = ended_at - ${by}`,
    `UPDATE outbox SET created_at = created_at - ${by}, not_after = not_after - ${by}, ended_at = ended_at - ${by}`,
  ]
  await database.write(statements.map(sql => ({sql})))
  await database.close()
}

const openAt = (project: Project) => open({dialect: "sqlite", file: project.path(".svc/data.sqlite")})

/** Reads what the handlers of one life have noted. */
const readActs = (book: Book, project: Project, life: number): void => {
  for (const line of project.read("notes.log").trim().split("\n").filter(Boolean)) {
    const [what = "", n, at] = line.split(" ")
    book.act(what, Number(n), Number(at), life)
  }
  project.write("notes.log", "")
}

test.skipIf(kills === 0)(
  `${kills} kills and outages of real processes: nothing runs or arrives past its limit, or twice`,
  async () => {
    tellHowToRepeat(run)
    const chance = new Chance(run.seed)
    const book = new Book()
    const platform = await startPlatform(book, chance)
    const config = JSON.stringify({
      http: {port: 0},
      inbox: {maxAge: {commands: "1h"}},
      plugins: {bot: {}, poll: {endpoints: [{id: "one", url: platform.url}], outbox: {maxAge: "24h"}}},
    })
    const launch = (life: number, project?: Project): Promise<TestHost> =>
      startHost({
        own: true,
        runtime: runtimes[life % runtimes.length] as (typeof runtimes)[number],
        config,
        plugins: {bot, poll},
        ...(project === undefined ? {} : {project}),
      })
    let host = await launch(0)
    for (let life = 0; life < kills; life++) {
      for (let left = 2 + chance.below(4); left > 0; left--) platform.say(Date.now())
      await sleep(chance.below(400))
      await host.stop("SIGKILL")
      readActs(book, host.project, life)
      book.killed.add(life)
      book.absences++
      const length = Math.round(minute * 4320 ** chance.next())
      book.shift(length)
      for (const event of platform.events) event.timestamp -= length
      await letPass(host.project, length)
      for (let left = chance.below(4); left > 0; left--) platform.say(Date.now() - chance.below(length))
      host = await launch(life + 1, host.project)
    }
    await untilIdle(host)
    await host.stop()
    readActs(book, host.project, kills)
    const database = await openAt(host.project)
    const tally = await book.judge(database, Date.now())
    process.stdout.write(`${kills} kills: ${JSON.stringify(tally)}\n`)
    expect(book.faults.join("\n")).toBe("")
    expect(tally).toMatchObject({"handler expired": expect.any(Number), "handler handled": expect.any(Number)})
  },
)
