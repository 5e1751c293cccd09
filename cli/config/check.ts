import {Command, Option} from "clipanion"
import {checkProject} from "../../server/doctor/project.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {formatIssue} from "../../shared/problems.ts"
import {DataCommand, describeProblem} from "../kit/svc-command.ts"

export class ConfigCheck extends DataCommand {
  static override usage = Command.Usage({
    description: "check the configuration, including the keys of each plugin",
    details:
      "Loads every plugin and runs its setup, which opens no connection. Exits 0 if the Host would commit the configuration; " +
      "agent bindings that are not configured are warnings.",
    examples: [["Before a release", "svc config check"]],
  })

  environment = Option.String("--environment", "development", {description: "Reads .env.<name> over .env"})

  async run(): Promise<ExitCode> {
    const {problem, warnings} = await checkProject(this.folder, this.environment)
    if (problem === undefined) {
      for (const issue of this.json ? [] : warnings) this.tell(`svc: warning: ${formatIssue(issue)}`)
      this.show({ok: true, warnings}, () => "svc.config.yml is valid")
      return exit.ok
    }
    if (this.json) this.print(JSON.stringify({ok: false, ...problem.body()}, undefined, 2))
    else this.tell(describeProblem(problem))
    return exit.failed
  }
}
