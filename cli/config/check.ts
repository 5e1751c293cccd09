import {Command, Option} from "clipanion"
import {checkProject} from "../../server/doctor/project.ts"
import {checkPin} from "../../server/doctor/state.ts"
import type {Status} from "../../shared/api/system.ts"
import {notReadyAfter, withUnready} from "../../shared/api/unready.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {formatIssue} from "../../shared/problems.ts"
import {describeFinding} from "../kit/finding.ts"
import {DataCommand, describeProblem} from "../kit/svc-command.ts"

export class ConfigCheck extends DataCommand {
  static override usage = Command.Usage({
    description: "check the configuration, including the keys of each plugin",
    details:
      "Loads every plugin and runs its setup, which opens no connection. Exits 0 if the Host would commit the configuration and its required components would be ready; " +
      "other agent bindings that are not configured are warnings.",
    examples: [["Before a release", "svc config check"]],
  })

  environment = Option.String("--environment", {
    description: "Reads .env.<name> over .env (default: the mode of the running Host, else development)",
  })

  async run(): Promise<ExitCode> {
    const running = await this.get<Status>("/api/system/status").catch(() => undefined)
    const {problem, ...found} = await checkProject(this.folder, this.environment ?? running?.mode ?? "development")
    if (problem !== undefined) {
      if (this.json) this.print(JSON.stringify({ok: false, ...problem.body()}, undefined, 2))
      else this.tell(describeProblem(problem))
      return exit.failed
    }
    const {warnings, unready} = found
    const findings = [...found.findings, ...checkPin(running)]
    const ok = unready.length === 0
    if (!this.json) {
      for (const issue of warnings) this.tell(`svc: warning: ${formatIssue(issue)}`)
      for (const finding of findings) this.tell(`svc: ${describeFinding(finding)}`)
      if (!ok) this.tell(`svc: ${notReadyAfter(unready)}`)
    }
    this.show({ok, warnings, findings, ...withUnready(unready)}, () => "svc.config.yml is valid")
    return ok ? exit.ok : exit.failed
  }
}
