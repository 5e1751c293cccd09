import {readFileSync} from "node:fs"
import {expect} from "vitest"
import {type Loopback, loopbackPlugin} from "../../support/adapters/loopback.ts"
import {startHost, svc, type TestHost} from "../../support/host/host.ts"
import {until} from "../../support/host/process.ts"
import {makeProject, type Project} from "../../support/host/project.ts"
import {root, type TestRuntime} from "../../support/host/runtimes.ts"

export type ExampleName = "reminders" | "moderation"

const sourceOf = (name: ExampleName) => readFileSync(`${root}examples/${name}/plugins/${name}.ts`, "utf8")

/** A project with both examples at the loopback platform, and a moderator, ada. */
export const exampleProject = (platform: Loopback, minutes: number): Project =>
  makeProject({
    config: `http: {port: 0}
permissions:
  - {endpoint: loop~one, user: ada, permission: trusted}
plugins:
  loopback: {endpoints: [{id: one, url: "${platform.url}"}]}
  reminders: {}
  moderation: {config: {words: [spam], minutes: ${minutes}, log: {endpoint: loop~one, channel: log}}}
`,
    plugins: {loopback: loopbackPlugin, reminders: sourceOf("reminders"), moderation: sourceOf("moderation")},
  })

/** Once the bot has done all of this; each begins so. */
export const untilDone = (platform: Loopback, ...deeds: readonly string[]): Promise<unknown> =>
  until(`all of ${deeds.join(" | ")}`, () => deeds.every(platform.has)).catch(error => {
    throw new Error(`${error.message}; the bot did: ${platform.deeds.join(" | ")}`)
  })

/** What was done, in no order, without the times that depend on when the test runs. */
export const timeless = (deeds: readonly string[]): readonly string[] =>
  deeds.map(deed => deed.replace(/at \d{4}-\d\d-\d\d \d\d:\d\d/g, "at TIME")).sort()

const count = async (host: TestHost, what: string, ...states: readonly string[]): Promise<number> => {
  const lists = states.map(state => host.get<{items: unknown[]}>(`/api/${what}?limit=500&state=${state}`))
  return (await Promise.all(lists)).flatMap(({items}) => items).length
}

/** Once so many messages and acts are stored, and none of them done: the platform is away. */
export const untilStored = (host: TestHost, acts: number): Promise<unknown> =>
  until("the acts to be stored", async () => (await count(host, "outbox", "queued", "sending")) === acts)

/** Once no event and no message waits or runs. */
export const untilQuiet = (host: TestHost): Promise<unknown> =>
  until(
    "the Host to have nothing to do",
    async () =>
      (await count(host, "inbox", "pending", "running")) + (await count(host, "outbox", "queued", "sending")) === 0,
  )

/** Once so much is held, and all else has ended. */
export const untilHeld = async (host: TestHost, held: {inbox: number; outbox: number; timers: number}) => {
  await until("what a restore holds", async () => (await count(host, "inbox", "held")) === held.inbox)
  await untilQuiet(host)
  const found = Object.entries(held).map(async ([what]) => [what, await count(host, what, "held")])
  expect(Object.fromEntries(await Promise.all(found))).toEqual(held)
}

/** As an operator does it. */
export const release = async (host: TestHost, runtime: TestRuntime, what: "inbox" | "outbox" | "timer") =>
  expect(await svc(runtime, host.project, [what, "release", "--held"])).toMatchObject({code: 0})

/**
 * Does what `cause` brings about, and kills the Host in the middle of `deed`: the platform has done it, and the Host does not
 * hear of it. Resolves to the Host of afterwards.
 */
export const killedAt = async (
  host: TestHost,
  {platform, runtime, deed, cause}: {platform: Loopback; runtime: TestRuntime; deed: string; cause: () => void},
): Promise<TestHost> => {
  platform.set(deed, () => host.process.child.kill("SIGKILL"))
  cause()
  const {signal} = await host.process.finished
  expect(signal).toBe("SIGKILL")
  return startHost({runtime, project: host.project})
}
