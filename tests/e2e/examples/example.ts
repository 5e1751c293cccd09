import {expect} from "vitest"
import {type Loopback, loopbackPlugin} from "../../support/adapters/loopback.ts"
import {startHost, svc, type TestHost, type TestRuntime, until, untilIdle} from "../../support/host/host.ts"
import {makeProject, type Project} from "../../support/host/project.ts"
import {readySources} from "../../support/plugins/ready-sources.ts"

/** A project with both examples on the loopback platform. Ada is its moderator. */
export const exampleProject = (platform: Loopback, minutes: number): Project =>
  makeProject({
    config: `http: {port: 0}
permissions:
  - {endpoint: loop~one, user: ada, permission: trusted}
plugins:
  loopback: {endpoints: [{id: one, url: "${platform.url}"}]}
  reminders: {config: {shortest: 1}}
  moderation: {config: {words: [spam], minutes: ${minutes}, log: {endpoint: loop~one, channel: log}}}
`,
    plugins: {loopback: loopbackPlugin},
    files: {...readySources("reminders"), ...readySources("moderation")},
  })

/** Waits until the bot has done all of these deeds. Each argument is the start of a deed. */
export const untilDone = (platform: Loopback, ...deeds: readonly string[]): Promise<unknown> =>
  until(`all of ${deeds.join(" | ")}`, () => deeds.every(platform.has)).catch(error => {
    throw new Error(`${error.message}; the bot did: ${platform.deeds.join(" | ")}`)
  })

/** The deeds, sorted, with times replaced because they depend on when the test runs. */
export const timeless = (deeds: readonly string[]): readonly string[] =>
  deeds.map(deed => deed.replace(/on \w+ \d+, \d{4} at \d+:\d\d.[AP]M/g, "on TIME")).sort()

type List = "inbox" | "outbox" | "timers"

const count = async (host: TestHost, what: List, ...states: readonly string[]): Promise<number> => {
  const lists = states.map(state => host.get(`/api/${what}`, {limit: 500, state}))
  return (await Promise.all(lists)).flatMap(({items}): readonly unknown[] => items).length
}

/** Waits until `acts` messages and acts are queued. The platform is offline, so none of them is sent. */
export const untilStored = (host: TestHost, acts: number): Promise<unknown> =>
  until("the acts to be stored", async () => (await count(host, "outbox", "queued", "sending")) === acts)

/** Waits until no timer with this name is left. */
export const untilFired = (host: TestHost, name: string): Promise<unknown> =>
  until(`the timers ${name} to fire`, async () => {
    const {items} = await host.get("/api/timers", {limit: 500})
    return !items.some(timer => timer.name === name)
  })

/** Waits until exactly this is held and everything else has ended. */
export const untilHeld = async (host: TestHost, held: Readonly<Record<List, number>>) => {
  await until("the events that a restore holds", async () => (await count(host, "inbox", "held")) === held.inbox)
  await untilIdle(host)
  const lists = ["inbox", "outbox", "timers"] as const
  const found = lists.map(async what => [what, await count(host, what, "held")])
  expect(Object.fromEntries(await Promise.all(found))).toEqual(held)
}

/** Releases the held items with the command that an operator would use. */
export const release = async (host: TestHost, runtime: TestRuntime, what: "inbox" | "outbox" | "timer") =>
  expect(await svc(runtime, host.project, [what, "release", "--held"])).toMatchObject({code: 0})

/** Runs `cause`, and kills the Host after the platform's `deed`, before its answer. Resolves to the next Host. */
export const killedAt = async (
  host: TestHost,
  {platform, runtime, deed, cause}: {platform: Loopback; runtime: TestRuntime; deed: string; cause: () => void},
): Promise<TestHost> => {
  platform.set(deed, () => host.process.child.kill("SIGKILL"))
  cause()
  const {signal} = await host.process.finished
  expect(signal).toBe("SIGKILL")
  return startHost({own: true, runtime, project: host.project})
}
