import {setTimeout as sleep} from "node:timers/promises"
import {expect, test} from "vitest"
import {changeDatabase, open} from "../../../support/database/databases.ts"
import {Chance, type Project, pluginWith, runtimes, startHost, untilIdle} from "../../../support/host/host.ts"
import {faultRun, tellHowToRepeat} from "../../../support/machine/fault-run.ts"
import {startStandIn} from "../../../support/machine/stand-in-server.ts"
import {Book, type Place} from "./book.ts"

const run = faultRun("outages")
const kills = Math.min(run.rounds, 20)
const [minute, hour] = [60_000, 3_600_000]
const place: Place = {endpoint: "poll~one", maxAge: 24 * hour, isUndated: false}

/** Polls the platform from its cursor. Each handler notes its run, and every third one takes a while. */
const poll = pluginWith(`
    plugin.adapter("poll", {
      history: "replay", idempotent: true, account: Type.Object({url: Type.String()}),
      open: async ({url}, endpoint) => {
        const poll = async () => {
          for (let cursor = Number(endpoint.cursor ?? 0); !endpoint.signal.aborted; await sleep(5)) {
            const events = await (await fetch(url + "/" + cursor, {signal: endpoint.signal})).json()
            cursor += events.length
            if (events.length > 0) await endpoint.receive(events, {cursor: String(cursor)})
          }
        }
        poll().catch(error => endpoint.lost(error))
        const send = async ({id, content}) => {
          await fetch(url, {method: "POST", body: JSON.stringify({id, text: content.join("")})})
          return {ids: [id]}
        }
        return {send}
      },
    })
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
  const events: {timestamp: number}[] = []
  const {url} = await startStandIn(async (request, response) => {
    if (request.method === "GET") return response.end(JSON.stringify(events.slice(Number(request.url?.slice(1)))))
    const {id, text} = JSON.parse(Buffer.concat(await request.toArray()).toString())
    if (!ids.has(id)) book.arrived(place, "room", text, Date.now())
    ids.add(id)
    return response.end()
  })
  const say = (since: number) => {
    const n = events.length
    const what = chance.pick(["open", "quick", "slow"])
    const id = `e${n}`
    const [channel, user, message] = [{id: "room", type: 0}, {id: "ann"}, {id, content: `/${what} ${n}`}]
    events.push(Object.assign({id, type: "message-created", channel, user, message}, {timestamp: since}))
    book.said.push({n, place, channel: "room", eventId: id, handlers: [what, "heard"], since, isDue: true})
  }
  return {url, events, say}
}

const fileOf = (project: Project): string => project.path(".svc/data.sqlite")

/** Moves everything that a stopped Host has stored back. */
const letPass = async (project: Project, by: number): Promise<void> => {
  const event = `json_set(event, '$.timestamp', event ->> '$.timestamp' - ${by})`
  const changes = {
    inbox: `received_at = received_at - ${by}, event = ${event}`,
    inbox_marks: `ended_at = ended_at - ${by}`,
    outbox: `created_at = created_at - ${by}, not_after = not_after - ${by}, ended_at = ended_at - ${by}`,
  }
  for (const [table, change] of Object.entries(changes))
    await changeDatabase(fileOf(project), `UPDATE ${table} SET ${change}`)
}

const readActs = (book: Book, project: Project, life: number): void => {
  for (const [, what = "", n, at] of project.read("notes.log").matchAll(/(\w+) (\d+) (\d+)\n/g))
    book.act(what, Number(n), Number(at), life)
  project.write("notes.log", "")
}

/** Kills the Hosts of one project, on each runtime in turn. Resolves to what happened, by name. */
const killOften = async (book: Book, seed: number, lives: number) => {
  const chance = new Chance(seed)
  const platform = await startPlatform(book, chance)
  const config = JSON.stringify({
    http: {port: 0},
    inbox: {maxAge: {commands: "1h"}},
    plugins: {poll: {endpoints: [{id: "one", url: platform.url}], outbox: {maxAge: "24h"}}},
  })
  const launch = (life: number, project?: Project) => {
    const [runtime] = runtimes.slice(life % runtimes.length)
    return startHost({own: true, config, plugins: {poll}, ...(runtime && {runtime}), ...(project && {project})})
  }
  let host = await launch(0)
  for (let life = 0; life < lives; life++) {
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
  readActs(book, host.project, lives)
  return book.judge(await open({dialect: "sqlite", file: fileOf(host.project)}), Date.now())
}

test(`${kills} kills and outages of real processes: nothing runs or arrives past its limit, or twice`, async () => {
  tellHowToRepeat(run)
  const books = [new Book(), new Book()]
  const tallies = await Promise.all(books.map((book, index) => killOften(book, run.seed + index, Math.ceil(kills / 2))))
  process.stdout.write(`${kills} kills: ${JSON.stringify(tallies)}\n`)
  expect(books.flatMap(({faults}) => faults).join("\n")).toBe("")
  if (kills < 20) return
  const counts = {"handler expired": expect.any(Number), "handler handled": expect.any(Number)}
  expect(tallies).toEqual(books.map(() => expect.objectContaining(counts)))
})
