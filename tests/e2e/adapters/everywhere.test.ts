import {rmSync} from "node:fs"
import {describe, expect, test} from "vitest"
import {printed} from "../../support/host/command-line.ts"
import {makeProject, restore, startHost, type TestHost, until, usualRuntime} from "../../support/host/host.ts"
import {layCable} from "../../support/machine/cable.ts"
import {canMount, mountDisk} from "../../support/machine/disk.ts"
import {describeWith} from "../../support/machine/tools.ts"
import {untilGaps} from "../../support/messages/gaps.ts"
import {untilIdle} from "../../support/messages/messages.ts"
import type {EndpointView} from "../../support/platforms/endpoint.ts"
import {koishi} from "../../support/platforms/koishi.ts"
import {isDendriteThere} from "../../support/platforms/matrix/dendrite.ts"
import {koishiServer} from "../../support/platforms/satori/koishi-server.ts"
import {readySources} from "../../support/plugins/ready-sources.ts"
import {release} from "../examples/example.ts"
import {startKoishi} from "../satori/koishi.ts"
import {discordPlace, onebotPlace, satoriPlace, slackPlace, telegramPlace} from "./everywhere/fakes.ts"
import {countOf, type Place, sees} from "./everywhere/place.ts"
import {emailPlace, ircPlace, matrixPlace, mqttPlace, xmppPlace} from "./everywhere/real.ts"
import {answered, begin, finish, pardon, refusedMute, rung, voteLate} from "./everywhere/scenario.ts"

const env = {HTTP_TOKEN: "full-token-of-everywhere"}

const programs = ["ngircd", "prosody", "mosquitto", "dovecot"] as const

/** The source files of three ready plugins, unchanged. */
const code = Object.assign({}, ...["reminders", "polls", "moderation"].map(readySources))

/** The configuration. JSON is valid YAML. Bob is a moderator on Discord only. */
const configFor = (places: readonly Place[]): string =>
  JSON.stringify({
    http: {port: 0, token: "${HTTP_TOKEN}"},
    database: {filename: "data/bot.sqlite"},
    ingress: {minimumFree: 0},
    permissions: [{endpoint: "discord~one", user: "43", permission: "trusted"}],
    plugins: {
      reminders: {},
      polls: {config: {minutes: 60}},
      moderation: {config: {words: ["spam"], minutes: 10, log: {endpoint: "irc~one", channel: "#mods"}}},
      ...Object.fromEntries(places.map(({name, account}) => [name.split("~")[0], {endpoints: [account]}])),
    },
  })

const environmentOf = (places: readonly Place[]): string =>
  Object.entries(Object.assign({}, env, ...places.map(({env}) => env ?? {})))
    .map(([name, value]) => `${name}=${value}\n`)
    .join("")

const untilOnline = async (host: TestHost, count: number): Promise<readonly EndpointView[]> => {
  let last: readonly EndpointView[] = []
  return until("every endpoint to be online", async () => {
    last = (await host.get("/api/endpoints")).items
    return last.filter(({state}) => state === "online").length === count && last
  }).catch(error => {
    throw new Error(`${error.message}; ${JSON.stringify(last)}`)
  })
}

/** The endpoints with rows that the restore holds, without repetition. */
const heldOf = async (host: TestHost, what: "inbox" | "outbox" | "timers"): Promise<readonly string[]> => {
  const {items} = await host.get(`/api/${what}`, {limit: 500, state: "held"})
  return [...new Set(items.map(({endpoint}) => endpoint ?? ""))].sort()
}

const portOf = ({url}: TestHost): number => Number(new URL(url).port)

const every = <T>(places: readonly Place[], act: (place: Place) => Promise<T>): Promise<readonly T[]> =>
  Promise.all(places.map(act))

/** Endpoints that deliver the late vote again after the restore, from their history or from a resumed session. */
const sentAgain = ["discord~one", "email~one", "matrix~one", "satori~one", "xmpp~one"]

/** The listed gaps, each with its backfill's result. MQTT and Telegram no longer keep the late vote. */
const gaps = [
  "discord~one filled",
  "irc~one -",
  "mqtt~one -",
  "onebot~one -",
  "satori~one partly",
  "slack~one filled",
  "telegram~one -",
]

const isKoishiThere = koishi.install() && koishiServer.install()
const describeEverywhere = isKoishiThere && isDendriteThere() ? describeWith(...programs) : describe.skip

const setUp = async () => {
  const irc = await ircPlace()
  const real = [matrixPlace(), xmppPlace(), mqttPlace(), emailPlace()]
  const others = [telegramPlace(), discordPlace(), slackPlace(), onebotPlace(), satoriPlace()]
  const places: readonly Place[] = [irc, ...(await Promise.all([...real, ...others]))]
  const files = {...code, ".env": environmentOf(places)}
  const project = makeProject({config: configFor(places), files})
  const host = await startHost({own: true, runtime: usualRuntime, project, env})
  const cable = await layCable(portOf(host))
  const client = startKoishi(cable.port, env.HTTP_TOKEN)
  await irc.untilJoined(1)
  const endpoints = await untilOnline(host, places.length)
  await client.online(...endpoints.map(({login}) => `${login?.platform}:${login?.user?.id}`))
  return {irc, places, files, project, host, cable, client, endpoints}
}

type Setup = Awaited<ReturnType<typeof setUp>>

/** Waits until moderation has handled Eve's message, there and in the moderators' channel. Resolves to the outcome. */
const judged = async ({irc}: Setup, place: Place): Promise<string> => {
  if (place.judged === undefined) return "nothing: a direct conversation"
  const line = await until(`the outcome of Eve's message at ${place.name}`, () =>
    irc.moderators().find(each => each.includes(` on ${place.name} wrote "buy spam now" (spam): `)),
  )
  expect({place: place.name, line}).toMatchObject({line: expect.stringContaining(`: ${place.judged}`)})
  const {didJudge} = place
  if (didJudge !== undefined) await until(`${place.name} to carry it out`, () => didJudge())
  return place.judged
}

/** Restores into another folder, on other file systems if this process may mount them. */
const restoreElsewhere = async (archive: string, files: Setup["files"]): Promise<TestHost> => {
  const project = makeProject({files})
  for (const file of ["svc.config.yml", "package.json"]) rmSync(project.path(file))
  if (canMount()) for (const folder of ["data", ".svc"]) mountDisk(project.path(folder), "64m")
  expect(await restore(project, archive, usualRuntime)).toMatchObject({projectFiles: "restored", isNew: true})
  return startHost({runtime: usualRuntime, project, env})
}

const expectOnce = async (place: Place): Promise<void> => {
  for (const line of [rung("tea"), rung("supper"), /^kpong before$/, /^kpong after$/])
    expect({place: place.name, line, times: await countOf(place, line)}).toMatchObject({times: 1})
}

describeEverywhere("every platform at once", () => {
  test("run reminders, polls and moderation, and continue from an archive in another folder after a kill", async () => {
    const setup = await setUp()
    const {irc, places, host: before, client} = setup
    const refusals = await every(places, begin)
    await every(places, place => answered(place, /^kpong before$/, () => place.say("ann", ".kping before")))
    const outcomes = await every(places, place => judged(setup, place))
    const mutes = await every(places, place => refusedMute(before, place, setup.endpoints))
    await every(places, place =>
      answered(place, /^Reminder 3, on .*: supper$/, () => place.say("ann", "!remind in 40s supper")),
    )
    await untilIdle(before)
    const archive = setup.project.path("everywhere.tar.gz")
    await printed(setup.project, ["checkpoint", "create", "--output", archive], usualRuntime)
    await every(places, voteLate)
    await untilIdle(before)
    for (const place of places) expect(await countOf(place, rung("supper"))).toBe(0)
    expect((await before.stop("SIGKILL")).signal).toBe("SIGKILL")

    const host = await restoreElsewhere(archive, setup.files)
    setup.cable.join(portOf(host))
    await irc.untilJoined(2)
    await untilOnline(host, places.length)
    await until("the votes that arrive again", async () => (await heldOf(host, "inbox")).length >= sentAgain.length)
    const missed = await untilGaps(host, gaps.length)
    expect(missed.map(({endpoint, backfill}) => `${endpoint} ${backfill ?? "-"}`).sort()).toEqual(gaps)
    expect(await heldOf(host, "inbox")).toEqual(sentAgain)
    expect(await heldOf(host, "outbox")).toEqual([])
    expect(await heldOf(host, "timers")).toEqual(places.map(({name}) => name).sort())
    await release(host, usualRuntime, "inbox")
    await untilIdle(host)
    await every(places, place => finish(place, sentAgain.includes(place.name)))
    await release(host, usualRuntime, "timer")
    await every(places, place => sees(place, rung("supper")))
    await every(places, place => answered(place, /^kpong after$/, () => place.say("ann", ".kping after")))
    for (const place of places) await pardon(place, places, irc.moderators)
    await untilIdle(host)
    await every(places, expectOnce)
    expect(new Set(client.events().map(({platform}) => platform)).size).toBe(places.length)
    for (const state of ["failed", "dead"]) expect((await host.get("/api/inbox", {state})).items).toEqual([])
    expect((await host.stop()).code).toBe(0)
    const rows = places.map((place, index) => [
      `${place.name} (${place.counterpart})`,
      place.press === undefined ? "poll by number" : "poll by button",
      outcomes[index],
      mutes[index],
      refusals[index],
      sentAgain.includes(place.name) ? "the late vote came again, held" : "the late vote was lost",
    ])
    process.stdout.write(`${rows.map(row => row.join(" | ")).join("\n")}\n`)
  }, 240_000)
})
