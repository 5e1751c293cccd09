import {readdirSync, rmSync} from "node:fs"
import {hour, minute, storePast} from "../../../support/console/past.ts"
import {reload} from "../../../support/host/generation.ts"
import {type Share, shareMore, startHost, type TestHost, type TestRuntime, until} from "../../../support/host/host.ts"
import {makeProject, type Project} from "../../../support/host/project.ts"
import {freePort} from "../../../support/machine/ports.ts"
import {endpointOf} from "../../../support/platforms/endpoint.ts"
import {awayPlugin} from "../../../support/plugins/away-plugin.ts"
import {pluginWith} from "../../../support/plugins/plugin-sources.ts"
import {env} from "../console.ts"

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

/** The first configuration and the present one, which has another plugin and another setting. */
const older = "  team:\n    # Whom the bot greets.\n    config: {greeting: hello}\n  shop: {}\n"
const newer = "  team:\n    # Whom the bot greets.\n    config: {greeting: good morning}\n  shop: {}\n  advert: {}\n"

/** Accepts orders. Fails while the project has the file `broken`, and waits while it has the file `hold`. */
const shop = (answer: string): string =>
  pluginWith(`
    plugin.on("message-created", {name: "orders"}, async session => {
      if (!session.text.startsWith("order")) return
      while (existsSync(join(plugin.project, "hold"))) await sleep(20)
      if (existsSync(join(plugin.project, "broken"))) throw new Error("the stock does not answer: " + session.text)
      await session.send("${answer}")
    })`)

/** Throws on every call. */
const advert = pluginWith(`plugin.command("advert", () => { throw new Error("there is no advert today") })`)

/** A platform that rejects messages to a full mailbox. */
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

const team = pluginWith(
  `
    plugin.command("greet", () => config.greeting)
    plugin.job("digest", {description: "Sums the day up"}, async () => {
      throw new Error("the archive is not there")
    })`,
  `description: "Greets the team",
  config: Type.Object({greeting: Type.String({description: "How it greets", minLength: 2})})`,
)

const jobs = [
  {id: "digest", schedule: {cron: "30 2 * * *"}, timezone: "Europe/Berlin", target: {plugin: "team", job: "digest"}},
  {
    id: "lunch",
    schedule: {cron: "0 12 * * 1-5"},
    timezone: "UTC",
    target: {endpoint: "sandbox", channel: "#team", text: "Lunch"},
  },
]

export const orders = 12

export class BadDay {
  readonly #runtime: TestRuntime
  readonly #share: Share
  readonly project: Project
  host: TestHost

  private constructor(runtime: TestRuntime, share: Share, host: TestHost) {
    this.#runtime = runtime
    this.#share = share
    this.host = host
    this.project = host.project
  }

  /**
   * A Host that was killed and restarted, two hours after somebody last looked. Before: an earlier generation, failed
   * orders, a full mailbox, a required endpoint that has been offline for 40 minutes, two days of metrics. Since then:
   * a plugin that throws on every call, and a failed job.
   */
  static async make(runtime: TestRuntime): Promise<BadDay> {
    const share = shareMore()
    const port = await freePort()
    const project = makeProject({
      config: configOf(port, older),
      plugins: {shop: shop("Thank you."), advert, post, team, away: awayPlugin},
      files: {broken: "", "data/schedule-jobs.json": JSON.stringify({version: 1, jobs}, undefined, 2)},
    })
    const first = await startHost({own: true, runtime, project, env, args})
    project.write("svc.config.yml", configOf(port, newer))
    project.write("plugins/shop.ts", shop("Thank you, it is on its way."))
    await reload(first)
    await first.say("hello there", {user: "ann"})
    for (let count = 1; count <= orders; count++)
      await first.say(`order ${count} cups of tea`, {user: count % 2 === 0 ? "ann" : "bob", channel: `of-${count}`})
    const {id} = await first.post("/api/outbox", {body: {endpoint: "post", channel: "full", text: "Your bill"}})
    await until("the mailbox to be full", async () => {
      const {state} = await first.get("/api/outbox/:id", {id})
      return state === "dead" || state === "failed"
    })
    project.write("away", "")
    await until("the endpoint to be offline", async () => (await endpointOf(first, "away")).state !== "online")
    // A killed Host may lose the last moment of its log, so this waits for it.
    await until("the log to be written", () => logOf(project).includes("away is reconnecting"))
    await first.stop("SIGKILL")
    const since = {
      sql: "UPDATE endpoint_gaps SET from_at = ? WHERE endpoint = 'away'",
      args: [Date.now() - 40 * minute],
    }
    await storePast(project.path(".svc/data.sqlite"), {endpoint: "away", more: [since]})
    const day = new BadDay(runtime, share, await startHost({own: true, runtime, project, env, args}))
    await day.spoil()
    await day.host.post("/api/jobs/:id/run", {id: "digest"})
    return day
  }

  /** When somebody last looked, in milliseconds since 1970. */
  readonly lookedAt = Date.now() - 2 * hour

  /** Kills the Host without notice, as a power failure does. */
  async kill(): Promise<void> {
    await this.host.stop("SIGKILL")
  }

  async startAgain(): Promise<void> {
    const {project} = this
    this.host = await this.#share(() => startHost({own: true, runtime: this.#runtime, project, env, args}))
  }

  /** The stock answers again, but slowly until `letGo`. */
  mend(): void {
    this.project.write("hold", "")
    rmSync(this.project.path("broken"))
  }

  letGo(): void {
    rmSync(this.project.path("hold"))
  }

  /** Calls the command that throws, in the current run. */
  async spoil(): Promise<void> {
    for (let count = 0; count < 3; count++) await this.host.say("/advert", {user: "eve"})
  }
}

const logOf = (project: Project): string =>
  readdirSync(project.path(".svc/logs"))
    .map(name => project.read(`.svc/logs/${name}`))
    .join("")

/** Without the watcher, only the operator commits generations. */
const args = ["--no-watch"]
