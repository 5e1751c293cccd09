import {Command, Option} from "clipanion"
import {examine} from "../server/doctor/doctor.ts"
import type {Finding} from "../server/doctor/finding.ts"
import {checkLive} from "../server/doctor/live.ts"
import {isLocked} from "../server/runtime/lock.ts"
import {projectPaths} from "../server/runtime/project.ts"
import type {Status} from "../shared/api.ts"
import {type ExitCode, exit} from "../shared/exit.ts"
import type {ReadinessReport} from "../shared/readiness.ts"
import type {Static} from "../shared/type.ts"
import {connectHost} from "./host-client.ts"
import {DataCommand} from "./svc-command.ts"

const marks: Record<Finding["level"], string> = {ok: "ok     ", warning: "warning", error: "ERROR  "}

export class Doctor extends DataCommand {
  static override paths = [["doctor"]]
  static override usage = Command.Usage({
    description: "examine the project and this machine, or a running Host",
    details: `
      Without \`--live\`: runtime, lockfile, configuration, environment, plugins, build, database, port, disk, clock. Exits 1 when there is an error; a warning does not fail it.

      With \`--live <host_url>\`: reads the readiness report of that Host with the token in SVC_HTTP_TOKEN. Exits 0 when it is ready; 1 when it is not, when the token is refused, or when the request fails. With \`http.base\`, the address includes the prefix.
    `,
    examples: [
      ["Before a start", "svc doctor"],
      ["In CI, after a deployment", "SVC_HTTP_TOKEN=... svc doctor --live http://127.0.0.1:8068 --json"],
    ],
  })

  live = Option.String("--live", {description: "The address of a running Host"})
  environment = Option.String("--environment", "production", {description: "Reads .env.<name> over .env"})

  async run(): Promise<ExitCode> {
    return this.live === undefined ? this.#examine() : this.#live(this.live)
  }

  async #live(address: string): Promise<ExitCode> {
    const result = await checkLive(address, process.env.SVC_HTTP_TOKEN)
    if (this.json) this.print(JSON.stringify(result, undefined, 2))
    else if (result.ok) this.print(`ready: ${result.url}, generation ${result.report.generation}`)
    else this.context.stderr.write(`not ready: ${result.reason}\n${unreadyComponents(result.report)}`)
    return result.ok ? exit.ok : exit.failed
  }

  async #examine(): Promise<ExitCode> {
    const findings = await examine({
      project: this.folder,
      environment: this.environment,
      running: await this.#running(),
    })
    const failed = findings.some(({level}) => level === "error")
    this.show({ok: !failed, findings}, () => findings.map(describe).join("\n"))
    return failed ? exit.failed : exit.ok
  }

  async #running(): Promise<Static<typeof Status> | "unknown" | undefined> {
    if (!(await isLocked(projectPaths(this.folder)).catch(() => false))) return undefined
    return connectHost(this.folder)
      .then(host => host.get<Static<typeof Status>>("/api/system/status"))
      .catch(() => "unknown")
  }
}

const describe = ({level, check, detail, remediation}: Finding): string => {
  const lines = [`${marks[level]} ${check}: ${detail.replaceAll("\n", "\n          ")}`]
  return [...lines, ...(remediation === undefined ? [] : [`          do: ${remediation}`])].join("\n")
}

const unreadyComponents = (report: ReadinessReport | undefined): string =>
  (report?.components ?? [])
    .filter(({required, ready}) => required && !ready)
    .map(({kind, owner, name, reason, message, remediation}) => {
      const who = `${kind} ${owner === undefined ? "" : `${owner} `}${name}`
      return `  ${who}: ${reason}: ${message}\n    do: ${remediation?.text} (${remediation?.command})\n`
    })
    .join("")
