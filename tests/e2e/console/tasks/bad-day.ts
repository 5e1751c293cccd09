import {readdirSync, rmSync} from "node:fs"
import {hour, minute, storePast} from "../../../support/console/past.ts"
import {reload} from "../../../support/host/generation.ts"
import {startHost, type TestHost} from "../../../support/host/host.ts"
import {until} from "../../../support/host/process.ts"
import {makeProject, type Project} from "../../../support/host/project.ts"
import type {TestRuntime} from "../../../support/host/runtimes.ts"
import {type Share, shareMore} from "../../../support/host/shared.ts"
import {freePort} from "../../../support/machine/ports.ts"
import {awayPlugin} from "../../../support/plugins/away-plugin.ts"
import {pluginWith} from "../../../support/plugins/plugin-sources.ts"

export const env = {HTTP_TOKEN: "the-full-token-of-the-console", DEMO_TOKEN: "the-demo-token-of-the-console"}

const configOf = (port: number, more: string): string => `log_level: info
http:
  port: ${port}
  token: "\${HTTP_TOKEN}"
  demoToken: "\${DEMO_TOKEN}"
  readiness:
    endpoints:
      - {owner: root/away, name: away}
messages: {failure: ""}
plugins:
  sandbox: {}
  away: {}
  post: {}
${more}`

/** What ran first, and what runs now: another plugin and another setting. */
const older = "  team:\n    # Whom the bot greets.\n    config: {greeting: hello}\n  shop: {}\n"
const newer = "  team:\n    # Whom the bot greets.\n    config: {greeting: good morning}\n  shop: {}\n  advert: {}\n"

/** Takes orders, unless the file `broken` is there; while there is a file `hold`, it takes its time. */
const shop = (answer: string): string =>
  pluginWith(`
    plugin.on("message-created", {name: "orders"}, async session => {
      if (!session.text.startsWith("order")) return
      while (existsSync(join(plugin.project, "hold"))) await sleep(20)
      if (existsSync(join(plugin.project, "broken"))) throw new Error("the stock does not answer: " + session.text)
      await session.send("${answer}")
    })`)

/** Throws whenever it is called. */
const advert = pluginWith(`plugin.command("advert", () => { throw new Error("there is no advert today") })`)

/** A platform that refuses what goes to a full mailbox. */
const post = pluginWith(`
    plugin.adapter("post", {
      history: "inside",
      open: async () => ({
        send: async ({id, channel}) => {
          if (channel === "full") throw refused("the mailbox is full", {reason: "full", remediation: "Ask its owner."})
          return {ids: [id]}
        },
      }),
    })`)

const team = `import {definePlugin, Type} from "svc-runtime"

export default definePlugin({
  description: "Greets the team",
  config: Type.Object({greeting: Type.String({description: "How it greets", minLength: 2})}),
  setup(plugin, {greeting}) {
    plugin.command("greet", () => greeting)
    plugin.job("digest", {description: "Sums the day up"}, async () => {
      throw new Error("the archive is not there")
    })
  },
})
`

const jobs = [
  {id: "digest", schedule: {cron: "30 2 * * *"}, timezone: "Europe/Berlin", target: {plugin: "team", job: "digest"}},
  {
    id: "lunch",
    schedule: {cron: "0 12 * * 1-5"},
    timezone: "UTC",
    target: {endpoint: "sandbox", channel: "#team", text: "Lunch"},
  },
]

/** How many orders failed. */
export const orders = 12

/** A Host on a bad day, and what happens to it. */
export class BadDay {
  readonly #runtime: TestRuntime
  readonly #share: Share
  readonly project: Project
  /** The one that runs now, or that was killed last. */
  host: TestHost

  private constructor(runtime: TestRuntime, share: Share, host: TestHost) {
    this.#runtime = runtime
    this.#share = share
    this.host = host
    this.project = host.project
  }

  /**
   * A Host that was killed and started again, two hours after somebody looked last. Before that: a generation that was another,
   * orders that failed, a mailbox that was full, a required endpoint that has been away for 40 minutes, two days of metrics.
   * Since then: a plugin that throws whenever it is called, and a job that failed.
   */
  static async make(runtime: TestRuntime): Promise<BadDay> {
    const share = shareMore()
    const port = await freePort()
    const project = makeProject({
      config: configOf(port, older),
      plugins: {shop: shop("Thank you."), advert, post, team, away: awayPlugin},
      files: {broken: "", "data/schedule-jobs.json": JSON.stringify({version: 1, jobs}, undefined, 2)},
    })
    const first = await startHost({runtime, project, env, args})
    project.write("svc.config.yml", configOf(port, newer))
    project.write("plugins/shop.ts", shop("Thank you, it is on its way."))
    await reload(first)
    await first.say("hello there", {user: "ann"})
    for (let count = 1; count <= orders; count++)
      await first.say(`order ${count} cups of tea`, {user: count % 2 === 0 ? "ann" : "bob", channel: `of-${count}`})
    const {id} = await first.post<{id: string}>("/api/outbox", {endpoint: "post", channel: "full", text: "Your bill"})
    await until("the mailbox to be full", async () => {
      const {state} = await first.get<{state: string}>(`/api/outbox/${id}`)
      return state === "dead" || state === "failed"
    })
    project.write("away", "")
    await until("the endpoint to be away", async () => {
      const {items} = await first.get<{items: {name: string; state: string}[]}>("/api/endpoints")
      return items.find(({name}) => name === "away")?.state !== "online"
    })
    // A Host that is killed has written its log up to a moment before.
    await until("the log to be written", () => logOf(project).includes("away is reconnecting"))
    await first.stop("SIGKILL")
    const since = {
      sql: "UPDATE endpoint_gaps SET from_at = ? WHERE endpoint = 'away'",
      args: [Date.now() - 40 * minute],
    }
    await storePast(project.path(".svc/data.sqlite"), {endpoint: "away", more: [since]})
    const day = new BadDay(runtime, share, await startHost({runtime, project, env, args}))
    await day.spoil()
    await day.host.post("/api/jobs/digest/run")
    return day
  }

  /** When somebody looked last, in milliseconds since 1970. */
  readonly lookedAt = Date.now() - 2 * hour

  /** As a machine that lost its power: nothing is told to the Host. */
  async kill(): Promise<void> {
    await this.host.stop("SIGKILL")
  }

  async startAgain(): Promise<void> {
    const {project} = this
    this.host = await this.#share(() => startHost({runtime: this.#runtime, project, env, args}))
  }

  /** The stock answers again, but slowly until `letGo`. */
  mend(): void {
    this.project.write("hold", "")
    rmSync(this.project.path("broken"))
  }

  letGo(): void {
    rmSync(this.project.path("hold"))
  }

  /** Somebody calls what throws, in the run that is under way. */
  async spoil(): Promise<void> {
    for (let count = 0; count < 3; count++) await this.host.say("/advert", {user: "eve"})
  }
}

/** What a run has written of its log. */
const logOf = (project: Project): string =>
  readdirSync(project.path(".svc/logs"))
    .map(name => project.read(`.svc/logs/${name}`))
    .join("")

/** Nothing is committed but by what the operator does. */
const args = ["--no-watch"]
