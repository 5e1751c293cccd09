import {Command, Option} from "clipanion"
import {examine} from "../server/doctor/doctor.ts"
import {expectedHost} from "../server/doctor/expected.ts"
import {checkIncident, type IncidentResult} from "../server/doctor/incident.ts"
import {checkLive} from "../server/doctor/live.ts"
import {isLocked} from "../server/runtime/lock.ts"
import {projectPaths} from "../server/runtime/project.ts"
import type {ReadinessReport} from "../shared/api/readiness.ts"
import type {Status} from "../shared/api/system.ts"
import {Problem} from "../shared/problems.ts"
import {describeFinding} from "./kit/finding.ts"
import {DataCommand} from "./kit/svc-command.ts"
import {durationOption} from "./kit/time-option.ts"

export class Doctor extends DataCommand {
  static override usage = Command.Usage({
    description: "check the project and this machine, or a running Host",
    details: `
      Without \`--live\` and \`--incident\`, it checks the project and this machine: runtime, lockfile, configuration, environment, plugins, build, database, port, disk and clock, and that exactly one supervisor starts the Host. Exits 1 if it finds an error; warnings do not fail it. With \`--static\` it checks only the project's files, as in a fresh checkout or in CI.

      With \`--incident <host_url>\`, it asks that Host the five questions of an incident, in order: is it reachable, is it the expected Host and version, are the endpoints online, are the capabilities there, is there only one authority? The token comes from SVC_HTTP_TOKEN. The expected project and version are those of this folder, unless you name others. Exits 0 if every answer is yes, otherwise 1.

      With \`--live <host_url>\`, it reads the readiness report of that Host, with the token from SVC_HTTP_TOKEN. Exits 0 if the Host is ready. Exits 1 if it is not, if it refuses the token, or if the request fails. With \`http.base\`, the address includes the prefix.
    `,
    examples: [
      ["Before a start", "svc doctor"],
      ["In an incident", "SVC_HTTP_TOKEN=... svc doctor --incident https://bot.example.org"],
      [
        "In an incident, with your expectations",
        "svc doctor --incident http://127.0.0.1:8068 --expect-version 0.1.0 --capability root/greeter/command/greet --quiet 15m",
      ],
      ["In CI, after a deployment", "SVC_HTTP_TOKEN=... svc doctor --live http://127.0.0.1:8068 --json"],
    ],
  })

  live = Option.String("--live", {description: "The address of a running Host"})
  incident = Option.String("--incident", {description: "The address of the Host for the five questions of an incident"})
  expectProject = Option.String("--expect-project", {description: "The project to expect there (default: this one)"})
  expectVersion = Option.String("--expect-version", {description: "The version to expect there (default: this one's)"})
  capability = Option.Array("--capability", [], {description: "A capability id that the Host must publish; repeatable"})
  quiet = Option.String("--quiet", {description: "The greatest age of the newest inbox event, for example 15m"})
  static = Option.Boolean("--static", false, {description: "Check only the files: not data, port, disk or clock"})
  environment = Option.String("--environment", "production", {description: "Reads .env.<name> over .env"})

  async run(): Promise<boolean> {
    if (this.incident !== undefined) return this.#incident(this.incident)
    return this.live === undefined ? this.#examine() : this.#live(this.live)
  }

  async #incident(address: string): Promise<boolean> {
    const quiet = this.quiet === undefined ? undefined : durationOption("--quiet", this.quiet, "15m or 1h")
    const own = await expectedHost(this.folder)
    const result = await checkIncident(address, process.env.SVC_HTTP_TOKEN, {
      project: this.expectProject ?? own?.project,
      version: this.expectVersion ?? own?.version,
      capabilities: this.capability,
      longestQuiet: quiet,
    })
    this.show(result, () => result.answers.map(describeAnswer).join("\n"))
    return result.ok
  }

  async #live(address: string): Promise<boolean> {
    const result = await checkLive(address, process.env.SVC_HTTP_TOKEN)
    if (this.json) this.print(JSON.stringify(result, undefined, 2))
    else if (result.ok)
      this.print(
        [`ready: ${result.url}, ${describeGeneration(result.report)}`, ...readyButLines(result.report)].join("\n"),
      )
    else this.tell(`not ready: ${result.reason}\n${unreadyComponents(result.report)}`.trimEnd())
    return result.ok
  }

  async #examine(): Promise<boolean> {
    const running = this.static ? undefined : await this.#running()
    const findings = await examine({
      project: this.folder,
      environment: this.environment,
      isStatic: this.static,
      running,
      ...(running !== undefined && running !== "unknown" && (await this.#ask())),
    })
    const failed = findings.some(({level}) => level === "error")
    this.show({ok: !failed, findings}, () => findings.map(describeFinding).join("\n"))
    return !failed
  }

  async #running(): Promise<Status | "unknown" | undefined> {
    if (!(await isLocked(projectPaths(this.folder)).catch(() => false))) return undefined
    return this.get("/api/system/status").catch(() => "unknown")
  }

  /** Asks the running Host. What it does not answer is undefined. */
  async #ask() {
    const nothing = () => undefined
    const ofHeld = {state: "held", limit: 1} as const
    return {
      report: await this.get("/api/system/readiness").catch(nothing),
      hasHeldEvents: await this.get("/api/inbox", ofHeld).then(({items}) => items.length > 0, nothing),
      timers: await Promise.all([
        this.get("/api/timers", {state: "failed", limit: 10}),
        this.get("/api/timers", ofHeld),
      ]).then(([{items: failed}, {items}]) => ({failed, held: items.length > 0}), nothing),
      agents: await Promise.all([
        this.get("/api/approvals", {state: "waiting", limit: 10}),
        this.get("/api/runs", {kind: "agent", ...ofHeld}),
      ]).then(([{items: approvals}, {items}]) => ({approvals, held: items.length > 0}), nothing),
      plugins: await this.get("/api/plugins").then(({items}) => items, nothing),
      files: await this.get("/api/database").then(({files}) => files, nothing),
      checked: await this.post("/api/database/check").catch(error => (error instanceof Problem ? error : undefined)),
    }
  }
}

const describeAnswer = ({question, text, answer, evidence, next}: IncidentResult["answers"][number]): string =>
  [
    `${question} ${answer.padEnd(9)} ${text}`,
    ...evidence.map(line => `            ${line}`),
    ...(next === undefined ? [] : [`            next: ${next}`]),
  ].join("\n")

const describeGeneration = ({generation, provisional}: ReadinessReport): string =>
  `generation ${generation}${provisional === true ? " (provisional: the database does not answer)" : ""}`

/** Lists required components that are ready but have a message: not connected, ingress paused, a failing database. */
const readyButLines = ({components}: ReadinessReport): readonly string[] =>
  components
    .filter(({required, ready, remediation}) => required && ready && remediation !== undefined)
    .map(component => describeComponent(component, component.message))

const unreadyComponents = (report: ReadinessReport | undefined): string =>
  (report?.components ?? [])
    .filter(({required, ready}) => required && !ready)
    .map(component => `${describeComponent(component, `${component.reason}: ${component.message}`)}\n`)
    .join("")

const describeComponent = (
  {kind, owner, name, remediation}: ReadinessReport["components"][number],
  said: string,
): string =>
  `  ${kind} ${owner === undefined ? "" : `${owner} `}${name}: ${said}\n    do: ${remediation?.text} (${remediation?.command})`
