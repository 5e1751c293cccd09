import {DatabaseSync} from "node:sqlite"
import {expect, test} from "vitest"
import {holdDatabase} from "../../support/database/stranger.ts"
import {pluginWith, startHost, type TestHost, textsOf, until, untilPrinted} from "../../support/host/host.ts"
import {ircConfig, untilEndpoint} from "../../support/irc/host.ts"
import {joinIrc, type Person, startIrcServer} from "../../support/irc/servers.ts"
import {layCable} from "../../support/machine/cable.ts"
import {describeWith} from "../../support/machine/tools.ts"
import {type Gap, gapsOf, untilGaps} from "../../support/messages/gaps.ts"

/** An endpoint that is always up to date. Its stored time shows when the last heartbeat was stored. */
const prompt = pluginWith(`plugin.adapter("prompt", {
  history: "none",
  open: async () => ({send: async ({id}) => ({ids: [id]}), lag: () => 0}),
})`)

/** Starts a server, a bot connected by a cable, a writer, and a witness of what the server received. */
const meet = async () => {
  const server = await startIrcServer("ngircd")
  const cable = await layCable(server.port)
  const speaker = await joinIrc(server, "alice", {channel: "#lounge"})
  const witness = await joinIrc(server, "bob", {channel: "#lounge"})
  const {http, plugins} = JSON.parse(ircConfig([{id: "main", port: cable.port, nick: "svcbot", channels: ["#lounge"]}]))
  const config = JSON.stringify({http, plugins: {irc: plugins.irc, prompt: {}}})
  const host = await startHost({own: true, config, plugins: {prompt}})
  await untilEndpoint(host, "main", "online")
  return {server, cable, speaker, witness, host}
}

/** The server received a line between these two times, in milliseconds since 1970. */
interface Said {
  readonly after: number
  readonly before: number
}

const say = async (speaker: Person, witness: Person, line: string): Promise<Said> => {
  const after = Date.now()
  speaker.say("#lounge", line)
  await until("the witness to hear the line", () => witness.heard("alice", "#lounge").includes(line))
  return {after, before: Date.now()}
}

const expectIn = (gap: Gap | undefined, {after, before}: Said) => {
  expect(Date.parse(gap?.from ?? "")).toBeLessThanOrEqual(before)
  expect(Date.parse(gap?.to ?? "")).toBeGreaterThanOrEqual(after)
}

/** For each online endpoint, the stored time up to which it is known to have missed nothing. */
const seenOf = (host: TestHost): Readonly<Record<string, number>> => {
  const database = new DatabaseSync(host.project.path(".svc/data.sqlite"), {readOnly: true, timeout: 5000})
  try {
    const rows = database.prepare("SELECT endpoint, seen_at FROM endpoint_online").all()
    return Object.fromEntries(rows.map(row => [String(row.endpoint), Number(row.seen_at)]))
  } finally {
    database.close()
  }
}

describeWith("ngircd")("a gap covers IRC messages that were not stored", () => {
  test("because the connection had stalled before it was lost", async () => {
    const {server, cable, speaker, witness, host} = await meet()
    await say(speaker, witness, "stored")
    await until("the line to be stored", async () => (await textsOf(host)).includes("stored"))
    cable.stall()
    const said = await say(speaker, witness, "lost")
    cable.cut()
    await untilEndpoint(host, "main", "reconnecting")
    cable.join(server.port)
    await untilEndpoint(host, "main", "online")
    const [gap, ...others] = await untilGaps(host, 1)
    expect(others).toEqual([])
    expect(gap).toMatchObject({endpoint: "irc~main", reason: "connection_lost"})
    expectIn(gap, said)
    expect(await textsOf(host)).toEqual(["stored"])
  })

  test("because they were on their way when the Host was killed, though a later heartbeat was stored", async () => {
    const {server, cable, speaker, witness, host} = await meet()
    cable.stall()
    const said = await say(speaker, witness, "lost")
    await until("a later heartbeat", () => Number(seenOf(host).prompt) > said.before)
    expect(seenOf(host)["irc~main"]).toBeLessThanOrEqual(said.before)
    await host.stop("SIGKILL")
    cable.cut()
    cable.join(server.port)
    const later = await startHost({project: host.project})
    await untilEndpoint(later, "main", "online")
    const gap = (await untilGaps(later, 2)).find(({endpoint}) => endpoint === "irc~main")
    expect(gap).toMatchObject({reason: "host_ended"})
    expectIn(gap, said)
    expect(await textsOf(later)).toEqual([])
  })

  test("because another process locked the database", async () => {
    const {speaker, witness, host} = await meet()
    const stranger = await holdDatabase(host.project.path(".svc/data.sqlite"))
    const said = await say(speaker, witness, "lost")
    await untilPrinted(host.process, /\bmessage from #lounge\b/)
    stranger.child.kill("SIGKILL")
    await stranger.finished
    const [gap] = await until("the gap", async () => {
      const gaps = await gapsOf(host)
      return gaps.length > 0 && gaps
    })
    expect(gap).toMatchObject({endpoint: "irc~main", reason: "not_stored"})
    expectIn(gap, said)
    await say(speaker, witness, "stored")
    await until("the line to be stored", async () => (await textsOf(host)).includes("stored"))
    expect(await textsOf(host)).toEqual(["stored"])
  })
})
